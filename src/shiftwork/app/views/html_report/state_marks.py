"""The mark that the design gives to the word for a state."""

from typing import Final

from shiftwork.app.runtime.attempt_projection import (
    ASKED,
    COMPLETED,
    CUT_SHORT,
    DEFERRED,
    INTERRUPTED,
    RESTARTED,
)

_MARKS: Final = {
    "proved": "landed",
    "landed": "landed",
    "done": "landed",
    "undo pending": "undone",
    "working": "working",
    "stuck": "working",
    "needs you": "needs",
    "limited": "limit",
    "stopped": "paused",
    "paused": "paused",
    "failed": "failed",
    "undone": "undone",
    "no longer found": "undone",
    "blocked": "blocked",
    "cancelled": "skipped",
}
_STEPS: Final = {"done": "done", "skipped": "skipped"}
_ATTEMPTS: Final = {
    COMPLETED: "done",
    INTERRUPTED: "paused",
    RESTARTED: "undone",
    ASKED: "paused",
    DEFERRED: "limit",
    CUT_SHORT: "limit",
}


def mark_of(label: str) -> str:
    """The mark of a story or a run."""
    return _MARKS.get(label, "queued")


def mark_of_step(label: str) -> str:
    """A finished step is a grey check: green is for what was proved."""
    return _STEPS.get(label) or mark_of(label)


def mark_of_attempt(ending: str) -> str:
    """As on the web board. An attempt that asked a question, was interrupted or reached a limit has not failed."""
    return _ATTEMPTS.get(ending, "failed")
