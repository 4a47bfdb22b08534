"""A history that was stored and read again folds to the same states and requests the same effects."""

import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.codec import decode, encode
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.landing.decide import decide_queue
from shiftwork.domain.landing.evolve import evolve_queue
from shiftwork.domain.landing.state import QueueState
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.workflow import StepPlan
from shiftwork.testing.builders import assignment, run_plan
from shiftwork.testing.simulation.landing_queue import QueueSimulation
from shiftwork.testing.simulation.run import RunSimulation
from shiftwork.testing.simulation.simulation import Play
from shiftwork.testing.simulation.story import StorySimulation
from shiftwork.testing.strategies import QUICK, DrawnChance, limits, specs, story_simulations, workflows


def stored(facts: Sequence[Fact]) -> list[Fact]:
    """The facts after a stay in a database."""
    rows = [encode(fact) for fact in facts]
    lines = [json.dumps([row.kind, row.version, row.body]) for row in rows]
    return [decode(*json.loads(line)) for line in lines]


def replays_alike[S](play: Play[S], start: S) -> None:
    """After every fact the history, read back, gives the state that there was; and at every turn it asks the same."""
    lived, replayed = start, start
    for fact, read in zip(play.history, stored(play.history), strict=True):
        lived, replayed = play.evolve(lived, fact), play.evolve(replayed, read)
        assert replayed == lived
    assert replayed == play.state
    number = len(play.history) - sum(len(turn.facts) for turn in play.turns)
    for turn in play.turns:
        again = start
        for fact in stored(play.history[:number]):
            again = play.evolve(again, fact)
        assert turn.effect in play.decide(again)
        number += len(turn.facts)


@given(workflows(), limits, story_simulations())
@QUICK
def test_a_story_replays_alike(steps: tuple[StepPlan, ...], held: Limits, simulation: StorySimulation) -> None:
    play = Play(decide=decide_story, evolve=evolve_story, answer=simulation.answer, state=StoryState())
    play.open([story_facts.StoryStarted(at=0, assignment=assignment(limits=held), steps=steps)])
    play.run(simulation.bound(play.state))
    replays_alike(play, StoryState())


@given(specs(), st.integers(1, 3), st.data())
@QUICK
def test_a_run_replays_alike(stories: tuple[Story, ...], parallel: int, data: st.DataObject) -> None:
    simulation = RunSimulation(chance=DrawnChance(data))
    play = Play(decide=decide_run, evolve=evolve_run, answer=simulation.answer, state=RunState())
    play.open([run_facts.RunStarted(at=0, plan=run_plan(*stories, parallel=parallel))])
    play.run(simulation.bound(play.state))
    replays_alike(play, RunState())


@given(st.data())
@QUICK
def test_a_queue_replays_alike(data: st.DataObject) -> None:
    simulation = QueueSimulation(chance=DrawnChance(data), withdrawals=2)
    play = Play(decide=decide_queue, evolve=evolve_queue, answer=simulation.answer, state=QueueState())
    play.run(simulation.bound())
    replays_alike(play, QueueState())
