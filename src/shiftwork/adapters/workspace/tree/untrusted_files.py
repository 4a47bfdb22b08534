"""Files and folders that an agent may have left in any state: replacing, removing, unlocking and moving them.

No function here follows a symbolic link.
"""

import asyncio
import contextlib
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

from shiftwork.bounded import first_link, read_head
from shiftwork.errors import RepositoryError

_REMOVE_TRIES: Final = 3
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK_POLLS: Final = 40
_POLL_SECONDS: Final = 0.05
_SMALL: Final = 64 * 1024


def write_whole(path: Path, content: bytes) -> None:
    """Replaces the file atomically: a reader sees either the old content or the new."""
    partial = f"{path}.{os.getpid()}.part"
    try:
        write_new(partial, content)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_new(partial, content)
    os.replace(partial, path)  # noqa: PTH105 - plain strings are faster, and every landing waits for some of these


def overwrite(path: Path, content: bytes) -> None:
    """Replaces the content of a file of ours; in one write if it has the same length, because replacing a file takes
    much longer on some disks.
    """
    try:
        file = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        write_whole(path, content)
        return
    try:
        status = os.fstat(file)
        fits = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_size == len(content)
        if fits and os.pwrite(file, content, 0) == len(content):
            return
    finally:
        os.close(file)
    write_whole(path, content)


def write_new(path: str, content: bytes) -> None:
    """Writes a file that has no readers yet. Without `open`: creating its buffer takes longer than writing."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        while content:
            content = content[os.write(file, content) :]
    finally:
        os.close(file)


def check_unlinked(below: Path, path: Path) -> None:
    """Raises RepositoryError if there is a link between the folder and the path, the path included."""
    if link := first_link(below, path):
        raise RepositoryError(
            f"{link} is a link, and shiftwork never creates links there: it is not followed",
            hint=f"see where it leads: ls -l {link}; then remove it",
        )


def modified(path: Path) -> float | None:
    """When it was last modified; None if it does not exist. Checking first would need two calls."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return None


def text_of(path: Path) -> str:
    """The text of a small git file; empty if it does not exist or is not a regular file."""
    try:
        return read_head(path, _SMALL).decode(errors="surrogateescape").strip()
    except OSError:
        return ""


async def outlast(lock: Path) -> None:
    """Waits until our own git releases its lock; after that time the git was killed, and its lock is removed.

    Only for files that no other git ever locks.
    """
    for _ in range(_LOCK_POLLS):
        if not lock.exists():  # noqa: ASYNC240 - checking one file takes less time than a thread
            return
        await asyncio.sleep(_POLL_SECONDS)
    lock.unlink(missing_ok=True)  # noqa: ASYNC240 - as above


def free_path(wanted: Path) -> Path:
    """The path itself, or the first of `name-2.ext`, `name-3.ext`, … that does not exist."""
    if not os.path.lexists(wanted):
        return wanted
    numbered = (wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}") for number in count(2))
    return next(path for path in numbered if not os.path.lexists(path))


def move_away(path: Path, folder: Path, label: str) -> Path:
    """Moves anything at the path into the folder, without overwriting."""
    folder.mkdir(parents=True, exist_ok=True)
    open_up(path.parent)
    target = free_path(folder / label.strip("/").replace("/", "__"))
    try:
        path.rename(target)
    except OSError:  # another file system, or a name that is too long there
        target = free_path(folder / "set-aside")
        shutil.move(path, target)
    return target


def erase(path: Path) -> None:
    """Removes a file, a link, or a folder with its content, read-only or not; does nothing if it does not exist."""
    for tries_left in reversed(range(_REMOVE_TRIES)):
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            return
        try:
            if stat.S_ISDIR(mode):
                _empty(path)
                path.rmdir()
            else:
                path.unlink()
        except OSError:  # its folder is read-only, or a dying process still writes there
            if not tries_left:
                raise
            with contextlib.suppress(OSError):
                open_up(path.parent)


def _empty(path: Path) -> None:
    """Empties a folder. Moves deeper folders up before emptying them: they may exceed the longest possible path."""
    open_up(path)
    up, fresh = os.open(path, _FOLDER), f"{secrets.token_hex(8)}-"
    numbers = count()
    try:
        while entries := _listed(up):
            for entry in entries:
                if not _removed(entry, up):
                    inside = os.open(entry.name, _FOLDER, dir_fd=up)
                    try:
                        for deeper in _listed(inside):
                            if not _removed(deeper, inside):
                                os.rename(deeper.name, f"{fresh}{next(numbers)}", src_dir_fd=inside, dst_dir_fd=up)
                    finally:
                        os.close(inside)
                    os.rmdir(entry.name, dir_fd=up)
    finally:
        os.close(up)


def _listed(folder: int) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return list(entries)


def _removed(entry: os.DirEntry[str], folder: int) -> bool:
    """Removes anything but a folder; a folder is made accessible."""
    if not entry.is_dir(follow_symlinks=False):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(entry.name, dir_fd=folder)
        return True
    mode = entry.stat(follow_symlinks=False).st_mode
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(entry.name, stat.S_IRWXU, dir_fd=folder)
    return False


def loosen(tree: Path) -> None:
    """Makes everything readable and removable for git, and removes what git cannot store: pipes, sockets, devices.
    Paths that are too long stay as they are: git does not reach them either.
    """
    open_up(tree)
    for entry in _entries(tree):
        with _unless_too_deep():
            _loosen(entry)


def _loosen(entry: os.DirEntry[str]) -> None:
    mode = entry.stat(follow_symlinks=False).st_mode
    if stat.S_ISDIR(mode):
        _allow(entry, mode, stat.S_IRWXU)
    elif stat.S_ISREG(mode):
        _allow(entry, mode, stat.S_IRUSR | stat.S_IWUSR)
    elif not stat.S_ISLNK(mode):
        os.unlink(entry)  # noqa: PTH108 - a directory entry, not a Path


@contextlib.contextmanager
def _unless_too_deep() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise


def remove_pipes(tree: Path) -> None:
    """Removes pipes from the tree, and unblocks programs that wait for them: git waits if a pipe has the name of a file
    with git's rules.
    """
    for entry in _entries(tree):
        with contextlib.suppress(OSError):
            if stat.S_ISFIFO(entry.stat(follow_symlinks=False).st_mode):
                end = os.open(entry.path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
                os.unlink(entry)  # noqa: PTH108 - a directory entry, not a Path
                os.close(end)


def open_up(folder: Path | str) -> None:
    """Let the owner list the folder and write to it."""
    _allow(folder, os.lstat(folder).st_mode, stat.S_IRWXU)


def let_read(file: str) -> None:
    """Let the owner read the file."""
    _allow(file, os.lstat(file).st_mode, stat.S_IRUSR)


def _allow(path: os.PathLike[str] | str, mode: int, wanted: int) -> None:
    if mode & wanted != wanted:
        os.chmod(path, stat.S_IMODE(mode) | wanted)  # noqa: PTH101 - known not to be a link


def _entries(tree: Path) -> Iterator[os.DirEntry[str]]:
    waiting: list[os.PathLike[str]] = [tree]
    while waiting:
        # A folder's own entry is yielded, and so made accessible, before it is listed.
        with contextlib.suppress(FileNotFoundError), _unless_too_deep(), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry)


def copy_within(source: Path, target: Path, name: str) -> bool:
    """Copies one file of a tree to the same path in another, unless the path exists or a link leads away."""
    wanted = target / name
    if os.path.lexists(wanted):
        return False
    for parent in reversed(wanted.relative_to(target).parents[:-1]):
        folder = target / parent
        if os.path.lexists(folder) and not stat.S_ISDIR(folder.lstat().st_mode):
            return False
        folder.mkdir(exist_ok=True)
    shutil.copy2(source / name, wanted, follow_symlinks=False)
    return True
