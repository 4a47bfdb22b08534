"""What comes of a story's claims on its run's budget, where anything may come of them."""

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.testing.simulation.simulation import Chance


def answered(chance: Chance, story: StoryState, at: float) -> tuple[Fact, ...]:
    """The run grants it, or says that there is not enough; now and then a word about an earlier claim comes late."""
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
