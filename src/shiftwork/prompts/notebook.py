"""The pages of a run's notebook: its memory as people, and prompts, are shown it."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.memory.notes import Memory, Note, Shelf
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryState
from shiftwork.prompts.lengths import LIMITS, NOTICE, newest, one_line, quoted

SCRATCH: Final = "scratch.md"
PROGRESS: Final = "progress.txt"


def story_scratch(story: StoryId) -> str:
    """The name of a story's page."""
    return f"scratch_{story}.md"


def scratch_page(run: RunState) -> str:
    """What is for all stories of the run, those that failed among it."""
    lead = f"# Scratch\n\nNotes for all stories of run {run.given.run}."
    return _page(lead, _written(run.memory.project))


def story_page(story: StoryState) -> str:
    lead = f"# Scratch of {story.given.story.id}\n\nNotes for its later steps."
    return _page(lead, _written(story.dialogue.notes))


def progress_page(run: RunState) -> str:
    """The log of the run in the form that the Ralph family has made common: patterns first, then what has landed."""
    plan, memory = run.given, run.memory
    lead = (
        f"# Progress Log\nRun: {plan.run}\nTask: {one_line(plan.spec.title)}\nStarted: {_time(run.started_at or 0.0)}"
    )
    patterns = _notices(memory.patterns) + [_bullet(note.text) for note in memory.patterns.all]
    known = "\n".join(patterns) or "(none yet)"
    landed = [f"{_chapter(note)}\n---" for note in memory.progress.all]
    return _page(lead, (f"## Codebase Patterns\n{known}", "---", *_notices(memory.progress), *landed))


def progress(memory: Memory) -> str:
    """What has landed in the run, for a prompt, within its limit; the newest in any case."""
    landed = [f"{note.by}: {one_line(note.title)}\n{quoted(note.text)}" for note in memory.progress.all]
    return shelved(memory.progress, landed, LIMITS["progress"], "stories")


def shelved(shelf: Shelf, entries: Sequence[str], limit: int, what: str) -> str:
    """Quoted entries of a shelf within a limit, and how many the shelf itself has no more."""
    if not entries:
        return ""
    return "\n\n".join((*_notices(shelf), newest(entries, limit - NOTICE, what)))


def _page(*parts: str | Sequence[str]) -> str:
    flat = [text for part in parts for text in ((part,) if isinstance(part, str) else part)]
    return "\n\n".join(flat).encode(errors="replace").decode() + "\n"


def _written(shelf: Shelf) -> list[str]:
    return _notices(shelf) + [f"## {_time(note.at)} - {note.by}\n\n{quoted(note.text)}" for note in shelf.all]


def _notices(shelf: Shelf) -> list[str]:
    return [f"[{shelf.left_out} older notes left out]"] if shelf.left_out else []


def _chapter(note: Note) -> str:
    """What a story tells is a list already; what is left of an older one is a line."""
    body = note.text if note.text.startswith("- ") else _bullet(note.text)
    return f"## {_time(note.at)} - {note.by}: {one_line(note.title)}\n{body}"


def _bullet(text: str) -> str:
    return "- " + "\n  ".join(_lines(text))


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip())


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
