"""The messages of commits: of a candidate, which claims nothing, and of what lands, written from what was found.

Gates and evidence are proof of a tree. So the message is completed after the checks, on a commit with the tree that was
checked, and it follows from what the queue has recorded alone: it can be written once more, word for word.
"""

import re
from collections.abc import Sequence
from typing import Final

from shiftwork.domain.proof.proof_status import Ran, has_evidence, in_trailer, status_of
from shiftwork.domain.proof.verdict import Judged, Verdict
from shiftwork.domain.spec.proof_policy import ProofPolicy

RUN: Final = "Shiftwork-Run"
STORY: Final = "Shiftwork-Story"
TESTS: Final = "Shiftwork-Tests"
GATES: Final = "Shiftwork-Gates"
EVIDENCE: Final = "Shiftwork-Evidence"
PROOF: Final = "Shiftwork-Proof"
FAIL_TO_PASS: Final = "Shiftwork-Fail-To-Pass"  # noqa: S105 - the name of a trailer
WITHOUT_GATE: Final = "Shiftwork-Without-Gate"
SKIPPED: Final = "Shiftwork-Skipped"
LEFT_OUT: Final = "Shiftwork-Left-Out"

NO_GATES: Final = "none"
_FILES: Final = 20


# What a certificate is held against as well ----------------------------------------------------------------------


def listed(criteria: Sequence[Judged]) -> tuple[str, ...]:
    """The criteria in two lists: those with evidence, each with what it is, and those without."""
    shown = [f"- {_said(one)} ({_evidence(one)})" for one in criteria if has_evidence(one)]
    others = [f"- {_said(one)}{_defined(one)}" for one in criteria if not has_evidence(one)]
    return tuple("\n".join(part) for part in (("With evidence:", *shown), ("Without evidence:", *others)) if part[1:])


def gates_told(ran: Ran) -> str:
    """By name those that passed; one that is blind proved nothing, and that is said."""
    blind = (f"{name} (blind: proved nothing)" for name in ran.blind)
    return ", ".join(map(_flat, (*ran.seeing, *blind))) or NO_GATES


def proof_told(criteria: Sequence[Judged], ran: Ran, policy: ProofPolicy) -> tuple[str, ...]:
    return (f"{EVIDENCE}: {evidence_told(criteria, policy)}", f"{PROOF}: {in_trailer(status_of(criteria, ran))}")


def evidence_told(criteria: Sequence[Judged], policy: ProofPolicy) -> str:
    return f"{sum(map(has_evidence, criteria))}/{len(criteria)} {policy}"


def left_out_told(paths: Sequence[str]) -> tuple[str, ...]:
    """Files that were left out: a trailer each, and one for those that are too many."""
    more = (f"and {len(paths) - _FILES} more",) if len(paths) > _FILES else ()
    return (*map(_flat, paths[:_FILES]), *more)


def without_told(names: Sequence[str]) -> tuple[str, ...]:
    """Gates that the run continued without, or steps that were skipped: a trailer each."""
    return tuple(map(_flat, names))


def trailer(message: str, key: str) -> str | None:
    """The one value of a trailer; two say nothing, and neither does what stands above the last paragraph."""
    values = trailers(message, key)
    return values[0] if len(values) == 1 else None


def trailers(message: str, key: str) -> list[str]:
    """All values of a trailer that may be there several times."""
    lines = message.rstrip().rpartition("\n\n")[2].splitlines()
    return [value for name, found, value in (line.partition(": ") for line in lines) if found and name == key]


# How it is put together ------------------------------------------------------------------------------------------


_OWN_WORDS: Final = re.compile(
    r"^(?=[ \t]*(?:This reverts commit|With(?:out)? evidence:|Shiftwork-[A-Za-z-]+:))", re.MULTILINE | re.IGNORECASE
)
"""Where a line begins that speaks as the harness does, or git: what was asked for, which an agent may have planned, is
quoted there.
"""


def _said(one: Judged) -> str:
    return _flat(one.text) or _flat(one.criterion)


def _evidence(one: Judged) -> str:
    """On one line, so that no text can pass for an entry of the list."""
    return "the word of a person" if one.verdict is Verdict.VOUCHED else _offered(one)


def _defined(one: Judged) -> str:
    """What is offered for a criterion and may never have run."""
    return f" ({_offered(one)}, which no gate printed as passing)" if one.verdict is Verdict.PRESENT else ""


def _offered(one: Judged) -> str:
    return _flat(f"{one.kind} {one.reference}")


def _flat(text: str) -> str:
    return " ".join(text.split())
