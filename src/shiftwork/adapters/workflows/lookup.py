"""Finds workflows in the repository, the user's own folder and the package, in this order of precedence."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from shiftwork.errors import WorkflowError
from shiftwork.prompts.answer.problem import did_you_mean, shown
from shiftwork.records import dataclass

OWN_FOLDER: Final = "shiftwork/workflows"
ANTFARM_FOLDER: Final = "workflows"
SHARED_FOLDER: Final = "agents"
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
    """A file; users ask for it as `name`, and files that it names must be inside one of `within`."""

    name: str
    path: Path
    origin: Origin
    within: tuple[Path, ...]


def find_all(root: Path, user: Path) -> tuple[Found, ...]:
    """Every workflow; the first of each name is used."""
    return (
        *_in(root / OWN_FOLDER, Origin.REPOSITORY, lambda _: (root,)),
        *_in(root / ANTFARM_FOLDER, Origin.REPOSITORY, lambda _: (root,), flat=False),
        *_in(user, Origin.USER, lambda file: (user, *_pack(file.resolve()))),
        *_in(PACKAGED, Origin.PACKAGE, lambda _: (PACKAGED,)),
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
        file = (_in_folder(file) or file / "workflow.yml").resolve()
    name = file.parent.name if file.stem == "workflow" else file.stem
    inside = file.is_relative_to(root)
    return Found(name=name, path=file, origin=Origin.PATH, within=(root,) if inside else _pack(file))


def _pack(file: Path) -> tuple[Path, ...]:
    """What a file outside of the repository may name: the nearest folder `workflows` above it that has `agents` beside
    it, and those `agents`; else its own folder. The folder that holds the two is not included, because it may be the
    user's home. The file must be resolved; `agents` that are a link are none.
    """
    above = (folder for folder in file.parents if folder.name == ANTFARM_FOLDER)
    packs = ((folder, folder.with_name(SHARED_FOLDER)) for folder in above)
    return next((pack for pack in packs if pack[1].is_dir() and not pack[1].is_symlink()), (file.parent,))


def _in(
    folder: Path, origin: Origin, within: Callable[[Path], tuple[Path, ...]], *, flat: bool = True
) -> Iterator[Found]:
    """`<name>.yml` if `flat`, and `<name>/workflow.yml`, in the order of their names."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if flat and entry.suffix in _ENDINGS and entry.is_file():
            yield Found(name=entry.stem, path=entry, origin=origin, within=within(entry))
        if file := _in_folder(entry):
            yield Found(name=entry.name, path=file, origin=origin, within=within(file))


def _in_folder(folder: Path) -> Path | None:
    files = (folder / f"workflow{ending}" for ending in _ENDINGS)
    return next((path for path in files if path.is_file()), None)
