"""Linux: reads processes from /proc, adopts orphans, and tags every descendant by a resource limit.

The tag distinguishes the orphans of two attempts that have left their session and cleared their environment. It is
stored in the soft limit on file locks, which the kernel has ignored since 2.4.25 but which every fork and exec passes
on. Rejected: a control group per attempt (needs rights that a user rarely has), a helper process per attempt that
adopts its orphans (exact too, but one more interpreter to start, watch and lose), and setting the limit on the child
(under load it has orphans of its own by then).
"""

import contextlib
import ctypes
import os
import resource
import threading
from collections.abc import Iterator

from shiftwork.adapters.processes.host.host import MARKER_VARIABLE, Sighting

_PR_SET_CHILD_SUBREAPER = 36
_RLIMIT_LOCKS = 10
_CHUNK = 65536
_LISTS_CHILDREN = os.access(f"/proc/self/task/{os.getpid()}/children", os.R_OK)  # a kernel may be built without
_tagging = threading.Lock()
_MARKER = MARKER_VARIABLE.encode() + b"="


class LinuxHost:
    """Reads /proc directly: about 4 µs per process, where a portable library takes a hundred."""

    def sights(self) -> Iterator[Sighting]:
        # os.listdir takes half the time of Path.iterdir, and this runs at the end of every program.
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - see above
        return filter(None, map(self.look_at, sorted(pids, reverse=True)))

    def sight(self) -> dict[int, Sighting]:
        return {sighting.pid: sighting for sighting in self.sights()}

    def descendants(self) -> Iterator[Sighting]:
        if not _LISTS_CHILDREN:
            yield from self.sights()
            return
        # Until our own list has no new child: a process whose parent dies meanwhile is at its end, where we had not
        # looked yet. Only we reap our children, so that list misses none; other lists may, and their owner is seen.
        walked = set[int]()
        while fresh := [pid for pid in _children("self") if pid not in walked]:
            for pid in (waiting := fresh[::-1]):  # the newest first
                if pid in walked:
                    continue
                walked.add(pid)
                if sighting := self.look_at(pid):
                    yield sighting
                    waiting.extend(_children(pid))

    def look_at(self, pid: int) -> Sighting | None:
        # The program's name is in parentheses and may contain anything, including closing ones.
        _, _, after = _read(f"/proc/{pid}/stat").rpartition(b") ")
        if not after:
            return None
        state, parent, group, session, *more = after.split(b" ", 20)
        return Sighting(pid, int(parent), int(group), int(session), int(more[15]), state in b"ZX")

    def marker_of(self, pid: int) -> str | None:
        start = _read(f"/proc/{pid}/environ")
        if not start:
            if _is_bare(pid):
                return None
            # It may have been opened for the previous program, which was gone when it was read.
            start = _read(f"/proc/{pid}/environ")
        for entry in start.split(b"\0") if _MARKER in start else ():
            if entry.startswith(_MARKER):
                return entry.removeprefix(_MARKER).decode(errors="replace")
        return ""

    @contextlib.contextmanager
    def tagging(self, number: int) -> Iterator[None]:
        # This process has the limit for a moment, and the child inherits it. If another thread starts a process in that
        # moment, its session distinguishes it from the attempt's: it is ours.
        with _tagging:
            soft, hard = resource.getrlimit(_RLIMIT_LOCKS)
            try:
                _set_limit(number, hard)
                yield
            finally:
                _set_limit(soft, hard)

    def tag_of(self, pid: int) -> int | None:
        try:
            return resource.prlimit(pid, _RLIMIT_LOCKS)[0]
        except OSError:
            return None

    def childless(self) -> bool:
        # Costs a twentieth of a look.
        return _LISTS_CHILDREN and not _children("self")

    def adopt_orphans(self) -> None:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def adopts_orphans(self) -> bool:
        return True

    def pid_space(self) -> str:
        # The number of a namespace may be reused after its last process: then all its earlier processes are dead.
        boot = _read("/proc/sys/kernel/random/boot_id").decode().strip()
        try:
            space = os.stat("/proc/self/ns/pid")  # noqa: PTH116 - `status` does not wait for pathlib
        except OSError:
            return ""
        return f"{_machine()} {boot} {space.st_dev}:{space.st_ino}" if boot else ""


def _machine() -> str:
    """Returns the machine's id; empty if there is none, as in many containers: the boot id is random, too."""
    return (_read("/etc/machine-id") or _read("/var/lib/dbus/machine-id")).decode(errors="replace").strip()


def _set_limit(soft: int, hard: int) -> None:
    # If a hard limit is set, nothing is tagged: the marker and the descent must suffice.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(_RLIMIT_LOCKS, (soft, hard))


def _children(pid: int | str) -> list[int]:
    """Returns the kernel's own list of a process's children, the oldest first; it may miss some while others are
    reaped.
    """
    try:
        tasks = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - as above
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return []
    return [int(child) for task in tasks for child in _read(f"/proc/{pid}/task/{task}/children").split()]


def _is_bare(pid: int) -> bool:
    """Whether it has memory but no arguments yet. Dead processes and kernel threads have neither."""
    _, _, after = _read(f"/proc/{pid}/stat").rpartition(b") ")
    return bool(after) and after.split(b" ", 21)[20] != b"0" and not _read(f"/proc/{pid}/cmdline")


def _read(path: str) -> bytes:
    """Returns the whole file; empty if the process is gone or we may not read it. Raises any other error."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""
    content = b""
    try:
        while len(content) % _CHUNK == 0 and (chunk := os.read(file, _CHUNK)):
            content += chunk
    except (ProcessLookupError, PermissionError):
        return b""
    finally:
        os.close(file)
    return content
