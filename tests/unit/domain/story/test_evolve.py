"""How facts change a story, and that an unexpected fact changes nothing."""

import pytest

from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import Commit, StepId, step_id
from shiftwork.domain.core.refusal import Refusal, RefusalText
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, Hold, HoldCause, LandingStage, Refused, StoryState, StoryStatus
from shiftwork.domain.usage.totals import one_attempt
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.edit_request import Edit, Operation
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.testing.builders import (
    BASE,
    after_steps,
    assignment,
    began,
    cancelled,
    done,
    failed,
    fold_story,
    interrupted,
    landing_asked,
    planned,
    started_story,
)


def running(*steps: str) -> StoryState:
    story = started_story(*(steps or ("coding", "final_review")))
    return fold_story(story, began(story))


def test_a_story_starts_once_and_nothing_comes_before() -> None:
    given = assignment(limits=Limits(story=Budget(usd=3.0)))
    started = story_facts.StoryStarted(at=7, assignment=given, steps=(planned("coding"),))
    before = fold_story(
        StoryState(), story_facts.NoteWritten(at=1, by=step_id(1), text="early"), MessagesRead(at=1, upto=3)
    )
    assert before == StoryState()
    story = fold_story(before, started)
    assert (story.status, story.spending.limits.story.usd, story.started_at) == (StoryStatus.IN_PROGRESS, 3.0, 7)
    assert [step.id for step in story.pipeline.steps] == [step_id(1)]
    assert fold_story(story, started) == story


def test_asking_for_the_assignment_of_a_story_that_has_not_started_is_a_mistake() -> None:
    with pytest.raises(LookupError, match="has not started"):
        _ = StoryState().given


def test_a_fact_of_another_stream_means_nothing_to_a_story() -> None:
    story = started_story()
    assert (
        fold_story(story, run_facts.CancelRequested(at=1), landing_facts.EntryClosed(at=1, request="r/US-001/1"))
        == story
    )


def test_workspaces_are_counted() -> None:
    story = started_story()
    for number in (1, 3):
        assert fold_story(story, story_facts.WorkspacePrepared(at=1, number=number, base=BASE, head=BASE)) == story
    assert fold_story(story, story_facts.WorkspacePrepared(at=1, number=2, base=BASE, head=BASE)).work.workspace == 2


# Attempts ----------------------------------------------------------------------------------------------------------


def test_an_attempt_begins_at_the_storys_head() -> None:
    story = running()
    step = story.pipeline.steps[0]
    assert (step.status, step.attempts, step.start_commit) == (StepStatus.IN_PROGRESS, 1, BASE)
    assert (step.started_at, step.ended_at, step.log) == (10, None, "logs/step-001.jsonl")


@pytest.mark.parametrize(("step", "attempt"), [(step_id(2), 1), (step_id(1), 2), (step_id(1), 0), (step_id(9), 1)])
def test_only_the_next_attempt_at_the_current_step_can_begin(step: StepId, attempt: int) -> None:
    story = started_story("coding", "final_review")
    fact = story_facts.StepStarted(at=1, step=step, attempt=attempt, commit=BASE, log="")
    assert fold_story(story, fact) == story


def test_nothing_begins_where_no_step_is_left() -> None:
    story = after_steps(started_story("coding"), 1)
    assert fold_story(story, story_facts.StepStarted(at=1, step=step_id(1), attempt=2, commit=BASE, log="")) == story


def test_nothing_begins_while_a_person_is_asked() -> None:
    story = fold_story(started_story("coding"), story_facts.StoryHeld(at=1, cause=HoldCause.LIMIT, detail=""))
    assert fold_story(story, began(story)) == story


def test_a_completed_step_leaves_its_commit_its_notes_and_its_outputs() -> None:
    story = running()
    outputs = (("plan", "first"), ("task", "mine now"), ("run_id", "another"))
    story = fold_story(story, done(story, outputs=outputs, usage=Usage(input_tokens=5, cost_usd=0.5)))
    assert story.work.head == "step-001.1"
    assert story.pipeline.steps[0].notes == "step-001 is done"
    assert story.dialogue.context == (("plan", "first"),), "what the harness itself provides is not overwritten"
    assert story.spending.usage == story.pipeline.steps[0].usage == one_attempt(Usage(input_tokens=5, cost_usd=0.5))
    story = fold_story(story, began(story))
    story = fold_story(story, done(story, outputs=(("plan", "second"),), commit=Commit("")))
    assert (story.dialogue.context, story.work.head) == ((("plan", "second"),), "step-001.1")


@pytest.mark.parametrize("attempt", [0, 2])
def test_the_end_of_another_attempt_is_not_the_end_of_this_one(attempt: int) -> None:
    story = running()
    fact = story_facts.StepFailed(
        at=1,
        step=step_id(1),
        attempt=attempt,
        trouble=story_facts.Trouble.CRASHED,
        error="",
        usage=NOTHING_USED,
        diff="",
    )
    assert fold_story(story, fact) == story


def test_the_end_of_an_unknown_step_means_nothing() -> None:
    story = running()
    fact = story_facts.StepInterrupted(at=1, step=step_id(9), attempt=1, diff="")
    assert fold_story(story, fact, story_facts.StepRetried(at=1, step=step_id(9), feedback="")) == story


def test_an_attempt_ends_once() -> None:
    story = running()
    ended = fold_story(story, failed(story))
    assert fold_story(ended, done(story), cancelled(story), interrupted(story), failed(story)) == ended


def test_a_failed_attempt_is_paid_for_and_changes_no_commit() -> None:
    story = running()
    ended = fold_story(story, failed(story, usage=Usage(output_tokens=3)))
    assert (ended.work.head, ended.spending.usage) == (BASE, one_attempt(Usage(output_tokens=3)))
    assert (ended.pipeline.steps[0].status, ended.pipeline.steps[0].error) == (StepStatus.FAILED, "it crashed")
    again = fold_story(ended, story_facts.StepRetried(at=1, step=step_id(1), feedback=""))
    again = fold_story(again, began(again))
    again = fold_story(again, done(again, usage=Usage(output_tokens=4)))
    assert again.spending.usage == again.pipeline.steps[0].usage == Usage(output_tokens=7, attempts=2, unpriced=2)


def test_only_a_step_that_went_wrong_is_retried() -> None:
    story = running()
    retry = story_facts.StepRetried(at=1, step=step_id(1), feedback="again")
    assert fold_story(story, retry) == story
    for ending in (failed(story), cancelled(story)):
        step = fold_story(story, ending, retry).pipeline.steps[0]
        assert (step.status, step.retries, step.feedback) == (StepStatus.PENDING, 1, "again")


# Edits, notes, evidence --------------------------------------------------------------------------------------------


def restart(story: StoryState) -> story_facts.WorkflowEdited:
    edit = Edit(operation=Operation.RESTART, reason="r", target=step_id(1), description="otherwise")
    return story_facts.WorkflowEdited(at=1, by=step_id(1), edits=(edit,), before=(), after=())


def test_what_an_attempt_spent_before_it_restarted_itself_is_counted() -> None:
    story = running()
    fact = story_facts.StepYielded(
        at=9, step=step_id(1), attempt=1, commit=Commit(""), usage=Usage(cost_usd=0.25), diff="d"
    )
    story = fold_story(story, restart(story), fact)
    assert (story.spending.usage.cost_usd, story.pipeline.steps[0].usage.cost_usd, story.work.head) == (
        0.25,
        0.25,
        BASE,
    )
    assert story.pipeline.steps[0].status is StepStatus.PENDING


@pytest.mark.parametrize(("step", "attempt"), [(step_id(1), 2), (step_id(2), 1), (step_id(9), 1)])
def test_an_attempt_that_has_not_yielded_is_not_counted(step: StepId, attempt: int) -> None:
    story = running()
    restarted = fold_story(story, restart(story))
    fact = story_facts.StepYielded(
        at=9, step=step, attempt=attempt, commit=Commit("c"), usage=Usage(cost_usd=1), diff=""
    )
    assert fold_story(restarted, fact) == restarted
    assert fold_story(story, fact) == story


def test_notes_and_evidence_are_kept_the_newest_claim_for_a_criterion() -> None:
    first = Evidence(criterion="AC-1", kind="test", reference="t.py::a")
    other = Evidence(criterion="AC-2", kind="file", reference="b.py:3")
    newer = Evidence(criterion="AC-1", kind="test", reference="t.py::b")
    story = fold_story(
        running(),
        story_facts.NoteWritten(at=1, by=step_id(1), text="one"),
        story_facts.NoteWritten(at=1, by=step_id(1), text="two"),
        *(story_facts.EvidenceReported(at=1, by=step_id(1), evidence=claim) for claim in (first, other, newer)),
    )
    assert [note.text for note in story.dialogue.notes.notes] == ["one", "two"]
    assert story.dialogue.evidence == (other, newer)


# Holds -------------------------------------------------------------------------------------------------------------


def test_a_story_is_held_for_one_thing_at_a_time() -> None:
    held = fold_story(running(), story_facts.StoryHeld(at=1, cause=HoldCause.LIMIT, detail="spent"))
    assert held.waiting.hold == Hold(cause=HoldCause.LIMIT, detail="spent")
    assert fold_story(held, story_facts.StoryHeld(at=2, cause=HoldCause.APPROVAL, detail="other")) == held


def test_an_answer_to_nothing_does_nothing() -> None:
    story = running()
    for granted in (True, False):
        assert fold_story(story, story_facts.StoryReleased(at=1, granted=granted, answer="")) == story


@pytest.mark.parametrize("granted", [True, False])
@pytest.mark.parametrize("cause", [HoldCause.APPROVAL, HoldCause.EXHAUSTED])
def test_an_answer_about_a_step_where_none_is_left_only_ends_the_waiting(cause: HoldCause, granted: bool) -> None:  # noqa: FBT001
    story = after_steps(started_story("coding"), 1)
    held = fold_story(story, story_facts.StoryHeld(at=1, cause=cause, detail=""))
    released = fold_story(held, story_facts.StoryReleased(at=1, granted=granted, answer=""))
    assert (released.waiting.hold, released.pipeline, released.control.cancelled) == (None, story.pipeline, False)


def test_messages_are_read_forwards() -> None:
    story = fold_story(running(), MessagesRead(at=1, upto=4))
    assert fold_story(story, MessagesRead(at=1, upto=2)).cursor == 4


# Landing and the end -----------------------------------------------------------------------------------------------

ACCEPTED = story_facts.LandingAccepted(at=1, commit=Commit("c"), ref="main")
REFUSED = story_facts.LandingRefused(at=1, cause=Refusal.GATES, detail="red", files=(), base=BASE)
REPAIR = story_facts.RepairPlanned(at=1, cause=Refusal.GATES, type="coding", description="Repair", feedback="red")


def test_a_landing_is_asked_for_when_no_step_is_left_and_counted() -> None:
    ready = after_steps(started_story("coding"), 1)
    for number in (0, 2):
        assert fold_story(ready, story_facts.LandingRequested(at=1, number=number, tip=ready.work.head)) == ready
    working = started_story("coding")
    assert fold_story(working, story_facts.LandingRequested(at=1, number=1, tip=BASE)) == working


@pytest.mark.parametrize("answer", [None, ACCEPTED, REFUSED])
def test_a_landing_is_not_asked_for_while_another_is_not_done_with(answer: Fact | None) -> None:
    story = fold_story(landing_asked("coding"), *([answer] if answer else []))
    assert fold_story(story, story_facts.LandingRequested(at=1, number=2, tip=story.work.head)) == story


def test_only_who_has_asked_is_answered() -> None:
    for story in (started_story("coding"), fold_story(landing_asked("coding"), ACCEPTED)):
        assert fold_story(story, ACCEPTED, REFUSED, REPAIR) == story


def test_a_refusal_is_kept_for_the_step_that_repairs_it() -> None:
    story = fold_story(landing_asked("coding"), REFUSED)
    assert story.landing.refused == Refused(cause=Refusal.GATES, text=RefusalText(detail="red"), files=(), base=BASE)
    assert fold_story(story, REPAIR).landing.refused == story.landing.refused


def test_a_repair_of_an_unknown_type_changes_nothing() -> None:
    story = fold_story(landing_asked("coding"), REFUSED)
    planned_otherwise = story_facts.RepairPlanned(at=1, cause=Refusal.GATES, type="magic", description="", feedback="")
    assert fold_story(story, planned_otherwise) == story


def test_a_base_is_merged_only_in_a_workspace() -> None:
    story = running()
    lost = fold_story(story, interrupted(story))
    assert fold_story(lost, story_facts.BaseMerged(at=1, commit=Commit("m"), base=Commit("b"), files=())) == lost


def test_only_what_has_landed_is_completed() -> None:
    asked = landing_asked("coding")
    completion = story_facts.StoryCompleted(at=1, commit=Commit("c"))
    assert fold_story(asked, completion) == asked
    landed = fold_story(asked, ACCEPTED)
    assert fold_story(landed, story_facts.StoryCompleted(at=1, commit=Commit("other"))) == landed
    assert fold_story(landed, completion).status is StoryStatus.COMPLETED


def test_what_has_landed_does_not_fail() -> None:
    landed = fold_story(landing_asked("coding"), ACCEPTED)
    assert fold_story(landed, story_facts.StoryFailed(at=1, cause=FailureCause.CANCELLED, reason="late")) == landed
    assert landed.landing.progress is LandingStage.LANDED


def test_a_story_that_has_ended_only_winds_up() -> None:
    story = running()
    ended = fold_story(story, story_facts.StoryFailed(at=5, cause=FailureCause.STEP, reason="no luck"))
    assert (ended.status, ended.outcome.reason, ended.outcome.cause, ended.ended_at) == (
        StoryStatus.FAILED,
        "no luck",
        FailureCause.STEP,
        5,
    )
    assert (
        fold_story(ended, done(story), ACCEPTED, story_facts.StoryCancelRequested(at=1), MessagesRead(at=1, upto=9))
        == ended
    )
    assert fold_story(ended, story_facts.WorkspaceReleased(at=1, number=7)) == ended
    wound_up = fold_story(ended, story_facts.WorkspaceReleased(at=1, number=1), story_facts.StoryReported(at=1))
    assert (wound_up.work.released, wound_up.outcome.reported) == (True, True)


def test_a_story_at_work_neither_gives_up_its_workspace_nor_reports() -> None:
    story = running()
    assert fold_story(story, story_facts.WorkspaceReleased(at=1, number=1), story_facts.StoryReported(at=1)) == story
