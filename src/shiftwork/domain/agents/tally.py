"""Who plays a role in a story, and what is known of those who could."""

from dataclasses import dataclass
from typing import Final

ANY_ROLE: Final = "work"
"""The role of steps for which a workflow names no agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """The profile that plays a role in one story, and why that one: fixed when the story is first begun."""

    role: str
    profile: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a profile has done in a role: stories whose end says something of it, how many of them landed (which is what
    is verified), how many are under way, and how many came to an end that says nothing (`void`), as where a limit let
    another stand in. `cost_usd` is what those that ended took, but for the `unpriced`, of which not all is known; the
    `dearest` was one of them.
    """

    role: str
    profile: str
    ended: int = 0
    verified: int = 0
    under_way: int = 0
    void: int = 0
    cost_usd: float | None = None
    unpriced: int = 0
    dearest: float = 0.0

    @property
    def tries(self) -> int:
        return self.ended + self.under_way + self.void
