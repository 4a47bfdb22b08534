"""How states are told to people: one word for each, the same in every view. Imports nothing, because looking is quick.

Only what waits for a person `waits`; what has not begun is `queued`; what is under way where nobody works is `stopped`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

_WORDS: Final = {"in_progress": "working", "running": "working", "completed": "done", "unclaimed": "queued"}
_UNDER_WAY: Final = "working"
_PROVED: Final = "proved"

APPROVALS: Final = frozenset({"approval", "changed"})
"""What a person is asked who approves a patch: the first time, and again where it has changed since."""

_ORDER: Final = (
    _PROVED,
    "landed",
    "done",
    "undo pending",
    _UNDER_WAY,
    "stuck",
    "waits",
    "limited",
    "stopped",
    "paused",
    "failed",
    "undone",
    "blocked",
    "queued",
)


def word(
    status: str, *, moving: bool = True, waits: bool = False, limited: bool = False, proof: str | None = None
) -> str:
    """Of a status: whether anybody works on the run, and what is under way waits for a person or for the end of an
    agent's limit. `proof` is the level of a story that has landed: only one that is proved is called so.
    """
    if status == "completed" and proof:
        return _PROVED if proof == _PROVED else "landed"
    told = _WORDS.get(status, status)
    if told != _UNDER_WAY:
        return told
    if waits:
        return "waits"
    if not moving:
        return "stopped"
    return "limited" if limited else told


def without(gates: Sequence[str]) -> str:
    """Which gates the user has let a run continue without; empty where there are none."""
    return f"without the gate{'s' if len(gates) > 1 else ''} {', '.join(gates)}" if gates else ""


def counted(words: Iterable[str]) -> str:
    """How many stand where, in the order in which one gets there."""
    found = Counter(words)
    return ", ".join(f"{found[one]:,} {one}" for one in (*_ORDER, *sorted(found.keys() - set(_ORDER))) if found[one])
