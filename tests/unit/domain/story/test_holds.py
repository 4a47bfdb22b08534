"""A story that waits for a person: the question, the effect of each answer, and what the story reports to its run."""

from dataclasses import replace

import pytest

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.ids import Commit, step_id
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run, rests
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import Hold, HoldCause, StoryState
from shiftwork.domain.usage.totals import one_attempt
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.testing.builders import asked as story_asked
from shiftwork.testing.builders import (
    began,
    fold_run,
    fold_story,
    kept,
    next_effect,
    started_run,
    started_story,
    story_id,
)
from tests.unit.domain.run.steering.test_intents import landed

USED = Usage(input_tokens=3)
PAID = one_attempt(USED)


def question(**changes: object) -> story_facts.QuestionAsked:
    given = {
        "at": 20.0,
        "step": step_id(1),
        "attempt": 1,
        "question": "Tabs or blanks?",
        "options": ("tabs", "blanks"),
        "commit": Commit("half"),
        "usage": USED,
    }
    return story_facts.QuestionAsked(**{**given, **changes})  # type: ignore[arg-type]


def asked() -> StoryState:
    story = started_story("coding", "review")
    return fold_story(fold_story(story, began(story)), question())


def outcome_of(story: StoryState, *, granted: bool = True, answer: str = "", hold: int = 0) -> StoryState:
    return fold_story(story, story_facts.StoryReleased(at=30, granted=granted, answer=answer, hold=hold))


def test_a_question_keeps_the_work_and_spends_no_retry() -> None:
    story = asked()
    step = story.pipeline.steps[0]
    assert story.waiting.hold == Hold(cause=HoldCause.QUESTION, detail="Tabs or blanks?", options=("tabs", "blanks"))
    assert (step.status, step.retries, step.questions, step.usage) == (StepStatus.PENDING, 0, 1, PAID)
    assert (story.work.head, story.spending.usage) == ("half", PAID)


def test_a_question_of_another_attempt_changes_nothing() -> None:
    story = started_story("coding")
    running = fold_story(story, began(story))
    assert fold_story(running, question(attempt=2)) == running
    assert fold_story(running, question(step=step_id(7))) == running
    assert fold_story(story, question(attempt=0)) == story
    assert fold_story(asked(), question()) == asked()


def test_without_a_commit_the_work_stands_where_it_stood() -> None:
    story = started_story("coding")
    running = fold_story(story, began(story))
    assert fold_story(running, question(commit=Commit(""))).work.head == running.work.head


@pytest.mark.parametrize(
    ("granted", "answer", "kept"),
    [
        (True, "tabs", "tabs"),
        (True, "", "Yes."),
        (False, "", "No."),
        (False, "ask the others", "No. ask the others"),
    ],
)
def test_an_answer_is_kept_with_its_question(*, granted: bool, answer: str, kept: str) -> None:
    story = outcome_of(asked(), granted=granted, answer=answer)
    assert story.waiting.hold is None
    assert story.dialogue.answers == (("Tabs or blanks?", kept),)
    assert isinstance(
        next_effect(replace(story, waiting=replace(story.waiting, reported=False))), story_effects.RunAgent
    )


def test_an_answer_to_another_wait_does_nothing() -> None:
    story = asked()
    assert outcome_of(story, hold=2) == story
    assert outcome_of(story, hold=1).waiting.hold is None


def test_the_run_is_notified_before_the_story_waits_and_before_it_continues() -> None:
    story = asked()
    assert next_effect(story) == story_effects.ReportWaiting(key="waits/1", waiting=True)
    story = fold_story(story, story_facts.WaitingReported(at=21, waiting=True))
    assert isinstance(next_effect(story), e.Receive)
    story = outcome_of(story)
    assert next_effect(story) == story_effects.ReportWaiting(key="continues/1", waiting=False)


def test_a_story_at_its_limit_keeps_its_place() -> None:
    story = fold_story(started_story("coding"), story_facts.StoryHeld(at=1, cause=HoldCause.LIMIT, detail="spent"))
    assert isinstance(next_effect(story), e.Receive)


def test_one_more_attempt_of_a_spent_step_gets_its_error_where_no_one_says_more() -> None:
    story = started_story("coding")
    running = fold_story(story, began(story))
    failed = fold_story(
        running,
        story_facts.StepFailed(
            at=2, step=step_id(1), attempt=1, trouble=story_facts.Trouble.CRASHED, error="it broke", usage=USED, diff=""
        ),
    )
    held = fold_story(failed, story_facts.StoryHeld(at=3, cause=HoldCause.EXHAUSTED, detail="spent"))
    assert outcome_of(held).pipeline.steps[0].feedback == "it broke"


# The run --------------------------------------------------------------------------------------------------------------

FIRST, SECOND = story_id(1), story_id(2)


def test_another_story_starts_while_one_waits_for_a_person() -> None:
    run = fold_run(started_run(story_asked(1), story_asked(2)), run_facts.StoryDispatched(at=1, story=FIRST, slot=0))
    assert rests(run, frozenset())
    assert not rests(run, frozenset({FIRST})), "it has not received that yet"
    run = fold_run(run, run_facts.StoryWaits(at=2, story=FIRST, waiting=True))
    (effect,) = decide_run(run)
    assert isinstance(effect, run_effects.DispatchStory)
    assert (effect.assignment.story.id, effect.assignment.slot) == (SECOND, 1), "and none shares its slot"
    run = fold_run(run, run_facts.StoryDispatched(at=3, story=SECOND, slot=1))
    assert rests(run, frozenset({FIRST}))
    assert fold_run(run, run_facts.StoryWaits(at=4, story=FIRST, waiting=False)).schedule.waiting == frozenset()


def test_a_run_does_not_rest_while_a_revert_is_in_the_landing_queue() -> None:
    run = fold_run(started_run(story_asked(1), story_asked(2)), run_facts.StoryDispatched(at=1, story=FIRST, slot=0))
    run = kept(fold_run(run, landed(1), run_facts.StoryDispatched(at=2, story=SECOND, slot=0)))
    run = fold_run(run, run_facts.StoryWaits(at=2, story=SECOND, waiting=True))
    assert rests(run, frozenset({SECOND}))
    run = fold_run(run, run_facts.StoryUndoRequested(at=3, story=FIRST), run_facts.UndoPosted(at=3, story=FIRST))
    assert not rests(run, frozenset({SECOND}))
    assert rests(fold_run(run, run_facts.UndoRefused(at=4, story=FIRST, reason="a conflict")), frozenset({SECOND}))


def test_a_story_that_is_not_in_progress_waits_for_no_one() -> None:
    run = started_run(story_asked(1))
    assert fold_run(run, run_facts.StoryWaits(at=2, story=FIRST, waiting=True)) == run
