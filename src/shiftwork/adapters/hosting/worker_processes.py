"""Workers as processes of this machine: the command that continues a run, one for each run.

A worker has a session of its own, so that no terminal ends it, and outlives a server that is killed: the next server
watches it. What it prints about its progress is not kept, because the history has all of it; an error is.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.hosting import log_file
from shiftwork.adapters.processes.host.process_identity import is_alive
from shiftwork.domain.core.ids import RunId
from shiftwork.errors import EXIT_DONE, EXIT_INTERRUPTED, EXIT_USAGE
from shiftwork.ports.processes import Ending
from shiftwork.ports.views import Owner
from shiftwork.records import dataclass

_LOOK_SECONDS: Final = 0.05

_FULL: Final = 1 << 20
"""Bytes: with less free space on its disk, a worker can write neither its history nor why it ended."""
_IN_ORDER: Final = frozenset({EXIT_DONE, EXIT_INTERRUPTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Started:
    process: subprocess.Popen[bytes]
    since: float


class WorkerProcesses:
    """See `ports.processes.Workers`. `command` continues the run whose id is added to it, in a folder about which
    `refusal` is empty.
    """

    def __init__(
        self,
        command: Sequence[str],
        logs: Path,
        env: Mapping[str, str],
        refusal: Callable[[RunId, str], str],
        *,
        free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self._free = free
        self._refusal = refusal
        self._command = tuple(command)
        self._logs = logs
        self._env = dict(env)
        self._started: dict[RunId, _Started] = {}
        self._adopted: dict[RunId, tuple[Owner, float]] = {}
        self._failed: list[Ending] = []

    def start(self, run: RunId, folder: str) -> None:
        if said := self._refusal(run, folder):
            self._failed.append(Ending(run=run, code=EXIT_USAGE, seconds=0.0, said=said))
            return
        try:
            with log_file.opened(self._log(run), empty=True) as log:
                process = subprocess.Popen(  # noqa: S603 - our own command
                    (*self._command, run),
                    cwd=folder,
                    env=self._env,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError as error:
            self._failed.append(Ending(run=run, code=None, seconds=0.0, said=f"no worker could be started: {error}"))
            return
        self._started[run] = _Started(process=process, since=time.monotonic())

    def adopt(self, run: RunId, owner: Owner) -> bool:
        if not is_alive(owner):
            return False
        self._adopted[run] = (owner, time.monotonic())
        return True

    def ended(self) -> Sequence[Ending]:
        now, found = time.monotonic(), self._failed
        self._failed = []
        for run, started in list(self._started.items()):
            log_file.cut(self._log(run))
            if (code := started.process.poll()) is not None:
                del self._started[run]
                said = log_file.last_words(self._log(run))
                if not said:
                    self._log(run).unlink(missing_ok=True)
                said = said or ("" if code in _IN_ORDER else self._full())
                found.append(Ending(run=run, code=code, seconds=now - started.since, said=said))
        for run, (owner, since) in list(self._adopted.items()):
            if not is_alive(owner):
                del self._adopted[run]
                found.append(Ending(run=run, code=None, seconds=now - since))
        return found

    async def stop(self) -> None:
        self._signal(signal.SIGTERM)
        while self._pids():  # noqa: ASYNC110 - nothing announces the end of a process that is not our child
            await asyncio.sleep(_LOOK_SECONDS)

    def kill(self) -> None:
        """Ends all workers at once; their guards end what they had started."""
        self._signal(signal.SIGKILL)

    def _full(self) -> str:
        """That the disk is full, if it is: a worker that fails for that reason cannot say so itself."""
        with contextlib.suppress(OSError):
            if self._free(self._logs) < _FULL:
                return f"the disk of {self._logs} is full: free some space"
        return ""

    def _pids(self) -> list[int]:
        own = [started.process.pid for started in self._started.values() if started.process.poll() is None]
        return [*own, *(owner.pid for owner, _ in self._adopted.values() if is_alive(owner))]

    def _signal(self, number: signal.Signals) -> None:
        for pid in self._pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _log(self, run: RunId) -> Path:
        return self._logs / f"{run}.log"
