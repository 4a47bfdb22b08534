"""No sequence of edits gets past the guardrails."""

from collections import Counter
from collections.abc import Callable, Iterable

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from shiftwork.domain.core.effect import Conclude
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.story.steering import step_edits
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.guardrails import MAX_RESTARTS, MAX_STEPS, PERSON, Rejected, apply_edits
from shiftwork.domain.workflow.pipeline import Pipeline, Step, StepStatus
from shiftwork.domain.workflow.workflow import StepPlan
from shiftwork.testing.builders import began, done, failed, fold_story, interrupted, started_story
from shiftwork.testing.simulation.edits import edit_request
from shiftwork.testing.strategies import QUICK, DrawnChance, workflows


class EditedStory(RuleBasedStateMachine):
    """A story whose steps run, fail and edit; each edit is checked against what it was asked to do."""

    story = StoryState()
    mandatory = frozenset[str]()
    ended_with_last = False
    seen: frozenset[StepId] = frozenset()

    @initialize(steps=workflows())
    def start(self, steps: tuple[StepPlan, ...]) -> None:
        self.story = started_story(*steps) if steps else started_story()
        planned = self.story.pipeline.steps
        self.mandatory = frozenset(step.plan.type for step in planned if step.mandatory)
        self.ended_with_last = planned[-1].last
        self.seen = frozenset(step.id for step in planned)

    @rule(ending=st.sampled_from([done, done, failed, interrupted]))
    def run_the_current_step(self, ending: Callable[[StoryState], Fact]) -> None:
        step = self.story.pipeline.current
        if step is None:
            return
        if step.status is StepStatus.PENDING:
            self.story = fold_story(self.story, began(self.story))
        elif step.status is StepStatus.IN_PROGRESS:
            self.story = fold_story(self.story, ending(self.story))
        else:
            self.story = fold_story(self.story, story_facts.StepRetried(at=1, step=step.id, feedback=""))

    @rule()
    def go_to_the_last_step(self) -> None:
        while (step := self.story.pipeline.current) and not (step.last and step.status is StepStatus.IN_PROGRESS):
            self.run_the_current_step(done)

    @rule()
    def start_over_and_begin_again(self) -> None:
        step = self.story.pipeline.current
        if step is not None and step.status is StepStatus.IN_PROGRESS:
            restart = Edit(operation=Operation.RESTART, reason="r", target=step.id, description="again")
            self.request(step.id, (restart,))
            self.story = fold_story(self.story, began(self.story))

    @rule(beyond=st.integers(-1, 2))
    def fill_up(self, beyond: int) -> None:
        steps = self.story.pipeline.steps
        new = (NewStep(type="coding", description="more"),) * (MAX_STEPS + beyond - len(steps))
        before = steps[-2:][0].id
        self.request(PERSON, (Edit(operation=Operation.ADD_AFTER, reason="r", target=before, steps=new),))

    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        step = self.story.pipeline.current
        by = data.draw(st.sampled_from([PERSON, *([step.id] * 3 if step else []), StepId("step-001")]))
        self.request(by, edit_request(DrawnChance(data), self.story.pipeline))

    @rule(data=st.data(), count=st.integers(1, 3))
    def ask(self, data: st.DataObject, count: int) -> None:
        """A person's requests, made from what they saw: the story reads them later, perhaps after an agent's edit."""
        for _ in range(count):
            edits = edit_request(DrawnChance(data), self.story.pipeline)
            self.story = fold_story(self.story, story_facts.WorkflowEditRequested(at=1, edits=edits))

    @rule()
    def answer(self) -> None:
        """In their order, each once, applied completely or rejected with the rule; then none is left."""
        requests, answered = self.story.control.edits, self.story.control.edited
        for edits in requests:
            (effect,) = step_edits.due(self.story)
            assert isinstance(effect, Conclude)
            (fact,) = effect.facts
            before = self.story
            self.story = fold_story(before, fact)
            if isinstance(fact, story_facts.WorkflowEdited):
                assert (fact.by, fact.edits) == (PERSON, edits)
                self.applied_whole(before.pipeline, self.story.pipeline, edits)
            else:
                assert isinstance(fact, story_facts.WorkflowEditRejected)
                assert fact.reason
                assert self.story.pipeline == before.pipeline
        assert self.story.control.edits == ()
        assert self.story.control.edited == answered + len(requests)

    def request(self, by: str, edits: tuple[Edit, ...]) -> None:
        before = self.story.pipeline
        outcome = apply_edits(before, by, edits)
        fact = story_facts.WorkflowEdited(at=1, by=by, edits=edits, before=(), after=())
        if by == PERSON:  # an answer to a person answers the oldest request
            self.answer()
            before = self.story.pipeline
            outcome = apply_edits(before, by, edits)
        self.story = evolve_story(self.story, fact)
        if isinstance(outcome, Rejected):
            assert self.story.pipeline == before
            assert outcome.reason
        else:
            assert self.story.pipeline == outcome
            self.applied_whole(before, outcome, edits)

    def applied_whole(self, before: Pipeline, after: Pipeline, edits: tuple[Edit, ...]) -> None:
        old = {step.id: step for step in before.steps}
        new = {step.id: step for step in after.steps}
        asked = Counter(edit.operation for edit in edits)
        added = [step for step in new if step not in old]
        assert not set(added) & self.seen, "an id is used again"
        self.seen |= frozenset(added)
        wanted = [step.description for edit in edits for step in edit.steps]
        grown = len(after.steps) - len(before.steps)
        assert grown == len(wanted) - asked[Operation.SPLIT]
        assert after.next_number == before.next_number + len(wanted)
        assert restarts(new.values()) == restarts(old.values()) + asked[Operation.RESTART]
        assert skipped(new.values()) == skipped(old.values()) + asked[Operation.SKIP]
        for edit in edits:
            if edit.operation is Operation.EDIT_DESCRIPTION and edit.target in new:
                assert new[edit.target].plan.description == edit.description
        self.kept_what_is_not_pending(old, new)

    @staticmethod
    def kept_what_is_not_pending(old: dict[StepId, Step], new: dict[StepId, Step]) -> None:
        for step in old.values():
            if step.status in {StepStatus.COMPLETED, StepStatus.FAILED, StepStatus.CANCELLED, StepStatus.SKIPPED}:
                assert new[step.id] == step or step.last

    @invariant()
    def no_mandatory_step_is_lost(self) -> None:
        kept = {step.plan.type for step in self.story.pipeline.steps if step.status is not StepStatus.SKIPPED}
        assert self.mandatory <= kept

    @invariant()
    def the_last_step_is_last(self) -> None:
        if not self.ended_with_last:
            return
        kept = [step for step in self.story.pipeline.steps if step.status is not StepStatus.SKIPPED]
        assert [step.last for step in kept] == [False] * (len(kept) - 1) + [True]

    @invariant()
    def the_last_step_comes_after_all_work(self) -> None:
        steps = self.story.pipeline.steps
        for position, step in enumerate(steps):
            if self.ended_with_last and step.last and step.status in {StepStatus.IN_PROGRESS, StepStatus.COMPLETED}:
                assert all(other.status is not StepStatus.PENDING for other in steps[:position])

    @invariant()
    def limits_hold(self) -> None:
        steps = self.story.pipeline.steps
        assert len(steps) <= MAX_STEPS
        assert all(step.restarts <= MAX_RESTARTS for step in steps)
        assert len({step.id for step in steps}) == len(steps)


def restarts(steps: Iterable[Step]) -> int:
    return sum(step.restarts for step in steps)


def skipped(steps: Iterable[Step]) -> int:
    return sum(step.status is StepStatus.SKIPPED for step in steps)


def test_no_sequence_of_edits_gets_past_the_guardrails() -> None:
    run_state_machine_as_test(EditedStory, settings=settings(QUICK, max_examples=50, stateful_step_count=25))
