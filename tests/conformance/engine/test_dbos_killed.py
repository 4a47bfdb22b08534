"""DBOS with processes that are killed, frozen, or open a database all at once; the recovering process continues."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.patience import awaited

WORKER = Path(__file__).with_name("engine_worker.py")


class Nursery:
    """Makes worker processes by forking a process that has imported DBOS: the import takes longer than most tests."""

    def __init__(self) -> None:
        self._nurse = subprocess.Popen(
            [sys.executable, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, **order: object) -> int:
        assert self._nurse.stdin is not None
        assert self._nurse.stdout is not None
        self._nurse.stdin.write(json.dumps(order) + "\n")
        return int(self._nurse.stdout.readline())

    def close(self) -> None:
        self._nurse.communicate()


@dataclass(slots=True, kw_only=True)
class Floor:
    """Where worker processes run; the log shows what they did and in which order."""

    url: str
    folder: Path
    nursery: Nursery
    workers: dict[int, Path] = field(default_factory=dict)

    def put(self, executor: str, *order: str, stuck: str = "", preemptible: bool = False) -> int:
        output = self.folder / f"{executor}.output"
        manner = "preemptible" if preemptible else "steady"
        arguments = [self.url, executor, str(self.folder / "log"), stuck, manner, *order]
        worker = self.nursery.ask(output=str(output), arguments=arguments)
        self.workers[worker] = output
        return worker

    def mark(self, name: str) -> None:
        (self.folder / name).touch()

    def log(self, *, of: str = "") -> list[str]:
        log = self.folder / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if of in line]

    def wait_for(self, *lines: str) -> None:
        awaited(self.log, lambda message: set(lines) <= set(message))

    def kill(self, worker: int) -> None:
        os.kill(worker, signal.SIGKILL)
        assert self.nursery.ask(wait=worker) == -signal.SIGKILL
        del self.workers[worker]

    def done(self, worker: int) -> None:
        """The worker ends well, and neither it nor DBOS prints anything."""
        status = self.nursery.ask(wait=worker)
        assert (status, self.workers.pop(worker).read_text()) == (0, "")


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.fixture
def floor(database_url: str, tmp_path: Path, nursery: Nursery) -> Iterator[Floor]:
    floor = Floor(url=database_url, folder=tmp_path, nursery=nursery)
    yield floor
    for worker in tuple(floor.workers):
        floor.kill(worker)


@pytest.fixture
def open_floor(floor: Floor) -> Floor:
    """Workers begin as soon as they are there."""
    floor.mark("begin")
    return floor


class TestKilled:
    def test_another_process_continues_where_one_was_killed(self, open_floor: Floor) -> None:
        first = open_floor.put("A", "start", "j", stuck="two")
        open_floor.wait_for("A j two")
        open_floor.kill(first)
        open_floor.done(open_floor.put("B", "recover", "A", "j"))
        assert open_floor.log(of=" j ") == ["A j one", "A j two", "B j two", "B j three"]

    def test_a_job_begins_again_in_a_fresh_database(self, open_floor: Floor) -> None:
        first = open_floor.put("A", "start", "j", stuck="two")
        open_floor.wait_for("A j two")
        open_floor.kill(first)
        self.forget_everything(open_floor)
        open_floor.done(open_floor.put("B", "start", "j"))
        assert open_floor.log(of="B j ") == ["B j one", "B j two", "B j three"]

    def forget_everything(self, open_floor: Floor) -> None:
        if open_floor.url.startswith("sqlite"):
            for file in open_floor.folder.glob("store.db*"):
                file.unlink()
        else:
            with psycopg.connect(open_floor.url) as connection:
                connection.execute("DROP SCHEMA dbos CASCADE")

    def test_recovered_jobs_run_where_they_were_recovered_anyone_who_else_is_there(self, open_floor: Floor) -> None:
        jobs = ("j1", "j2", "j3")
        idle = open_floor.put("C", "idle")
        first = open_floor.put("A", "start", *jobs, stuck="two")
        open_floor.wait_for("C opened", *(f"A {name} two" for name in jobs))
        open_floor.kill(first)
        open_floor.done(open_floor.put("B", "recover", "A", *jobs))
        assert sorted(open_floor.log(of=" two")) == sorted(
            f"{executor} {name} two" for executor in "AB" for name in jobs
        )
        open_floor.kill(idle)

    def test_a_process_that_opens_takes_nothing_from_one_that_lives(self, open_floor: Floor) -> None:
        first = open_floor.put("A", "start", "j", stuck="two")
        open_floor.wait_for("A j two")
        open_floor.done(open_floor.put("B", "recover", "nobody"))
        open_floor.mark("go")
        open_floor.done(first)
        assert open_floor.log(of=" j ") == ["A j one", "A j two", "A j three"]


class TestFrozen:
    """A process that counted as dead, and returns."""

    def test_it_is_fenced_at_its_next_checkpoint(self, open_floor: Floor) -> None:
        first = self.freeze(open_floor, preemptible=False)
        open_floor.mark("go")
        open_floor.done(open_floor.put("B", "recover", "A", "j"))
        os.kill(first, signal.SIGCONT)
        open_floor.done(first)
        assert open_floor.log(of=" j ") == ["A j one", "A j two", "B j two", "B j three"]

    def test_its_preemptible_act_is_interrupted(self, open_floor: Floor) -> None:
        first = self.freeze(open_floor, preemptible=True)
        open_floor.done(open_floor.put("B", "recover", "A", "j"))
        os.kill(first, signal.SIGCONT)
        open_floor.done(first)
        assert open_floor.log(of="A j") == ["A j one", "A j two", "A j two interrupted"]

    def freeze(self, floor: Floor, *, preemptible: bool) -> int:
        worker = floor.put("A", "start", "j", stuck="two", preemptible=preemptible)
        floor.wait_for("A j two")
        with self.nobody_writes(floor.url):
            os.kill(worker, signal.SIGSTOP)
            while psutil.Process(worker).status() != psutil.STATUS_STOPPED:
                time.sleep(0.01)
        return worker

    @contextlib.contextmanager
    def nobody_writes(self, url: str) -> Iterator[None]:
        """Frozen while it holds the lock of a SQLite file, a process would stop all others for good."""
        if url.startswith("sqlite"):
            with contextlib.closing(
                sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, timeout=60)
            ) as lock:
                lock.execute("BEGIN IMMEDIATE")
                yield
        else:
            yield


def test_another_process_can_cancel(open_floor: Floor) -> None:
    first = open_floor.put("A", "start", "j", stuck="two", preemptible=True)
    open_floor.wait_for("A j two")
    open_floor.done(open_floor.put("B", "cancel", "j"))
    open_floor.done(first)
    assert open_floor.log(of=" j ") == ["A j one", "A j two", "A j two interrupted"]


def test_many_processes_open_a_fresh_database_at_the_same_moment(floor: Floor) -> None:
    workers = [floor.put(f"W{number}", "look") for number in range(8)]
    floor.wait_for(*(f"W{number} ready" for number in range(8)))
    floor.mark("begin")
    for worker in workers:
        floor.done(worker)


def test_a_failing_job_prints_nothing_and_the_process_ends(sqlite_url: str, tmp_path: Path) -> None:
    (tmp_path / "begin").touch()
    arguments = (sqlite_url, "A", tmp_path / "log", "", "steady", "fail")
    ended = subprocess.run([sys.executable, WORKER, *arguments], capture_output=True, check=True)
    assert (ended.stdout, ended.stderr) == (b"", b"")
    assert "A failing one" in (tmp_path / "log").read_text()
