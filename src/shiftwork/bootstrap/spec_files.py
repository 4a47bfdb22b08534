"""Reads spec files before anything is opened for a run."""

from pathlib import Path

from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.config.site import Site
from shiftwork.ports.specs import Sheet


def read_spec(site: Site, path: Path) -> Sheet:
    """The spec in a file or a folder, relative to the current folder; raises SpecError with all mistakes.

    Links in the path are resolved, so that a file of the repository is recognized; the file itself may be a link.
    """
    place = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
    return FileSpecs(root=site.root).sheet(str(place))
