"""Whatever lands, fails or is cancelled, and however often the file cannot be written: it is told what is true."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.run import RUN_ENDED, RunState
from shiftwork.domain.model.spec import Story
from shiftwork.domain.model.story import StoryStatus
from shiftwork.domain.rules.decide_run import decide_run
from shiftwork.domain.rules.evolve_run import evolve_run
from shiftwork.testing.builders import run_plan
from shiftwork.testing.simulated_run import RunWorld
from shiftwork.testing.simulation import Play
from shiftwork.testing.strategies import QUICK, DrawnChance, specs


@given(specs(), st.integers(1, 3), st.data())
@QUICK
def test_the_file_is_told_of_every_landing_once_and_of_nothing_else(
    stories: tuple[Story, ...], parallel: int, data: st.DataObject
) -> None:
    world = RunWorld(chance=DrawnChance(data))
    play = Play(decide=decide_run, evolve=evolve_run, answer=world.answer, state=RunState())
    adopted = data.draw(st.sets(st.sampled_from([story.id for story in stories])))
    plan = run_plan(*stories, parallel=parallel, source="markdown:plan.md")
    play.open([r.RunStarted(at=0, plan=plan), *(r.StoryAdopted(at=0, story=story) for story in sorted(adopted))])
    play.run(world.bound(play.state))
    assert play.state.status in RUN_ENDED
    assert play.state.telling.untold == ()
    told = Counter(story for fact in play.history if isinstance(fact, r.SpecTicked) for story in fact.stories)
    given_up = {s for fact in play.history if isinstance(fact, r.SpecTickFailed) if fact.final for s in fact.stories}
    landed = {story for story, known in play.state.stories.items() if known.status is StoryStatus.COMPLETED} - adopted
    assert told.keys() | given_up == landed
    assert told.keys().isdisjoint(given_up)
    assert set(told.values()) <= {1}
    keys = [turn.effect.key for turn in play.turns if isinstance(turn.effect, e.TickSpec)]
    assert len(keys) == len(set(keys))
