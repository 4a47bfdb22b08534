"""Commit messages: of a candidate, which claims nothing, and of the commit that lands."""

from collections.abc import Sequence
from typing import Final

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.landing.state import REVERT, Entry, LandingRequest
from shiftwork.domain.proof.commit_trailers import (
    _OWN_WORDS,
    FAIL_TO_PASS,
    GATES,
    LEFT_OUT,
    NOT_NEEDED,
    RUN,
    SKIPPED,
    STORY,
    TESTS,
    WITHOUT_GATE,
    gates_shown,
    left_out_shown,
    listed,
    not_needed_shown,
    proof_shown,
    without_report,
)
from shiftwork.domain.proof.fail_to_pass import trailer_of
from shiftwork.domain.proof.proof_status import ran_on
from shiftwork.domain.proof.verdict import Judged, Verdict
from shiftwork.domain.proof.void_verdict import fewer_shown
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.text.readable import readable

_BETWEEN: Final = "\n\n"


def body_of(asked: Story) -> str:
    """The story's description, unless it repeats the title or a criterion."""
    said = {asked.title, *(criterion.text for criterion in asked.criteria)}
    return "" if asked.description in said else asked.description


def revert_of(commit: Commit) -> str:
    """The body of a revert's message."""
    return f"This reverts commit {commit}."


def message_of(request: LandingRequest) -> str:
    """A candidate's message: only its origin, because nothing else is known yet."""
    return _message(request, (), _origin(request))


def landed_message(entry: Entry) -> str:
    """Message of the commit that lands: what was asked, the criteria with and without evidence, and what was run."""
    request = entry.request
    criteria = judged_of(entry)
    ran = ran_on(request.story, entry.report, request.case.verification)
    closing = [*_origin(request)]
    if message := ", ".join(filter(None, (request.inspection.message, fewer_shown(entry.report)))):
        closing.append(f"{TESTS}: {message}")
    closing.append(f"{GATES}: {gates_shown(ran)}")
    if request.type != REVERT:
        closing += proof_shown(criteria, ran, request.case.policy)
    if entry.report and entry.report.fail_to_pass:
        closing.append(f"{FAIL_TO_PASS}: {trailer_of(entry.report.fail_to_pass)}")
    closing += [f"{WITHOUT_GATE}: {name}" for name in without_report(request.without_gates)]
    closing += [f"{NOT_NEEDED}: {line}" for line in not_needed_shown(entry.report.not_needed if entry.report else ())]
    closing += [f"{SKIPPED}: {step}" for step in without_report(request.skipped)]
    closing += [f"{LEFT_OUT}: {path}" for path in left_out_shown(request.inspection.left_out)]
    return _message(request, listed(criteria), closing)


def judged_of(entry: Entry) -> tuple[Judged, ...]:
    """The criteria as they were judged; where they were not judged, all of them have no evidence."""
    if entry.proof is not None:
        return entry.proof.criteria
    why, no = "no evidence was reported", Verdict.MISSING
    return tuple(
        Judged(criterion=criterion.id, text=criterion.text, kind="", reference="", verdict=no, why=why)
        for criterion in entry.request.case.criteria
    )


def _message(request: LandingRequest, paragraphs: Sequence[str], closing: Sequence[str]) -> str:
    asked = _BETWEEN.join(
        part for part in (f"{request.type}: {request.story} - {request.title}", request.body.strip()) if part
    )
    asked = readable(asked)  # first: a character that nobody sees must not hide a word of ours
    if request.type != REVERT:
        asked = _OWN_WORDS.sub("> ", asked)
    return _BETWEEN.join((asked, *map(readable, paragraphs), "\n".join(closing)))


def _origin(request: LandingRequest) -> Sequence[str]:
    return f"{RUN}: {request.run}", f"{STORY}: {request.story}"
