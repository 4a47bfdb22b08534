"""How well a landed story is proved, in words: every view, commit and note uses this module."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from shiftwork.domain.proof.verdict import ProofLevel, ProofStatus

REFUTED: Final = "was checked and is false"
"""Part of the remark on a story for which false evidence was reported."""

ALONE: Final = "gates passed, no evidence beyond them"
"""Of a story whose only criterion has no evidence, as that of a request in one sentence."""


def gates_alone(status: ProofStatus) -> bool:
    """Whether the story has a single criterion, often the request itself, and nothing but its gates speaks for it."""
    return status.level is ProofLevel.PARTLY and (status.shown, status.criteria) == (0, 1)


def is_refuted(status: ProofStatus) -> bool:
    """Whether evidence was reported that is false."""
    return REFUTED in status.remark


def words(status: ProofStatus) -> str:
    if gates_alone(status):
        return ALONE
    if status.level is ProofLevel.PARTLY:
        return f"{status.shown} of {status.criteria} criteria with evidence"
    return _WORDS[status.level]


_WORDS: Final = {
    ProofLevel.PROVED: "proved",
    ProofLevel.GATES_ONLY: "gates passed, no criteria to show",
    ProofLevel.NO_GATES: "without any gate",
}


def after_landed(status: ProofStatus | None) -> str:
    """What follows "landed" in a sentence; empty where it is unknown, as for work of early releases."""
    if status is None:
        return ""
    if status.level is ProofLevel.NO_GATES:
        return f" {words(status)}: {status.remark}"
    return f", {words(status)}" + (f" ({status.remark})" if status.remark else "")


def brief(status: ProofStatus) -> str:
    """The text for a table cell."""
    if status.level is ProofLevel.NO_GATES:
        return "no gates"
    return f"{status.shown} of {status.criteria}" if status.criteria else "no criteria"


_COUNTED: Final = {
    ProofLevel.PROVED: "proved",
    ProofLevel.PARTLY: "with criteria that have no evidence",
    ProofLevel.GATES_ONLY: "with gates only",
    ProofLevel.NO_GATES: "without any gate",
}


def counted(statuses: Iterable[ProofStatus | None]) -> str:
    """How many stories have which level; stories that have not landed are left out."""
    found = Counter(status.level for status in statuses if status)
    return ", ".join(f"{found[level]} {message}" for level, message in _COUNTED.items() if found[level])


def in_trailer(status: ProofStatus) -> str:
    """The trailer's value in the landed commit."""
    if status.level is ProofLevel.PARTLY:
        return f"{status.shown} of {status.criteria} criteria"
    return status.level.replace("_", " ")
