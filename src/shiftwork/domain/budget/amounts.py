"""Amounts: what may be used, what is reserved for attempts in progress, and what has been used."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.usage.usage import Usage
from shiftwork.records import dataclass, field

MOST_SESSIONS: Final = 1_000_000
"""The largest limit on sessions: more than any run has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Bounds on money, on tokens and on sessions of agents; `None` means no bound."""

    usd: float | None = None
    tokens: int | None = None
    sessions: int | None = None

    @property
    def is_set(self) -> bool:
        return self.is_metered or self.sessions is not None

    @property
    def is_metered(self) -> bool:
        """Whether it bounds what an agent uses during a session."""
        return self.usd is not None or self.tokens is not None

    def raised(self, other: "Budget") -> "Budget":
        """This budget, with the other's bounds where it sets any."""
        return Budget(
            usd=self.usd if other.usd is None else other.usd,
            tokens=self.tokens if other.tokens is None else other.tokens,
            sessions=self.sessions if other.sessions is None else other.sessions,
        )


class Whose(StrEnum):
    """What a limit applies to."""

    RUN = "run"
    STORY = "story"
    STEP = "step"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A limit at which a story waits: the bounds that are reached, what was `spent` of them, estimates included, and
    what is `needed` for the next attempt, where some budget is left and such attempts are known.
    """

    whose: Whose
    limit: Budget
    spent: Budget
    needed: Budget = Budget()


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """An amount of money, of tokens and of sessions."""

    usd: float = 0.0
    tokens: int = 0
    sessions: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            usd=self.usd + other.usd, tokens=self.tokens + other.tokens, sessions=self.sessions + other.sessions
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What the run has reserved for a story's next attempt; `cap` is the cost at which its agent must stop.

    `used` is what the attempt reported after it had `begun` and ended; None where it could not report it.
    """

    number: int
    cap: float | None
    begun: bool = False
    used: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A story's request for an allowance. A `bounded` attempt stops at its reservation. A claim that cannot be met is
    reported to its story once.
    """

    number: int
    kind: str
    bounded: bool
    reported: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """The amount reserved for the attempt of a claim."""

    claim: Claim
    amount: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The accounts of a run with a limit. `guessed` is the part of `spent` whose price was not reported: it counts as
    the full reservation. `dearest` is the most that an attempt of each kind has used, `overshoot` the most that an
    attempt has used beyond its reservation.
    """

    spent: Amount = Amount()
    guessed: Amount = Amount()
    claims: Mapping[StoryId, Claim] = field(default_factory=dict)
    reserved: Mapping[StoryId, Reservation] = field(default_factory=dict)
    dearest: Mapping[str, Amount] = field(default_factory=dict)
    overshoot: Amount = Amount()


def counted(sessions: int) -> str:
    return f"{sessions} session{'' if sessions == 1 else 's'}"
