"""Which project a repository is: an id in its git directory, registered with the place where that lies.

The id lies in `<git directory>/shiftwork/project`: it moves with the folder and no clone has it. A copied folder has it
too, so it is registered in the user's state folder with the path and the inode of its git directory: where another
folder has the same id while the registered one is still there, that other is a copy and gets an id of its own.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from shiftwork.errors import RepositoryError

FOLDER: Final = "shiftwork"
_REGISTER: Final = "projects"
_ID_BYTES: Final = 6
_DIGITS: Final = frozenset("0123456789abcdef")


class Place(NamedTuple):
    """A git directory: where it lies, and by what the file system knows it."""

    device: int
    inode: int
    path: str


def git_directory(root: Path) -> tuple[Path, str]:
    """The git directory that all worktrees of the repository share, and the name of a linked worktree, else empty.

    Read from files, because git takes longer to start than `status` to answer.
    """
    own = root / ".git"
    if own.is_file():
        own = root / own.read_text(encoding="utf-8", errors="surrogateescape").strip().removeprefix("gitdir:").strip()
    try:
        shared = own / (own / "commondir").read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return own.resolve(), ""
    return shared.resolve(), own.name


def known(shared: Path, home: Path) -> str:
    """The id of the project as it is; empty where there is none yet, or where it is that of another folder. Nothing is
    written.
    """
    found = _id_in(shared)
    return "" if not found or _is_copy(found, shared, home) else found


def claimed(shared: Path, home: Path) -> str:
    """The id of the project, made and registered where it is not yet; processes that ask at once are given the same."""
    found = _id_in(shared)
    if found and _is_settled(found, shared, home):
        return found
    try:
        with _alone(home):
            found = _id_in(shared)
            if found and _is_copy(found, shared, home):
                (shared / FOLDER / "project").unlink()
                found = ""
            found = found or _made(shared)
            _register(found, shared, home)
    except OSError as error:
        raise RepositoryError(
            f"the project of this repository cannot be recorded: {error}",
            hint=f"see who may write there: ls -ld {shared} {home}",
        ) from error
    return found


def registered(home: Path) -> dict[str, str]:
    """The folders of all projects of this user, by their ids, as they were last seen."""
    try:
        ids = os.listdir(home / _REGISTER)  # noqa: PTH208 - names are all that is asked for
    except OSError:
        return {}
    places = ((one, _registration(one, home)) for one in ids)
    return {one: place.path.removesuffix("/.git") for one, place in places if place}


def _id_in(shared: Path) -> str:
    try:
        text = (shared / FOLDER / "project").read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
    return text if len(text) == 2 * _ID_BYTES and _DIGITS.issuperset(text) else ""


def _made(shared: Path) -> str:
    """A new id, unless somebody with another state folder has just made one. What is there and is no id is replaced."""
    folder, file = shared / FOLDER, shared / FOLDER / "project"
    folder.mkdir(mode=0o700, exist_ok=True)
    ours = os.urandom(_ID_BYTES).hex()
    draft = folder / f"project.{ours}"
    draft.write_text(f"{ours}\n", encoding="ascii")
    try:
        with suppress(FileExistsError):
            os.link(draft, file)
        if not _id_in(shared):
            draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    return _id_in(shared)


def _place(shared: Path) -> Place | None:
    try:
        found = shared.stat()
    except OSError:
        return None
    return Place(device=found.st_dev, inode=found.st_ino, path=str(shared))


def _registration(project: str, home: Path) -> Place | None:
    try:
        text = (home / _REGISTER / project).read_text(encoding="utf-8", errors="surrogateescape")
        device, inode, path = text.rstrip("\n").split(" ", 2)
        return Place(device=int(device), inode=int(inode), path=path)
    except (OSError, ValueError):
        return None


def _is_settled(project: str, shared: Path, home: Path) -> bool:
    """Whether it is registered as it lies; one folder may be reached by two paths."""
    there, here = _registration(project, home), _place(shared)
    return there is not None and here is not None and there[:2] == here[:2] and _is_there(there)


def _is_copy(project: str, shared: Path, home: Path) -> bool:
    there, here = _registration(project, home), _place(shared)
    if there is None or here is None or there[:2] == here[:2]:
        return False
    return _is_there(there) and _id_in(Path(there.path)) == project


def _is_there(registration: Place) -> bool:
    return _place(Path(registration.path)) == registration


def _register(project: str, shared: Path, home: Path) -> None:
    here = _place(shared)
    if here is None or (_is_settled(project, shared, home)):
        return
    draft = home / _REGISTER / f".{project}"
    draft.write_text(f"{here.device} {here.inode} {here.path}\n", encoding="utf-8", errors="surrogateescape")
    draft.replace(home / _REGISTER / project)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """One at a time for all projects of the user: two copies of a folder may be used for the first time at once."""
    import fcntl  # noqa: PLC0415 - a project that is known needs no lock

    (home / _REGISTER).mkdir(mode=0o700, parents=True, exist_ok=True)
    with (home / f"{_REGISTER}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
