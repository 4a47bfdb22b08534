"""Watches how much memory, processes and disk one program uses, together with all its descendants.

Samples, not kernel limits: a limit on address space ends programs that only reserve it (Node, Java, Go), a limit on
processes counts all of the user's, and control groups need rights that a user rarely has. Between two samples a program
may briefly use more than it is allowed.

A look at every process takes milliseconds, so the resources left on the whole machine are checked first, four times a
second; a sudden change triggers an early look. Memory is first counted roughly, with shared pages counted for each
process; only if that is too much are they divided, which takes longer. Folders are measured at the first look, when the
disk has lost a quarter of what is allowed, and now and then, because another program may have freed space meanwhile.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.processes.host.host import Sighting
from shiftwork.adapters.processes.supervisor.spawn import Bounds

WATCH_SECONDS: Final = 0.25
_SCARCE: Final = 8
"""Memory is scarce if less than one part in this many is left."""

_MANY: Final = 300
_MEASURE_SECONDS: Final = 10.0
_MEASURE_PART: Final = 50
"""The pause before the next measurement, as a multiple of the time that measuring took."""

_PAGESIZE: Final = os.sysconf("SC_PAGE_SIZE")
_GB: Final = 1e9


class Watch:
    """Watches one program from its start. `main` is its first process, which makes its sandbox."""

    def __init__(self, bounds: Bounds, main: int) -> None:
        self._bounds = bounds
        self._main = main
        self._sampled_at = time.monotonic()
        self._tasks = _tasks()
        self._free = _free(bounds.folders)
        self._first: int | None = None
        self._measure_at = 0.0

    def hurries(self) -> bool:
        """Whether the machine has changed so much that the next look should not wait; may be called at any rate."""
        now = time.monotonic()
        if now < self._sampled_at + WATCH_SECONDS:
            return False
        self._sampled_at = now
        before, self._tasks = self._tasks, _tasks()
        left, whole = _memory()
        return self._tasks > before + _MANY or left * _SCARCE < whole or self._is_emptier()

    def broken(self, members: Sequence[Sighting]) -> str:
        """Returns which limit the program has exceeded, as a text for the user; empty if none."""
        bounds, living = self._bounds, [sighting.pid for sighting in members if not sighting.zombie]
        if len(living) > bounds.processes:
            return _explained(f"started {len(living)} processes", "processes", f"{bounds.processes}")
        within = next(
            (sighting.pid for sighting in members if sighting.parent == self._main and not sighting.zombie), 0
        )
        kept = sum(map(_in_files, _roots(within, bounds.inside)))
        if sum(map(_resident, living)) + kept > bounds.memory:
            used = sum(map(_own_share, living)) + kept
            if used > bounds.memory:
                files = f", {_gb(kept)} of it in files under /tmp or the home" if kept > bounds.memory // 10 else ""
                return _explained(f"used {_gb(used)} of memory{files}", "memory_gb", _gb(bounds.memory))
        return self._filled(living) if self._is_emptier() or time.monotonic() >= self._measure_at else ""

    def _is_emptier(self) -> bool:
        return self._free - _free(self._bounds.folders) >= self._bounds.disk // 4

    def _filled(self, living: Iterable[int]) -> str:
        """Blames this program only if its own folders have grown, because another may have filled the disk."""
        began = time.monotonic()
        self._free = _free(self._bounds.folders)
        held = sum(_taken(self._bounds.folders)) + _nameless(self._bounds.folders, living)
        self._first = held if self._first is None else self._first
        now = time.monotonic()
        self._measure_at = now + max(_MEASURE_SECONDS, _MEASURE_PART * (now - began))
        if held - self._first < self._bounds.disk:
            return ""
        return _explained(f"wrote more than {_gb(self._bounds.disk)} to its folders", "disk_gb", _gb(self._bounds.disk))


def _explained(what: str, key: str, limit: str) -> str:
    return f"ended because it {what}; {key} under [sandbox] allows {limit}"


def _gb(size: int) -> str:
    return f"{size / _GB:.2g} GB"


def _memory() -> tuple[int, int]:
    """Returns the available and the total memory of the machine in KiB; zeros if unknown."""
    rows = dict(line.split(":", 1) for line in _text("/proc/meminfo").splitlines() if ":" in line)
    left, whole = (rows.get(name, "0").split()[0] for name in ("MemAvailable", "MemTotal"))
    return int(left), int(whole)


def _tasks() -> int:
    """Returns how many processes and threads the machine has."""
    words = _text("/proc/loadavg").split()
    return int(words[3].partition("/")[2]) if words else 0


def _resident(pid: int) -> int:
    """Returns its memory without files; memory shared with its parent counts for both."""
    words = _text(f"/proc/{pid}/statm").split()
    return (int(words[1]) - int(words[2])) * _PAGESIZE if words else 0


def _own_share(pid: int) -> int:
    """Returns the same, with shared memory divided among the processes that share it."""
    rows = (line.split() for line in _text(f"/proc/{pid}/smaps_rollup").splitlines())
    found = {words[0]: int(words[1]) * 1024 for words in rows if len(words) > 1 and words[1].isdecimal()}
    return found.get("Pss_Anon:", found.get("Pss:", 0))


def _roots(pid: int, inside: Iterable[Path]) -> list[str]:
    """Returns the paths, from outside, of folders that a process's sandbox keeps in memory; none until the sandbox
    exists, because they would be the machine's own.
    """
    root = f"/proc/{pid}/root"
    try:
        made = not os.path.samefile(root, "/")  # noqa: PTH121 - plain text, as everywhere here
    except OSError:
        return []
    return [f"{root}{folder}" for folder in inside] if made else []


def _in_files(place: str) -> int:
    try:
        status = os.statvfs(place)
    except OSError:
        return 0
    return (status.f_blocks - status.f_bfree) * status.f_frsize


def _free(folders: Iterable[Path]) -> int:
    """Returns the free space on the disk of the first folder; all folders are in one cache."""
    for folder in folders:
        with contextlib.suppress(OSError):
            status = os.statvfs(folder)
            return status.f_bavail * status.f_frsize
    return 0


def _taken(folders: Iterable[Path]) -> Iterator[int]:
    """Yields the space that each file in them uses."""
    for folder in folders:
        yield from _below(str(folder), _LEVELS)


def _below(folder: str, levels: int) -> Iterator[int]:
    """Yields the sizes below a folder. If a path becomes too long, opens the folder and continues from there."""
    waiting, far = [folder], list[str]()
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    yield entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        (waiting if len(entry.path) < _LONG else far).append(entry.path)
    if far and not levels:
        yield _ENDLESS
        return
    for path in far:
        with contextlib.suppress(OSError), _opened(path) as descriptor:
            yield from _below(f"/proc/self/fd/{descriptor}", levels - 1)


_LONG: Final = 900
"""Characters of a path, each of up to four bytes; the kernel accepts 4096 bytes."""

_LEVELS: Final = 40
_ENDLESS: Final = 1 << 62
"""The size of folders that are nested too deep to be measured."""


@contextlib.contextmanager
def _opened(folder: str) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _nameless(folders: Iterable[Path], living: Iterable[int]) -> int:
    """Returns the space of deleted files that these processes have open. Files that are only mapped are not found."""
    devices, found = set[int](), dict[tuple[int, int], int]()
    for folder in folders:
        with contextlib.suppress(OSError):
            devices.add(os.stat(folder).st_dev)  # noqa: PTH116 - as everywhere here
    for pid in living:
        with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    status = entry.stat()
                    if status.st_nlink == 0 and status.st_dev in devices:
                        found[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(found.values())


def _text(path: str) -> str:
    """Returns the content; empty if the file does not exist, as on macOS, or the process is gone."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(file, 65536).decode(errors="replace")
    except OSError:
        return ""
    finally:
        os.close(file)
