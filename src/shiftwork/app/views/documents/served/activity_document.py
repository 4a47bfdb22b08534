"""What happened in a run as a document: one sentence for each change, the newest first."""

from collections.abc import Sequence
from typing import ClassVar

from shiftwork.app.runtime import state_labels
from shiftwork.app.views.documents.document import Document, Time, known_moment, moment
from shiftwork.app.views.live.board import Change
from shiftwork.app.views.live.change_words import brief, worded
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityEntry:
    """A change in words. `story`, `step` and `attempt` are null if it does not concern one."""

    time: Time
    story: str | None
    step: str | None
    step_name: str
    attempt: int | None
    kind: str
    text: str
    until: Time | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityPart(Document):
    """Changes of a run or of one of its stories, the newest first. `next_before` leads to what happened earlier."""

    SCHEMA: ClassVar[str] = "activity"

    run: str
    story: str | None
    entries: Sequence[ActivityEntry]
    next_before: str | None


def activity_entry(change: Change) -> ActivityEntry:
    return ActivityEntry(
        time=moment(change.at),
        story=change.story or None,
        step=change.step or None,
        step_name=change.name,
        attempt=change.attempt or None,
        kind=change.event,
        text=_sentence(change),
        until=known_moment(change.until),
    )


def _sentence(change: Change) -> str:
    is_again = change.event == "step_started" and change.attempt > 1
    said = state_labels.ending_of_run(change.text) if change.event == "run_ended" else brief(change.text, change.event)
    words = worded(change.event, said, f" (attempt {change.attempt})" if is_again else "", word=change.word)
    return f"{change.name} {words}{change.proof}".strip()
