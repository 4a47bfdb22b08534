"""For any outcomes of stories and any failed writes, the spec file is updated with the true results."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RUN_ENDED, RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import StoryStatus
from shiftwork.testing.builders import run_plan
from shiftwork.testing.simulation.run import RunSimulation
from shiftwork.testing.simulation.simulation import Play
from shiftwork.testing.strategies import QUICK, DrawnChance, specs


@given(specs(), st.integers(1, 3), st.data())
@QUICK
def test_the_file_is_updated_for_every_landing_and_undo_once_and_for_nothing_else(
    stories: tuple[Story, ...], parallel: int, data: st.DataObject
) -> None:
    simulation = RunSimulation(chance=DrawnChance(data))
    play = Play(decide=decide_run, evolve=evolve_run, answer=simulation.answer, state=RunState())
    done = data.draw(st.sets(st.sampled_from([story.id for story in stories])))
    plan = run_plan(*stories, parallel=parallel, source="markdown:plan.md")
    play.open(
        [run_facts.RunStarted(at=0, plan=plan), *(run_facts.StoryAdopted(at=0, story=story) for story in sorted(done))]
    )
    file = set(_completed(play.state))  # not what waits for itself: that is blocked, whatever the file says
    play.run(simulation.bound(play.state))
    assert play.state.status in RUN_ENDED
    assert play.state.writeback.unwritten == ()
    message, changed, given_up = Counter[StoryId](), Counter[StoryId](), set[StoryId]()
    for turn in play.turns:
        changed.update(_completed(turn.before) ^ _completed(turn.after))
        for fact in turn.facts:
            if isinstance(fact, run_facts.SpecUpdated):
                message.update(fact.stories)
                file = (file - {*fact.stories}) | (_completed(turn.before) & {*fact.stories})
            elif isinstance(fact, run_facts.SpecUpdateFailed) and fact.final:
                given_up |= {*fact.stories}
    assert message <= changed, "never of the same twice"
    assert file - given_up == _completed(play.state) - given_up, "the file shows what has landed"
    keys = [turn.effect.key for turn in play.turns if isinstance(turn.effect, run_effects.UpdateSpec)]
    assert len(keys) == len(set(keys))


def _completed(run: RunState) -> set[StoryId]:
    return {story for story, known in run.stories.items() if known.status is StoryStatus.COMPLETED}
