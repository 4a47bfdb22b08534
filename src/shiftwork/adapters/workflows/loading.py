"""Reads a workflow file: returns the workflow, or raises an error with all mistakes and their line and column."""

from pathlib import Path
from typing import Final

from shiftwork.adapters.workflows import _checks, _yaml
from shiftwork.adapters.workflows._building import build
from shiftwork.adapters.workflows._diagnostics import Diagnostics, in_order, refused
from shiftwork.adapters.workflows._personas import Personas
from shiftwork.adapters.workflows.tree_reader import read
from shiftwork.bounded import read_bytes
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.workflow.workflow import Workflow
from shiftwork.errors import WorkflowError
from shiftwork.planning.workflow_checks import all_steps
from shiftwork.records import dataclass

LARGEST: Final = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A remark about a file that is not a mistake."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A workflow, notes about its file, the commands that it runs, and the files that its agents receive."""

    workflow: Workflow
    notes: tuple[Note, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def commands(self) -> tuple[Gate, ...]:
        return tuple(gate for step in all_steps(self.workflow) for gate in step.commands)


def load(path: Path, name: str, *within: Path) -> Loaded:
    """Raises WorkflowError with all mistakes; messages call the file `name`.

    Files that it names are only read inside one of `within`.
    """
    text = _text(path, name)
    diagnostics = Diagnostics()
    try:
        root = read(_yaml.parse(text), diagnostics)
    except _yaml.UnreadableError as error:
        diagnostics.mistake(error.place, error.message)
        raise refused(name, diagnostics.mistakes) from None
    _checks.check_file(root, diagnostics)
    personas = Personas(path.parent, within, diagnostics)
    workflow = build(root, personas)
    _checks.check_model(workflow, root, text, diagnostics)
    if diagnostics.mistakes:
        raise refused(name, diagnostics.mistakes)
    notes = (
        Note(line=diagnostic.place.line, column=diagnostic.place.column, text=diagnostic.text)
        for diagnostic in in_order(diagnostics.notes)
    )
    return Loaded(workflow=workflow, notes=tuple(notes), files=tuple(dict.fromkeys(personas.read)))


def _text(path: Path, name: str) -> str:
    try:
        content = read_bytes(path, LARGEST)
    except FileNotFoundError:
        raise WorkflowError(f"there is no file {name}", hint="shiftwork workflow list") from None
    except OSError as error:
        raise WorkflowError(f"{name} cannot be read: {error.strerror or error}") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, len(before.rpartition(b"\n")[2]) + 1
        raise WorkflowError(f"{name}:{line}:{column}: this is not UTF-8", hint="save the file as UTF-8") from None
