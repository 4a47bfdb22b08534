"""Which settings are tighter than others: a change that only tightens what the user has agreed to needs no new consent.

A lower limit, budget or time-out is tighter, and a stricter word of a policy. Everything else is not, as far as this
table says: lists, commands, agents, and keys that are added in the future.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from shiftwork.records import dataclass
from shiftwork.regexes import regex

UNLIMITED: Final = "unlimited"
"""The value of a limit that is not set."""

_NUMBER: Final = regex(r"[0-9]{1,18}(?:\.[0-9]{1,18})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How the values of a setting compare. `usual` counts where the file does not have the key; None: no value stands
    for that. `ranks` has the words from loose to strict; without it, the value is a number, and lower is tighter.
    """

    usual: str | None
    ranks: Mapping[str, int] | None = None

    def tightens(self, before: str | None, now: str | None) -> bool:
        """Whether the second value is certainly as strict as the first, or stricter."""
        old, new = self.usual if before is None else before, self.usual if now is None else now
        if old is None or new is None:
            return False
        if self.ranks is not None:
            return old in self.ranks and new in self.ranks and (old == new or self.ranks[old] < self.ranks[new])
        if new == UNLIMITED or not _NUMBER.fullmatch(new):
            return old == new
        return old == UNLIMITED or (bool(_NUMBER.fullmatch(old)) and float(new) <= float(old))


def _words(usual: str, **ranks: int) -> Scale:
    return Scale(usual=usual, ranks=ranks)


_LIMIT: Final = Scale(usual=UNLIMITED)

SCALES: Final[Mapping[tuple[str, ...], Scale]] = {
    **{
        ("limits", f"{scope}_{unit}"): _LIMIT
        for scope in ("run", "story", "step")
        for unit in ("usd", "tokens", "sessions")
        if (scope, unit) != ("step", "sessions")
    },
    ("limits", "wait_hours"): Scale(usual="6"),
    ("limits", "waits"): Scale(usual="20"),
    ("sandbox", "memory_gb"): Scale(usual=None),  # without it a part of the machine's memory, which is no known number
    ("sandbox", "processes"): Scale(usual="2000"),
    ("sandbox", "disk_gb"): Scale(usual="20"),
    ("sandbox", "tier"): _words("auto", none=0, auto=1, bubblewrap=2),
    ("sandbox", "agents", "network"): _words("auto", true=0, auto=0, false=1),
    ("sandbox", "gates", "network"): _words("auto", true=0, auto=0, false=1),
    ("landing", "large_file_mb"): Scale(usual="50"),
    ("landing", "proof"): _words("each", tip=0, each=1),
    ("landing", "review"): _words("false", false=0, true=1),
    ("landing", "later_files"): _words("leave_out", land=0, leave_out=1, ask=1),
    ("proof", "policy"): _words("trusting", trusting=0, cited=1, strict=2),
    ("proof", "protect_policy"): _words("restore", report=0, restore=1),
    ("gates", "*", "blind"): _words("refuse", allow=0, refuse=1),
    ("gates", "*", "attach"): _words("false", true=0, false=1),
    ("gates", "*", "namespaces"): _words("false", true=0, false=1),
}
"""By the key in `shiftwork.toml`; `*` stands for a name chosen by the user."""


def only_tightens(before: Sequence[tuple[str, str]], now: Sequence[tuple[str, str]]) -> bool:
    """Whether settings differ from others only in values that are tighter; each is given by its key and its value."""
    changed = set(before) ^ set(now)
    return all(_tightens(where, before, now) for where in {where for where, _ in changed})


def _tightens(where: str, before: Sequence[tuple[str, str]], now: Sequence[tuple[str, str]]) -> bool:
    scale = scale_of(tuple(where.split(".")))
    old, new = ([text for key, text in values if key == where] for values in (before, now))
    if scale is None or len(old) > 1 or len(new) > 1:
        return False
    return scale.tightens(next(iter(old), None), next(iter(new), None))


def scale_of(place: tuple[str, ...]) -> Scale | None:
    """The scale of a setting; None where no value is known to be tighter than another."""
    if place in SCALES:
        return SCALES[place]
    return SCALES.get((place[0], "*", *place[2:])) if len(place) > 2 and place[0] == "gates" else None
