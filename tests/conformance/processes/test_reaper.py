"""The reaper after a crash, and the two ways of looking at the processes of a machine."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.adapters.processes.ending.end import end_all
from shiftwork.adapters.processes.ending.reaper import HostReaper
from shiftwork.adapters.processes.host.host import MARKER_VARIABLE, Host
from shiftwork.adapters.processes.host.linux import LinuxHost
from shiftwork.adapters.processes.host.psutil_host import PortableHost
from shiftwork.adapters.processes.supervisor.descendants import Descendants
from shiftwork.ports.processes import Reaper
from tests.conformance.processes.programs import (
    DAEMON,
    ENV,
    PYTHON,
    daemon,
    guards_of,
    killed_at_last,
    lives,
    marker_for,
    pid_in,
    within,
)
from tests.patience import eventually

pytestmark = pytest.mark.timeout(180)

SUPERVISOR = """
import asyncio, sys
from pathlib import Path
from shiftwork.adapters.processes.supervisor.supervise import Spawn, supervise
spawn = Spawn(argv=("/bin/sh", "-c", sys.argv[2]), cwd=Path("/"), env={"PATH": sys.argv[3]}, marker=sys.argv[1],
              wall_seconds=170, silence_seconds=170)
asyncio.run(supervise(spawn, lambda line: print(line.decode(), flush=True)))
"""
"""An orchestrator of its own, to be killed."""


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[str]:
    yield from marker_for(tmp_path)


def orphans_of_a_killed_orchestrator(marker: str, script: str, tmp_path: Path) -> None:
    argv = [PYTHON, "-c", SUPERVISOR, marker, f"cd {tmp_path}; {script}; echo ready; exec sleep 300", os.defpath]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as orchestrator, killed_at_last(orchestrator):
        assert orchestrator.stdout
        assert orchestrator.stdout.readline() == b"ready\n"
        for guard in guards_of(orchestrator.pid):  # killed with it, as by a user who kills every process called python
            os.kill(guard, signal.SIGKILL)


def test_the_orphans_of_a_killed_orchestrator_are_found_by_their_marker(tmp_path: Path, marker: str) -> None:
    reaper: Reaper = HostReaper()
    orphans_of_a_killed_orchestrator(f"{marker}/story/1", "setsid sleep 300 & echo $! > pid", tmp_path)
    assert lives(pid_in(tmp_path / "pid"))
    assert within(60, reaper.alive(marker)) == 2
    assert within(60, reaper.end(f"{marker}/other")) == 0
    assert within(60, reaper.end(f"{marker}/story")) == 2
    assert not lives(pid_in(tmp_path / "pid"))
    assert within(60, reaper.alive(marker)) == 0
    assert within(60, reaper.end(marker)) == 0


def test_the_reaper_finds_who_cleared_its_environment_by_its_kin(tmp_path: Path, marker: str) -> None:
    script = f"DAEMON='{DAEMON}'; {daemon('pid')}"
    orphans_of_a_killed_orchestrator(f"{marker}/story/1", script, tmp_path)
    assert lives(pid_in(tmp_path / "pid"))
    assert within(60, HostReaper().end(marker)) >= 2
    assert not lives(pid_in(tmp_path / "pid"))


def test_the_reaper_spares_itself_and_its_ancestors(tmp_path: Path, marker: str) -> None:
    script = """
import asyncio, subprocess, sys
from shiftwork.adapters.processes.ending.reaper import HostReaper
child = subprocess.Popen(["sleep", "300"])
print(asyncio.run(HostReaper().end(sys.argv[1])), child.wait())
"""
    argv = ["/bin/sh", "-c", '"$0" -c "$1" "$2"; echo survived', PYTHON, script, marker]
    completed = subprocess.run(argv, env={**ENV, MARKER_VARIABLE: f"{marker}/outer"}, capture_output=True, check=True)
    assert completed.stdout.split() == [b"1", b"-9", b"survived"]


@pytest.mark.parametrize("host", [LinuxHost(), PortableHost()])
def test_each_way_of_looking_sees_the_same(host: Host, marker: str) -> None:
    with subprocess.Popen(["sleep", "300"], env={MARKER_VARIABLE: marker}) as child, killed_at_last(child):
        seen = host.sight()[child.pid]
        assert (seen.pid, seen.parent, seen.zombie) == (child.pid, os.getpid(), False)
        while host.marker_of(child.pid) is None:  # the kernel closes the pipe of Popen before it lays out the rest
            time.sleep(0.01)
        assert host.marker_of(child.pid) == marker
        assert host.sight()[os.getpid()].started <= seen.started
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert host.sight()[child.pid].zombie
        assert host.marker_of(child.pid) == ""
    assert child.pid not in host.sight()
    assert host.marker_of(child.pid) == ""


@pytest.mark.parametrize("host", [LinuxHost(), PortableHost()])
def test_by_marker_and_descent_alone_no_one_stays_either(host: Host, marker: str, tmp_path: Path) -> None:
    script = "(setsid sleep 300 & echo $! > detached); sh -c 'sleep 300 & wait' & echo $! > below; wait"
    env = {**ENV, MARKER_VARIABLE: marker}
    argv = ["/bin/sh", "-c", script]
    host.adopt_orphans()  # as every program is started
    with subprocess.Popen(argv, cwd=tmp_path, env=env, start_new_session=True) as main, killed_at_last(main):
        pids = {main.pid, pid_in(tmp_path / "detached"), pid_in(tmp_path / "below")}
        assert all(map(lives, pids))
        within(60, end_all(Descendants(host, main.pid, marker)))
        assert not any(map(lives, pids))


LEAVING = """
import asyncio, os, sys
from pathlib import Path
from shiftwork.adapters.processes.ending.reaper import end_supervised
from shiftwork.adapters.processes.supervisor.supervise import Spawn, supervise
spawn = Spawn(argv=("/bin/sh", "-c", sys.argv[2]), cwd=Path("/"), env={"PATH": sys.argv[3]}, marker=sys.argv[1],
              wall_seconds=60, silence_seconds=60)
def leave(line):
    end_supervised()
    os._exit(3)
asyncio.run(supervise(spawn, leave))
"""
"""An orchestrator that exits without cleanup as soon as its program has printed something."""


def test_who_leaves_at_once_leaves_no_one_behind(tmp_path: Path, marker: str) -> None:
    script = f"cd {tmp_path}; trap '' TERM; setsid sleep 300 & echo $! > pid; env -i sleep 300 & echo ready; sleep 300"
    left = subprocess.run([PYTHON, "-c", LEAVING, marker, script, os.defpath], timeout=120, check=False)
    assert left.returncode == 3
    # A process that exits at once has no time to see them die.
    eventually(lambda: not lives(pid_in(tmp_path / "pid")), seconds=60)
    eventually(lambda: within(60, HostReaper().alive(marker)) == 0, seconds=60)
