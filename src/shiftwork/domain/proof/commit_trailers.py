"""Parts of commit messages that state what was found: lists of criteria and trailers.

Gates and evidence prove a tree. So the message is completed after the checks, on a commit with the tree that was
checked, and it depends only on what the queue has recorded: it can be generated again, word for word.
"""

import re
from collections.abc import Sequence
from typing import Final

from shiftwork.domain.gates.gate import NotNeeded
from shiftwork.domain.proof.proof_status import Ran, has_evidence, status_of
from shiftwork.domain.proof.proof_words import in_trailer
from shiftwork.domain.proof.verdict import Judged, Verdict
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.regexes import regex

RUN: Final = "Shiftwork-Run"
STORY: Final = "Shiftwork-Story"
TESTS: Final = "Shiftwork-Tests"
GATES: Final = "Shiftwork-Gates"
EVIDENCE: Final = "Shiftwork-Evidence"
PROOF: Final = "Shiftwork-Proof"
FAIL_TO_PASS: Final = "Shiftwork-Fail-To-Pass"  # noqa: S105 - the name of a trailer
WITHOUT_GATE: Final = "Shiftwork-Without-Gate"
NOT_NEEDED: Final = "Shiftwork-Gate-Not-Needed"
SKIPPED: Final = "Shiftwork-Skipped"
LEFT_OUT: Final = "Shiftwork-Left-Out"

NO_GATES: Final = "none"
_FILES: Final = 20


# Also compared with certificates ---------------------------------------------------------------------------------


def listed(criteria: Sequence[Judged]) -> tuple[str, ...]:
    """The criteria in two lists: those with evidence, each with its kind, and those without."""
    shown = [f"- {_said(judged)} ({_evidence(judged)})" for judged in criteria if has_evidence(judged)]
    others = [f"- {_said(judged)}{_defined(judged)}" for judged in criteria if not has_evidence(judged)]
    return tuple("\n".join(part) for part in (("With evidence:", *shown), ("Without evidence:", *others)) if part[1:])


def gates_shown(ran: Ran) -> str:
    """The names of the gates that passed; a blind gate is marked, because it proved nothing."""
    blind = (f"{name} (blind: proved nothing)" for name in ran.blind)
    return ", ".join(map(_flat, (*ran.seeing, *blind))) or NO_GATES


def proof_shown(criteria: Sequence[Judged], ran: Ran, policy: ProofPolicy) -> tuple[str, ...]:
    return (f"{EVIDENCE}: {evidence_shown(criteria, policy)}", f"{PROOF}: {in_trailer(status_of(criteria, ran))}")


def evidence_shown(criteria: Sequence[Judged], policy: ProofPolicy) -> str:
    return f"{sum(map(has_evidence, criteria))}/{len(criteria)} {policy}"


def left_out_shown(paths: Sequence[str]) -> tuple[str, ...]:
    """Files that were left out: a trailer each, and one for the number of the rest."""
    more = (f"and {len(paths) - _FILES} more",) if len(paths) > _FILES else ()
    return (*map(_flat, paths[:_FILES]), *more)


def not_needed_shown(gates: Sequence[NotNeeded]) -> tuple[str, ...]:
    """Gates that the change was not about: a trailer each, with the reason."""
    return tuple(_flat(f"{gate.name}: {gate.reason}") for gate in gates)


def without_report(names: Sequence[str]) -> tuple[str, ...]:
    """Gates that the run continued without, or steps that were skipped: a trailer each."""
    return tuple(map(_flat, names))


def trailer(message: str, key: str) -> str | None:
    """The single value of a trailer; None where there are several, or where it is above the last paragraph."""
    values = trailers(message, key)
    return values[0] if len(values) == 1 else None


def trailers(message: str, key: str) -> list[str]:
    """All values of a trailer that may occur several times."""
    lines = message.rstrip().rpartition("\n\n")[2].splitlines()
    return [value for name, found, value in (line.partition(": ") for line in lines) if found and name == key]


# Formatting ------------------------------------------------------------------------------------------------------


_OWN_WORDS: Final = regex(
    r"^(?=[ \t]*(?:This reverts commit|With(?:out)? evidence:|Shiftwork-[A-Za-z-]+:))", re.MULTILINE | re.IGNORECASE
)
"""The start of a line that looks like text of the harness or of git. The story's text, which an agent may have planned,
is quoted there.
"""


def _said(judged: Judged) -> str:
    return _flat(judged.text) or _flat(judged.criterion)


def _evidence(judged: Judged) -> str:
    """On one line, so that no text can pass for an entry of the list."""
    return "the word of a person" if judged.verdict is Verdict.CONFIRMED else _offered(judged)


def _defined(judged: Judged) -> str:
    """Evidence for a criterion that may never have run, or that nothing was allowed to check."""
    if judged.verdict is Verdict.NOT_CHECKED:
        return f" ({Verdict.NOT_CHECKED})"
    return f" ({_offered(judged)}, which no gate printed as passing)" if judged.verdict is Verdict.PRESENT else ""


def _offered(judged: Judged) -> str:
    return _flat(f"{judged.kind} {judged.reference}")


def _flat(text: str) -> str:
    return " ".join(text.split())
