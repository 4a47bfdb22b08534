"""Files beside the commit in a gate tree: recorded when the tree is made, restored before every check.

Code written by agents runs in these trees. The ignored files that it leaves must not affect the next check, such as a
compiled file that is loaded instead of the code, or a stored result. So files that did not exist after set-up are
removed and the others restored, or the tree is made from scratch.

The record is only kept in memory, because others can write to files. Changed files are copied from the environment
again, whose files are identified by their content.
"""

import hashlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from shiftwork.adapters.workspace.git.index_file import Tracked
from shiftwork.adapters.workspace.tree.environment_files import EnvironmentFiles
from shiftwork.adapters.workspace.tree.large_files import digest_of
from shiftwork.adapters.workspace.tree.untrusted_files import erase, let_read, open_up, write_new
from shiftwork.errors import EnvironmentDamagedError, RepositoryError
from shiftwork.records import dataclass, field

_CLOCK_STEP_NS: Final = 20_000_000
"""The coarsest file system clock that we know, apart from those with whole seconds."""

_PIECE_BYTES: Final = 1024 * 1024
_LARGE_BYTES: Final = 16 * 1024 * 1024
_OWN_REPOSITORY: Final = ".git"


class _Thing(NamedTuple):
    """A file, link or folder: its status, and the digest of a file or the target of a link."""

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
    """Paths in `keep` are left alone, because the user wants incremental builds. `files` are what setup has installed:
    if a gate changed such a file, for example a database or a log, it is copied again.
    """

    tree: Path
    keep: frozenset[str] = frozenset()
    files: EnvironmentFiles | None = None
    things: dict[str, _Thing] = field(default_factory=dict, repr=False)

    def forget(self) -> None:
        self.things = {}

    def record(self, tracked: Tracked) -> None:
        """Records the current state as the required state."""
        self.things = {}
        waiting = [""]
        for path, entry in self._beside(tracked, waiting):
            if entry.name == _OWN_REPOSITORY and path.rpartition("/")[0] in tracked.folders:
                erase(Path(entry.path))  # git would use it instead of the commit
                continue
            if entry.is_dir(follow_symlinks=False):
                open_up(entry.path)
                waiting.append(f"{path}/")
            elif entry.is_file(follow_symlinks=False):
                let_read(entry.path)
            self.things[path] = _thing(entry.path)

    def restore(self, tracked: Tracked) -> bool:
        """Removes new files and restores changed files; returns false if that is not possible."""
        # Where the commit has a file of its own, that file counts.
        lost = self.things.keys() - tracked.files - tracked.folders
        doubtful = max((thing.look[3] for thing in self.things.values()), default=0) - _CLOCK_STEP_NS
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
        return not lost or self._repair(sorted(lost))

    def _beside(self, tracked: Tracked, waiting: list[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """All entries that are not part of the commit, in the folders in `waiting`, each with a trailing slash; callers
        append a folder to `waiting` to descend into it.
        """
        while waiting:
            above = waiting.pop()
            with os.scandir(f"{self.tree}/{above}") as listed:
                entries = list(listed)
            for entry in entries:
                path = above + entry.name
                if path in tracked.folders:
                    # Git does not notice a folder that was moved away and replaced by a link to it.
                    if not entry.is_dir(follow_symlinks=False):
                        raise RepositoryError(f"{path!r} is no longer a folder in {self.tree.name}")
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
        # A file written within one step of the clock may have been written twice in it.
        look = _look(status)
        if look == thing.look and thing.changed < doubtful:
            return True
        if look[:2] != thing.look[:2]:  # another type, mode or size
            return False
        # Package managers link one file into many trees, so its status changes in all of them: compare its content.
        found = _thing(entry.path)
        if found.content != thing.content:
            return False
        self.things[path] = found
        return True

    # Copies -----------------------------------------------------------------------------------------------------------

    def _repair(self, lost: Collection[str]) -> bool:
        """Restores these paths; `lost` is sorted, so folders come before their content."""
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
        """None if the environment does not have the file, or has another file there now."""
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
        os.mkdir(place)  # noqa: PTH102 - plain strings, as in the whole module
    else:
        write_new(place, content)
    os.chmod(place, stat.S_IMODE(thing.mode))  # noqa: PTH101 - just created
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
    """Without `open`: most files are small, and creating its buffer takes longer than reading."""
    file = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        while piece := os.read(file, _PIECE_BYTES):
            yield piece
    finally:
        os.close(file)
