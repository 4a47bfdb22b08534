"""The limits of a run or of a story."""

from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run, each of its stories and each of their steps may use before a person is asked. `attempt` is reserved
    for an attempt of a kind that the run has not seen yet.
    """

    run: Budget = Budget()
    story: Budget = Budget()
    step: Budget = Budget()
    attempt: Amount = Amount(usd=2.0, tokens=2_000_000)
    repairs: int = 2
    conflicts: int = 3
    escalate: str = ""

    def raised(self, other: "Limits") -> "Limits":
        """These limits, with the other's bounds where it sets any."""
        run, story, step = self.run.raised(other.run), self.story.raised(other.story), self.step.raised(other.step)
        return replace(self, run=run, story=story, step=step)
