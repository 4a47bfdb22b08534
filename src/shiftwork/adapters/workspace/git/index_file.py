"""Reads git's index: which files it lists, and whether those in the tree are unchanged.

Every step and every check of a candidate asks for that, and a process takes several times as long. Only an index of
usual form and size is read: otherwise the answer is None, and the caller asks git.
"""

import contextlib
import hashlib
import os
import stat
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from shiftwork.records import dataclass

_HEADER: Final = struct.Struct(">4sLL")
_STATUS: Final = struct.Struct(">10L")
_FLAGS: Final = struct.Struct(">H")
_EXTENSION: Final = struct.Struct(">4sL")
_VERSION: Final = 2
_PADDING: Final = 8
_LARGEST: Final = 256 * 1024
"""Git reads a larger index in less time than we do."""

_SPECIAL: Final = 0xF000
"""Flags of an entry that is assumed to be unchanged, is only to be added later, or is one side of a conflict."""

FILE, PROGRAM, LINK = 0o100644, 0o100755, 0o120000

_CLOCK_STEP_NS: Final = 20_000_000
"""The coarsest file system clock that we know: a file as new as the index may have been written again since."""

_LARGEST_FILE: Final = 16 * 1024 * 1024
_SECOND: Final = 1_000_000_000
_WORD: Final = 0xFFFFFFFF


type Statuses = Mapping[str, os.stat_result | None]
"""What the file system says about each path; None if there is nothing."""


class Entry(NamedTuple):
    """A file: its mode and content, and its status when git wrote or compared it."""

    mode: int
    changed: int
    inode: int
    size: int
    name: bytes


class Subtree(NamedTuple):
    """A folder whose tree git has written: its name, and how many entries it covers."""

    name: bytes
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """`entries` are in the order of their paths. `written` is when the index was. Folders in `trees` end with a slash,
    except for the root.
    """

    entries: Mapping[bytes, Entry]
    trees: Mapping[bytes, Subtree]
    written: int
    object_format: str

    @property
    def files(self) -> frozenset[str]:
        return frozenset(map(os.fsdecode, self.entries))

    def altered(self, tree: str, seen: Statuses) -> list[str]:
        """The files that may differ from their entries; `seen` has the status of each."""
        doubtful = self.written - _CLOCK_STEP_NS
        found = ((os.fsdecode(path), entry) for path, entry in self.entries.items())
        return [
            path
            for path, entry in found
            if not _looks_same(entry, seen[path])
            or (entry.changed >= doubtful and not self._has_content(f"{tree}/{path}", entry))
        ]

    def unaltered(self, tree: str) -> Statuses | None:
        """The status of each file, if no file differs from its entry."""
        seen = statuses(tree, self.files)
        return None if self.altered(tree, seen) else seen

    def _has_content(self, path: str, entry: Entry) -> bool:
        try:
            return self._name(path, entry) == entry.name
        except OSError:
            return False

    def _name(self, path: str, entry: Entry) -> bytes:
        """Of the content as it is: git may have converted it, so another name does not yet mean another content."""
        if entry.mode == LINK:
            content = os.fsencode(os.readlink(path))  # noqa: PTH115 - plain strings, as there may be thousands
        else:
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(file, "rb") as opened:
                content = opened.read(_LARGEST_FILE)
        return hashlib.new(self.object_format, b"blob %d\0" % len(content) + content).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracked:
    """The paths of a commit, and of all their parent folders; the `index` if it could be read, and what was then `seen`
    of the files.
    """

    files: frozenset[str]
    folders: frozenset[str]
    index: Index | None = None
    seen: Statuses | None = None


def tracked(names: Iterable[str], index: Index | None = None, seen: Statuses | None = None) -> Tracked:
    files = frozenset(names)
    return Tracked(files=files, folders=frozenset(folders_of(files)), index=index, seen=seen)


def folders_of(names: Iterable[str]) -> set[str]:
    """All parent folders of these files."""
    folders: set[str] = set()
    for name in names:
        folder = name.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def statuses(tree: str, paths: Iterable[str]) -> Statuses:
    """The status of each path itself. From an open folder, because the way to the tree is long."""
    found = dict[str, os.stat_result | None].fromkeys(paths)
    with contextlib.suppress(OSError):
        folder = os.open(tree, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            for path in found:
                with contextlib.suppress(OSError):
                    found[path] = os.stat(path, dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(folder)
    return found


def _looks_same(entry: Entry, status: os.stat_result | None) -> bool:
    if status is None:
        return False
    kind = LINK if stat.S_ISLNK(status.st_mode) else 0
    if stat.S_ISREG(status.st_mode):
        kind = PROGRAM if status.st_mode & stat.S_IXUSR else FILE
    found = (kind, status.st_ctime_ns, status.st_ino & _WORD, status.st_size & _WORD)
    return (entry.mode, entry.changed, entry.inode, entry.size) == found


def read_index(file: Path, object_format: str) -> Index | None:
    try:
        with file.open("rb") as opened:
            written, content = os.fstat(opened.fileno()).st_mtime_ns, opened.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            return None
        return _index(content, written, object_format)
    except (OSError, ValueError, struct.error):
        return None


def _index(content: bytes, written: int, object_format: str) -> Index | None:
    size = hashlib.new(object_format).digest_size
    mark, version, count = _HEADER.unpack_from(content)
    if mark != b"DIRC" or version != _VERSION:
        return None
    entries: dict[bytes, Entry] = {}
    at, head = _HEADER.size, _STATUS.size + size + _FLAGS.size
    for _ in range(count):
        seconds, nanoseconds, _, _, _, inode, mode, _, _, length = _STATUS.unpack_from(content, at)
        (flags,) = _FLAGS.unpack_from(content, at + head - _FLAGS.size)
        if flags & _SPECIAL or mode not in {FILE, PROGRAM, LINK}:
            return None
        end = content.index(b"\0", at + head)
        name = content[at + _STATUS.size : at + _STATUS.size + size]
        entries[content[at + head : end]] = Entry(mode, seconds * _SECOND + nanoseconds, inode, length, name)
        at += (end - at + _PADDING) // _PADDING * _PADDING
    extensions = dict(_extensions(content[:-size], at))
    if any(kind[:1].islower() for kind in extensions):  # the entries mean something else with these
        return None
    trees = dict(_trees(extensions.get(b"TREE", b""), size))
    return Index(entries=entries, trees=trees, written=written, object_format=object_format)


def _extensions(content: bytes, at: int) -> Iterator[tuple[bytes, bytes]]:
    while at < len(content):
        kind, length = _EXTENSION.unpack_from(content, at)
        at += _EXTENSION.size
        yield kind, content[at : at + length]
        at += length


def _trees(content: bytes, size: int) -> Iterator[tuple[bytes, Subtree]]:
    """Folders come before what is below them; each says how many it has directly below."""
    waiting: list[bytes] = [b""]
    at = 0
    while at < len(content):
        end = content.index(b"\0", at)
        line = content.index(b"\n", end)
        entries, below = map(int, content[end + 1 : line].split(b" "))
        name = content[at:end]
        path = waiting.pop() + (name + b"/" if name else b"")
        at = line + 1
        if entries >= 0:
            yield path, Subtree(content[at : at + size], entries)
            at += size
        waiting += [path] * below
