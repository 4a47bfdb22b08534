"""How a cancelled or paused story withdraws its landing request.

Only the queue knows whether the branch has already moved, so the story asks and waits for the answer: either the
request is withdrawn and never lands, or the queue reports its usual verdict.
"""

from shiftwork.domain.core.decision import Effects
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import LandingStage, StoryState
from shiftwork.records import replace


def withdrawal(story: StoryState) -> Effects:
    """Withdraws the open landing request, unless the queue has already been asked."""
    unwanted = story.control.cancelled or story.control.paused
    if (
        not unwanted
        or story.landing.progress is not LandingStage.REQUESTED
        or story.landing.withdrawing == story.landing.requests
    ):
        return ()
    return (story_effects.WithdrawLanding(key=f"withdraw/{story.landing.requests}", number=story.landing.requests),)


def asked(story: StoryState, fact: story_facts.LandingWithdrawalAsked) -> StoryState | None:
    return (
        replace(story, landing=replace(story.landing, withdrawing=fact.number))
        if _is_open(story, fact.number)
        else None
    )


def withdrawn(story: StoryState, fact: story_facts.LandingWithdrawn) -> StoryState | None:
    """Returns the story to its state before the request; it sends a new request if it continues."""
    return (
        replace(story, landing=replace(story.landing, progress=LandingStage.NONE))
        if _is_open(story, fact.number)
        else None
    )


def _is_open(story: StoryState, number: int) -> bool:
    return story.landing.progress is LandingStage.REQUESTED and story.landing.requests == number
