"""Decisions reach an end for every sequence of results, and each effect's key is used once."""

from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.decision import receive
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import Commit, StepId, step_id
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RUN_ENDED, RunState, RunStatus
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.spending.attempt_usage import ENDS
from shiftwork.domain.story.state import ENDED, LandingStage, StoryState, StoryStatus
from shiftwork.domain.usage import totals
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.guardrails import MAX_RESTARTS, MAX_STEPS, Rejected, apply_edits
from shiftwork.domain.workflow.pipeline import Pipeline
from shiftwork.domain.workflow.workflow import StepKind, StepPlan
from shiftwork.testing.builders import assignment, began, fold_story, run_plan, started_story
from shiftwork.testing.simulation.run import RunSimulation
from shiftwork.testing.simulation.simulation import Play, Turn
from shiftwork.testing.simulation.story import StorySimulation
from shiftwork.testing.strategies import QUICK, DrawnChance, limits, specs, story_simulations, workflows

SIMULATIONS = settings(QUICK, max_examples=80)


def played_story(steps: tuple[StepPlan, ...], held: Limits, simulation: StorySimulation) -> Play[StoryState]:
    """A story from its start to where nothing more is asked for; fails where that takes longer than it can."""
    play = Play(decide=decide_story, evolve=evolve_story, answer=simulation.answer, state=StoryState())
    play.open([story_facts.StoryStarted(at=0, assignment=assignment(limits=held), steps=steps)])
    play.run(simulation.bound(play.state))
    return play


def usage_shown(play: Play[StoryState]) -> Usage:
    """By every attempt of an agent that has ended."""
    agents = {step.id for step in play.state.pipeline.steps if step.plan.kind is StepKind.AGENT}
    ends = [fact for fact in play.history if isinstance(fact, ENDS) and fact.step in agents]
    return totals.total(totals.one_attempt(fact.usage) for fact in ends)


def recorded_under(turn: Turn[StoryState]) -> str:
    """The key of the turn's facts. Messages that arrive during a wait have their own: the wait is not over."""
    waits = isinstance(turn.effect, story_effects.WaitUntil)
    return receive(turn.before.cursor).key if waits and isinstance(turn.facts[-1], MessagesRead) else turn.effect.key


@given(workflows(), limits, story_simulations())
@SIMULATIONS
def test_a_story_comes_to_its_end_winds_up_and_is_then_at_rest(
    steps: tuple[StepPlan, ...], held: Limits, simulation: StorySimulation
) -> None:
    story = played_story(steps, held, simulation).state
    assert story.status in ENDED
    assert story.outcome.reported
    assert story.work.released or not story.work.workspace
    assert decide_story(story) == ()


@given(workflows(), limits, story_simulations())
@SIMULATIONS
def test_whatever_is_done_for_a_story_moves_it_on(
    steps: tuple[StepPlan, ...], held: Limits, simulation: StorySimulation
) -> None:
    """An effect whose facts change nothing would be asked for again for ever."""
    for turn in played_story(steps, held, simulation).turns:
        assert turn.before != turn.after, turn.effect


@given(workflows(), limits, story_simulations())
@SIMULATIONS
def test_a_key_is_used_once_and_again_only_for_an_attempt_whose_end_no_one_knows(
    steps: tuple[StepPlan, ...], held: Limits, simulation: StorySimulation
) -> None:
    turns = defaultdict(list)
    for turn in played_story(steps, held, simulation).turns:
        turns[recorded_under(turn)].append(turn)
    for asked in turns.values():
        for first, second in pairwise(asked):
            assert isinstance(first.effect, story_effects.RunAgent)
            assert [type(fact) for fact in first.facts] == [story_facts.StepStarted]
            assert second.effect == first.effect
            assert [type(fact) for fact in second.facts] == [story_facts.StepInterrupted]


@given(workflows(), limits, story_simulations())
@SIMULATIONS
def test_a_story_is_completed_if_and_only_if_it_has_landed(
    steps: tuple[StepPlan, ...], held: Limits, simulation: StorySimulation
) -> None:
    play = played_story(steps, held, simulation)
    landed = [fact.commit for fact in play.history if isinstance(fact, story_facts.LandingAccepted)]
    assert (play.state.status is StoryStatus.COMPLETED) == bool(landed)
    assert (play.state.landing.progress is LandingStage.LANDED) == bool(landed)
    assert [play.state.landed_commit] == (landed or [Commit("")])


@given(workflows(), limits, story_simulations())
@SIMULATIONS
def test_what_every_attempt_has_used_is_counted(
    steps: tuple[StepPlan, ...], held: Limits, simulation: StorySimulation
) -> None:
    play = played_story(steps, held, simulation)
    assert play.state.spending.usage == usage_shown(play)
    assert play.state.spending.usage == totals.total(step.usage for step in play.state.pipeline.steps)
    assert play.state.spending.usage == totals.total(share.usage for share in play.state.spending.shares)
    assert play.state.spending.usage == totals.total(used for _, used in play.state.spending.roles)


@given(workflows(), limits, story_simulations())
@settings(QUICK, max_examples=150)
def test_every_counter_keeps_to_its_limit(
    steps: tuple[StepPlan, ...], held: Limits, simulation: StorySimulation
) -> None:
    play = played_story(steps, held, simulation)
    fixed = Counter(fact.cause for fact in play.history if isinstance(fact, story_facts.RepairPlanned))
    assert fixed[Refusal.CONFLICT] == play.state.landing.conflicts <= held.conflicts
    repaired = sum(fixed[cause] for cause in (Refusal.GATES, Refusal.EMPTY, Refusal.EVIDENCE, Refusal.RESERVED))
    assert repaired == play.state.landing.repairs <= held.repairs
    assert len(play.state.pipeline.steps) <= MAX_STEPS
    for step in play.state.pipeline.steps:
        assert step.retries <= step.plan.max_retries
        assert step.restarts <= MAX_RESTARTS


@given(workflows(), limits, story_simulations())
@SIMULATIONS
def test_nothing_is_offered_for_landing_that_the_last_step_has_not_seen(
    steps: tuple[StepPlan, ...], held: Limits, simulation: StorySimulation
) -> None:
    play = played_story(steps, held, simulation)
    ran = ""
    for turn in play.turns:
        asks_to_land = isinstance(turn.effect, story_effects.RequestLanding)
        last = [step.id for step in turn.before.pipeline.steps if step.last]
        assert not (asks_to_land and last) or last == [ran]
        ran = next((fact.step for fact in turn.facts if isinstance(fact, story_facts.StepStarted)), ran)


# Two steps that would continue forever --------------------------------------------------------------------------------


def ping_pong(pipeline: Pipeline, running: StepId) -> tuple[Edit, ...]:
    """The step that runs starts over, has the other replaced by a new one, and lets that go first."""
    (other,) = (step.id for step in pipeline.steps if step.id != running)
    new = NewStep(type="coding", description="take over")
    return (
        Edit(operation=Operation.SPLIT, reason="r", target=other, steps=(new,)),
        Edit(operation=Operation.RESTART, reason="r", target=running, description="again"),
        Edit(operation=Operation.REORDER, reason="r", order=(step_id(pipeline.next_number), running)),
    )


def test_two_steps_cannot_keep_each_other_alive_with_new_counters() -> None:
    story = started_story("coding", "coding")
    for _ in range(10):
        story = fold_story(story, began(story))
        step = story.pipeline.current
        assert step is not None
        edits = ping_pong(story.pipeline, step.id)
        if isinstance(apply_edits(story.pipeline, step.id, edits), Rejected):
            return
        story = fold_story(story, story_facts.WorkflowEdited(at=1, by=step.id, edits=edits, before=(), after=()))
    pytest.fail("the two steps never end")


# Runs ----------------------------------------------------------------------------------------------------------------


def played_run(stories: tuple[Story, ...], parallel: int, data: st.DataObject) -> Play[RunState]:
    simulation = RunSimulation(chance=DrawnChance(data))
    play = Play(decide=decide_run, evolve=evolve_run, answer=simulation.answer, state=RunState())
    play.open([run_facts.RunStarted(at=0, plan=run_plan(*stories, parallel=parallel))])
    play.run(simulation.bound(play.state))
    return play


def last_go(play: Play[RunState]) -> list[Fact]:
    """What happened since the run was last reopened by a request that was made before it was over."""
    ends = [at for at, fact in enumerate(play.history) if isinstance(fact, run_facts.RunEnded)]
    return list(play.history[ends[-2] if len(ends) > 1 else 0 :])


@given(specs(), st.integers(1, 3), st.data())
@SIMULATIONS
def test_a_run_comes_to_its_end(stories: tuple[Story, ...], parallel: int, data: st.DataObject) -> None:
    play = played_run(stories, parallel, data)
    run = play.state
    assert run.status in RUN_ENDED
    assert decide_run(run) == ()
    statuses = {known.status for known in run.stories.values()}
    assert StoryStatus.IN_PROGRESS not in statuses
    assert (run.status is RunStatus.CANCELLED) == any(
        isinstance(fact, run_facts.CancelRequested) for fact in last_go(play)
    )
    if run.status is RunStatus.COMPLETED:
        assert statuses == {StoryStatus.COMPLETED}


@given(specs(), st.integers(1, 3), st.data())
@SIMULATIONS
def test_a_run_starts_each_story_once_after_what_it_depends_on_and_not_too_many(
    stories: tuple[Story, ...], parallel: int, data: st.DataObject
) -> None:
    play = played_run(stories, parallel, data)
    keys = [turn.effect.key for turn in play.turns]
    assert len(keys) == len(set(keys))
    for turn in play.turns:
        in_progress = [known for known in turn.after.stories.values() if known.status is StoryStatus.IN_PROGRESS]
        assert len(in_progress) <= parallel
        if isinstance(turn.effect, run_effects.DispatchStory):
            needed = turn.effect.assignment.story.depends_on
            assert {turn.before.stories[story].status for story in needed} <= {StoryStatus.COMPLETED}
