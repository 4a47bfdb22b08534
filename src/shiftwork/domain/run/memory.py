"""What a run remembers of its stories."""

from collections.abc import Iterable

from shiftwork.domain.core.decision import Effects
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.memory.bounded_notes import LINE, PATTERN_ROOM, PROGRESS_ROOM, PROJECT_ROOM, in_a_line, remember
from shiftwork.domain.memory.notes import Memory, Note, Scope
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.records import replace


def carried_over(run: RunState, patterns: Iterable[str], at: float) -> RunState:
    """Adds what earlier runs have learnt about this code base."""
    memory = run.memory
    for text in patterns:
        memory = _with_pattern(memory, Note(at=at, by="", text=text, scope=Scope.PATTERN))
    return replace(run, memory=memory)


def note_shared(run: RunState, fact: run_facts.NoteShared) -> RunState | None:
    if run.status is not RunStatus.RUNNING:
        return None
    note = Note(at=fact.at, by=fact.story, text=fact.text, scope=fact.scope)
    add = _with_pattern if fact.scope is Scope.PATTERN else _with_project_note
    memory = add(run.memory, note)
    return None if memory is run.memory else replace(run, memory=memory)


def ended(run: RunState, fact: run_facts.StoryEnded) -> RunState:
    """Adds a note about a story that landed or failed, unless a person cancelled it."""
    memory = run.memory
    if fact.learnt is not None:
        note = Note(at=fact.at, by=fact.story, text=fact.learnt.text, title=fact.learnt.title)
        memory = _counted(memory, replace(memory, progress=remember(memory.progress, note, PROGRESS_ROOM)))
    elif fact.status is StoryStatus.FAILED and fact.cause is not FailureCause.CANCELLED:
        failure = f"{fact.story} failed: {in_a_line(fact.reason, 2 * LINE)}"
        memory = _with_project_note(memory, Note(at=fact.at, by=fact.story, text=failure, scope=Scope.PROJECT))
    return replace(run, memory=memory)


def reverted(run: RunState, story: StoryId, revert: Commit, at: float) -> RunState:
    """Removes the progress notes of a reverted story, and adds a note about the revert for all stories."""
    memory, shelf = run.memory, run.memory.progress
    left = replace(shelf, notes=_of_others(shelf.notes, story), older=_of_others(shelf.older, story))
    text = f"{story} landed and was later reverted on request (commit {revert[:12]})"
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


def memory_kept(run: RunState, fact: run_facts.MemoryKept) -> RunState | None:
    if not run.memory.kept < fact.changes <= run.memory.changes:
        return None
    return replace(run, memory=replace(run.memory, kept=fact.changes))


def keep_due(run: RunState) -> Effects:
    """Writes the files once with the current memory, however many changes there were."""
    changes = run.memory.changes
    return (run_effects.KeepMemory(key=f"memory/{changes}", changes=changes),) if changes > run.memory.kept else ()
