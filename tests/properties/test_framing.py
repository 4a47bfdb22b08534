"""A run with its own steps around its stories reaches an end, and starts stories only between those steps."""

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RUN_ENDED, RunState, RunStatus
from shiftwork.domain.story.state import StoryStatus
from shiftwork.domain.workflow.workflow import DYNAMIC, Workflow
from shiftwork.testing.builders import planned, run_plan
from shiftwork.testing.simulation.run import RunSimulation
from shiftwork.testing.simulation.simulation import Play
from shiftwork.testing.strategies import DrawnChance, specs

FRAMED = Workflow(id="framed", version=1, steps=(planned("plan"), *DYNAMIC.steps, planned("review")))


@given(st.data(), specs(), st.integers(1, 3))
def test_it_ends_and_stories_start_only_while_the_loop_is_open(data: st.DataObject, stories: tuple, slots: int) -> None:  # type: ignore[type-arg]
    simulation = RunSimulation(chance=DrawnChance(data), wishes=0)
    play = Play(decide=decide_run, evolve=evolve_run, answer=simulation.answer, state=RunState())
    play.open([run_facts.RunStarted(at=0, plan=run_plan(*stories, parallel=slots, steps=FRAMED))])
    ended = play.run(simulation.bound(play.state) * 2)
    assert ended.status in RUN_ENDED
    assert not ended.frame.running
    assert not ended.schedule.in_progress
    for turn in play.turns:
        if isinstance(turn.effect, run_effects.DispatchStory) and turn.effect.assignment.story.id != FRAME:
            assert turn.before.frame.open
    passed_over = not ended.frame.round and ended.frame.starts
    whole = passed_over or all(known.status is StoryStatus.COMPLETED for known in ended.stories.values())
    assert (ended.status is RunStatus.COMPLETED) == bool(
        whole and not ended.frame.failure and not ended.requests.cancelling
    )
