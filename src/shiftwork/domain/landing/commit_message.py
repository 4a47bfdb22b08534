"""Commit messages: of a candidate, which claims nothing, and of the commit that lands."""

from collections.abc import Sequence
from typing import Final

from shiftwork.domain.core.ids import Commit, RunId, StoryId, Stream
from shiftwork.domain.landing.commit_style import CommitStyle, word_message
from shiftwork.domain.landing.state import REVERT, Entry, LandingRequest
from shiftwork.domain.proof.commit_trailers import (
    _OWN_WORDS,
    RUN,
    UNPROVED,
    origin_shown,
    subject_words,
    unproved_shown,
)
from shiftwork.domain.proof.proof_status import not_proved, ran_on
from shiftwork.domain.proof.verdict import Judged, Verdict
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.text.readable import readable
from shiftwork.records import replace

_BETWEEN: Final = "\n\n"


def body_of(asked: Story) -> str:
    """The story's description, unless it repeats the title or a criterion."""
    said = {asked.title, *(criterion.text for criterion in asked.criteria)}
    return "" if asked.description in said else asked.description


def revert_of(commit: Commit) -> str:
    """The body of a revert's message."""
    return f"This reverts commit {commit}."


def revert_subject(story: Story) -> str:
    return f"{REVERT}: {f'{story.id} - ' if story.named else ''}{subject_words(story.title)}"


def message_of(request: LandingRequest) -> str:
    """A candidate's message: only its origin, because nothing else is known yet."""
    return _message(request, ())


def landed_message(entry: Entry) -> str:
    """Message of the commit that lands: the one that a hook has accepted, if one was asked."""
    return entry.message or forms_of_message(entry)[0]


def forms_of_message(entry: Entry) -> tuple[str, ...]:
    """What was asked, where it comes from, and what is not proved; then the same as short as it can be, for a hook that
    refuses the first.
    """
    request, report = entry.request, entry.report
    ran = ran_on(request.story, report, request.case.verification)
    doubts = not_proved(judged_of(entry), ran, report.fail_to_pass if report else None)
    return _forms(request, unproved_shown(doubts, request.without_gates, request.skipped))


def sample_forms(style: CommitStyle, kind: str) -> tuple[str, ...]:
    """The same of a story that does not exist; `kind` is the type of its subject."""
    story = Story(id=StoryId("US-001"), title="Add a sample", description="It shows how commits are worded.")
    wording = word_message(style, story, kind, story.description)
    request = LandingRequest(
        run=RunId("sample"),
        story=story.id,
        number=1,
        stream=Stream(""),
        tip=Commit(""),
        title=story.title,
        body=wording.body,
        subject=wording.subject,
        short_subject=wording.short_subject,
        trailers=wording.trailers,
    )
    return _forms(request, ())


def _forms(request: LandingRequest, shown: Sequence[str]) -> tuple[str, ...]:
    short = replace(request, subject=request.short_subject or request.subject, body="")
    return tuple(dict.fromkeys(_message(form, shown) for form in (request, short)))


def judged_of(entry: Entry) -> tuple[Judged, ...]:
    """The criteria as they were judged; where they were not judged, all of them have no evidence."""
    if entry.proof is not None:
        return entry.proof.criteria
    why, no = "no evidence was reported", Verdict.MISSING
    return tuple(
        Judged(criterion=criterion.id, text=criterion.text, kind="", reference="", verdict=no, why=why)
        for criterion in entry.request.case.criteria
    )


def _message(request: LandingRequest, doubts: Sequence[str]) -> str:
    subject = request.subject or f"{request.type}: {request.story} - {request.title}"
    asked = readable(_BETWEEN.join(part for part in (subject, request.body.strip()) if part))
    if request.type != REVERT:  # after `readable`: a character that nobody sees must not hide a word of ours
        asked = _OWN_WORDS.sub("> ", asked)
    closing = (
        *map(readable, request.trailers),
        readable(f"{RUN}: {origin_shown(request.run, request.story)}"),
        *(readable(f"{UNPROVED}: {doubt}") for doubt in doubts),
    )
    return _BETWEEN.join((asked, "\n".join(closing)))
