"""Which profile is assigned to a role in a story, the record of each profile, and how records compare."""

from typing import Final

from shiftwork.records import dataclass

ANY_ROLE: Final = "work"
"""The role of steps for which a workflow names no agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """The profile assigned to a role in one story, and why: fixed when the story first starts."""

    role: str
    profile: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A profile's record in a role: stories with a conclusive end, how many of them landed (`verified`), how many are
    in progress, and how many ended without saying anything about the profile (`void`), for example because a limit made
    another profile step in. `cost_usd` is what the ended stories cost, without the `unpriced`, whose cost is not fully
    known; `dearest` is the cost of the most expensive.
    """

    role: str
    profile: str
    ended: int = 0
    verified: int = 0
    in_progress: int = 0
    void: int = 0
    cost_usd: float | None = None
    unpriced: int = 0
    dearest: float = 0.0

    @property
    def tries(self) -> int:
        return self.ended + self.in_progress + self.void


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A profile in a role: the interval that its record allows, in verified stories per dollar, or per story where the
    cost of some profiles is unknown; and the price of an attempt in the same unit.
    """

    tally: Tally
    price: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The chosen profile and the reason. `scores` are in the order of the candidates; `priced` says whether cost was
    compared.
    """

    profile: str
    why: str
    scores: tuple[Score, ...]
    priced: bool
