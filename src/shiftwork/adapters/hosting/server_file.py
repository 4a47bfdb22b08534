"""The file that says whether a server works on a repository, and which process that is.

The server holds the lock of the file for as long as it lives, and the kernel releases it however the process ends. The
text is only believed while the lock is held and the process that it names lives: a server that was killed leaves its
text behind, and the next one has the lock some time before it has written its own.
Rejected: a file with a pid and no lock. Of two servers that start at once, both find no other.
"""

import contextlib
import errno
import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from shiftwork.adapters.processes.host.process_identity import is_alive
from shiftwork.file_locks import locked_within
from shiftwork.ports.views import Owner
from shiftwork.records import dataclass

_STARTING_SECONDS: Final = 2.0
"""How long a starting server waits for the lock: a command that looks holds it for a moment."""

_WRITING_SECONDS: Final = 5.0
"""How long to wait for the text of a server that has the lock and has not written yet."""

_LOOK_SECONDS: Final = 0.02
_LARGEST: Final = 1 << 24
_LONGEST: Final = 400
"""Characters of a reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedRun:
    """A run of the server, what it does about it, and why it does not continue it."""

    run: str
    phase: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRecord:
    """A living server: its process, the database that it reads as a digest, its address if it serves HTTP, and its
    unfinished runs. One that is `stopping` reads no more requests.
    """

    owner: Owner
    store: str
    address: str = ""
    runs: tuple[ServedRun, ...] = ()
    stopping: bool = False


class ServerFile:
    """The file of the server that this process is."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def write(self, record: ServerRecord) -> None:
        """In place, because the lock belongs to this very file. The old text is cut off afterwards: on a full disk,
        another program may take the space that it frees. Raises OSError, and may leave a text that cannot be read.
        """
        owner = record.owner
        values = {
            **{name: getattr(owner, name) for name in ("executor", "host", "pid", "pid_started")},
            "store": record.store,
            "address": record.address,
            "stopping": record.stopping,
            "runs": [[served.run, served.phase, served.reason[:_LONGEST]] for served in record.runs],
        }
        text = json.dumps(values).encode()
        if os.pwrite(self._descriptor, text, 0) < len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
        os.ftruncate(self._descriptor, len(text))

    def remains(self) -> bool:
        """Whether the file is still in its place: a repository that was removed needs no server."""
        try:
            found, own = self._path.stat(), os.fstat(self._descriptor)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == (own.st_dev, own.st_ino)


@contextlib.contextmanager
def held(path: Path) -> Iterator[ServerFile | None]:
    """The file, locked by this process until the context ends; None if another server has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        if not locked_within(_STARTING_SECONDS, descriptor):
            yield None
            return
        os.ftruncate(descriptor, 0)
        try:
            yield ServerFile(path, descriptor)
        finally:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def living(path: Path) -> ServerRecord | None:
    """The server that has the file; None if there is none."""
    until = time.monotonic() + _WRITING_SECONDS
    while True:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            if _is_free(descriptor):
                return None
            record = _read(os.pread(descriptor, _LARGEST, 0))
        finally:
            os.close(descriptor)
        if record is not None and is_alive(record.owner) is not False:
            return record
        if time.monotonic() > until:
            return None
        time.sleep(_LOOK_SECONDS)


def _is_free(descriptor: int) -> bool:
    """Shared, so that two commands that look do not see each other."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(text: bytes) -> ServerRecord | None:
    """None for a text that is not complete yet."""
    try:
        values: Mapping[str, Any] = json.loads(text)
        owner = Owner(
            executor=str(values["executor"]),
            host=str(values["host"]),
            pid=int(values["pid"]),
            pid_started=float(values["pid_started"]),
        )
        runs = tuple(ServedRun(run=run, phase=phase, reason=reason) for run, phase, reason in values["runs"])
        return ServerRecord(
            owner=owner,
            store=str(values["store"]),
            address=str(values["address"]),
            runs=runs,
            stopping=bool(values["stopping"]),
        )
    except (ValueError, KeyError, TypeError):
        return None
