"""Workers as processes: started apart from any terminal, watched, adopted, and ended in order."""

import asyncio
import os
import sys
import textwrap
from pathlib import Path

import pytest

from shiftwork.adapters.hosting import log_file
from shiftwork.adapters.hosting.worker_processes import WorkerProcesses
from shiftwork.adapters.processes.host.process_identity import this_owner
from shiftwork.adapters.processes.host.this_host import this_host
from shiftwork.domain.core.ids import RunId
from shiftwork.errors import EXIT_USAGE
from shiftwork.ports.processes import Ending
from shiftwork.ports.views import Owner
from tests.e2e.cli_rig import lives
from tests.patience import awaited, eventually

RUN = RunId("r1")

WORKER = textwrap.dedent("""
    import os, signal, sys, time
    sys.stderr.write("an error\\n")
    print("progress is not kept")
    if sys.argv[1] == "quick":
        sys.exit(int(sys.argv[2].removeprefix("r")))
    def ended(*_):
        open("ended", "w").close()
        sys.exit(130)
    signal.signal(signal.SIGTERM, ended)
    with open("pid.new", "w") as file:
        file.write(f"{os.getpid()} {os.getsid(0)}")
    os.rename("pid.new", "pid")
    time.sleep(600)
""")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path


def workers(folder: Path, kind: str = "slow") -> WorkerProcesses:
    def refusal(run: RunId, place: str) -> str:
        return f"{run} has no checkout" if place.endswith("gone") else ""

    return WorkerProcesses((sys.executable, "-c", WORKER, kind), folder / "logs", {}, refusal)


def only(processes: WorkerProcesses) -> Ending:
    (ending,) = awaited(processes.ended)
    return ending


def pids(folder: Path) -> list[int]:
    """The worker's own, and that of its session."""
    eventually((folder / "pid").exists)
    return [int(pid) for pid in (folder / "pid").read_text(encoding="utf-8").split()]


def test_the_end_of_a_worker_is_reported_once_with_its_code_and_its_error(folder: Path) -> None:
    processes = workers(folder, "quick")
    processes.start(RunId("r3"), str(folder))
    ending = only(processes)
    assert (ending.run, ending.code, ending.said) == ("r3", 3, "an error")
    assert processes.ended() == []


@pytest.mark.parametrize(("code", "free", "full"), [(1, 0, True), (1, 1 << 30, False), (0, 0, False), (130, 0, False)])
def test_a_worker_that_could_not_say_that_the_disk_is_full_is_explained(
    folder: Path, code: int, free: int, *, full: bool
) -> None:
    silent = (sys.executable, "-c", f"raise SystemExit({code})")
    processes = WorkerProcesses(silent, folder / "logs", {}, lambda *_: "", free=lambda _: free)
    processes.start(RUN, str(folder))
    ending = only(processes)
    assert ending.code == code
    assert ending.said == (f"the disk of {folder / 'logs'} is full: free some space" if full else "")


def test_what_a_worker_says_itself_counts_on_a_full_disk_too(folder: Path) -> None:
    command = (sys.executable, "-c", WORKER, "quick")
    processes = WorkerProcesses(command, folder / "logs", {}, lambda *_: "", free=lambda _: 0)
    processes.start(RUN, str(folder))
    assert only(processes).said == "an error"


def test_a_checkout_that_is_gone_is_no_failure_to_try_again(folder: Path) -> None:
    processes = workers(folder)
    processes.start(RUN, str(folder / "gone"))
    (ending,) = processes.ended()
    assert ending.code == EXIT_USAGE
    assert ending.said == "r1 has no checkout"
    processes.start(RUN, str(folder / "missing"))
    assert "no worker could be started" in only(processes).said


def test_a_worker_has_its_own_session_and_is_ended_in_order(folder: Path) -> None:
    processes = workers(folder)
    processes.start(RUN, str(folder))
    pid, session = pids(folder)
    assert session == pid != os.getsid(0)
    asyncio.run(processes.stop())
    assert (folder / "ended").exists()
    assert not lives(pid)


def test_a_worker_of_an_earlier_server_is_watched_and_ended_like_an_own_one(folder: Path) -> None:
    earlier, later = workers(folder), workers(folder)
    earlier.start(RUN, str(folder))
    pid, _ = pids(folder)
    seen = this_host().look_at(pid)
    assert seen is not None
    here = this_owner("x")
    owner = Owner(executor="y", host=here.host, pid=pid, pid_started=seen.started)
    assert later.adopt(RUN, owner)
    assert later.ended() == []
    asyncio.run(later.stop())
    ending = only(later)
    assert (ending.run, ending.code) == (RUN, None)
    assert not later.adopt(RUN, owner), "it has ended"
    elsewhere = Owner(executor="z", host="elsewhere:1", pid=pid, pid_started=1.0)
    assert not later.adopt(RUN, elsewhere)
    assert only(earlier).code == 130


def test_workers_that_do_not_end_can_be_killed(folder: Path) -> None:
    processes = workers(folder)
    processes.start(RUN, str(folder))
    pids(folder)
    processes.kill()
    assert only(processes).code == -9


def test_a_log_stays_within_its_limit_while_it_is_written(folder: Path) -> None:
    path = folder / "logs/server.log"
    with log_file.opened(path) as log:
        log.write(b"x" * log_file.LARGEST + b"the end\n")
        log.flush()
        log_file.cut(path)
        assert path.stat().st_size == 0
        log.write(b"later\n")
        log.flush()
        log_file.cut(path)
    assert path.read_bytes() == b"later\n"
    kept = path.with_suffix(".old.log").read_bytes()
    assert kept.endswith(b"the end\n")
    assert len(kept) <= log_file.LARGEST
    assert log_file.last_words(path) == "later"
    assert log_file.last_words(folder / "none.log") == ""
