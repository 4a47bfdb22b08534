"""Systems without /proc (macOS): finds processes by marker and descent, with psutil.

Nothing is tagged and no orphan is adopted here, so a daemon that leaves its session and clears its environment between
two looks is not found: a known limitation of this fallback.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import psutil

from shiftwork.adapters.processes.host.host import MARKER_VARIABLE, Sighting

_SESSION_BYTES = 64


class PortableHost:
    """Slower than reading /proc, but the same on every system."""

    def sights(self) -> Iterator[Sighting]:
        return filter(None, map(self.look_at, sorted(psutil.pids(), reverse=True)))

    def sight(self) -> dict[int, Sighting]:
        return {sighting.pid: sighting for sighting in self.sights()}

    def descendants(self) -> Iterator[Sighting]:
        return self.sights()

    def look_at(self, pid: int) -> Sighting | None:
        try:
            process = psutil.Process(pid)
            with process.oneshot():
                zombie = process.status() in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}
                return Sighting(pid, process.ppid(), os.getpgid(pid), os.getsid(pid), process.create_time(), zombie)
        except (psutil.Error, OSError):
            return None

    def marker_of(self, pid: int) -> str | None:
        try:
            process = psutil.Process(pid)
            env = process.environ()
            if not env and process.memory_info().vms and not process.cmdline():
                return None
            return (env or process.environ()).get(MARKER_VARIABLE, "")  # see `LinuxHost`
        except (psutil.Error, OSError):
            return ""

    def tagging(self, number: int) -> AbstractContextManager[None]:  # noqa: ARG002 - the port's signature
        return nullcontext()

    def tag_of(self, pid: int) -> int | None:  # noqa: ARG002 - the port's signature
        return None

    def childless(self) -> bool:
        """Returns False: orphans are not adopted here, so having no child proves nothing."""
        return False

    def adopt_orphans(self) -> None:
        """Does nothing: orphans go to the first process of the system."""

    def adopts_orphans(self) -> bool:
        return False

    def pid_space(self) -> str:
        # macOS has no pid namespaces, and gives each boot a random id. On other systems leases decide.
        return _boot_session()


def _boot_session() -> str:
    named = ctypes.create_string_buffer(_SESSION_BYTES)
    size = ctypes.c_size_t(_SESSION_BYTES)
    try:
        failed = ctypes.CDLL(None).sysctlbyname(b"kern.bootsessionuuid", named, ctypes.byref(size), None, 0)
    except (AttributeError, OSError):
        return ""
    return "" if failed else named.value.decode(errors="replace")
