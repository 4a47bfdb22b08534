"""Answers of people and edits of steps in words, in the live view and in the report."""

import pytest

from shiftwork.app.runtime.context import Sighting
from shiftwork.app.views.live.board import Board
from shiftwork.app.views.live.change_words import worded
from shiftwork.app.views.report.event_sentences import answered, edits, refusals
from shiftwork.app.views.report.run_record import Answer
from shiftwork.app.views.text.people_words import author, edited
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StepId, StoryId, step_id, story_stream
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import Hold, HoldCause, StoryState, Waiting
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.guardrails import HARNESS, PERSON
from shiftwork.records import replace
from shiftwork.testing.builders import started_story

STREAM = story_stream(RunId("r1"), StoryId("US-001"))
PIPELINE = started_story("architecture", "review").pipeline
FIRST, SECOND = (step.plan.name for step in PIPELINE.steps[:2])
NEW = (NewStep(type="coding", description="The docs"), NewStep(type="linting", description="All"))


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            Edit(operation=Operation.ADD_AFTER, reason="", target=step_id(1), steps=NEW[:1]),
            f"added coding after {FIRST}",
        ),
        (
            Edit(operation=Operation.SPLIT, reason="", target=step_id(2), steps=NEW),
            f"split {SECOND} into coding and linting",
        ),
        (Edit(operation=Operation.SKIP, reason="", target=step_id(2)), f"skipped {SECOND}"),
        (Edit(operation=Operation.RESTART, reason="", target=step_id(2)), f"restarted {SECOND}"),
        (
            Edit(operation=Operation.EDIT_DESCRIPTION, reason="", target=step_id(2), description="x"),
            f"changed the description of {SECOND}",
        ),
        (
            Edit(operation=Operation.REORDER, reason="", order=(step_id(2), step_id(1))),
            f"put the steps in order: {SECOND}, {FIRST}",
        ),
        (Edit(operation=Operation.SKIP, reason="", target=StepId("step-999")), "skipped step-999"),
    ],
)
def test_an_edit_says_who_changed_which_steps(edit: Edit, said: str) -> None:
    assert edited(PERSON, [edit], PIPELINE) == f"a person {said}"


def test_an_edit_is_of_a_person_of_an_agent_or_of_shiftwork() -> None:
    skips = [Edit(operation=Operation.SKIP, reason="", target=step_id(number)) for number in (1, 2)]
    assert edited(HARNESS, skips, PIPELINE) == f"Shiftwork skipped {FIRST}; skipped {SECOND}"
    assert edited(step_id(1), skips[:1], PIPELINE) == f"the agent of {FIRST} skipped {FIRST}"
    assert [author(by) for by in (PERSON, HARNESS, "step-001")] == ["a person", "Shiftwork", "step-001"]


def test_the_line_of_an_edit_says_what_it_changed() -> None:
    edit = Edit(operation=Operation.SKIP, reason="", target=StepId("step-002"))
    assert sentence(story_facts.WorkflowEdited(at=1, by=PERSON, edits=(edit,), before=(), after=())) == (
        "steps changed: a person skipped step-002"
    )


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            Edit(operation=Operation.SPLIT, reason="too large", target=step_id(2), steps=NEW),
            "split step-002 into coding and linting (The docs; All): too large",
        ),
        (
            Edit(operation=Operation.EDIT_DESCRIPTION, reason="it was wrong", target=step_id(2), description="Test it"),
            "changed the description of step-002 (Test it): it was wrong",
        ),
        (
            Edit(operation=Operation.REORDER, reason="tests first", order=(step_id(2), step_id(1))),
            "put the steps in order: step-002, step-001: tests first",
        ),
    ],
)
def test_the_report_says_what_an_edit_changed_with_its_texts_and_its_reason(edit: Edit, said: str) -> None:
    fact = story_facts.WorkflowEdited(at=1, by=PERSON, edits=(edit,), before=(), after=())
    assert list(edits(fact, str)) == [f"a person: {said}"]


def sentence(fact: Fact, story: StoryState | None = None) -> str:
    board = Board(stories={STREAM: story} if story else {})
    board.see(Sighting(stream=STREAM, what=fact))
    change = board.changes[-1]
    return worded(change.event, change.text, word=change.word)


@pytest.mark.parametrize(
    ("cause", "granted", "said"),
    [
        (HoldCause.QUESTION, True, "answered"),
        (HoldCause.EXHAUSTED, True, "answered"),
        (HoldCause.QUESTION, False, "rejected"),
        (HoldCause.APPROVAL, True, "approved"),
        (HoldCause.EVIDENCE, True, "approved"),
        (HoldCause.APPROVAL, False, "rejected"),
    ],
)
def test_a_question_is_answered_and_a_change_is_approved_or_rejected(
    cause: HoldCause, *, granted: bool, said: str
) -> None:
    held = replace(started_story("architecture"), waiting=Waiting(hold=Hold(cause=cause, detail="a name?")))
    released = story_facts.StoryReleased(at=2, granted=granted, answer="call it pow")
    assert sentence(released, held) == f"{said}: call it pow"
    answer = Answer(at=2.0, cause=cause, question="a name?", granted=granted, answer="call it pow")
    assert answered(answer, str).endswith(f": {said} ({cause}: a name?): call it pow")


def test_a_question_that_was_approved_without_a_text_is_answered_with_yes() -> None:
    yes = Answer(at=2.0, cause=HoldCause.QUESTION, question="tabs?", granted=True, answer="")
    assert answered(yes, str).endswith(": answered (question: tabs?): yes")
    approved = Answer(at=2.0, cause=HoldCause.APPROVAL, question="may it land?", granted=True, answer="")
    assert answered(approved, str).endswith(": approved (approval: may it land?)")
    assert sentence(story_facts.StoryReleased(at=2, granted=True, answer="")) == "answered"


@pytest.mark.parametrize(
    ("diff", "restarted", "said"),
    [
        ("a.diff", False, "was interrupted; its changes are kept as a diff"),
        ("", False, "was interrupted"),
        ("a.diff", True, "was restarted by a person; its changes are kept as a diff"),
    ],
)
def test_an_interrupted_attempt_is_true_of_a_stop_and_of_a_death(diff: str, *, restarted: bool, said: str) -> None:
    fact = story_facts.StepInterrupted(at=1, step=step_id(1), attempt=1, diff=diff, restarted=restarted)
    assert [line.partition(": ")[2] for line in refusals(fact, str)] == [f"step-001 attempt 1 {said}"]
