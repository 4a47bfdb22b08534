"""Times from a story's facts: how long all attempts of a step took together, and how long the story only waited."""

from dataclasses import replace

import pytest

from shiftwork.domain.agents.rate_limit import Awaited, Wait, Waited
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, Hold, HoldCause, StoryState
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.testing.builders import began, done, failed, fold_story, interrupted, started_story


def at(story: StoryState, time: float, fact: Fact) -> StoryState:
    return fold_story(story, replace(fact, at=time))


def first(story: StoryState) -> Step:
    return story.pipeline.steps[0]


def limited(story: StoryState) -> story_facts.StepDeferred:
    values = {"agent": "a", "resets_at": 500.0, "until": 500.0, "reason": "429", "usage": NOTHING_USED, "diff": ""}
    return story_facts.StepDeferred(at=107, step=first(story).id, attempt=1, **values)  # type: ignore[arg-type]  # one value a field


@pytest.fixture
def at_work() -> StoryState:
    story = started_story("coding", "final_review")
    return at(story, 100, began(story))


def test_all_attempts_count(at_work: StoryState) -> None:
    assert first(at_work).seconds is None
    story = at(at_work, 130, failed(at_work))
    assert first(story).seconds == 30
    story = at(story, 131, story_facts.StepRetried(at=0, step=first(story).id, feedback="again"))
    story = at(story, 200, began(story))
    assert first(story).seconds == 30, "an attempt in progress counts when it is over"
    story = at(story, 205, done(story))
    assert (first(story).seconds, first(story).attempts) == (35, 2)


def test_what_lies_between_a_question_and_its_answer_is_no_attempt(at_work: StoryState) -> None:
    asked = story_facts.QuestionAsked(
        at=110,
        step=first(at_work).id,
        attempt=1,
        question="?",
        options=(),
        commit=at_work.work.head,
        usage=NOTHING_USED,
    )
    story = fold_story(at_work, asked, story_facts.StoryReleased(at=900, granted=True, answer="yes"))
    story = at(story, 1000, began(story))
    assert first(at(story, 1005, done(story))).seconds == 15


def test_an_attempt_that_met_a_limit_counts_and_the_wait_does_not(at_work: StoryState) -> None:
    story = fold_story(at_work, limited(at_work), story_facts.WaitEnded(at=500, number=1))
    story = at(story, 501, began(story))
    assert first(at(story, 502, done(story))).seconds == 8


def test_one_whose_worker_died_counts_for_nothing_because_no_one_knows_when(at_work: StoryState) -> None:
    story = at(at_work, 90_000, interrupted(at_work))
    assert first(story).seconds is None
    story = at(
        fold_story(story, story_facts.WorkspacePrepared(at=1, number=2, base=story.work.base, head=story.work.head)),
        90_001,
        began(story),
    )
    assert first(at(story, 90_011, done(story))).seconds == 10


def test_where_only_a_git_of_its_was_killed_it_is_known(at_work: StoryState) -> None:
    assert first(at(at_work, 120, replace(interrupted(at_work), usage=NOTHING_USED))).seconds == 20


def test_a_clock_that_was_set_back_makes_no_attempt_take_less_than_nothing(at_work: StoryState) -> None:
    assert first(at(at_work, 50, done(at_work))).seconds == 0


def test_a_person_takes_time_too() -> None:
    story = started_story("coding")
    consent = replace(made := first(story), plan=replace(made.plan, kind=StepKind.APPROVAL))
    story = replace(story, pipeline=story.pipeline.with_step(consent))
    story = at(story, 10, began(story))
    story = fold_story(story, story_facts.StoryHeld(at=11, cause=HoldCause.APPROVAL, detail="May it?"))
    assert first(fold_story(story, story_facts.StoryReleased(at=70, granted=True, answer=""))).seconds == 60


# Waits ---------------------------------------------------------------------------------------------------------------


def asks(at: float) -> story_facts.StoryHeld:
    return story_facts.StoryHeld(at=at, cause=HoldCause.EXHAUSTED, detail="again?")


def test_every_wait_for_a_person_is_known_by_its_beginning_and_its_end(at_work: StoryState) -> None:
    story = fold_story(at_work, asks(200))
    assert story.rate_limit.waited == (Waited(awaited=Awaited.PERSON, since=200),)
    assert fold_story(story, MessagesRead(at=201, upto=4)).rate_limit.waited == story.rate_limit.waited
    answered = fold_story(story, story_facts.StoryReleased(at=260, granted=True, answer=""), asks(300))
    assert answered.rate_limit.waited == (
        Waited(awaited=Awaited.PERSON, since=200, until=260),
        Waited(awaited=Awaited.PERSON, since=300),
    )


def test_and_so_is_one_for_the_end_of_a_limit(at_work: StoryState) -> None:
    story = fold_story(at_work, limited(at_work), story_facts.WaitEnded(at=505, number=1))
    assert story.rate_limit.waited == (Waited(awaited=Awaited.LIMIT, since=107, until=505),)


def test_the_end_of_a_story_is_the_end_of_its_wait(at_work: StoryState) -> None:
    story = fold_story(at_work, asks(200), story_facts.StoryFailed(at=250, cause=FailureCause.CANCELLED, reason="no"))
    assert story.rate_limit.waited == (Waited(awaited=Awaited.PERSON, since=200, until=250),)


def test_a_wait_ends_no_earlier_than_it_began(at_work: StoryState) -> None:
    story = fold_story(at_work, asks(200), story_facts.StoryReleased(at=150, granted=True, answer=""))
    assert story.rate_limit.waited == (Waited(awaited=Awaited.PERSON, since=200, until=200),)


def test_of_a_wait_whose_beginning_no_one_knows_the_end_says_nothing(at_work: StoryState) -> None:
    story = replace(at_work, waiting=replace(at_work.waiting, hold=Hold(cause=HoldCause.QUESTION, detail="?")))
    assert fold_story(story, story_facts.StoryReleased(at=150, granted=True, answer="")).rate_limit.waited == ()
    story = replace(at_work, rate_limit=replace(at_work.rate_limit, wait=Wait(until=300, reason=""), deferrals=1))
    assert fold_story(story, story_facts.WaitEnded(at=300, number=1)).rate_limit.waited == ()
