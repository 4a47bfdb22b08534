"""Writes a run's memory as text: as files for people and as parts of prompts."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.memory.notes import Memory, Note, Shelf
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryState
from shiftwork.prompts.lengths import LIMITS, NOTICE, QUOTE, newest, one_line, quoted, shorten

SCRATCH: Final = "scratch.md"
PROGRESS: Final = "progress.txt"


def story_scratch(story: StoryId) -> str:
    """The file name of a story's scratch notes."""
    return f"scratch_{story}.md"


def scratch_text(run: RunState) -> str:
    """Notes for all stories of the run, including notes from stories that failed."""
    lead = f"# Scratch\n\nNotes for all stories of run {run.given.run}."
    return _joined(lead, _written(run.memory.project))


def story_text(story: StoryState) -> str:
    lead = f"# Scratch of {story.given.story.id}\n\nNotes for its later steps."
    rejected = [f"- {_time(note.at)} - {note.by}: {one_line(note.text)}" for note in story.dialogue.rejected]
    edits = ["## Rejected edits of its steps\n\n" + "\n".join(rejected)] if rejected else []
    return _joined(lead, (*_written(story.dialogue.notes), *edits))


def progress_text(run: RunState) -> str:
    """The log of the run in the format common to Ralph tools: patterns first, then what has landed."""
    memory = run.memory
    patterns = _notices(memory.patterns) + [_bullet(note.text) for note in memory.patterns.all]
    landed = _notices(memory.progress) + _chapters(memory)
    lead = progress_lead(run.given.run, run.given.spec.title, run.started_at or 0.0)
    return _joined(lead, (_patterns("\n".join(patterns)), "---", *landed))


def progress_lead(run: RunId, title: str, started_at: float) -> str:
    return f"# Progress Log\nRun: {run}\nTask: {one_line(title)}\nStarted: {_time(started_at)}"


def quoted_progress(lead: str, memory: Memory) -> str:
    """The same log within the limits for a prompt; the newest entries are always included."""
    bullets = [_bullet(note.text) for note in memory.patterns.all]
    patterns = shelved(memory.patterns, bullets, LIMITS["patterns"], "patterns").replace("\n\n", "\n")
    landed = shelved(memory.progress, _chapters(memory), LIMITS["progress"], "stories")
    text = quoted(_joined(lead, (_patterns(patterns), "---", landed)))
    return shorten(text, LIMITS["patterns"] + LIMITS["progress"], QUOTE)


def progress(memory: Memory) -> str:
    """What has landed in the run, within the limit for a prompt; the newest entry is always included."""
    landed = [f"{note.by}: {one_line(note.title)}\n{quoted(note.text)}" for note in memory.progress.all]
    return shelved(memory.progress, landed, LIMITS["progress"], "stories")


def shelved(shelf: Shelf, entries: Sequence[str], limit: int, what: str) -> str:
    """Quoted entries of a shelf within a limit, after a notice of how many the shelf itself has dropped."""
    if not entries:
        return ""
    return "\n\n".join((*_notices(shelf), newest(entries, limit - NOTICE, what)))


def _joined(*parts: str | Sequence[str]) -> str:
    flat = [text for part in parts for text in ((part,) if isinstance(part, str) else part)]
    return "\n\n".join(flat).encode(errors="replace").decode() + "\n"


def _written(shelf: Shelf) -> list[str]:
    return _notices(shelf) + [f"## {_time(note.at)} - {note.by}\n\n{quoted(note.text)}" for note in shelf.all]


def _notices(shelf: Shelf) -> list[str]:
    return [f"[{shelf.left_out} older notes left out]"] if shelf.left_out else []


def _patterns(known: str) -> str:
    return f"## Codebase Patterns\n{known or '(none yet)'}"


def _chapters(memory: Memory) -> list[str]:
    return [f"{_chapter(note)}\n---" for note in memory.progress.all]


def _chapter(note: Note) -> str:
    """A story's note is already a list; the remainder of an older note is a single line."""
    body = note.text if note.text.startswith("- ") else _bullet(note.text)
    return f"## {_time(note.at)} - {note.by}: {one_line(note.title)}\n{body}"


def _bullet(text: str) -> str:
    return "- " + "\n  ".join(_lines(text))


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip())


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
