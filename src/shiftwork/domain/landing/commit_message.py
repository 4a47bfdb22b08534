"""The messages of commits: of a candidate, which claims nothing, and of what lands."""

from collections.abc import Sequence
from typing import Final

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.landing.state import REVERT, Entry, LandingRequest
from shiftwork.domain.proof.commit_trailers import (
    _OWN_WORDS,
    FAIL_TO_PASS,
    GATES,
    LEFT_OUT,
    RUN,
    SKIPPED,
    STORY,
    TESTS,
    WITHOUT_GATE,
    gates_told,
    left_out_told,
    listed,
    proof_told,
    without_told,
)
from shiftwork.domain.proof.fail_to_pass import trailer_of
from shiftwork.domain.proof.proof_status import ran_on
from shiftwork.domain.proof.verdict import Judged, Verdict
from shiftwork.domain.proof.void_verdict import fewer_told
from shiftwork.domain.spec.spec import Story

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


def _message(request: LandingRequest, paragraphs: Sequence[str], closing: Sequence[str]) -> str:
    asked = _BETWEEN.join(
        part for part in (f"{request.type}: {request.story} - {request.title}", request.body.strip()) if part
    )
    if request.type != REVERT:
        asked = _OWN_WORDS.sub("> ", asked)
    return _BETWEEN.join((asked, *paragraphs, "\n".join(closing)))


def _origin(request: LandingRequest) -> Sequence[str]:
    return f"{RUN}: {request.run}", f"{STORY}: {request.story}"
