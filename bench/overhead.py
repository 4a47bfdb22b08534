"""What shiftwork adds to a step: 100 instant agent steps compared with bare DBOS steps that do the same external work.

A bare step starts the same command and commits what it wrote (`git add -A`, `git commit`), inside a checkpointed DBOS
step on the same tuned SQLite. A step with shiftwork is everything between two of them: prompt, attempt folder, a fresh
repository for the agent, supervision, contract, commit, history and views. The two alternate, in
rounds, because timings on a shared machine drift; the ratio is that of the medians over all steps. Processor time is
that of this process and its children, by step over a whole round.
"""

import asyncio
import itertools
import sqlite3
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer
from sqlalchemy import Connection, Engine, create_engine, event

from bench.processor import processor
from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.engine._database import silence
from shiftwork.adapters.store.written_ahead import BUSY_SECONDS, write_ahead
from shiftwork.app.commands.runs import Order, start_run, wait_for
from shiftwork.app.runtime.context import Sighting
from shiftwork.bootstrap.work.ports import open_context
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import STORE_URL, environment, find_site
from shiftwork.domain.core.ids import landing_stream
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.story.facts.steps import StepCompleted
from shiftwork.domain.story.facts.workspace import WorkspacePrepared
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow, catalogue_step
from tests.own_folders import use_own_folders

ROUNDS = 5
STEPS = 25
COMMAND = "cat >/dev/null; echo work >> work.txt; echo SUMMARY:; echo done"
WORKFLOW = Workflow(
    id="bench",
    version=1,
    steps=(
        StepPlan(
            name="stories",
            type="stories",
            kind=StepKind.LOOP,
            body=tuple(replace(catalogue_step("coding"), name=f"step {number}") for number in range(STEPS)),
        ),
    ),
)


@contextmanager
def repository() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for command in (
            ("init", "-q", "-b", "main"),
            ("config", "user.name", "Bench"),
            ("config", "user.email", "bench@localhost"),
            ("commit", "-q", "--allow-empty", "-m", "start"),
        ):
            subprocess.run(("git", *command), cwd=root, check=True)
        yield root


async def spawn(cwd: Path, *argv: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *argv, cwd=cwd, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    await process.communicate(b"prompt")
    if process.returncode:
        raise RuntimeError(f"{argv} ended with {process.returncode}")


def tuned_sqlite(url: str) -> Engine:
    """SQLite as DBOS runs best on it: written ahead, and each transaction takes the write lock when it begins."""
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        if sqlite3.sqlite_version_info < (3, 42, 0):  # DBOS asks for milliseconds, which an older SQLite does not know
            connection.create_function("unixepoch", 1, lambda _: round(SystemClock().now(), 3))
        write_ahead(connection)
        connection.execute("PRAGMA synchronous=NORMAL")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


class Marks:
    """The moments at which steps end, and the processor time used until then."""

    def __init__(self) -> None:
        self.clock: list[float] = []
        self.processor: list[float] = []

    def add(self) -> None:
        self.clock.append(time.perf_counter())
        self.processor.append(processor())

    def steps(self) -> tuple[list[float], float]:
        """The seconds of each step, and the processor seconds of one."""
        seconds = [after - before for before, after in itertools.pairwise(self.clock)]
        return seconds, (self.processor[-1] - self.processor[0]) / len(seconds)


async def bare(root: Path) -> Marks:
    """Marks the end of each bare step, including the checkpoint."""
    silence()
    marks = Marks()
    url = f"sqlite:///{root}/.git/engine.db"
    config = DBOSConfig(
        name="bench",
        system_database_url=url,
        system_database_engine=tuned_sqlite(url),
        executor_id="bench",
        application_version="1",
        serializer=DBOSPortableJSONSerializer(),
    )
    DBOS(config=config)

    @DBOS.step()
    async def step() -> str:
        await spawn(root, "/bin/sh", "-c", COMMAND)
        await spawn(root, "git", "add", "-A")
        await spawn(root, "git", "commit", "-q", "-m", "step")
        return "done"

    @DBOS.workflow()
    async def work() -> None:
        marks.add()
        for _ in range(STEPS):
            await step()
            marks.add()

    await asyncio.to_thread(DBOS.launch)
    try:
        await work()
    finally:
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
    return marks


async def under_shiftwork(root: Path, store_url: str = "") -> Marks:
    """Marks the end of each step; without an address, the history is in SQLite."""
    env = environment() | ({STORE_URL: store_url} if store_url else {})
    site = find_site(root, env)
    settings = Settings.model_validate({"agent": {"use": "command", "command": COMMAND}, "sandbox": {"tier": "none"}})
    marks = Marks()

    def observe(sighting: Sighting) -> None:
        if isinstance(sighting.what, WorkspacePrepared | StepCompleted):
            marks.add()

    async with open_context(site, settings, env, observe=observe) as context:
        order = Order(
            spec=one_shot("Bench"),
            workflow=WORKFLOW,
            branch="main",
            landing=landing_stream(site.project, "main"),
            agent="command",
        )
        state = await wait_for(context, await start_run(context, order))
    if state.status is not RunStatus.COMPLETED or len(marks.clock) != STEPS + 1:
        raise RuntimeError(f"the run is {state.status} after {len(marks.clock) - 1} steps")
    return marks


def main() -> None:
    ways: dict[str, Callable[[Path], Coroutine[Any, Any, Marks]]] = {"bare DBOS": bare, "shiftwork": under_shiftwork}
    steps: dict[str, list[float]] = {name: [] for name in ways}
    used: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            with repository() as root:
                seconds, each = asyncio.run(way(root)).steps()
            steps[name] += seconds
            used[name].append(each)
    medians = {name: statistics.median(seconds) for name, seconds in steps.items()}
    processors = {name: statistics.median(rounds) for name, rounds in used.items()}
    for name, seconds in steps.items():
        low, *_, high = statistics.quantiles(seconds, n=10)
        clock = f"p10 {low * 1000:6.1f} ms   p50 {medians[name] * 1000:6.1f} ms   p90 {high * 1000:6.1f} ms"
        print(f"{name:10} {len(seconds):4} steps   {clock}   processor {processors[name] * 1000:6.1f} ms")
    print(f"{processors['shiftwork'] / processors['bare DBOS']:.2f} in processor time; on the clock:")
    print(f"{medians['shiftwork'] / medians['bare DBOS']:.2f}")


if __name__ == "__main__":
    with use_own_folders():
        main()
