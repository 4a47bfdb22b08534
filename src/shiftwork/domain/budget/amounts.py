"""What may be used, what is set aside for attempts under way, and what has been used."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.usage.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Bounds on money and on tokens; `None` is none."""

    usd: float | None = None
    tokens: int | None = None

    @property
    def is_set(self) -> bool:
        return self.usd is not None or self.tokens is not None

    def raised(self, other: "Budget") -> "Budget":
        """This one, where the other says nothing else."""
        return Budget(
            usd=self.usd if other.usd is None else other.usd,
            tokens=self.tokens if other.tokens is None else other.tokens,
        )


class Whose(StrEnum):
    """Who a limit holds for."""

    RUN = "run"
    STORY = "story"
    STEP = "step"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A limit at which a story waits: its bounds that are in the way, what was `spent` of them, guesses included, and
    what is `needed` for the next attempt, where something is left and such attempts are known.
    """

    whose: Whose
    limit: Budget
    spent: Budget
    needed: Budget = Budget()


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """So much money and so many tokens."""

    usd: float = 0.0
    tokens: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(usd=self.usd + other.usd, tokens=self.tokens + other.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What the run has set aside for a story's next attempt: `cap` is the money at which its agent is told to stop.

    `used` is what the attempt told of itself once it has `begun` and ended; nothing where it could not tell.
    """

    number: int
    cap: float | None
    begun: bool = False
    used: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A story's request for an allowance. An attempt that is `bounded` stops at what is set aside for it; one of which
    the story is `told` cannot be met.
    """

    number: int
    kind: str
    bounded: bool
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """What is set aside for the attempt that a claim was about."""

    claim: Claim
    amount: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The books of a run with a limit. `guessed` is the part of `spent` of which nobody told the price: it was counted
    as all that had been set aside. `dearest` is the most that an attempt of each kind has used, `overshoot` the most
    that one has used beyond what was set aside for it.
    """

    spent: Amount = Amount()
    guessed: Amount = Amount()
    claims: Mapping[StoryId, Claim] = field(default_factory=dict)
    reserved: Mapping[StoryId, Reservation] = field(default_factory=dict)
    dearest: Mapping[str, Amount] = field(default_factory=dict)
    overshoot: Amount = Amount()
