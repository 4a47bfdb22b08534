"""Which profile is assigned to a role in a story, and the record of each profile."""

from dataclasses import dataclass
from typing import Final

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
