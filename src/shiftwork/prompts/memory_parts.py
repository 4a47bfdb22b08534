"""The parts of a prompt that come from the memory of the story, the run and the code base."""

from typing import Final

from shiftwork.domain.memory.notes import Note, Shelf
from shiftwork.prompts import notebook
from shiftwork.prompts.lengths import LIMITS, one_line, quoted
from shiftwork.prompts.prompt_sections import View, headed

_PROJECT: Final = "From stories of this run, for all others. Changes that have not landed are not in this folder:"
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
    """Leaves out the story's own notes: its scratch notes contain them, even before the run has received them."""
    return [note for note in shelf.all if note.by != view.state.given.story.id]
