"""How a story that is cancelled or paused takes back its request to land.

Only the queue knows whether the branch has moved by then, so the story asks and waits for the answer: withdrawn, and it
never lands by that request, or the verdict that it would have got anyway.
"""

from dataclasses import replace

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import withdrawal_facts as t
from shiftwork.domain.model.story import LandingStage, StoryState
from shiftwork.domain.rules.deciding import Effects


def withdrawal(story: StoryState) -> Effects:
    """What is to be taken back, where the queue has not been asked for that yet."""
    unwanted = story.cancelled or story.paused
    if not unwanted or story.landing is not LandingStage.REQUESTED or story.withdrawing == story.landings:
        return ()
    return (e.WithdrawLanding(key=f"withdraw/{story.landings}", number=story.landings),)


def asked(story: StoryState, fact: t.LandingWithdrawalAsked) -> StoryState | None:
    return replace(story, withdrawing=fact.number) if _is_open(story, fact.number) else None


def withdrawn(story: StoryState, fact: t.LandingWithdrawn) -> StoryState | None:
    """It stands where it stood before it asked to land, and asks anew if it goes on."""
    return replace(story, landing=LandingStage.NONE) if _is_open(story, fact.number) else None


def _is_open(story: StoryState, number: int) -> bool:
    return story.landing is LandingStage.REQUESTED and story.landings == number
