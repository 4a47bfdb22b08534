"""The words for states, the same in every view. Imports nothing else, so that commands that only show things are fast.

A story that waits for a person `needs you`; a story that has not started is `queued`; a story in progress is `stopped`
if no process works on its run.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

_MISSING: Final = "no longer found"
_WORDS: Final = {
    "in_progress": "working",
    "running": "working",
    "completed": "done",
    "unclaimed": "queued",
    "missing": _MISSING,
}
_IN_PROGRESS: Final = "working"
_PROVED: Final = "proved"
_LANDED: Final = "landed"
_NEEDS_YOU: Final = "needs you"

APPROVALS: Final = frozenset({"approval", "changed"})
"""The questions of an approval: the first time, and again if the patch has changed since."""

_ORDER: Final = (
    _PROVED,
    _LANDED,
    "done",
    "undo pending",
    _IN_PROGRESS,
    "stuck",
    _NEEDS_YOU,
    "limited",
    "stopped",
    "paused",
    "failed",
    "cancelled",
    "undone",
    _MISSING,
    "blocked",
    "queued",
)


def word(
    status: str, *, moving: bool = True, waits: bool = False, limited: bool = False, proof: str | None = None
) -> str:
    """The word for a status. `moving`: a process works on the run; `waits`: for a person; `limited`: by an agent's rate
    limit. `proof` is the level of a story that has landed: without full proof, the story is only `landed`.
    """
    if status == "completed" and proof:
        return _PROVED if proof == _PROVED else _LANDED
    message = _WORDS.get(status, status)
    if message != _IN_PROGRESS:
        return message
    if waits:
        return _NEEDS_YOU
    if not moving:
        return "stopped"
    return "limited" if limited else message


def word_of_run(status: str, *, landed: bool) -> str:
    """The word for the status of a run; `landed`: whether it has landed anything."""
    return _LANDED if status == "completed" and landed else word(status)


def ending_of_run(status: str) -> str:
    """How a run has ended, beside the words that it has; empty if nothing is wrong."""
    return "" if status == "completed" else word(status)


def without(gates: Sequence[str]) -> str:
    """The gates that the user has allowed a run to continue without; empty if there are none."""
    return f"without the gate{'s' if len(gates) > 1 else ''} {', '.join(gates)}" if gates else ""


def counted(words: Iterable[str]) -> str:
    """How many stories are in each state, in the order of progress."""
    found = Counter(words)
    return ", ".join(_number(found[key], key) for key in (*_ORDER, *sorted(found.keys() - set(_ORDER))) if found[key])


def _number(count: int, key: str) -> str:
    return f"{count:,} {'need you' if key == _NEEDS_YOU and count > 1 else key}"
