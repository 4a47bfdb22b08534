"""DBOS with several real processes: shared queues with limits, delays, and processes that are killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

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

    def put(self, executor: str, *order: str, manner: str = "quick", queue: str = "") -> int:
        output = self.folder / f"{executor}.output"
        arguments = [self.url, executor, str(self.folder / "log"), manner, queue, *order]
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
def floor(postgres_url: str, tmp_path: Path, nursery: Nursery) -> Iterator[Floor]:
    floor = Floor(url=postgres_url, folder=tmp_path, nursery=nursery)
    yield floor
    for worker in tuple(floor.workers):
        floor.kill(worker)


@pytest.fixture
def open_floor(floor: Floor) -> Floor:
    """Workers begin as soon as they are there."""
    floor.mark("begin")
    return floor


def runs(floor: Floor, name: str) -> list[str]:
    """What happened to a job, in order."""
    return floor.log(of=f" {name} ")


class TestShared:
    """Processes that name the same queue share its jobs."""

    def test_jobs_are_dispatched_to_all_processes_within_their_limits(self, open_floor: Floor) -> None:
        names = [f"j{number}" for number in range(10)]
        idle = open_floor.put("B", "idle", manner="slow", queue="shared:2")
        open_floor.wait_for("B opened")
        open_floor.done(open_floor.put("A", "start", *names, manner="slow", queue="shared:2"))
        open_floor.kill(idle)
        for name in names:
            [began, ended] = runs(open_floor, name)
            assert began.split()[0] == ended.split()[0]
        for executor in "AB":
            log = [line.split()[-1] for line in open_floor.log(of=f"{executor} j")]
            assert log, f"{executor} had no job"
            running = [log[:place].count("begins") - log[:place].count("ends") for place in range(len(log) + 1)]
            assert max(running) <= 2

    def test_a_job_that_is_started_elsewhere_while_it_runs_runs_once_more_and_not_twice_at_a_time(
        self, open_floor: Floor
    ) -> None:
        first = open_floor.put("A", "start", "j", manner="stuck", queue="shared")
        open_floor.wait_for("A j begins")
        second = open_floor.put("B", "start", "j", queue="shared")
        open_floor.wait_for("B opened")
        time.sleep(0.5)
        assert runs(open_floor, "j") == ["A j begins"]
        open_floor.mark("go")
        open_floor.done(first)
        open_floor.done(second)
        said = [line.split()[-1] for line in runs(open_floor, "j")]
        assert said == ["begins", "ends", "begins", "ends"]

    def test_a_killed_process_leaves_its_job_to_another(self, open_floor: Floor) -> None:
        first = open_floor.put("A", "start", "j", manner="stuck", queue="shared")
        open_floor.wait_for("A j begins")
        open_floor.kill(first)
        open_floor.done(open_floor.put("B", "recover", "A", "j", queue="shared"))
        assert runs(open_floor, "j") == ["A j begins", "B j begins", "B j ends"]

    def test_a_process_that_closes_hands_its_job_to_another(self, open_floor: Floor) -> None:
        open_floor.done(open_floor.put("A", "leave", "j", manner="stuck", queue="shared"))
        assert runs(open_floor, "j") == ["A j begins", "A j interrupted"]
        idle = open_floor.put("B", "idle", queue="shared")
        open_floor.wait_for("B j ends")
        open_floor.kill(idle)
        assert runs(open_floor, "j")[2:] == ["B j begins", "B j ends"]

    def test_a_delayed_job_of_a_killed_process_starts_elsewhere_when_it_is_due(self, open_floor: Floor) -> None:
        first = open_floor.put("A", "later", "2", "j", queue="shared")
        open_floor.wait_for("A opened")
        awaited(lambda: stored(open_floor.url, "DELAYED"), lambda found: found == 1)
        begun = time.monotonic()
        open_floor.kill(first)
        idle = open_floor.put("B", "idle", queue="shared")
        open_floor.wait_for("B j ends")
        assert time.monotonic() - begun > 1.0
        open_floor.kill(idle)
        assert runs(open_floor, "j") == ["B j begins", "B j ends"]


def stored(url: str, status: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM dbos.workflow_status WHERE status = %s", (status,)).fetchone()
        assert row is not None
        return int(row[0])


class TestAlone:
    """Processes without a queue run what they start themselves."""

    def test_another_process_continues_what_a_killed_one_has_started(self, open_floor: Floor) -> None:
        idle = open_floor.put("C", "idle")
        first = open_floor.put("A", "start", "j", manner="stuck")
        open_floor.wait_for("C opened", "A j begins")
        open_floor.kill(first)
        open_floor.done(open_floor.put("B", "recover", "A", "j"))
        open_floor.kill(idle)
        assert runs(open_floor, "j") == ["A j begins", "B j begins", "B j ends"]

    def test_a_job_starts_in_a_fresh_database(self, open_floor: Floor) -> None:
        first = open_floor.put("A", "start", "j", manner="stuck")
        open_floor.wait_for("A j begins")
        open_floor.kill(first)
        with psycopg.connect(open_floor.url) as connection:
            connection.execute("DROP SCHEMA dbos CASCADE")
        open_floor.done(open_floor.put("B", "start", "j"))
        assert runs(open_floor, "j") == ["A j begins", "B j begins", "B j ends"]

    def test_a_process_that_opens_takes_nothing_from_one_that_lives(self, open_floor: Floor) -> None:
        first = open_floor.put("A", "start", "j", manner="stuck")
        open_floor.wait_for("A j begins")
        open_floor.done(open_floor.put("B", "recover", "nobody"))
        open_floor.mark("go")
        open_floor.done(first)
        assert runs(open_floor, "j") == ["A j begins", "A j ends"]

    def test_many_processes_open_a_fresh_database_at_the_same_moment(self, floor: Floor) -> None:
        workers = [floor.put(f"W{number}", "look") for number in range(8)]
        floor.wait_for(*(f"W{number} ready" for number in range(8)))
        floor.mark("begin")
        for worker in workers:
            floor.done(worker)

    def test_a_failing_job_prints_nothing_and_the_process_ends(self, postgres_url: str, tmp_path: Path) -> None:
        (tmp_path / "begin").touch()
        arguments = (postgres_url, "A", tmp_path / "log", "quick", "", "fail")
        ended = subprocess.run([sys.executable, WORKER, *arguments], capture_output=True, check=True)
        assert (ended.stdout, ended.stderr) == (b"", b"")
        assert "A failing begins" in (tmp_path / "log").read_text()
