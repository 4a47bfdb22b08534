"""The files of an environment: taken out of the tree that they were installed in, and copied into others.

Installed files name the folder that they were installed in: scripts in their first line, an editable install in the
path that leads to the sources. In each copy that folder is the copy's own tree, so that what is imported there is what
lies there. Files are copied whole, never linked: package managers link one file into many places, and an edit in one
of them would be an edit in all.

Every file is known by its content. A copy is made only of what is still as it was when the setup command had ended.
"""

import hashlib
import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from shiftwork.adapters.workspace.tree.large_files import copy_large, digest_of
from shiftwork.adapters.workspace.tree.untrusted_files import erase, let_read, open_up, write_new
from shiftwork.errors import EnvironmentDamagedError

_PIECE_BYTES: Final = 1024 * 1024
_TEXT_BYTES: Final = 16 * 1024 * 1024
"""A larger file is taken for data: nothing in it is rewritten, and it is never held in memory."""

_CACHE: Final = "__pycache__"
_COMPILED: Final = ".pyc"


class Item(NamedTuple):
    """A file, a link or a folder. `content` is the digest of a file or the target of a link; the folder in which it was
    installed is named in a file that is `bound`.
    """

    mode: int
    mtime: int
    content: str
    bound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentFiles:
    """`items` lie in `folder` by their paths; they were installed at `origin`."""

    folder: Path
    origin: str
    items: Mapping[str, Item]

    def copy_into(self, tree: Path) -> None:
        """Where the tree has something of its own, that stays, and nothing is written through a link of the commit.
        Raises EnvironmentDamagedError.
        """
        folders: dict[str, bool] = {"": True}
        for path in sorted(self.items):
            place = f"{tree}/{path}"
            if _is_folder(tree, path.rpartition("/")[0], folders) and not os.path.lexists(place):
                self._copy(path, place, tree)

    def content(self, path: str, tree: Path) -> bytes | None:
        """What the copy of a file is to hold in that tree; None where it is no file of the environment, or too large
        to be held in memory.
        """
        item = self.items.get(path)
        if item is None or not stat.S_ISREG(item.mode) or _size(f"{self.folder}/{path}") > _TEXT_BYTES:
            return None
        return self._bytes(path, item, tree)

    def _copy(self, path: str, place: str, tree: Path) -> None:
        item = self.items[path]
        if stat.S_ISLNK(item.mode):
            os.symlink(self._moved(item.content, tree), place)  # noqa: PTH211 - plain text is quicker
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
        """Piece by piece; holes stay holes."""
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
        """Where a link leads that led into the tree it was made in."""
        if target == self.origin or target.startswith(f"{self.origin}/"):
            return f"{tree}{target.removeprefix(self.origin)}"
        return target


def _is_folder(tree: Path, path: str, known: dict[str, bool]) -> bool:
    """Whether it is a folder of the tree, made where nothing is there, and so are all above it."""
    if path not in known:
        place = f"{tree}/{path}"
        above = _is_folder(tree, path.rpartition("/")[0], known)
        if above and not os.path.lexists(place):
            os.mkdir(place)  # noqa: PTH102 - plain text is quicker
        known[path] = above and stat.S_ISDIR(os.lstat(place).st_mode)
    return known[path]


def take_out(tree: Path, entries: Collection[str], folder: Path) -> EnvironmentFiles:
    """Move these entries of the tree, with all that is in them, into the folder, and write down what they are."""
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
    """Whether it is the compiled form of a source in which a path will be rewritten: it would lead to the old one."""
    above, _, name = path.rpartition("/")
    if not name.endswith(_COMPILED):
        return False
    sources = above.removesuffix(_CACHE).rstrip("/")
    source = items.get(f"{sources}/{name.partition('.')[0]}.py".lstrip("/"))
    return source is not None and source.bound


def _below(folder: Path) -> Iterator[str]:
    """Every path below; folders come before what is in them, and are opened up first."""
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
                erase(Path(entry.path))  # a socket or a pipe belongs to a process that has ended
                continue
            yield path


def _item(place: str, origin: str) -> Item:
    status = os.lstat(place)
    if stat.S_ISLNK(status.st_mode):
        return Item(status.st_mode, status.st_mtime_ns, os.readlink(place), False)  # noqa: PTH115 - plain text
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
    """The same file once more, under no other name."""
    write_new(f"{place}.{os.getpid()}.part", content)
    _put_in_place(place, status)


def _put_in_place(place: str, status: os.stat_result) -> None:
    partial = f"{place}.{os.getpid()}.part"
    os.chmod(partial, stat.S_IMODE(status.st_mode))  # noqa: PTH101 - plain text is quicker
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
