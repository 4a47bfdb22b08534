"""A story that is cancelled or paused withdraws its request to land, and receives the result from the queue."""

import pytest

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, LandingStage
from shiftwork.testing.builders import conclusion, fold_story, landing_asked, next_effect, started_story

WITHDRAW = story_effects.WithdrawLanding(key="withdraw/1", number=1)
ASKED = story_facts.LandingWithdrawalAsked(at=92, number=1)
WITHDRAWN = story_facts.LandingWithdrawn(at=93, number=1)


@pytest.mark.parametrize(
    "word", [story_facts.StoryCancelRequested(at=91), story_facts.StoryPaused(at=91)], ids=["cancelled", "paused"]
)
def test_an_unwanted_request_is_withdrawn_once(word: Fact) -> None:
    story = landing_asked("coding")
    assert isinstance(next_effect(story), e.Receive)
    story = fold_story(story, word)
    assert next_effect(story) == WITHDRAW
    assert next_effect(fold_story(story, ASKED)) == e.Receive(key="receive/0", cursor=0)


def test_a_cancelled_story_fails_when_its_request_has_left_the_queue() -> None:
    story = fold_story(landing_asked("coding"), story_facts.StoryCancelRequested(at=91), ASKED, WITHDRAWN)
    assert conclusion(story) == story_facts.StoryFailed(at=0, cause=FailureCause.CANCELLED, reason="cancelled")


def test_a_paused_story_asks_again_when_the_run_continues() -> None:
    story = fold_story(landing_asked("coding"), story_facts.StoryPaused(at=91), ASKED, WITHDRAWN)
    assert isinstance(next_effect(story), e.Receive)
    story = fold_story(story, story_facts.StoryUnpaused(at=94))
    assert next_effect(story) == story_effects.RequestLanding(key="landing/2", number=2, tip=story.work.head)
    again = fold_story(story, story_facts.LandingRequested(at=95, number=2, tip=story.work.head))
    assert isinstance(next_effect(again), e.Receive)
    assert next_effect(fold_story(again, story_facts.StoryPaused(at=96))) == story_effects.WithdrawLanding(
        key="withdraw/2", number=2
    )


def test_a_run_that_continues_before_the_queue_has_answered_asks_again_after_it() -> None:
    story = fold_story(landing_asked("coding"), story_facts.StoryPaused(at=91), ASKED, story_facts.StoryUnpaused(at=92))
    assert isinstance(next_effect(story), e.Receive)
    assert isinstance(next_effect(fold_story(story, WITHDRAWN)), story_effects.RequestLanding)


def test_the_queue_may_have_been_quicker() -> None:
    landed = story_facts.LandingAccepted(at=93, commit=Commit("c"), ref="main")
    story = fold_story(landing_asked("coding"), story_facts.StoryCancelRequested(at=91), ASKED, landed)
    assert story.landing.progress is LandingStage.LANDED
    assert fold_story(story, WITHDRAWN) is story
    assert isinstance(conclusion(story), story_facts.StoryCompleted)


def test_words_about_another_request_change_nothing() -> None:
    story = fold_story(landing_asked("coding"), story_facts.StoryCancelRequested(at=91))
    other = (story_facts.LandingWithdrawalAsked(at=92, number=2), story_facts.LandingWithdrawn(at=92, number=2))
    assert fold_story(story, *other) is story
    assert fold_story(started_story("coding"), ASKED, WITHDRAWN) == started_story("coding")
