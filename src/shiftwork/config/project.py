"""Which project a repository is, and whether the state in its git directory belongs to this user.

The state is in `<git directory>/shiftwork`: a commit or a clone cannot write there, but an archive or a copied folder
can. So the project's id, a file in that folder, is registered in the user's own state folder with the file's inode and
change time, which the creator of an archive cannot choose. Unregistered state is never read and counts as missing,
until the user adopts it.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from shiftwork.bounded import read_bytes
from shiftwork.errors import RepositoryError, StateError
from shiftwork.git_folders import FOLDER, PROJECT_ID_BYTES, Whereabouts, is_project_id

_FILE: Final = "project"
_REGISTER: Final = "projects"
_LONGEST: Final = 1 << 16
_APART: Final = "\0"
_LOCK_SECONDS: Final = 30.0


class Ownership(Enum):
    """How the state in a git directory relates to this user."""

    NONE = "none"
    OWN = "own"
    UNREGISTERED = "unregistered"


class Registration(NamedTuple):
    """What is recorded about a project: the file with its id, the git directory, and the path from there to the
    checkout.
    """

    inode: int
    changed: int
    path: str
    checkout: str


# Reading -----------------------------------------------------------------------------------------------------------


def ownership(place: Whereabouts, home: Path) -> Ownership:
    """Writes nothing. Raises StateError if the state is a link, not a folder, or another user's."""
    try:
        found = place.state.lstat()
    except FileNotFoundError:
        return Ownership.NONE
    if not stat.S_ISDIR(found.st_mode):
        kind = "a link, which is not followed" if stat.S_ISLNK(found.st_mode) else "not a folder"
        raise StateError(f"{place.state} is {kind}", hint=f"see what it is: ls -ld {place.state}; then remove it")
    if found.st_uid != os.geteuid():
        raise StateError(
            f"{place.state} belongs to another user (uid {found.st_uid}): it is not read",
            hint=f"see its owner: ls -ld {place.state}",
        )
    with os.scandir(place.state) as entries:
        if not any(entries):
            return Ownership.NONE
    return Ownership.OWN if _is_registered(_id_in(place.shared), place, home) else Ownership.UNREGISTERED


def known(place: Whereabouts, home: Path) -> str:
    """The id of the project; empty if there is none yet, or if it is not this user's. Writes nothing."""
    return _id_in(place.shared) if ownership(place, home) is Ownership.OWN else ""


def claimed(place: Whereabouts, home: Path) -> str:
    """The id of the project, created and registered if there is no state yet; concurrent processes get the same id.
    Raises StateError if there is unregistered state.
    """
    with _recording(place, home):
        match ownership(place, home):
            case Ownership.UNREGISTERED:
                raise unregistered(place)
            case Ownership.OWN:
                found = _id_in(place.shared)
                if _registration(found, home).path != str(place.shared):
                    with _alone(home):
                        _register(found, place, home)
                return found
            case Ownership.NONE:
                with _alone(home):
                    return known(place, home) or _made(place, home)


def unregistered(place: Whereabouts) -> StateError:
    """The error for callers that would write there."""
    return StateError(
        f"{place.state} was not created here by you, so it is not read: it came with an archive or a copied folder",
        hint=f"shiftwork adopt takes it over, if you know where it is from; rm -r {place.state} removes it",
    )


def adopted(place: Whereabouts, home: Path) -> tuple[str, bool]:
    """Register the state as this user's; returns the id, and whether it was kept. The id changes if the project that
    this is a copy of still exists, because two projects must not work on the same runs.
    """
    with _recording(place, home), _alone(home):
        before = _id_in(place.shared)
        keeps = bool(before) and not _is_elsewhere(before, place, home)
        found = before if keeps else os.urandom(PROJECT_ID_BYTES).hex()
        draft = place.state / f".{_FILE}"
        draft.unlink(missing_ok=True)
        _write(draft, found)
        draft.replace(place.state / _FILE)
        _register(found, place, home)
        return found, keeps


def registered(home: Path) -> dict[str, str]:
    """The last known checkouts of all projects of this user, by id."""
    try:
        ids = os.listdir(home / _REGISTER)  # noqa: PTH208 - only names are needed
    except OSError:
        return {}
    places = ((name, _registration(name, home)) for name in ids)
    return {name: os.path.normpath(f"{place.path}/{place.checkout}") for name, place in places if place.path}


def gone_projects(home: Path) -> dict[str, str]:
    """The last known checkouts of the projects of this user that are no longer where they were, by id."""
    return {name: checkout for name, checkout in registered(home).items() if not _is_present(name, home)}


def _is_present(project: str, home: Path) -> bool:
    return _id_in(Path(_registration(project, home).path)) == project


def _id_in(shared: Path) -> str:
    try:
        text = read_bytes(shared / FOLDER / _FILE, _LONGEST, links=False).decode("ascii", errors="replace").strip()
    except OSError:
        return ""
    return text if is_project_id(text) else ""


_UNKNOWN: Final = Registration(inode=0, changed=0, path="", checkout="")


def _registration(project: str, home: Path) -> Registration:
    try:
        text = os.fsdecode(read_bytes(home / _REGISTER / project, _LONGEST))
        inode, changed, path, checkout = text.removesuffix("\n").split(_APART)
        return Registration(inode=int(inode), changed=int(changed), path=path, checkout=checkout)
    except (OSError, ValueError):
        return _UNKNOWN


def _is_registered(project: str, place: Whereabouts, home: Path) -> bool:
    """Whether the file with the id is the same file that was registered, wherever its folder was moved to."""
    there = _registration(project, home) if project else _UNKNOWN
    if not there.path or _identity(place.shared) != there[:2]:
        return False
    if not place.worktree and _way(place) != there.checkout:
        return False  # another folder that points to this git directory
    return there.path == str(place.shared) or not _is_elsewhere(project, place, home)


def _is_elsewhere(project: str, place: Whereabouts, home: Path) -> bool:
    """Whether the project still exists where it is registered, and that is another place."""
    there = _registration(project, home)
    return (
        bool(there.path)
        and there.path != str(place.shared)
        and _id_in(Path(there.path)) == project
        and _identity(Path(there.path)) == there[:2]
    )


def _identity(shared: Path) -> tuple[int, int] | None:
    """What distinguishes the file from any other with the same content. A file with a second hard link may be written
    elsewhere.
    """
    try:
        found = (shared / FOLDER / _FILE).lstat()
    except OSError:
        return None
    return (found.st_ino, found.st_ctime_ns) if found.st_nlink == 1 else None


def _way(place: Whereabouts) -> str:
    return os.path.relpath(place.root, place.shared)


# Writing -----------------------------------------------------------------------------------------------------------


def _made(place: Whereabouts, home: Path) -> str:
    """Create a new id. The folder appears complete and already registered, so a crash leaves nothing half-made."""
    ours = os.urandom(PROJECT_ID_BYTES).hex()
    draft = place.shared / f"{FOLDER}.{ours}"
    draft.mkdir(mode=0o700)
    try:
        _write(draft / _FILE, ours)
        _register(ours, place, home, draft / _FILE)
        draft.replace(place.state)
    except BaseException:
        (draft / _FILE).unlink(missing_ok=True)
        draft.rmdir()
        raise
    return ours


def _write(path: Path, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(file, f"{text}\n".encode())
    finally:
        os.close(file)


def _register(project: str, place: Whereabouts, home: Path, file: Path | None = None) -> None:
    found = (file or place.state / _FILE).lstat()
    checkout = _registration(project, home).checkout if place.worktree else _way(place)
    entry = _APART.join((str(found.st_ino), str(found.st_ctime_ns), str(place.shared), checkout or ".."))
    draft = home / _REGISTER / f".{project}"
    draft.write_bytes(os.fsencode(f"{entry}\n"))
    draft.replace(home / _REGISTER / project)


@contextmanager
def _recording(place: Whereabouts, home: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RepositoryError(
            f"the project of this repository cannot be recorded: {error}",
            hint=f"see who may write there: ls -ld {place.shared} {home}",
        ) from error


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """A lock for all projects of the user: two copies of a folder may be used for the first time at the same moment."""
    from shiftwork.file_locks import locked_within  # noqa: PLC0415 - a known project needs no lock

    (home / _REGISTER).mkdir(mode=0o700, parents=True, exist_ok=True)
    file = home / f"{_REGISTER}.lock"
    lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        if not locked_within(_LOCK_SECONDS, lock):
            reason = f"another process has held the lock {file} for {_LOCK_SECONDS:g} seconds"
            raise StateError(reason, hint=f"see which: fuser -v {file}; then type the command again")
        yield
    finally:
        os.close(lock)
