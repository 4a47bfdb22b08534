"""Any fact may reach any state: statuses change only as the tables allow, and the invariants hold."""

from dataclasses import replace
from enum import StrEnum
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.codec import KINDS
from shiftwork.domain.core import machine
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import Commit, StepId, StoryId, step_id
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing import transitions as landing_transitions
from shiftwork.domain.landing.evolve import evolve_queue
from shiftwork.domain.landing.state import Entry, EntryStage, LandingRequest, Proof, QueueState
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run import transitions as run_transitions
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RunPlan, RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story import transitions as story_transitions
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.state import ENDED, FailureCause, LandingStage, StoryState, StoryStatus
from shiftwork.domain.workflow import transitions as workflow_transitions
from shiftwork.domain.workflow.pipeline import FINISHED, StepStatus
from shiftwork.domain.workflow.workflow import StepPlan
from shiftwork.testing.builders import assignment, landing_request, planned, run_plan, started_run, story_id
from shiftwork.testing.simulation.edits import edit_request
from shiftwork.testing.simulation.story import StorySimulation
from shiftwork.testing.strategies import QUICK, Drawn, DrawnChance, facts, limits, specs, story_simulations, workflows

# A small world of names, so that a random fact has a chance to be about something that is there.
NAMES: Drawn = {
    int: st.integers(0, 3),
    float: st.sampled_from([0.0, 0.25, 5.0]),
    str: st.sampled_from(["", "coding", "final_review", "nonsense", "task", "person", "r1/US-001/1", "r1/US-001/2"]),
    StepId: st.sampled_from([step_id(number) for number in range(1, 7)]),
    StoryId: st.sampled_from([story_id(number) for number in range(1, 6)]),
    Commit: st.sampled_from([Commit(""), Commit("a"), Commit("b")]),
    LandingRequest: st.builds(landing_request, st.integers(1, 3)),
    StepPlan: st.builds(planned, st.sampled_from(["coding", "final_review", "own"])),
    Assignment: st.just(assignment()),
    RunPlan: st.just(run_plan()),
}

OF_A_RUN = {kind for kind in KINDS.values() if kind.__module__.startswith(run_facts.__name__)}
OF_A_QUEUE = {kind for kind in KINDS.values() if kind.__module__ == landing_facts.__name__}
OF_ALL = {MessagesRead}
OF_A_STORY = set(KINDS.values()) - OF_A_RUN - OF_A_QUEUE - OF_ALL


def of(kinds: set[Any]) -> st.SearchStrategy[Fact]:
    return facts(NAMES, sorted(kinds | OF_ALL, key=str))


def legal(table: machine.Table[Any], before: StrEnum, after: StrEnum) -> bool:
    return before == after or any(status == before and to == after for (status, _), to in table.items())


# A story -----------------------------------------------------------------------------------------------------------


def counts(story: StoryState) -> tuple[int, ...]:
    """What never goes down."""
    return story.cursor, story.landing.requests, story.waiting.holds, story.work.workspace, story.start_number


OPENING = (story_facts.StoryReopened, story_facts.StoryReverted, story_facts.StoryDismissed)
"""Facts that change a story that has ended."""


class StoryNotified(RuleBasedStateMachine):
    """A story that makes progress while it receives arbitrary facts."""

    story = StoryState()
    simulation: StorySimulation

    @initialize(steps=workflows(), held=limits, simulation=story_simulations())
    def start(self, steps: tuple[StepPlan, ...], held: Limits, simulation: StorySimulation) -> None:
        self.simulation = simulation
        self.announce(story_facts.StoryStarted(at=0, assignment=assignment(limits=held), steps=steps))

    @rule(turns=st.integers(1, 5))
    def go_on(self, turns: int) -> None:
        for _ in range(turns):
            for effect in decide_story(self.story):
                for fact in self.simulation.answer(effect, self.story):
                    self.announce(fact)

    @rule(
        accepted=st.booleans(),
        claim=st.sampled_from([story_facts.StoryFailed, story_facts.StoryCompleted, story_facts.LandingRequested]),
    )
    def hear_of_a_landing(self, accepted: bool, claim: type[Fact]) -> None:  # noqa: FBT001 - a rule's parameter
        """At any moment, an answer from the queue and a claim about the end."""
        if accepted:
            self.announce(story_facts.LandingAccepted(at=0, commit=Commit("a"), ref="main"))
        claims = {
            story_facts.StoryFailed: story_facts.StoryFailed(at=0, cause=FailureCause.STEP, reason="so they say"),
            story_facts.StoryCompleted: story_facts.StoryCompleted(at=0, commit=Commit("a")),
            story_facts.LandingRequested: story_facts.LandingRequested(
                at=0, number=self.story.landing.requests + 1, tip=Commit("a")
            ),
        }
        self.announce(claims[claim])

    @rule(fact=facts(NAMES))
    def feed(self, fact: Fact) -> None:
        self.announce(fact)

    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        step = self.story.pipeline.current
        by = data.draw(st.sampled_from([step.id if step else "", step.id if step else "", "person", "step-002"]))
        edits = edit_request(DrawnChance(data), self.story.pipeline)
        self.announce(story_facts.WorkflowEdited(at=0, by=by, edits=edits, before=(), after=()))

    def announce(self, fact: Fact) -> None:
        before, after = self.story, evolve_story(self.story, fact)
        assert legal(story_transitions.STORY, before.status, after.status)
        known = {step.id: step for step in before.pipeline.steps}
        for step in after.pipeline.steps:
            old = known.get(step.id)
            assert legal(workflow_transitions.STEP, old.status if old else StepStatus.PENDING, step.status)
            assert old is None or (step.attempts >= old.attempts and step.restarts >= old.restarts)
        assert before.pipeline.next_number <= after.pipeline.next_number
        assert all(old <= new for old, new in zip(counts(before), counts(after), strict=True))
        if not isinstance(fact, story_facts.StoryReopened):
            assert before.landing.repairs <= after.landing.repairs
            assert before.landing.conflicts <= after.landing.conflicts
        if before.status in ENDED and not isinstance(fact, OPENING):
            assert after == replace(
                before,
                work=replace(before.work, ready=after.work.ready, released=after.work.released),
                outcome=replace(before.outcome, reported=after.outcome.reported),
            )
        if type(fact) in OF_A_RUN | OF_A_QUEUE:
            assert after is before
        self.story = after

    @invariant()
    def at_most_one_step_has_begun(self) -> None:
        begun = [s for s in self.story.pipeline.steps if s.status not in FINISHED and s.status != StepStatus.PENDING]
        assert len(begun) <= 1

    @invariant()
    def ids_are_unique_and_below_the_next(self) -> None:
        ids = [step.id for step in self.story.pipeline.steps]
        assert len(set(ids)) == len(ids)
        assert all(step < step_id(self.story.pipeline.next_number) for step in ids)

    @invariant()
    def completed_means_landed_and_failed_means_not(self) -> None:
        landed = self.story.landing.progress is LandingStage.LANDED
        assert landed or self.story.status is not StoryStatus.COMPLETED
        assert not (landed and self.story.status is StoryStatus.FAILED)


def test_a_story_keeps_to_its_tables_whatever_facts_it_receives() -> None:
    run_state_machine_as_test(StoryNotified, settings=settings(QUICK, max_examples=40, stateful_step_count=30))


@given(st.lists(facts(NAMES), max_size=8))
@QUICK
def test_a_story_that_has_not_started_knows_nothing(message: list[Fact]) -> None:
    story = StoryState()
    for fact in message:
        if not isinstance(fact, story_facts.StoryStarted):
            assert evolve_story(story, fact) is story


# A run -------------------------------------------------------------------------------------------------------------


@given(specs(), st.lists(of(OF_A_RUN), max_size=20), of(OF_A_STORY | OF_A_QUEUE))
@settings(QUICK, max_examples=100)
def test_a_run_goes_along_its_tables(stories: tuple[Story, ...], message: list[Fact], other: Fact) -> None:
    run = started_run(*stories, parallel=2)
    for fact in message:
        before, run = run, evolve_run(run, fact)
        assert legal(run_transitions.RUN, before.status, run.status)
        assert before.stories.keys() <= run.stories.keys()
        assert before.cursor <= run.cursor
        for story, old in before.stories.items():
            known = run.stories[story]
            assert legal(story_transitions.STORY, old.status, known.status) or isinstance(fact, run_facts.StoryEdited)
            opening = run_facts.StoryRetryRequested | run_facts.StoryUndone | run_facts.StoryDismissalRequested
            again = isinstance(fact, opening) and fact.story == story
            sought = isinstance(fact, run_facts.LandedSought) and story in (*fact.missing, *fact.found)
            assert old.status not in ENDED or old == known or again or sought
    if not isinstance(other, MessagesRead | NoticeTried):  # these two are a run's as well
        assert evolve_run(run, other) is run


@given(of(OF_A_RUN))
def test_a_run_that_has_not_started_has_no_stories(fact: Fact) -> None:
    run = evolve_run(RunState(), fact)
    assert bool(run.stories) == isinstance(fact, run_facts.RunStarted)


# A landing queue ---------------------------------------------------------------------------------------------------


about_the_head = st.lists(
    facts(
        {**NAMES, str: st.sampled_from(["r1/US-001/1"] * 7 + ["r1/US-001/2"]), Commit: st.sampled_from([*"ab"])},
        [landing_facts.CandidateBuilt, landing_facts.CandidateVerified, landing_facts.BaseMoved] * 2
        + sorted(OF_A_QUEUE | OF_ALL, key=str),
    ),
    min_size=3,
    max_size=15,
)
"""Facts that are mostly about the first request, and mostly of the kinds by which it might land."""


def held_in(queue: QueueState) -> dict[str, Entry]:
    return {entry.request.key: entry for entry in queue.entries}


@given(about_the_head, of(OF_A_STORY | OF_A_RUN))
@settings(QUICK, max_examples=100)
def test_a_queue_goes_along_its_table_and_lands_only_what_was_verified(message: list[Fact], other: Fact) -> None:
    queue = evolve_queue(QueueState(), landing_facts.EntryQueued(at=0, branch="main", request=landing_request(1)))
    by_tip = any(isinstance(fact, landing_facts.BatchTaken) and fact.policy.proof is Proof.TIP for fact in message)
    for fact in message:
        before, queue = queue, evolve_queue(queue, fact)
        old, new = held_in(before), held_in(queue)
        assert len(new) == len(queue.entries)
        for key in old.keys() | new.keys():
            stage = new[key].stage if key in new else EntryStage.CLOSED
            assert legal(landing_transitions.ENTRY, old[key].stage if key in old else EntryStage.QUEUED, stage)
        for entry in new.values():
            if entry.stage in {EntryStage.VERIFIED, EntryStage.LANDED}:
                assert entry.report is not None
                assert entry.report.passed
                assert entry.report.commit == entry.candidate or by_tip
    if not isinstance(other, MessagesRead):
        assert evolve_queue(queue, other) is queue
