"""The files of an environment: moved out of the tree where they were installed, and copied into other trees.

Installed files contain the folder where they were installed: scripts in their first line, an editable install in the
path to the sources. Each copy contains its own tree instead, so that it imports the sources of that tree. Files are
copied, never linked: package managers link one file into many places, and an edit in one of them would be an edit in
all.

Every file is identified by its content. Only files that are unchanged since the setup command ended are copied.
"""

import hashlib
import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from shiftwork.adapters.workspace.tree.large_files import copy_large, digest_of
from shiftwork.adapters.workspace.tree.untrusted_files import erase, let_read, open_up, write_new
from shiftwork.errors import EnvironmentDamagedError
from shiftwork.records import dataclass

_PIECE_BYTES: Final = 1024 * 1024
_TEXT_BYTES: Final = 16 * 1024 * 1024
"""A larger file counts as data: it is not rewritten, and never loaded into memory."""

_CACHE: Final = "__pycache__"
_COMPILED: Final = ".pyc"


class Item(NamedTuple):
    """A file, a link or a folder. `content` is the digest of a file or the target of a link; a `bound` file contains
    the folder where it was installed.
    """

    mode: int
    mtime: int
    content: str
    bound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentFiles:
    """`items` are in `folder` by their paths; they were installed at `origin`."""

    folder: Path
    origin: str
    items: Mapping[str, Item]

    def copy_into(self, tree: Path) -> None:
        """Copies all items. Existing paths of the tree stay, and nothing is written through a link of the commit.

        Raises EnvironmentDamagedError.
        """
        folders: dict[str, bool] = {"": True}
        for path in sorted(self.items):
            place = f"{tree}/{path}"
            if _is_folder(tree, path.rpartition("/")[0], folders) and not os.path.lexists(place):
                self._copy(path, place, tree)

    def content(self, path: str, tree: Path) -> bytes | None:
        """The content of a file's copy in that tree; None if it is not a file of the environment, or too large for
        memory.
        """
        item = self.items.get(path)
        if item is None or not stat.S_ISREG(item.mode) or _size(f"{self.folder}/{path}") > _TEXT_BYTES:
            return None
        return self._bytes(path, item, tree)

    def _copy(self, path: str, place: str, tree: Path) -> None:
        item = self.items[path]
        if stat.S_ISLNK(item.mode):
            os.symlink(self._moved(item.content, tree), place)  # noqa: PTH211 - plain strings are faster
            return
        if stat.S_ISDIR(item.mode):
            os.mkdir(place)  # noqa: PTH102 - as above
            os.chmod(place, stat.S_IMODE(item.mode) | stat.S_IRWXU)  # noqa: PTH101 - as above
            return
        if _size(f"{self.folder}/{path}") > _TEXT_BYTES:
            self._copy_large(path, place)
        else:
            write_new(place, self._bytes(path, item, tree))
        os.chmod(place, stat.S_IMODE(item.mode))  # noqa: PTH101 - as above
        os.utime(place, ns=(item.mtime, item.mtime))

    def _copy_large(self, path: str, place: str) -> None:
        """Block by block; holes stay holes."""
        copy_large(f"{self.folder}/{path}", place)
        if digest_of(place) != self.items[path].content:
            erase(Path(place))
            raise EnvironmentDamagedError(f"{path} was changed in the environment {self.folder.name}")

    def _bytes(self, path: str, item: Item, tree: Path) -> bytes:
        try:
            content = _read(f"{self.folder}/{path}")
        except OSError as error:
            raise EnvironmentDamagedError(f"{path} is gone from the environment {self.folder.name}") from error
        if hashlib.sha256(content).hexdigest() != item.content:
            raise EnvironmentDamagedError(f"{path} was changed in the environment {self.folder.name}")
        return content.replace(os.fsencode(self.origin), os.fsencode(tree)) if item.bound else content

    def _moved(self, target: str, tree: Path) -> str:
        """The target of a copied symlink that pointed into the original tree: the same path in the new tree."""
        if target == self.origin or target.startswith(f"{self.origin}/"):
            return f"{tree}{target.removeprefix(self.origin)}"
        return target


def _is_folder(tree: Path, path: str, known: dict[str, bool]) -> bool:
    """Whether it and all its parents are folders of the tree; missing folders are created."""
    if path not in known:
        place = f"{tree}/{path}"
        above = _is_folder(tree, path.rpartition("/")[0], known)
        if above and not os.path.lexists(place):
            os.mkdir(place)  # noqa: PTH102 - plain strings are faster
        known[path] = above and stat.S_ISDIR(os.lstat(place).st_mode)
    return known[path]


def take_out(tree: Path, entries: Collection[str], folder: Path) -> EnvironmentFiles:
    """Moves these entries of the tree, with their content, into the folder, and records them."""
    for entry in entries:
        target = folder / entry
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(tree / entry, target)
    origin = str(tree)
    items = {path: _item(f"{folder}/{path}", origin) for path in _below(folder)}
    for path in [path for path in items if _is_stale(path, items)]:
        Path(folder, path).unlink()
        del items[path]
    return EnvironmentFiles(folder=folder, origin=origin, items=items)


def _is_stale(path: str, items: Mapping[str, Item]) -> bool:
    """Whether it is compiled from a source in which a path will be rewritten: it would still contain the old path."""
    above, _, name = path.rpartition("/")
    if not name.endswith(_COMPILED):
        return False
    sources = above.removesuffix(_CACHE).rstrip("/")
    source = items.get(f"{sources}/{name.partition('.')[0]}.py".lstrip("/"))
    return source is not None and source.bound


def _below(folder: Path) -> Iterator[str]:
    """Every path below; folders come before their content, and are made accessible first."""
    waiting = [""]
    while waiting:
        above = waiting.pop()
        with os.scandir(f"{folder}/{above}") as entries:
            listed = list(entries)
        for entry in listed:
            path = above + entry.name
            if entry.is_dir(follow_symlinks=False):
                open_up(entry.path)
                waiting.append(f"{path}/")
            elif not (entry.is_file(follow_symlinks=False) or entry.is_symlink()):
                erase(Path(entry.path))  # a socket or pipe of a process that has ended
                continue
            yield path


def _item(place: str, origin: str) -> Item:
    status = os.lstat(place)
    if stat.S_ISLNK(status.st_mode):
        return Item(status.st_mode, status.st_mtime_ns, os.readlink(place), False)  # noqa: PTH115 - plain strings
    if stat.S_ISDIR(status.st_mode):
        return Item(status.st_mode, status.st_mtime_ns, "", False)
    let_read(place)
    if status.st_size > _TEXT_BYTES:
        if status.st_nlink > 1:
            copy_large(place, f"{place}.{os.getpid()}.part")
            _put_in_place(place, status)
        return Item(status.st_mode, status.st_mtime_ns, digest_of(place), False)
    content = _read(place)
    if status.st_nlink > 1:
        _unlinked(place, content, status)
    bound = b"\0" not in content and os.fsencode(origin) in content
    return Item(status.st_mode, status.st_mtime_ns, hashlib.sha256(content).hexdigest(), bound)


def _unlinked(place: str, content: bytes, status: os.stat_result) -> None:
    """Replaces the file by a copy without other hard links."""
    write_new(f"{place}.{os.getpid()}.part", content)
    _put_in_place(place, status)


def _put_in_place(place: str, status: os.stat_result) -> None:
    partial = f"{place}.{os.getpid()}.part"
    os.chmod(partial, stat.S_IMODE(status.st_mode))  # noqa: PTH101 - plain strings are faster
    os.utime(partial, ns=(status.st_mtime_ns, status.st_mtime_ns))
    os.replace(partial, place)  # noqa: PTH105 - as above


def _size(place: str) -> int:
    try:
        return os.lstat(place).st_size
    except OSError:
        return 0


def _read(place: str) -> bytes:
    file = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        pieces = []
        while piece := os.read(file, _PIECE_BYTES):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(file)
