"""What a story's facts tell of time: how long all attempts of a step took together."""

from dataclasses import replace

import pytest

from shiftwork.domain.model import facts as f
from shiftwork.domain.model import waiting_facts as w
from shiftwork.domain.model.pipeline import Step
from shiftwork.domain.model.story import HoldCause, StoryState
from shiftwork.domain.model.usage import NOTHING_USED
from shiftwork.domain.model.workflow import StepKind
from shiftwork.testing.builders import began, done, failed, fold_story, interrupted, started_story


def at(story: StoryState, time: float, fact: f.Fact) -> StoryState:
    return fold_story(story, replace(fact, at=time))


def first(story: StoryState) -> Step:
    return story.pipeline.steps[0]


@pytest.fixture
def at_work() -> StoryState:
    story = started_story("coding", "final_review")
    return at(story, 100, began(story))


def test_all_attempts_count(at_work: StoryState) -> None:
    assert first(at_work).seconds is None
    story = at(at_work, 130, failed(at_work))
    assert first(story).seconds == 30
    story = at(story, 131, f.StepRetried(at=0, step=first(story).id, feedback="again"))
    story = at(story, 200, began(story))
    assert first(story).seconds == 30, "one that is under way counts when it is over"
    story = at(story, 205, done(story))
    assert (first(story).seconds, first(story).attempts) == (35, 2)


def test_what_lies_between_a_question_and_its_answer_is_no_attempt(at_work: StoryState) -> None:
    asked = f.QuestionAsked(
        at=110, step=first(at_work).id, attempt=1, question="?", options=(), commit=at_work.head, usage=NOTHING_USED
    )
    story = fold_story(at_work, asked, f.StoryReleased(at=900, granted=True, answer="yes"))
    story = at(story, 1000, began(story))
    assert first(at(story, 1005, done(story))).seconds == 15


def test_an_attempt_that_met_a_limit_counts_and_the_wait_does_not(at_work: StoryState) -> None:
    limited = w.StepDeferred(
        at=107,
        step=first(at_work).id,
        attempt=1,
        agent="a",
        resets_at=500,
        until=500,
        reason="429",
        usage=NOTHING_USED,
        diff="",
    )
    story = fold_story(at_work, limited, w.WaitEnded(at=500, number=1))
    story = at(story, 501, began(story))
    assert first(at(story, 502, done(story))).seconds == 8


def test_one_whose_worker_died_counts_for_nothing_because_nobody_knows_when(at_work: StoryState) -> None:
    story = at(at_work, 90_000, interrupted(at_work))
    assert first(story).seconds is None
    story = at(
        fold_story(story, f.WorkspacePrepared(at=1, number=2, base=story.base, head=story.head)), 90_001, began(story)
    )
    assert first(at(story, 90_011, done(story))).seconds == 10


def test_where_only_a_git_of_its_was_killed_it_is_known(at_work: StoryState) -> None:
    assert first(at(at_work, 120, replace(interrupted(at_work), usage=NOTHING_USED))).seconds == 20


def test_a_clock_that_was_set_back_makes_no_attempt_take_less_than_nothing(at_work: StoryState) -> None:
    assert first(at(at_work, 50, done(at_work))).seconds == 0


def test_a_person_takes_time_too() -> None:
    story = started_story("coding")
    consent = replace(first(story), kind=StepKind.APPROVAL)
    story = replace(story, pipeline=story.pipeline.with_step(consent))
    story = at(story, 10, began(story))
    story = fold_story(story, f.StoryHeld(at=11, cause=HoldCause.APPROVAL, detail="May it?"))
    assert first(fold_story(story, f.StoryReleased(at=70, granted=True, answer=""))).seconds == 60
