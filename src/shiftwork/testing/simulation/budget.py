"""Random answers to a story's claims on its run's budget."""

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.testing.simulation.simulation import Chance


def answered(chance: Chance, story: StoryState, at: float) -> tuple[Fact, ...]:
    """The run grants the claim, or refuses it; sometimes an answer to an earlier claim arrives late."""
    late = (
        (story_facts.AllowanceGranted(at=at, number=story.spending.claims - 1, cap=None),)
        if chance.pick((False, True))
        else ()
    )
    if chance.pick((True, True, False)):
        return (*late, story_facts.AllowanceGranted(at=at, number=story.spending.claims, cap=chance.pick((None, 0.5))))
    return (
        *late,
        story_facts.AllowanceRefused(at=at, number=story.spending.claims, detail="the run has spent 1.00 of 1.00 USD"),
    )
