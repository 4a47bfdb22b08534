"""A story that is cancelled or paused takes its request to land back, and hears from the queue what became of it."""

import pytest

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import withdrawal_facts as t
from shiftwork.domain.model.ids import Commit
from shiftwork.domain.model.story import FailureCause, LandingStage
from shiftwork.testing.builders import conclusion, fold_story, landing_asked, next_effect, started_story

WITHDRAW = e.WithdrawLanding(key="withdraw/1", number=1)
ASKED = t.LandingWithdrawalAsked(at=92, number=1)
WITHDRAWN = t.LandingWithdrawn(at=93, number=1)


@pytest.mark.parametrize("word", [f.StoryCancelRequested(at=91), f.StoryPaused(at=91)], ids=["cancelled", "paused"])
def test_an_unwanted_request_is_taken_back_once(word: f.Fact) -> None:
    story = landing_asked("coding")
    assert isinstance(next_effect(story), e.Receive)
    story = fold_story(story, word)
    assert next_effect(story) == WITHDRAW
    assert next_effect(fold_story(story, ASKED)) == e.Receive(key="receive/0", cursor=0)


def test_a_cancelled_story_fails_when_its_request_has_left_the_queue() -> None:
    story = fold_story(landing_asked("coding"), f.StoryCancelRequested(at=91), ASKED, WITHDRAWN)
    assert conclusion(story) == f.StoryFailed(at=0, cause=FailureCause.CANCELLED, reason="cancelled")


def test_a_paused_story_asks_again_when_the_run_goes_on() -> None:
    story = fold_story(landing_asked("coding"), f.StoryPaused(at=91), ASKED, WITHDRAWN)
    assert isinstance(next_effect(story), e.Receive)
    story = fold_story(story, f.StoryUnpaused(at=94))
    assert next_effect(story) == e.RequestLanding(key="landing/2", number=2, tip=story.head)
    again = fold_story(story, f.LandingRequested(at=95, number=2, tip=story.head))
    assert isinstance(next_effect(again), e.Receive)
    assert next_effect(fold_story(again, f.StoryPaused(at=96))) == e.WithdrawLanding(key="withdraw/2", number=2)


def test_a_run_that_goes_on_before_the_queue_has_answered_asks_again_after_it() -> None:
    story = fold_story(landing_asked("coding"), f.StoryPaused(at=91), ASKED, f.StoryUnpaused(at=92))
    assert isinstance(next_effect(story), e.Receive)
    assert isinstance(next_effect(fold_story(story, WITHDRAWN)), e.RequestLanding)


def test_the_queue_may_have_been_quicker() -> None:
    landed = f.LandingAccepted(at=93, commit=Commit("c"), ref="main")
    story = fold_story(landing_asked("coding"), f.StoryCancelRequested(at=91), ASKED, landed)
    assert story.landing is LandingStage.LANDED
    assert fold_story(story, WITHDRAWN) is story
    assert isinstance(conclusion(story), f.StoryCompleted)


def test_words_about_another_request_change_nothing() -> None:
    story = fold_story(landing_asked("coding"), f.StoryCancelRequested(at=91))
    other = (t.LandingWithdrawalAsked(at=92, number=2), t.LandingWithdrawn(at=92, number=2))
    assert fold_story(story, *other) is story
    assert fold_story(started_story("coding"), ASKED, WITHDRAWN) == started_story("coding")
