"""Where workflows are: the repository, the user's own folder, the package; and which of them wins."""

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
    """Whose a workflow is; what comes from a repository is not trusted to run commands."""

    REPOSITORY = "repository"
    USER = "user"
    PACKAGE = "package"
    PATH = "path"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file; `name` is what it is asked for by, and files that it names must lie in `within`."""

    name: str
    path: Path
    origin: Origin
    within: Path


def find_all(root: Path, user: Path) -> tuple[Found, ...]:
    """Every workflow; of those with the same name the first is the one that is used."""
    return (
        *_in(root / OWN_FOLDER, Origin.REPOSITORY, root),
        *_in(root / ANTFARM_FOLDER, Origin.REPOSITORY, root, flat=False),
        *_in(user, Origin.USER, user),
        *_in(PACKAGED, Origin.PACKAGE, PACKAGED),
    )


def find(wanted: str, root: Path, user: Path, others: Iterable[str] = ()) -> Found:
    """By name, or by path where it looks like one; raises WorkflowError with the nearest name, of `others` that have no
    file as well.
    """
    if "/" in wanted or wanted.endswith(_ENDINGS):
        return _at(Path(wanted), root)
    every = find_all(root, user)
    found = next((one for one in every if one.name == wanted), None)
    if found is None:
        guess = did_you_mean(wanted, [*others, *(one.name for one in every)])
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
    """`<name>.yml`, where that is usual, and `<name>/workflow.yml`, in the order of their names."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if flat and entry.suffix in _ENDINGS and entry.is_file():
            yield Found(name=entry.stem, path=entry, origin=origin, within=within)
        files = (entry / f"workflow{ending}" for ending in _ENDINGS)
        if file := next((one for one in files if one.is_file()), None):
            yield Found(name=entry.name, path=file, origin=origin, within=within)
