"""What lies in a tree of the gates beside its commit: written down when the tree is made, held to before every check.

Code that agents wrote runs in these trees. What it leaves there, ignored by git, must not speak in the next check: a
compiled file that is taken for the code, a result that is taken for a verdict. So whatever was not there when the tree
had been set up is removed, and what was there is there again, or the tree is made anew.

All of it is kept in memory alone: what others can write is not believed. What has changed is copied once more from the
environment, whose files are known by their content.
"""

import hashlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from shiftwork.adapters.workspace.tree.checkout import Tracked
from shiftwork.adapters.workspace.tree.environment_files import EnvironmentFiles
from shiftwork.adapters.workspace.tree.large_files import digest_of
from shiftwork.adapters.workspace.tree.untrusted_files import erase, let_read, open_up, write_new
from shiftwork.errors import EnvironmentDamagedError, RepositoryError

_TICK_NS: Final = 20_000_000
"""No file system's clock that we know is coarser, but for those that count seconds."""

_PIECE_BYTES: Final = 1024 * 1024
_LARGE_BYTES: Final = 16 * 1024 * 1024
_OWN_REPOSITORY: Final = ".git"


class _Thing(NamedTuple):
    """A file, a link, a folder: how it looks, and the digest of a file or the target of a link."""

    look: tuple[int, ...]
    content: bytes

    @property
    def mode(self) -> int:
        return self.look[0]

    @property
    def changed(self) -> int:
        return self.look[3]


def _look(status: os.stat_result) -> tuple[int, ...]:
    return status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


@dataclass(slots=True, kw_only=True)
class Pristine:
    """What lies at `keep` is left alone: the user wants builds to continue from the last one. `files` are what setup
    has installed: a file of them that a gate has changed, such as a database or a log, is copied once more.
    """

    tree: Path
    keep: frozenset[str] = frozenset()
    files: EnvironmentFiles | None = None
    things: dict[str, _Thing] = field(default_factory=dict, repr=False)

    def forget(self) -> None:
        self.things = {}

    def write_down(self, tracked: Tracked) -> None:
        """What is there now is what is to be there."""
        self.things = {}
        waiting = [""]
        for path, entry in self._beside(tracked, waiting):
            if entry.name == _OWN_REPOSITORY and path.rpartition("/")[0] in tracked.folders:
                erase(Path(entry.path))  # git would be led into it, away from the commit
                continue
            if entry.is_dir(follow_symlinks=False):
                open_up(entry.path)
                waiting.append(f"{path}/")
            elif entry.is_file(follow_symlinks=False):
                let_read(entry.path)
            self.things[path] = _thing(entry.path)

    def bring_back(self, tracked: Tracked) -> bool:
        """Remove what has come, mend what has changed; false where that cannot be done."""
        # Where the commit has a file of its own, that one it is.
        lost = self.things.keys() - tracked.files - tracked.folders
        doubtful = max((thing.look[3] for thing in self.things.values()), default=0) - _TICK_NS
        above = {str(folder) for path in self.keep for folder in PurePosixPath(path).parents}
        waiting = [""]
        for path, entry in self._beside(tracked, waiting):
            thing = self.things.get(path)
            if thing is None and path in above and entry.is_dir(follow_symlinks=False):
                waiting.append(f"{path}/")
            elif thing is None:
                erase(Path(entry.path))
            elif self._is_there(path, thing, entry, doubtful):
                lost.discard(path)
                if stat.S_ISDIR(thing.mode):
                    waiting.append(f"{path}/")
        return not lost or self._mend(sorted(lost))

    def _beside(self, tracked: Tracked, waiting: list[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """All that is not the commit's, in the folders that are `waiting` with a slash at their end; who is given a
        folder, and wants to be given what is in it, has it wait too.
        """
        while waiting:
            above = waiting.pop()
            with os.scandir(f"{self.tree}/{above}") as listed:
                entries = list(listed)
            for entry in entries:
                path = above + entry.name
                if path in tracked.folders:
                    # A folder that was moved away, with a link to it, looks all right to git.
                    if not entry.is_dir(follow_symlinks=False):
                        raise RepositoryError(f"{path!r} is no folder any more in {self.tree.name}")
                    open_up(entry.path)
                    waiting.append(f"{path}/")
                elif path not in tracked.files and path != _OWN_REPOSITORY and path not in self.keep:
                    yield path, entry

    def _is_there(self, path: str, thing: _Thing, entry: os.DirEntry[str], doubtful: int) -> bool:
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(thing.mode):
            if stat.S_ISDIR(status.st_mode) and status.st_mode != thing.mode:
                os.chmod(entry.path, stat.S_IMODE(thing.mode))  # noqa: PTH101 - known to be a folder
            return stat.S_ISDIR(status.st_mode)
        # What was written within one tick of the clock may have been written twice in it.
        look = _look(status)
        if look == thing.look and thing.changed < doubtful:
            return True
        if look[:2] != thing.look[:2]:  # another kind, other rights, another length
            return False
        # Package managers link one file into many trees, and so touch it in all of them: its content decides.
        found = _thing(entry.path)
        if found.content != thing.content:
            return False
        self.things[path] = found
        return True

    # Copies -----------------------------------------------------------------------------------------------------------

    def _mend(self, lost: Collection[str]) -> bool:
        """In this order folders come before what is in them."""
        wanted = {path: self.things[path] for path in lost}
        contents = {path: self._copy_of(path, thing) for path, thing in wanted.items() if stat.S_ISREG(thing.mode)}
        if None in contents.values() or not all(map(_is_plain, wanted.values())):
            return False
        for path, thing in wanted.items():
            place = f"{self.tree}/{path}"
            erase(Path(place))
            _lay(place, thing, contents.get(path) or b"")
            self.things[path] = _thing(place)
        return True

    def _copy_of(self, path: str, thing: _Thing) -> bytes | None:
        """None where the environment does not have it, or has something else there by now."""
        try:
            content = self.files.content(path, self.tree) if self.files else None
        except EnvironmentDamagedError:
            return None
        return content if content is not None and _digest([content]) == thing.content else None


def _is_plain(thing: _Thing) -> bool:
    return stat.S_ISREG(thing.mode) or stat.S_ISLNK(thing.mode) or stat.S_ISDIR(thing.mode)


def _lay(place: str, thing: _Thing, content: bytes) -> None:
    if stat.S_ISLNK(thing.mode):
        Path(place).symlink_to(os.fsdecode(thing.content))
        return
    if stat.S_ISDIR(thing.mode):
        os.mkdir(place)  # noqa: PTH102 - plain text, as everywhere here
    else:
        write_new(place, content)
    os.chmod(place, stat.S_IMODE(thing.mode))  # noqa: PTH101 - made a moment ago
    if not stat.S_ISDIR(thing.mode):
        os.utime(place, ns=(thing.look[2], thing.look[2]))


def _thing(place: str) -> _Thing:
    look = _look(os.lstat(place))
    if stat.S_ISREG(look[0]):
        large = look[1] > _LARGE_BYTES
        return _Thing(look, digest_of(place).encode() if large else _digest(_pieces(place)))
    return _Thing(look, os.fsencode(Path(place).readlink()) if stat.S_ISLNK(look[0]) else b"")


def _digest(pieces: Iterable[bytes]) -> bytes:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()


def _pieces(place: str) -> Iterator[bytes]:
    """Not by `open`: most files are small, and its buffer takes longer than the reading."""
    file = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        while piece := os.read(file, _PIECE_BYTES):
            yield piece
    finally:
        os.close(file)
