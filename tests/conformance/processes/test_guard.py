"""After kill -9 of an orchestrator, the guard ends its programs within seconds, and nothing else."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from shiftwork.adapters.processes.guard import guard_client
from tests.conformance.processes.programs import (
    DAEMON,
    PYTHON,
    daemon,
    guards_of,
    killed_at_last,
    lives,
    marker_for,
    pid_in,
)
from tests.patience import Stopwatch, eventually

pytestmark = [pytest.mark.timeout(180), pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]

ORCHESTRATOR = """
import asyncio, sys
from pathlib import Path
from shiftwork.adapters.processes.supervisor.supervise import Spawn, supervise

def spawn(name, script):
    return Spawn(argv=("/bin/sh", "-c", script), cwd=Path(sys.argv[2]), env={"PATH": sys.argv[3]}, wall_seconds=170,
                 silence_seconds=170, marker=f"{sys.argv[1]}/{name}")

def heard(line):
    print(line.decode(), flush=True)

async def main():
    await supervise(spawn("short", "true"), heard)
    first = asyncio.ensure_future(supervise(spawn("first", sys.argv[4]), heard))
    await asyncio.to_thread(sys.stdin.readline)
    second = asyncio.ensure_future(supervise(spawn("second", "echo $$ > second; echo ready; exec sleep 300"), heard))
    await first

asyncio.run(main())
"""
"""An orchestrator with a program that it is given, and with another one as soon as it gets a line."""

WITHIN_SECONDS = 5.0


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[str]:
    yield from marker_for(tmp_path)


@contextlib.contextmanager
def orchestrator(
    marker: str, folder: Path, script: str = "echo $$ > first; echo ready; exec sleep 300"
) -> Iterator[subprocess.Popen[bytes]]:
    argv = [PYTHON, "-c", ORCHESTRATOR, marker, str(folder), os.defpath, script]
    with (
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process,
        killed_at_last(process),
    ):
        assert said(process) == b"ready\n"
        yield process


def said(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout
    return process.stdout.readline()


def continues(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin
    process.stdin.write(b"\n")
    process.stdin.flush()
    assert said(process) == b"ready\n"


def assert_gone(*pids: int) -> None:
    """In time; how long the processes of a busy machine take to be scheduled is no part of it."""
    watch = Stopwatch()
    while left := [pid for pid in pids if lives(pid)]:
        assert watch.within(WITHIN_SECONDS), left
        time.sleep(0.02)


def test_nothing_of_a_killed_orchestrator_lives(marker: str, tmp_path: Path) -> None:
    """Neither the program, nor what it has detached, nor what has cleared its environment, nor the guard."""
    detached = "setsid sleep 300 & echo $! > detached"
    script = f"DAEMON='{DAEMON}'; {detached}; {daemon('daemon')}; echo $$ > first; echo ready; wait"
    with orchestrator(marker, tmp_path, script) as process:
        (guard,) = guards_of(process.pid)
        pids = [pid_in(tmp_path / name) for name in ("first", "detached", "daemon")]
        assert all(map(lives, pids))
        process.kill()
        assert_gone(*pids)
        eventually(lambda: not lives(guard))


def test_what_a_terminal_sends_does_not_end_the_guard(marker: str, tmp_path: Path) -> None:
    with orchestrator(marker, tmp_path) as process:
        (guard,) = guards_of(process.pid)
        assert os.getsid(guard) != os.getsid(process.pid)
        eventually(lambda: psutil.Process(guard).status() == psutil.STATUS_SLEEPING)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            os.kill(guard, number)
        time.sleep(0.3)
        assert lives(guard)
        process.kill()
        assert_gone(pid_in(tmp_path / "first"))


def test_there_is_one_guard_and_another_where_it_was_killed(marker: str, tmp_path: Path) -> None:
    with orchestrator(marker, tmp_path) as process:
        (guard,) = guards_of(process.pid)
        os.kill(guard, signal.SIGKILL)
        eventually(lambda: not lives(guard))
        continues(process)
        (other,) = guards_of(process.pid)
        assert other != guard
        pids = [pid_in(tmp_path / name) for name in ("first", "second")]
        process.kill()
        assert_gone(*pids)


def test_a_guard_that_was_killed_is_replaced_while_the_same_program_works(marker: str, tmp_path: Path) -> None:
    with orchestrator(marker, tmp_path) as process:
        killed = set[int]()
        for _ in range(2):
            (guard,) = set(guards_of(process.pid)) - killed
            os.kill(guard, signal.SIGKILL)
            killed.add(guard)
            eventually(lambda: len(set(guards_of(process.pid)) - killed) == 1)
        (guard,) = set(guards_of(process.pid)) - killed
        eventually(lambda: psutil.Process(guard).status() == psutil.STATUS_SLEEPING)
        process.kill()
        assert_gone(pid_in(tmp_path / "first"))


def test_a_program_of_another_orchestrator_is_left_alone_though_it_bears_the_same_name(
    marker: str, tmp_path: Path
) -> None:
    """As when a run is resumed at once, and repeats an attempt of the dead orchestrator."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with orchestrator(marker, tmp_path / "one") as first, orchestrator(marker, tmp_path / "two") as second:
        (guard,) = guards_of(first.pid)
        first.kill()
        eventually(lambda: not lives(guard))
        assert not lives(pid_in(tmp_path / "one" / "first"))
        assert lives(pid_in(tmp_path / "two" / "first"))
        continues(second)


def test_the_guard_ends_with_an_orchestrator_that_has_nothing_left(marker: str, tmp_path: Path) -> None:
    with orchestrator(marker, tmp_path, "echo ready; sleep 1") as process:
        (guard,) = guards_of(process.pid)
        continues(process)
        assert process.wait(timeout=60) == 0
        eventually(lambda: not lives(guard))


def test_a_guard_loads_no_event_loop_and_nothing_at_all_where_nothing_is_left(marker: str) -> None:
    program = guard_client._PROGRAM
    asked = f"""
import runpy, sys
runpy.run_path({str(program)!r}, run_name="__main__")
print(*sorted(sys.modules))
"""
    left = f"+{marker}\0".encode()
    loaded = subprocess.run(
        (PYTHON, "-I", "-S", "-c", asked), input=left, check=True, capture_output=True
    ).stdout.split()
    assert b"shiftwork.adapters.processes.supervisor.supervised" in loaded
    assert not {b"asyncio", b"psutil", b"dataclasses", b"sqlalchemy", b"pydantic"} & set(loaded)
    quiet = subprocess.run((PYTHON, "-I", "-S", "-c", asked), input=b"", check=True, capture_output=True).stdout.split()
    assert not [name for name in quiet if name.startswith(b"shiftwork")]
