"""Files and folders that an agent may have left in any state: replaced whole, removed, loosened, set aside.

No function here follows a symbolic link.
"""

import asyncio
import contextlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Final

_REMOVE_TRIES: Final = 3
_LOCK_POLLS: Final = 40
_POLL_SECONDS: Final = 0.05


def write_whole(path: Path, content: bytes) -> None:
    """Replace the file at once: a reader sees the old content or the new."""
    partial = f"{path}.{os.getpid()}.part"
    try:
        write_new(partial, content)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_new(partial, content)
    os.replace(partial, path)  # noqa: PTH105 - plain text is quicker, and every landing waits for some of these


def write_new(path: str, content: bytes) -> None:
    """Write a file that nobody reads yet. Not by `open`: its buffer takes longer than the writing."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        while content:
            content = content[os.write(file, content) :]
    finally:
        os.close(file)


async def outlast(lock: Path) -> None:
    """Wait until a git of ours lets go of its lock; one that keeps it so long was killed, and its lock is removed.

    Only for what no git but ours ever locks.
    """
    for _ in range(_LOCK_POLLS):
        if not lock.exists():  # noqa: ASYNC240 - a look at one file takes less than a thread
            return
        await asyncio.sleep(_POLL_SECONDS)
    lock.unlink(missing_ok=True)  # noqa: ASYNC240 - as above


def free_path(wanted: Path) -> Path:
    """The path itself, or the first of `name-2.ext`, `name-3.ext`, … where nothing stands."""
    if not os.path.lexists(wanted):
        return wanted
    numbered = (wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}") for number in count(2))
    return next(path for path in numbered if not os.path.lexists(path))


def set_aside(path: Path, folder: Path, label: str) -> Path:
    """Move what stands at the path, whatever it is, into the folder; nothing there is overwritten."""
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
    """Remove a file, a link, or a folder with all that is in it, read-only or not; nothing happens where none is."""
    for tries_left in reversed(range(_REMOVE_TRIES)):
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            return
        try:
            if stat.S_ISDIR(mode):
                shutil.rmtree(path, onexc=_loosen_and_retry)
            else:
                path.unlink()
        except OSError:  # a process that is just dying may still write there
            if not tries_left:
                raise


def _loosen_and_retry(act: Callable[..., object], path: str, error: BaseException) -> None:
    if isinstance(error, FileNotFoundError):
        return
    if not isinstance(error, PermissionError):
        raise error
    for folder in (os.path.dirname(path), path):  # noqa: PTH120 - rmtree hands out plain text
        if stat.S_ISDIR(os.lstat(folder).st_mode):
            os.chmod(folder, stat.S_IRWXU)  # noqa: PTH101 - rmtree hands out plain text
    if act in {os.unlink, os.rmdir}:
        act(path)
    else:  # a folder that could not be opened or listed
        shutil.rmtree(path, onexc=_loosen_and_retry)


def loosen(tree: Path) -> None:
    """Make everything readable and removable for git, and remove what git cannot store: pipes, sockets, devices."""
    open_up(tree)
    for entry in _entries(tree):
        mode = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            _allow(entry, mode, stat.S_IRWXU)
        elif stat.S_ISREG(mode):
            _allow(entry, mode, stat.S_IRUSR | stat.S_IWUSR)
        elif not stat.S_ISLNK(mode):
            os.unlink(entry)  # noqa: PTH108 - a directory entry, not a Path


def open_up(folder: Path | str) -> None:
    """Let the owner list the folder and write to it."""
    _allow(folder, os.lstat(folder).st_mode, stat.S_IRWXU)


def _allow(path: os.PathLike[str] | str, mode: int, wanted: int) -> None:
    if mode & wanted != wanted:
        os.chmod(path, stat.S_IMODE(mode) | wanted)  # noqa: PTH101 - known not to be a link


def _entries(tree: Path) -> Iterator[os.DirEntry[str]]:
    waiting: list[os.PathLike[str]] = [tree]
    while waiting:
        # A folder's own entry is handed out, and so loosened, before it is listed.
        with contextlib.suppress(FileNotFoundError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry)


def copy_within(source: Path, target: Path, name: str) -> bool:
    """Copy one file of a tree to the same place in another, unless something stands there or a link leads away."""
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
