"""How notes are remembered within bounds: the newest whole, older ones as a line each, those before as a count.

Nothing is cut silently: a text that is too long says how much of it is missing, and a shelf how many notes are.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.ids import Commit, StoryId
from shiftwork.domain.model.memory import Learnt, Memory, Note, Scope, Shelf
from shiftwork.domain.model.pipeline import StepStatus
from shiftwork.domain.model.run import RunState, RunStatus
from shiftwork.domain.model.story import FailureCause, StoryState, StoryStatus
from shiftwork.domain.rules.certifying import proof_of
from shiftwork.domain.rules.deciding import Effects
from shiftwork.domain.rules.proof_status import after_landed

LINE: Final = 200
"""How long the line is that is left of an older note."""
NOTICE: Final = 40
"""Room for what says how much is missing of a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a shelf has room for: `notes` in full, none longer than `each` and together at most `characters`, and lines
    of that many `older` ones.
    """

    notes: int
    each: int
    characters: int
    older: int


STORY_ROOM: Final = Room(notes=60, each=8_000, characters=40_000, older=60)
PROJECT_ROOM: Final = Room(notes=40, each=2_000, characters=16_000, older=40)
PATTERN_ROOM: Final = Room(notes=40, each=1_000, characters=12_000, older=40)
PROGRESS_ROOM: Final = Room(notes=30, each=4_000, characters=32_000, older=60)

_STEPS: Final = 12
_LESSONS: Final = 6


def remember(shelf: Shelf, note: Note, room: Room) -> Shelf:
    """The shelf with the note as its newest; the same shelf where the note says nothing, or nothing new."""
    fitted = replace(note, text=_fitted(note.text.strip(), room.each))
    if not fitted.text or _essence(fitted) in {_essence(known) for known in shelf.all}:
        return shelf
    return _within(replace(shelf, notes=(*shelf.notes, fitted)), room)


def _within(shelf: Shelf, room: Room) -> Shelf:
    """The oldest make way, one after the other; the newest never does."""
    notes, older, left_out = list(shelf.notes), list(shelf.older), shelf.left_out
    used = sum(len(note.text) for note in notes)
    while len(notes) > 1 and (len(notes) > room.notes or used > room.characters):
        oldest = notes.pop(0)
        used -= len(oldest.text)
        older.append(replace(oldest, text=in_a_line(oldest.text)))
    if (surplus := len(older) - room.older) > 0:
        older, left_out = older[surplus:], left_out + surplus
    return Shelf(notes=tuple(notes), older=tuple(older), left_out=left_out)


def _essence(note: Note) -> tuple[str, str]:
    """What makes two notes the same: their words, whatever their case, breaks and full stops."""
    return note.title, " ".join(note.text.casefold().split()).strip(" .-*")


def _fitted(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    kept = limit - NOTICE
    return f"{text[:kept]} [{len(text) - kept:,} characters left out]"


def in_a_line(text: str, limit: int = LINE) -> str:
    return _fitted(" ".join(text.split()), limit)


# A story's -----------------------------------------------------------------------------------------------------------


def note_written(story: StoryState, fact: f.NoteWritten) -> StoryState | None:
    note = Note(at=fact.at, by=fact.by, text=fact.text, scope=fact.scope)
    return replace(story, scratch=remember(story.scratch, note, STORY_ROOM))


def learnt(story: StoryState) -> Learnt | None:
    """What a story that has landed has to tell: the notes of its last steps, and what it had found for others."""
    if story.status is not StoryStatus.COMPLETED:
        return None
    done = [
        f"- {step.name}: {in_a_line(step.notes)}"
        for step in story.pipeline.steps
        if step.status is StepStatus.COMPLETED and step.notes.strip()
    ]
    shared = [note for note in story.scratch.all if note.scope is not Scope.STORY]
    lessons = [f"  - {in_a_line(note.text)}" for note in shared]
    landed = f"- Landed as {story.landed[:12]}{after_landed(proof_of(story))}"
    rows = [landed, *_last(done, _STEPS, "- earlier steps left out")]
    if lessons:
        rows += ["- **Learnings:**", *_last(lessons, _LESSONS, "  - earlier ones left out")]
    return Learnt(title=in_a_line(story.given.story.title), text="\n".join(rows))


def _last(rows: list[str], count: int, what: str) -> list[str]:
    missing = len(rows) - count
    return rows if missing <= 0 else [f"{what}: {missing}", *rows[missing:]]


# A run's -------------------------------------------------------------------------------------------------------------


def carried_over(run: RunState, patterns: Iterable[str], at: float) -> RunState:
    """What earlier runs have learnt of this code base."""
    memory = run.memory
    for text in patterns:
        memory = _with_pattern(memory, Note(at=at, by="", text=text, scope=Scope.PATTERN))
    return replace(run, memory=memory)


def note_shared(run: RunState, fact: r.NoteShared) -> RunState | None:
    if run.status is not RunStatus.RUNNING:
        return None
    note = Note(at=fact.at, by=fact.story, text=fact.text, scope=fact.scope)
    add = _with_pattern if fact.scope is Scope.PATTERN else _with_project_note
    memory = add(run.memory, note)
    return None if memory is run.memory else replace(run, memory=memory)


def ended(run: RunState, fact: r.StoryEnded) -> RunState:
    """A story that landed is told of; so is one that failed, unless a person called it off."""
    memory = run.memory
    if fact.learnt is not None:
        told = Note(at=fact.at, by=fact.story, text=fact.learnt.text, title=fact.learnt.title)
        memory = _counted(memory, replace(memory, progress=remember(memory.progress, told, PROGRESS_ROOM)))
    elif fact.status is StoryStatus.FAILED and fact.cause is not FailureCause.CANCELLED:
        failure = f"{fact.story} failed: {in_a_line(fact.reason, 2 * LINE)}"
        memory = _with_project_note(memory, Note(at=fact.at, by=fact.story, text=failure, scope=Scope.PROJECT))
    return replace(run, memory=memory)


def taken_back(run: RunState, story: StoryId, revert: Commit, at: float) -> RunState:
    """What was reverted has not landed; that it had, and was taken back, is a note for all stories."""
    memory, shelf = run.memory, run.memory.progress
    left = replace(shelf, notes=_of_others(shelf.notes, story), older=_of_others(shelf.older, story))
    text = f"{story} had landed and was taken back on request: {revert[:12]} reverts its changes"
    without = _counted(memory, replace(memory, progress=left))
    return replace(run, memory=_with_project_note(without, Note(at=at, by=story, text=text, scope=Scope.PROJECT)))


def _of_others(notes: tuple[Note, ...], story: StoryId) -> tuple[Note, ...]:
    return tuple(note for note in notes if note.by != story)


def _with_project_note(memory: Memory, note: Note) -> Memory:
    return _counted(memory, replace(memory, project=remember(memory.project, note, PROJECT_ROOM)))


def _with_pattern(memory: Memory, note: Note) -> Memory:
    return _counted(memory, replace(memory, patterns=remember(memory.patterns, note, PATTERN_ROOM)))


def _counted(before: Memory, after: Memory) -> Memory:
    return before if after == before else replace(after, changes=before.changes + 1)


def memory_kept(run: RunState, fact: r.MemoryKept) -> RunState | None:
    if not run.memory.kept < fact.changes <= run.memory.changes:
        return None
    return replace(run, memory=replace(run.memory, kept=fact.changes))


def keep_due(run: RunState) -> Effects:
    """However much has changed since: the files are written once, as things stand."""
    changes = run.memory.changes
    return (e.KeepMemory(key=f"memory/{changes}", changes=changes),) if changes > run.memory.kept else ()
