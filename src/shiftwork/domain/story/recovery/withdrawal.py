"""How a story that is cancelled or paused takes back its request to land.

Only the queue knows whether the branch has moved by then, so the story asks and waits for the answer: withdrawn, and it
never lands by that request, or the verdict that it would have got anyway.
"""

from dataclasses import replace

from shiftwork.domain.core.decision import Effects
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import LandingStage, StoryState


def withdrawal(story: StoryState) -> Effects:
    """What is to be taken back, where the queue has not been asked for that yet."""
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
    """It stands where it stood before it asked to land, and asks anew if it goes on."""
    return (
        replace(story, landing=replace(story.landing, progress=LandingStage.NONE))
        if _is_open(story, fact.number)
        else None
    )


def _is_open(story: StoryState, number: int) -> bool:
    return story.landing.progress is LandingStage.REQUESTED and story.landing.requests == number
