"""A frozen process that finds when it continues that another process has taken its run over: it does nothing more."""

import contextlib
import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psutil
import pytest

from shiftwork.app.runtime.leases import FRESH_SECONDS
from tests.durability.rig import Bench, assert_landed_once, make_bench
from tests.patience import SECONDS, eventually
from tests.warm import Started

pytestmark = pytest.mark.durability

REQUEST = "../prd.json"
_TRANSACTION_SECONDS = 0.005

HELD = """\
if [ -e {hold} ] && [ ! -e {begun} ]; then
  touch {begun}
  until [ -e {go} ]; do sleep 0.1; done
fi
"""
"""The first attempt of the process that takes the run over lasts until the file `go` exists."""


@contextmanager
def frozen(bench: Bench, place: str) -> Iterator[Started]:
    """A process that is stopped at that place, or as soon after it as no thread of it is within a transaction: nobody
    else could write then, as with a process that is stopped forever.
    """
    process = bench.start("run", REQUEST, failpoint=f"stop:{place}")
    try:
        stopped = partial(_is_stopped, process.pid)
        eventually(stopped)
        while _is_locked(bench):
            os.kill(process.pid, signal.SIGCONT)
            time.sleep(_TRANSACTION_SECONDS)
            os.kill(process.pid, signal.SIGSTOP)
            eventually(stopped)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


def _is_stopped(pid: int) -> bool:
    return psutil.Process(pid).status() == psutil.STATUS_STOPPED


def _is_locked(bench: Bench) -> bool:
    with contextlib.closing(sqlite3.connect(bench.state / "state.db", timeout=0, isolation_level=None)) as store:
        try:
            store.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
    return False


def taken_for_dead(bench: Bench) -> None:
    """The present holders of leases count as dead, as a holder on another host does after a while."""
    with _database(bench) as store:
        store.execute("UPDATE leases SET pid_started = pid_started - 1000")
        store.commit()


def thawed(process: Started, since: float = float("-inf")) -> int:
    """How it ends. A process that takes a run over by its lease's age waits this long, so the test does too."""
    time.sleep(max(since + FRESH_SECONDS - time.monotonic(), 0.0))
    os.kill(process.pid, signal.SIGCONT)
    return process.wait()


def history(bench: Bench) -> list[tuple[object, ...]]:
    with _database(bench) as store:
        return store.execute("SELECT stream, version, key, kind, body FROM facts ORDER BY position").fetchall()


def _database(bench: Bench) -> contextlib.closing[sqlite3.Connection]:
    return contextlib.closing(sqlite3.connect(bench.state / "state.db", timeout=SECONDS))


def test_who_stands_still_on_the_same_host_has_its_run_still(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    with frozen(bench, "attempt.ended@5") as process:
        refused = bench.shiftwork("resume")
        assert (refused.returncode, "is being worked on by process" in refused.stderr) == (1, True)
        assert thawed(process) == 0
    assert_landed_once(bench, again=0)


@pytest.mark.parametrize(
    "place",
    [
        "append.after@14",
        "attempt.started@5",
        "attempt.committed@5",
        "landing.posted",
        "landing.verified",
        "landing.moved",
        "spec.updated",
        "story.reported",
    ],
)
def test_who_wakes_up_when_another_has_done_all_changes_nothing(place: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    with frozen(bench, place) as process:
        since = time.monotonic()
        taken_for_dead(bench)
        resumed = bench.shiftwork("resume")
        assert resumed.returncode == 0, resumed.stdout + resumed.stderr
        before = history(bench)
        assert thawed(process, since) in {0, 1}, "it finds the run done, or that another has it"
    assert history(bench) == before
    assert_landed_once(bench, again=1)


@pytest.mark.parametrize(
    "place", ["append.before@14", "append.after@14", "attempt.started@5", "attempt.ended@5", "attempt.committed@5"]
)
def test_who_wakes_up_beside_another_that_works_leaves_it_alone(place: str, tmp_path: Path) -> None:
    hold, begun, proceed = (tmp_path / name for name in ("hold", "begun", "go"))
    bench = make_bench(tmp_path, "", special=HELD.format(hold=hold, begun=begun, go=proceed))
    with frozen(bench, place) as process:
        since = time.monotonic()
        taken_for_dead(bench)
        hold.touch()
        other = bench.start("resume")
        eventually(begun.exists)
        before = history(bench)
        assert thawed(process, since) == 1
        assert history(bench) == before
        proceed.touch()
        assert other.wait() == 0
    assert_landed_once(bench, again=1)
