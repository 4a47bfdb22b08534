"""The notes of a story, and what it passes on when it has landed."""

from typing import Final

from shiftwork.domain.memory.bounded_notes import STORY_ROOM, in_a_line, remember
from shiftwork.domain.memory.notes import Learnt, Note, Scope
from shiftwork.domain.proof.proof_words import after_landed
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.certify import proof_of
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.records import replace

_STEPS: Final = 12


_LESSONS: Final = 6


def note_written(story: StoryState, fact: story_facts.NoteWritten) -> StoryState | None:
    note = Note(at=fact.at, by=fact.by, text=fact.text, scope=fact.scope)
    return replace(story, dialogue=replace(story.dialogue, notes=remember(story.dialogue.notes, note, STORY_ROOM)))


def learnt(story: StoryState) -> Learnt | None:
    """What a landed story reports: the notes of its last steps, and its notes for other stories."""
    if story.status is not StoryStatus.COMPLETED:
        return None
    done = [
        f"- {step.plan.name}: {in_a_line(step.notes)}"
        for step in story.pipeline.steps
        if step.status is StepStatus.COMPLETED and step.notes.strip()
    ]
    shared = [note for note in story.dialogue.notes.all if note.scope is not Scope.STORY]
    lessons = [f"  - {in_a_line(note.text)}" for note in shared]
    landed = f"- Landed as {story.landed_commit[:12]}{after_landed(proof_of(story))}"
    rows = [landed, *_last(done, _STEPS, "- earlier steps left out")]
    if lessons:
        rows += ["- **Learnings:**", *_last(lessons, _LESSONS, "  - earlier ones left out")]
    return Learnt(title=in_a_line(story.given.story.title), text="\n".join(rows))


def _last(rows: list[str], count: int, what: str) -> list[str]:
    missing = len(rows) - count
    return rows if missing <= 0 else [f"{what}: {missing}", *rows[missing:]]
