"""What happens if only the summary of an attempt is missing: its work is kept.

One follow-up in the same session asks for the summary. If the agent cannot continue a session, or a limit is reached,
the harness writes the note for the later steps from the diff, and says so in it.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from shiftwork.domain.budget import reservations
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.core.patch import FileChange
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.story.transitions import turn_step_of
from shiftwork.domain.usage.totals import one_attempt
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import Step, Unsummarised
from shiftwork.records import replace

MISSING: Final = "the answer does not end with a SUMMARY section"
FILES: Final = 20
"""How many files a note lists."""

PATH: Final = 200


class Remedy(StrEnum):
    """What happens to an attempt without a summary."""

    FOLLOW_UP = "follow_up"
    NOTE = "note"
    REFUSE = "refuse"


def remedy(story: StoryState, step: Step, used: Usage, session: str, note: str) -> Remedy:
    """`used` is the usage of the attempt, `session` is empty if it cannot be continued, and `note` is empty if nothing
    shows that the attempt did its work.
    """
    limits, ended = story.spending.limits, one_attempt(used)
    spent = (
        reservations.exhausted(limits.story, story.spending.usage + ended),
        reservations.exhausted(limits.step, step.usage + ended),
    )
    if not note:
        return Remedy.REFUSE
    return Remedy.FOLLOW_UP if session and not any(limit.is_set for limit in spent) else Remedy.NOTE


def note_of(files: Sequence[FileChange], *, claimed: bool) -> str:
    """The note in place of a summary; empty if no file has changed and the answer does not say that it is done."""
    if not files:
        return f"{_WRITTEN}: no file changed; the answer says that the step is done." if claimed else ""
    count, added, removed = len(files), _total(files, "added"), _total(files, "removed")
    head = f"{_WRITTEN} from the diff: {count} file{'' if count == 1 else 's'} changed, {_lines(added, removed)}."
    more = [f"- and {count - FILES} more"] if count > FILES else []
    return "\n".join((head, *map(_row, files[:FILES]), *more))


_WRITTEN: Final = "The agent gave no summary. Shiftwork wrote this note"


def _total(files: Sequence[FileChange], side: str) -> int:
    return sum(getattr(file, side) or 0 for file in files)


def _lines(added: int, removed: int) -> str:
    return f"{added} line{'' if added == 1 else 's'} added, {removed} removed"


def _row(file: FileChange) -> str:
    """A file on one line, whatever its name is."""
    counts = "binary" if file.added is None else f"+{file.added} -{file.removed}"
    return f"- {' '.join(file.path.split())[:PATH]} ({counts})"


def may_resume(step: Step, attempt: int) -> Unsummarised | None:
    """The session that this attempt continues: only the attempt right after it may, and only with the same agent."""
    missed = step.unsummarised
    first = missed is not None and attempt == missed.attempt + 1
    return missed if missed and first and step.assigned_profile == missed.agent else None


def summary_missed(story: StoryState, fact: story_facts.SummaryMissed) -> StoryState | None:
    step = story.pipeline.find(fact.step)
    if step is None or step.attempts != fact.attempt:
        return None
    missed = Unsummarised(
        attempt=fact.attempt,
        agent=step.assigned_profile,
        session=fact.session,
        home=fact.home,
        note=fact.note,
        outputs=fact.outputs,
        decision=fact.decision,
        verdict=fact.verdict,
        usage=fact.usage,
    )
    turned = turn_step_of(story, replace(step, ended_at=fact.at, unsummarised=missed), Trigger.DEFER)
    return turned and replace(
        turned,
        work=replace(turned.work, head=fact.commit or turned.work.head),
        dialogue=replace(turned.dialogue, messages=story.dialogue.messages[story.dialogue.delivered :], delivered=0),
    )
