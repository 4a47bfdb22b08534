"""How well a landed story is proved, in words: every view and note uses this module.

A story lands only if it has all that its policy asks for, so a line about a landing says no more: it is proved, or its
gates passed. What is not proved is said in `proof` and `status`, by `unproved`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from shiftwork.domain.proof.verdict import ProofLevel, ProofStatus

REFUTED: Final = "was checked and is false"
"""Part of the remark on a story for which false evidence was reported."""


def is_refuted(status: ProofStatus) -> bool:
    """Whether evidence was reported that is false."""
    return REFUTED in status.remark


def words(status: ProofStatus) -> str:
    return _WORDS[status.level]


_WORDS: Final = {
    ProofLevel.PROVED: "proved",
    ProofLevel.PARTLY: "gates passed",
    ProofLevel.GATES_ONLY: "gates passed",
    ProofLevel.NO_GATES: "without any gate",
}


def missing_evidence(status: ProofStatus) -> str:
    """What gates passed, and nothing else shows; empty where nothing lacks evidence."""
    missing = status.criteria - status.shown
    if not missing:
        return ""
    if status.criteria == 1:
        return "its criterion has no evidence beside the gates"
    return f"{missing} of {status.criteria} criteria {'has' if missing == 1 else 'have'} no evidence beside the gates"


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


def counted(statuses: Iterable[ProofStatus | None]) -> str:
    """How many stories have which level; stories that have not landed are left out."""
    found = Counter(_COUNTED[status.level] for status in statuses if status)
    return ", ".join(f"{found[message]} {message}" for message in dict.fromkeys(_COUNTED.values()) if found[message])


_COUNTED: Final = {
    ProofLevel.PROVED: "proved",
    ProofLevel.PARTLY: "with gates passed",
    ProofLevel.GATES_ONLY: "with gates passed",
    ProofLevel.NO_GATES: "without any gate",
}


def in_trailer(status: ProofStatus) -> str:
    """The trailer's value in the landed commit."""
    if status.level is ProofLevel.PARTLY:
        return f"{status.shown} of {status.criteria} criteria"
    return status.level.replace("_", " ")
