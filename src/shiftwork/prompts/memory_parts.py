"""The parts of a prompt that come from memory: of the story itself, of the run, of the code base."""

from typing import Final

from shiftwork.domain.memory.notes import Note, Shelf
from shiftwork.prompts import notebook
from shiftwork.prompts.lengths import LIMITS, one_line, quoted
from shiftwork.prompts.prompt_sections import View, headed

_PROJECT: Final = "Left for all stories by those of this run. What a story has not landed yet is not in this folder:"
_PATTERNS: Final = "Found in this code base by earlier work; where the code says otherwise, the code is right:"
_PROGRESS: Final = "Stories of this run whose changes are on the branch already:"


def scratch(view: View) -> str:
    shelf = view.state.dialogue.notes
    entries = [quoted(note.text) for note in shelf.all if note.text.strip()]
    return headed("## Scratch notes", notebook.shelved(shelf, entries, LIMITS["scratch"], "scratch notes"))


def project(view: View) -> str:
    shelf = view.given.memory.project
    entries = [f"{one_line(note.by)}:\n{quoted(note.text)}" for note in _of_others(view, shelf)]
    text = notebook.shelved(shelf, entries, LIMITS["project"], "notes")
    return headed(f"## Notes for all stories\n\n{_PROJECT}", text)


def patterns(view: View) -> str:
    shelf = view.given.memory.patterns
    entries = [quoted(f"- {note.text}") for note in _of_others(view, shelf)]
    text = notebook.shelved(shelf, entries, LIMITS["patterns"], "patterns")
    return headed(f"## Codebase patterns\n\n{_PATTERNS}", text)


def progress(view: View) -> str:
    return headed(f"## What has landed in this run\n\n{_PROGRESS}", notebook.progress(view.given.memory))


def _of_others(view: View, shelf: Shelf) -> list[Note]:
    """What the story wrote itself stands among its scratch notes, even before its run has heard of it."""
    return [note for note in shelf.all if note.by != view.state.given.story.id]
