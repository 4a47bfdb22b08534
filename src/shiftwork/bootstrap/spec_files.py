"""Reads spec files before anything is opened for a run."""

from pathlib import Path

from shiftwork.adapters.specs import checklist, task_list
from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.manifest_folder import with_folder
from shiftwork.config.site import Site
from shiftwork.ports.specs import Form, Sheet
from shiftwork.records import replace


def read_spec(site: Site, path: Path, form: Form = "") -> Sheet:
    """The spec in a file or a folder, relative to the current folder; raises SpecError with all mistakes. `form` is as
    in `FileSpecs.sheet`. A check for which the spec names no folder runs in that of its program's manifest.
    """
    sheet = FileSpecs(root=site.root).sheet(str(Path.cwd() / path), form)
    gates = tuple(with_folder(gate, Folder(path=site.root)) for gate in sheet.spec.gates)
    return replace(sheet, spec=replace(sheet.spec, gates=gates))


def form_of(source: str) -> Form:
    """The form in which a list of boxes was read before; empty for other specs."""
    kind = source.partition(":")[0]
    return "one" if kind == checklist.NAME else "many" if kind == task_list.NAME else ""
