"""Rate limits of agents: their effect on a story, and what the story does then."""

from dataclasses import replace
from typing import Any

import pytest

from shiftwork.domain.agents.rate_limit import Patience, Wait
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.recovery.rate_limits import (
    Met,
    met,
    next_chance,
    profile,
    promise,
    seconds_to_wait,
    times_in_vain,
)
from shiftwork.domain.story.state import FailureCause, StoryState
from shiftwork.domain.usage.totals import one_attempt
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.testing.builders import began, concluded, fold_story, next_effect, started_story

FIRST = StepId("step-001")
USED = Usage(input_tokens=3)
PAID = one_attempt(USED)


def limited(**changes: Any) -> story_facts.StepDeferred:
    values: dict[str, Any] = {
        "at": 100.0,
        "step": FIRST,
        "attempt": 1,
        "agent": "one",
        "resets_at": 120.0,
        "until": 120.0,
    }
    return story_facts.StepDeferred(**{**values, "reason": "429", "usage": USED, "diff": "", **changes})


@pytest.fixture
def at_work() -> StoryState:
    story = started_story("coding", "final_review")
    return fold_story(story, began(story))


def test_a_limit_costs_no_retry_and_sets_a_wait(at_work: StoryState) -> None:
    story = fold_story(at_work, limited())
    step = story.pipeline.steps[0]
    assert (step.status, step.attempts, step.retries, step.deferrals) == (StepStatus.PENDING, 1, 0, 1)
    assert (story.rate_limit.wait, story.rate_limit.limited) == (Wait(until=120.0, reason="429"), (("one", 120.0),))
    assert (story.spending.usage, step.usage) == (PAID, PAID)
    assert decide_story(story) == (story_effects.WaitUntil(key="wait/1", until=120.0, number=1),)


def test_nothing_begins_while_it_waits(at_work: StoryState) -> None:
    story = fold_story(at_work, limited())
    assert (
        fold_story(story, story_facts.StepStarted(at=101, step=FIRST, attempt=2, commit=story.work.head, log=""))
        == story
    )


def test_once_it_is_over_the_step_is_tried_again(at_work: StoryState) -> None:
    story = fold_story(at_work, limited(), story_facts.WaitEnded(at=120, number=1))
    assert story.rate_limit.wait is None
    assert next_effect(story) == story_effects.RunAgent(key="step-001/2@1", step=FIRST, attempt=2)


def test_a_wait_that_is_not_there_does_not_end(at_work: StoryState) -> None:
    waiting = fold_story(at_work, limited())
    assert fold_story(waiting, story_facts.WaitEnded(at=120, number=2)) == waiting
    assert fold_story(at_work, story_facts.WaitEnded(at=120, number=0)) == at_work


def test_where_another_can_continue_nothing_is_waited_for(at_work: StoryState) -> None:
    story = fold_story(at_work, limited(until=100.0))
    assert story.rate_limit.wait is None
    assert isinstance(next_effect(story), story_effects.RunAgent)


@pytest.mark.parametrize("stray", [limited(step=StepId("step-009")), limited(attempt=2)])
def test_a_limit_of_another_attempt_changes_nothing(at_work: StoryState, stray: story_facts.StepDeferred) -> None:
    assert fold_story(at_work, stray) == at_work


def test_a_limit_of_an_attempt_that_has_ended_changes_nothing(at_work: StoryState) -> None:
    waiting = fold_story(at_work, limited(), story_facts.WaitEnded(at=120, number=1))
    assert fold_story(waiting, limited()) == waiting


def test_a_paused_story_waits_for_word_and_then_for_the_time(at_work: StoryState) -> None:
    story = fold_story(at_work, limited(), story_facts.StoryPaused(at=101))
    assert isinstance(next_effect(story), e.Receive)
    assert isinstance(next_effect(fold_story(story, story_facts.StoryUnpaused(at=102))), story_effects.WaitUntil)


def test_a_cancelled_story_waits_no_longer(at_work: StoryState) -> None:
    story = concluded(fold_story(at_work, limited(), story_facts.StoryCancelRequested(at=101)))
    assert (story.outcome.cause, story.rate_limit.wait) == (FailureCause.CANCELLED, None)


def test_the_last_word_about_a_profile_counts(at_work: StoryState) -> None:
    story = fold_story(at_work, limited(until=100.0))
    story = fold_story(story, began(story), limited(attempt=2, agent="other", resets_at=150.0, until=120.0))
    story = fold_story(story, story_facts.WaitEnded(at=120, number=2))
    story = fold_story(story, began(story), limited(attempt=3, resets_at=300.0, until=300.0))
    assert story.rate_limit.limited == (("other", 150.0), ("one", 300.0))


CHAIN = ("own", "thorough", "quick")


def test_the_first_that_is_free_is_assigned_and_the_own_profile_again_once_its_limit_is_over() -> None:
    limits = (("own", 50.0), ("thorough", 20.0))
    assert [profile(CHAIN, limits, now) for now in (10.0, 20.0, 50.0)] == ["quick", "thorough", "own"]
    assert next_chance(CHAIN, limits, 10.0) == 10.0


def test_where_no_profile_is_free_it_is_the_one_that_will_be_first() -> None:
    limits = (("own", 50.0), ("thorough", 20.0))
    assert (profile(CHAIN[:2], limits, 10.0), next_chance(CHAIN[:2], limits, 10.0)) == ("thorough", 20.0)


def test_what_an_agent_says_is_believed_within_reason() -> None:
    patience = Patience(longest_seconds=600)
    assert 20 <= seconds_to_wait(Met(wait_seconds=20.0, nth=1), patience, "r/s") <= 22
    assert seconds_to_wait(Met(wait_seconds=1e12, nth=1), patience, "r/s") == 600


@pytest.mark.parametrize("limit", [Met(wait_seconds=None, nth=1), Met(wait_seconds=0.6, nth=1, again=True)])
def test_where_it_says_nothing_that_helps_the_wait_doubles(limit: Met) -> None:
    waits = [seconds_to_wait(replace(limit, nth=nth), Patience(), "r/s") for nth in range(1, 9)]
    for found, least in zip(waits, [30, 60, 120, 240, 480, 960, 1800, 1800], strict=True):
        assert least <= found <= least * 1.1


@pytest.mark.parametrize(("resets_at", "amount"), [(None, None), (95.0, None), (100.0, None), (130.0, 30.0)])
def test_an_end_that_does_not_lie_ahead_says_nothing(
    at_work: StoryState, resets_at: float | None, amount: float | None
) -> None:
    step = at_work.pipeline.steps[0]
    assert met(at_work, step, resets_at, 100.0) == Met(wait_seconds=amount, nth=1)


def test_the_second_limit_of_the_same_profile_is_not_its_first(at_work: StoryState) -> None:
    story = fold_story(at_work, limited(), story_facts.WaitEnded(at=120, number=1))
    step = story.pipeline.steps[0]
    assert met(story, replace(step, assigned_profile="one"), 130.0, 120.0) == Met(wait_seconds=10.0, nth=2, again=True)
    assert met(story, replace(step, assigned_profile="other"), 130.0, 120.0) == Met(wait_seconds=10.0, nth=2)


def again(story: StoryState, at: float, promised: float) -> StoryState:
    number, attempt = story.rate_limit.deferrals + 1, story.pipeline.steps[0].attempts + 1
    met_again = limited(at=at, attempt=attempt, resets_at=at + 20, until=at + 20, promised=promised)
    return fold_story(story, began(story), met_again, story_facts.WaitEnded(at=at + 20, number=number))


def test_a_limit_that_is_met_before_its_reported_end_uses_up_no_patience(at_work: StoryState) -> None:
    story = fold_story(at_work, limited(promised=500.0), story_facts.WaitEnded(at=120, number=1))
    for at, in_vain, promised in ((120.0, 1, 500.0), (499.0, 1, 500.0), (500.0, 2, 900.0), (600.0, 2, 900.0)):
        story = again(story, at, at + 400)
        assert (story.pipeline.steps[0].in_vain, story.pipeline.steps[0].promised) == (in_vain, promised)
    step = story.pipeline.steps[0]
    assert step.deferrals == 5
    assert (times_in_vain(step, 899.0), times_in_vain(step, 900.0)) == (2, 3)


def test_an_end_is_believed_as_long_as_all_waits_together_may_last() -> None:
    patience = Patience(longest_seconds=600, times=3)
    assert promise(Met(wait_seconds=None, nth=1), patience, 100.0) == 100.0
    assert promise(Met(wait_seconds=700.0, nth=1), patience, 100.0) == 800.0
    assert promise(Met(wait_seconds=1e12, nth=1), patience, 100.0) == 1900.0
