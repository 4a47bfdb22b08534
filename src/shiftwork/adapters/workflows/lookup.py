"""Finds workflows in the repository, the user's own folder and the package, in this order of precedence."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from shiftwork.errors import WorkflowError
from shiftwork.prompts.answer.problem import did_you_mean, shown

OWN_FOLDER: Final = "shiftwork/workflows"
ANTFARM_FOLDER: Final = "workflows"
_ENDINGS: Final = (".yml", ".yaml")
PACKAGED: Final = Path(__file__).parents[2] / "workflows"


class Origin(StrEnum):
    """Where a workflow comes from; a workflow from a repository is not trusted to run commands."""

    REPOSITORY = "repository"
    USER = "user"
    PACKAGE = "package"
    PATH = "path"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file; users ask for it as `name`, and files that it names must be inside `within`."""

    name: str
    path: Path
    origin: Origin
    within: Path


def find_all(root: Path, user: Path) -> tuple[Found, ...]:
    """Every workflow; the first of each name is used."""
    return (
        *_in(root / OWN_FOLDER, Origin.REPOSITORY, root),
        *_in(root / ANTFARM_FOLDER, Origin.REPOSITORY, root, flat=False),
        *_in(user, Origin.USER, user),
        *_in(PACKAGED, Origin.PACKAGE, PACKAGED),
    )


def find(wanted: str, root: Path, user: Path, others: Iterable[str] = ()) -> Found:
    """Finds by name, or by path if it looks like a path; raises WorkflowError with the nearest name, also from
    `others`, which have no file.
    """
    if "/" in wanted or wanted.endswith(_ENDINGS):
        return _at(Path(wanted), root)
    every = find_all(root, user)
    found = next((workflow for workflow in every if workflow.name == wanted), None)
    if found is None:
        guess = did_you_mean(wanted, [*others, *(workflow.name for workflow in every)])
        raise WorkflowError(f"there is no workflow {shown(wanted)}{guess}", hint="shiftwork workflow list")
    return found


def _at(path: Path, root: Path) -> Found:
    file = path.resolve()
    if file.is_dir():
        file /= "workflow.yml"
    name = file.parent.name if file.stem == "workflow" else file.stem
    inside = file.is_relative_to(root)
    return Found(name=name, path=file, origin=Origin.PATH, within=root if inside else file.parent)


def _in(folder: Path, origin: Origin, within: Path, *, flat: bool = True) -> Iterator[Found]:
    """`<name>.yml` if `flat`, and `<name>/workflow.yml`, in the order of their names."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if flat and entry.suffix in _ENDINGS and entry.is_file():
            yield Found(name=entry.stem, path=entry, origin=origin, within=within)
        files = (entry / f"workflow{ending}" for ending in _ENDINGS)
        if file := next((path for path in files if path.is_file()), None):
            yield Found(name=entry.name, path=file, origin=origin, within=within)
