"""The messages of commits: of a candidate, which claims nothing, and of what lands, written from what was found.

Gates and evidence are proof of a tree. So the message is completed after the checks, on a commit with the tree that was
checked, and it follows from what the queue has recorded alone: it can be written once more, word for word.
"""

import re
from collections.abc import Sequence
from typing import Final

from shiftwork.domain.model.ids import Commit
from shiftwork.domain.model.proof import Judged, ProofPolicy, Verdict
from shiftwork.domain.model.queue import REVERT, Entry, LandingRequest
from shiftwork.domain.model.spec import Story
from shiftwork.domain.rules.fail_to_pass import trailer_of
from shiftwork.domain.rules.proof_status import Ran, has_evidence, in_trailer, ran_on, status_of
from shiftwork.domain.rules.voiding import fewer_told

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
_BETWEEN: Final = "\n\n"


def body_of(asked: Story) -> str:
    """What was asked for, as far as neither the title nor a criterion says it."""
    said = {asked.title, *(criterion.text for criterion in asked.criteria)}
    return "" if asked.description in said else asked.description


def revert_of(commit: Commit) -> str:
    """What stands in place of that in a revert."""
    return f"This reverts commit {commit}."


def message_of(request: LandingRequest) -> str:
    """Of a candidate: whose it is. Nothing is known of it yet."""
    return _message(request, (), _origin(request))


def landed_message(entry: Entry) -> str:
    """Of the commit that lands: what was asked, which criteria have evidence and which have none, and what was run."""
    request = entry.request
    criteria = judged_of(entry)
    ran = ran_on(request.story, entry.report, request.case.verification)
    closing = [*_origin(request)]
    if told := ", ".join(filter(None, (request.inspection.told, fewer_told(entry.report)))):
        closing.append(f"{TESTS}: {told}")
    closing.append(f"{GATES}: {gates_told(ran)}")
    if request.type != REVERT:
        closing += proof_told(criteria, ran, request.case.policy)
    if entry.report and entry.report.fail_to_pass:
        closing.append(f"{FAIL_TO_PASS}: {trailer_of(entry.report.fail_to_pass)}")
    closing += [f"{WITHOUT_GATE}: {name}" for name in without_told(request.without_gates)]
    closing += [f"{SKIPPED}: {step}" for step in without_told(request.skipped)]
    closing += [f"{LEFT_OUT}: {path}" for path in left_out_told(request.inspection.left_out)]
    return _message(request, listed(criteria), closing)


def judged_of(entry: Entry) -> tuple[Judged, ...]:
    """The criteria as they were judged; where nobody has, none of them is shown to hold."""
    if entry.proof is not None:
        return entry.proof.criteria
    why, no = "no evidence was reported", Verdict.MISSING
    return tuple(
        Judged(criterion=one.id, text=one.text, kind="", reference="", verdict=no, why=why)
        for one in entry.request.case.criteria
    )


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


def _message(request: LandingRequest, paragraphs: Sequence[str], closing: Sequence[str]) -> str:
    asked = _BETWEEN.join(
        part for part in (f"{request.type}: {request.story} - {request.title}", request.body.strip()) if part
    )
    if request.type != REVERT:
        asked = _OWN_WORDS.sub("> ", asked)
    return _BETWEEN.join((asked, *paragraphs, "\n".join(closing)))


_OWN_WORDS: Final = re.compile(
    r"^(?=[ \t]*(?:This reverts commit|With(?:out)? evidence:|Shiftwork-[A-Za-z-]+:))", re.MULTILINE | re.IGNORECASE
)
"""Where a line begins that speaks as the harness does, or git: what was asked for, which an agent may have planned, is
quoted there.
"""


def _origin(request: LandingRequest) -> Sequence[str]:
    return f"{RUN}: {request.run}", f"{STORY}: {request.story}"


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
