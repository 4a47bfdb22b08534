"""The parts of a prompt that come from the memory of the story, the run and the code base, and the run's checks.

Every prompt has them. A step's own prompt may place each of them itself by its name; it is then shown only there.
"""

from collections.abc import Callable, Mapping
from typing import Final

from shiftwork.domain.memory.notes import Note, Shelf
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.domain.workflow.template_values import COMMANDS
from shiftwork.prompts import notebook
from shiftwork.prompts.lengths import LIMITS, foremost, newest, one_line, quoted
from shiftwork.prompts.prompt_sections import View, bullets, headed

_CHECKS: Final = (
    "The harness itself runs these commands at the root of the folder before anything lands; all must pass:"
)
_LEARNINGS: Final = "From stories of this run, for all others. Changes that have not landed are not in this folder:"
_PATTERNS: Final = "Found in this code base by earlier work; where the code says otherwise, the code is right:"
_PROGRESS: Final = "Stories of this run whose changes are on the branch already:"


def checks(view: View) -> str:
    return headed(f"## Checks\n\n{_CHECKS}", _checks(view))


def patterns(view: View) -> str:
    return headed(f"## Codebase patterns\n\n{_PATTERNS}", _patterns(view))


def progress(view: View) -> str:
    return headed(f"## What has landed in this run\n\n{_PROGRESS}", notebook.progress(view.given.memory))


def learnings(view: View) -> str:
    return headed(f"## Notes for all stories\n\n{_LEARNINGS}", _learnings(view))


def notes(view: View) -> str:
    return headed("## Notes of earlier steps", _notes(view))


def scratch(view: View) -> str:
    return headed("## Scratch notes", _scratch(view))


def values(view: View) -> dict[str, str]:
    """The parts without their headings, by the names that templates use."""
    return {name: text(view) for name, text in _TEXTS.items()}


def _checks(view: View) -> str:
    return foremost(bullets([f"{gate.name}: `{gate.command}`" for gate in view.given.gates]), LIMITS["gates"], "checks")


def _patterns(view: View) -> str:
    shelf = view.given.memory.patterns
    entries = [quoted(f"- {note.text}") for note in _of_others(view, shelf)]
    return notebook.shelved(shelf, entries, LIMITS["patterns"], "patterns")


def _learnings(view: View) -> str:
    shelf = view.given.memory.project
    entries = [f"{one_line(note.by)}:\n{quoted(note.text)}" for note in _of_others(view, shelf)]
    return notebook.shelved(shelf, entries, LIMITS["project"], "notes")


def _notes(view: View) -> str:
    """The summaries of earlier steps of the story."""
    done = [step for step in view.state.pipeline.steps if step.status is StepStatus.COMPLETED]
    entries = [f"{one_line(s.id)} ({one_line(s.plan.name)}):\n{quoted(s.notes)}" for s in done if s.notes.strip()]
    return newest(entries, LIMITS["notes"], "notes")


def _scratch(view: View) -> str:
    shelf = view.state.dialogue.notes
    before = [f"From the tool that began this story:\n{quoted(text)}" for text in view.state.given.story.notes]
    entries = [*before, *(quoted(note.text) for note in shelf.all if note.text.strip())]
    return notebook.shelved(shelf, entries, LIMITS["scratch"], "scratch notes")


def _of_others(view: View, shelf: Shelf) -> list[Note]:
    """Leaves out the story's own notes: its scratch notes contain them, even before the run has received them."""
    return [note for note in shelf.all if note.by != view.state.given.story.id]


def _command(name: str) -> Callable[[View], str]:
    """The command of the gate that the name is for; `test_cmd` is for `test`."""
    gate_name = name.removesuffix("_cmd")
    return lambda view: next((gate.command for gate in view.given.gates if gate.name.lower() == gate_name), "")


_TEXTS: Final[Mapping[str, Callable[[View], str]]] = {
    "checks": _checks,
    "patterns": _patterns,
    "learnings": _learnings,
    "notes": _notes,
    "scratch": _scratch,
    **{name: _command(name) for name in COMMANDS},
}
