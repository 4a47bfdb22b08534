"""What comes of a story's claims on its run's budget, where anything may come of them."""

from shiftwork.domain.model import budget_facts as b
from shiftwork.domain.model import facts as f
from shiftwork.domain.model.story import StoryState
from shiftwork.testing.simulation import Chance


def answered(chance: Chance, story: StoryState, at: float) -> tuple[f.Fact, ...]:
    """The run grants it, or says that there is not enough; now and then a word about an earlier claim comes late."""
    late = (b.AllowanceGranted(at=at, number=story.claims - 1, cap=None),) if chance.pick((False, True)) else ()
    if chance.pick((True, True, False)):
        return (*late, b.AllowanceGranted(at=at, number=story.claims, cap=chance.pick((None, 0.5))))
    return (*late, b.AllowanceRefused(at=at, number=story.claims, detail="the run has spent 1.00 of 1.00 USD"))
