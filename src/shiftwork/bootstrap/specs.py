"""The door to spec files: what a run is asked for, before anything is opened for it."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.config.site import Site
from shiftwork.ports.specs import Sheet


def read_spec(site: Site, path: Path) -> Coroutine[Any, Any, Sheet]:
    """The spec in a file or a folder, wherever the command was typed; raises SpecError with all that is wrong.

    Links on the way are followed, so that a file of the repository is known as one; the file itself may be a link.
    """
    place = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
    return FileSpecs(root=site.root).read(str(place))
