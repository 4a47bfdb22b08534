"""The processes of a run: started as a user would, found from outside, and killed without warning."""

import contextlib
import os
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import psutil

from shiftwork.adapters.workspace.git.git import MARK
from tests import warm
from tests.durability.rig import Bench


@dataclass(frozen=True, slots=True, kw_only=True)
class Prey:
    """An agent at work: the leader of a process group of its own."""

    pid: int
    story: str
    step: str


class Orchestrator:
    """One process of the command, with its output in a file."""

    def __init__(self, bench: Bench, args: tuple[str, ...], failpoint: str) -> None:
        self.output = bench.root / "output"
        with self.output.open("wb") as output:
            ends = {"out": output.fileno(), "err": output.fileno()}
            self._process = warm.start(args, cwd=bench.repo, env=bench.environment(failpoint), **ends)

    @property
    def code(self) -> int | None:
        """Its exit code; None while it lives."""
        return self._process.poll()

    def kill(self) -> None:
        self._process.kill()

    @contextlib.contextmanager
    def suspended(self, bench: Bench) -> Iterator[None]:
        """Together with all that its agents have started, which is stopped first and continues last."""
        stopped = [process for process in family(bench) if _is_of_agent(process)]
        with contextlib.suppress(psutil.Error):
            stopped.append(psutil.Process(self._process.pid))
        _signal_all(stopped, signal.SIGSTOP)
        try:
            yield
        finally:
            _signal_all(reversed(stopped), signal.SIGCONT)

    def kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def kill_with_all(self, bench: Bench) -> None:
        """As when a container is ended: no process survives to see a git, a gate or an agent die first."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGSTOP)
        kill_everything(bench)
        self._process.wait()


def kill_agent(prey: Prey, *, group: bool) -> None:
    with contextlib.suppress(ProcessLookupError):
        (os.killpg if group else os.kill)(prey.pid, signal.SIGKILL)


def kill_everything(bench: Bench) -> None:
    """Whatever of the project lives, git, gates and agents among it."""
    found = True
    while found:
        found = False
        for process in family(bench):
            found = True
            with contextlib.suppress(psutil.Error):
                process.kill()
        time.sleep(0.02)  # a dead process is reaped by its parent


def kill_git(bench: Bench, seconds: float) -> bool:
    """One git of the orchestrator, caught at its work; False where none was."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for process in family(bench):
            with contextlib.suppress(psutil.Error):
                if MARK in process.environ():
                    process.kill()
                    return True
    return False


def agents(bench: Bench) -> list[Prey]:
    program = str(bench.root / "agent.sh")
    found = []
    for process in family(bench):
        with contextlib.suppress(psutil.Error):
            env, words = process.environ(), process.cmdline()
            if any(program in word for word in words) and "SHIFTWORK_STEP" in env and not _is_part(process, words):
                found.append(Prey(pid=process.pid, story=env["SHIFTWORK_STORY"], step=env["SHIFTWORK_STEP"]))
    return found


def _is_part(process: psutil.Process, words: list[str]) -> bool:
    """Whether it is a script's fork before its exec: killed alone, the script would continue without that command, and
    report success.
    """
    parent = process.parent()
    return parent is not None and parent.cmdline() == words


def _is_of_agent(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return "SHIFTWORK_STEP" in process.environ()
    return False


def _signal_all(processes: Iterable[psutil.Process], number: int) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.send_signal(number)


def family(bench: Bench) -> Iterator[psutil.Process]:
    """All living processes that were started for this project: their home or working directory is in its folder.

    The newest first: a git process is gone a few milliseconds later.
    """
    for pid in sorted(psutil.pids(), reverse=True):
        with contextlib.suppress(psutil.Error, OSError):  # gone, or in a folder whose path is too long to be read
            process = psutil.Process(pid)
            places = (process.environ().get("HOME", ""), process.cwd())
            if any(place.startswith(str(bench.root)) for place in places) and process.status() != psutil.STATUS_ZOMBIE:
                yield process
