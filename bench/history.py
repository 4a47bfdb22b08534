"""Whether work gets slower as the history gets longer: four figures, each with its limit. Exits 0 only if all hold.

- A decision and the append of its facts (fold, view rows, one transaction) with 1,000,000 facts in the database against
  1,000, on SQLite and Postgres, alternating, because timings on a shared machine drift. The same run continues in both;
  the other facts are copies of a simulated story.
- Loading a landing queue in a new process after 10,000 landings, beyond loading an empty queue: nothing else of a
  landing depends on the earlier ones.
- `report` of 1,000 stories with 30 steps each, read as the command reads it; `just bench-history report` measures only
  this.
- `shiftwork status` with 10,000 runs against one run, both on SQLite.

Processor time is that of this process and its children, without the Postgres server. The last line is the worst ratio
of a figure to its limit.
"""

import argparse
import asyncio
import gc
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bench.cli import SHIFTWORK, compile_all, made_repository
from bench.limits import LIMIT_MISSED
from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.reader.reader import open_queries
from shiftwork.adapters.store.sql.database import create_engine
from shiftwork.app.folds import LANDING, STORY, load, snapshot_rows
from shiftwork.app.runtime.streams import RUN_KIND, STORY_KIND, Kind
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.report.markdown_report import report
from shiftwork.app.views.report.record_reader import read_record
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import Commit, Stream, landing_stream, run_stream, story_stream
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import LandingPolicy
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.entrypoints.cli import OBJECTS
from shiftwork.ports.store import EventStore
from shiftwork.testing.builders import asked, gate_report, landing_request, planned, run_plan, workflow
from shiftwork.testing.postgres_cluster import private_postgres
from shiftwork.testing.simulation.simulation import FirstChoice
from shiftwork.testing.simulation.story import StorySimulation
from tests.own_folders import use_own_folders

SHORT, LONG = 1_000, 1_000_000
STORIES = 1_000
STEPS = 30
ROUNDS = 30
LANDINGS = 10_000
RUNS = 10_000
STATUS_ROUNDS = 15

GROWTH, LANDING_SECONDS, REPORT_SECONDS = 1.2, 0.3, 3.0

type Answer = Callable[[e.Effect, Any], Sequence[Fact]]


def chains(count: int) -> tuple[Story, ...]:
    """Stories in chains of ten."""
    return tuple(asked(number, after=(number - 1,) if number % 10 != 1 else ()) for number in range(1, count + 1))


@dataclass(slots=True, kw_only=True)
class Line:
    """A stream that is continued: its folded state and its version."""

    events: EventStore
    kind: Kind[Any]
    stream: Stream
    state: Any
    version: int = 0

    async def write(self, key: str, facts: Sequence[Fact]) -> None:
        """Append facts, as a recorder does."""
        after = self.kind.state.fold(self.state, facts)
        rows = self.kind.rows_of(self.state, after, facts)
        self.version = await self.events.append(self.stream, facts, expected=self.version, key=key, rows=rows)
        self.state = after

    async def turn(self, answer: Answer) -> float:
        """Decide, act, record; returns the seconds for deciding and recording."""
        began = time.perf_counter()
        effect = self.kind.decide(self.state)[0]
        decided = time.perf_counter()
        facts = answer(effect, self.state)
        answered = time.perf_counter()
        await self.write(effect.key, facts)
        return time.perf_counter() - answered + decided - began


class Shift:
    """A run whose stories run one after another in a simulation without failures."""

    def __init__(self, events: EventStore) -> None:
        plan = run_plan(*chains(STORIES), steps=workflow(*(planned("coding") for _ in range(STEPS))))
        self._plan = plan
        self._run = Line(events=events, kind=RUN_KIND, stream=run_stream(plan.run), state=RunState())
        self._told: list[Fact] = []
        self._rows: Sequence[Any] = ()
        self._end: StoryState | None = None
        self.run = plan.run
        self.first = story_stream(plan.run, plan.spec.stories[0].id)

    async def open(self) -> None:
        await self._run.write("start", [run_facts.RunStarted(at=0, plan=self._plan)])

    async def story(self, *, at_once: bool = False, copied: bool = False) -> dict[str, list[float]]:
        """Run the next story, from its dispatch to its end; returns the seconds of the run's and the story's decisions.
        `at_once` records its whole history in a single append, and `copied` repeats the steps of the first story.
        """
        (dispatch,) = RUN_KIND.decide(self._run.state)
        assert isinstance(dispatch, run_effects.DispatchStory)
        given = dispatch.assignment
        stream = story_stream(given.run, given.story.id)
        line = Line(events=self._run.events, kind=STORY_KIND, stream=stream, state=StoryState())
        begun = run_facts.StoryDispatched(at=0, story=given.story.id, slot=given.slot)
        own, runs = list[float](), [await self._run.turn(lambda *_: [begun])]
        started = story_facts.StoryStarted(at=0, assignment=given, steps=dispatch.steps)
        context = StorySimulation(
            chance=FirstChoice(), mishaps=0, answers=0, endings=("completed",), verdicts=("landed",)
        )
        if copied:
            self._told = self._told or simulated(started, context)
            facts = [started, *self._told[1:]]
            line.state = self._end = self._end or STORY.fold(StoryState(), facts)
            self._rows = self._rows or STORY_KIND.rows_of(StoryState(), line.state, facts)
            rows = [replace(row, story=given.story.id) for row in self._rows]
            line.version = await line.events.append(stream, facts, expected=0, key="all", rows=rows)
            line.state = replace(line.state, assignment=given)
        elif at_once:
            await line.write("all", simulated(started, context))
        else:
            await line.write("start", [started])
            while STORY_KIND.decide(line.state):
                own.append(await line.turn(context.answer))
        assert line.state.status is StoryStatus.COMPLETED
        runs.append(await self._run.turn(lambda effect, _: ended(effect, line.state)))
        return {"run": runs, "story": own}


def simulated(started: Fact, context: StorySimulation) -> list[Fact]:
    facts, state = [started], STORY.fold(StoryState(), [started])
    while effects := STORY_KIND.decide(state):
        news = context.answer(effects[0], state)
        facts += news
        state = STORY.fold(state, news)
    return facts


def ended(effect: e.Effect, story: StoryState) -> list[Fact]:
    assert isinstance(effect, e.Receive)
    story_ended = run_facts.StoryEnded(
        at=0,
        story=story.given.story.id,
        status=story.status,
        commit=story.landed_commit,
        reason="",
        cause=None,
        usage=story.spending.usage,
    )
    return [story_ended, MessagesRead(at=0, upto=effect.cursor + 1)]


# A million facts ----------------------------------------------------------------------------------------------------


def copies(url: str, stream: Stream, wanted: int) -> None:
    """Fill the database up to so many facts with copies of a stream, by one statement."""
    engine = create_engine(url)
    copied = "key, ordinal, kind, schema_version, body, at"
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
        present = connection.scalar(sa.text("SELECT count(*) FROM facts")) or 0
        size = connection.scalar(sa.text("SELECT count(*) FROM facts WHERE stream = :stream"), {"stream": stream}) or 1
        connection.execute(
            sa.text(
                "WITH RECURSIVE copy(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy WHERE number < :count)"  # noqa: S608 - constants
                f" INSERT INTO facts (stream, version, {copied})"
                f" SELECT 'story/c' || copy.number || '/US-001', version, {copied}"
                " FROM copy, facts WHERE stream = :stream"
            ),
            {"count": max(1, (wanted - present) // size), "stream": stream},
        )
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        # Otherwise Postgres does this in the background, while decisions are measured.
        connection.execute(sa.text("ANALYZE" if engine.dialect.name == "sqlite" else "VACUUM ANALYZE"))
    engine.dispose()


async def decisions(urls: dict[int, str], database: str) -> float:
    """The median decision time on the long history divided by that on the short history; the worse of the two kinds."""
    shifts: dict[int, Shift] = {}
    stores = []
    for size, url in urls.items():
        stores.append(open_store(url))
        shifts[size] = shift = Shift(stores[-1].events)
        await shift.open()
        await shift.story(at_once=True)
        copies(url, shift.first, size)
    taken = {(size, whose): list[float]() for size in shifts for whose in ("run", "story")}
    spent = dict.fromkeys(shifts, 0.0)
    for _ in range(ROUNDS):
        for size, shift in shifts.items():
            began = time.process_time()
            for whose, seconds in (await shift.story()).items():
                taken[size, whose] += seconds
            spent[size] += time.process_time() - began
    for store in stores:
        store.close()
    for (size, whose), seconds in taken.items():
        shown = f"p50 {1000 * statistics.median(seconds):5.2f} ms   ({len(seconds)} of them)"
        print(f"{database}: a {whose}'s decision and append at {size:>9,} facts: {shown}")
    for size, used in spent.items():
        print(f"{database}: processor time of a story at {size:>9,} facts: {1000 * used / ROUNDS:.0f} ms")
    medians = {which: statistics.median(seconds) for which, seconds in taken.items()}
    return max(medians[max(urls), whose] / medians[min(urls), whose] for whose in ("run", "story"))


# Landings -----------------------------------------------------------------------------------------------------------


def landing(number: int) -> list[Fact]:
    """A story that lands alone, from its request to its answer."""
    request, commit = landing_request(number=number), Commit(f"c{number}")
    key, base = request.key, Commit(f"c{number - 1}")
    return [
        landing_facts.EntryQueued(at=number, branch="main", request=request),
        MessagesRead(at=number, upto=number),
        landing_facts.BatchTaken(at=number, number=number, policy=LandingPolicy()),
        landing_facts.CandidateBuilt(at=number, request=key, round=1, base=base, commit=commit),
        landing_facts.CandidateVerified(at=number, request=key, report=gate_report(commit)),
        landing_facts.BaseMoved(at=number, requests=(key,), commit=commit, ref="main"),
        landing_facts.EntryClosed(at=number, request=key),
    ]


async def landings(folder: Path) -> float:
    """How much longer a new process loads the queue after many landings than an empty queue, in seconds."""
    store = open_store(f"sqlite:///{folder}/landings.db")
    queue, empty = landing_stream("bench", "main"), landing_stream("bench", "empty")
    state, version = LANDING.start, 0
    for first in range(1, LANDINGS + 1, 500):
        facts = [fact for number in range(first, first + 500) for fact in landing(number)]
        state = LANDING.fold(state, facts)
        rows = snapshot_rows(LANDING, queue, version + len(facts), state)
        version = await store.events.append(queue, facts, expected=version, key=str(first), rows=rows)
    if state.batch != LANDINGS or state.entries:
        raise RuntimeError(f"{state.batch} batches, {len(state.entries)} entries are left")
    taken: dict[Stream, list[float]] = {queue: [], empty: []}
    began = time.process_time()
    for _ in range(STATUS_ROUNDS):
        for stream, seconds in taken.items():
            start = time.perf_counter()
            await load(store.events, LANDING, stream)
            seconds.append(time.perf_counter() - start)
    used = time.process_time() - began
    store.close()
    more = statistics.median(taken[queue]) - statistics.median(taken[empty])
    spent = f"processor {1000 * used / STATUS_ROUNDS:.1f} ms for both"
    print(f"loading a queue after {LANDINGS:,} landings: {1000 * more:.1f} ms more than an empty one, {spent}")
    return more


# Report -------------------------------------------------------------------------------------------------------------


async def reported(folder: Path) -> float:
    """The processor time of a report in seconds: on a busy machine the wall time is that of the others."""
    url = f"sqlite:///{folder}/report.db"
    store = open_store(url)
    shift = Shift(store.events)
    await shift.open()
    for _ in range(STORIES):
        await shift.story(copied=True)
    store.close()
    gc.set_threshold(OBJECTS)  # as in every command
    began, used = time.perf_counter(), time.process_time()
    queries = open_queries(url, keeping=True)
    view = await run_view(queries, shift.run, lambda _: True)
    text = report(await read_record(queries, queries.history, view))
    wall, used = time.perf_counter() - began, time.process_time() - used
    print(
        f"report of {STORIES:,} stories x {STEPS} steps, {len(text):,} characters: {wall:.1f} s, processor {used:.1f} s"
    )
    return used


# Status -------------------------------------------------------------------------------------------------------------


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def many_runs(root: Path) -> None:
    """Copy the run of a repository, each a second older than the one before."""
    (file,) = (root / ".git" / "shiftwork").glob("state.db")
    with sqlite3.connect(file) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(runs)")]
        (known,) = connection.execute("SELECT * FROM runs ORDER BY started_at DESC LIMIT 1").fetchall()
        row = dict(zip(names, known, strict=True))
        copied = [{**row, "run": f"c{number}", "started_at": row["started_at"] - number} for number in range(1, RUNS)]
        places = ", ".join(f":{name}" for name in names)
        quoted = ", ".join(f'"{name}"' for name in names)
        connection.executemany(f"INSERT INTO runs ({quoted}) VALUES ({places})", copied)  # noqa: S608 - names of columns


def status() -> float:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as many:
        roots = [made_repository(Path(folder)) for folder in (one, many)]
        many_runs(roots[1])
        taken: list[list[tuple[float, float]]] = [[], []]
        for _ in range(STATUS_ROUNDS):
            for root, times in zip(roots, taken, strict=True):
                began, used = time.perf_counter(), children()
                subprocess.run([SHIFTWORK, "status"], cwd=root, check=True, capture_output=True)
                times.append((time.perf_counter() - began, children() - used))
    (bare, bare_used), (wall, used) = ([statistics.median(column) for column in zip(*x, strict=True)] for x in taken)
    print(f"status with {RUNS:,} runs: {1000 * wall:.0f} ms, processor {1000 * used:.0f} ms")
    print(f"status with one run:     {1000 * bare:.0f} ms, processor {1000 * bare_used:.0f} ms")
    return float(used / bare_used)


def main() -> None:
    parser = argparse.ArgumentParser(prog="just bench-history", description=__doc__)
    parser.add_argument("figure", nargs="?", choices=["report"], help="only this; else all")
    parser.add_argument("--facts", type=int, default=LONG, help="in the long history")
    asked = parser.parse_args()
    figures = {} if asked.figure else everything(asked.facts)
    with tempfile.TemporaryDirectory() as scratch:
        figures["report"] = (asyncio.run(reported(Path(scratch))), REPORT_SECONDS)
    for name, (value, limit) in figures.items():
        print(f"{name}: {value:.2f}, at most {limit}: {'holds' if value <= limit else 'DOES NOT HOLD'}")
    worst = max(value / limit for value, limit in figures.values())
    print(f"{worst:.2f}")
    sys.exit(LIMIT_MISSED if worst > 1 else 0)


def everything(long: int) -> dict[str, tuple[float, float]]:
    """All figures but that of the report, each with its limit."""
    compile_all()
    figures: dict[str, tuple[float, float]] = {"status": (status(), GROWTH)}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        figures["first landing"] = (asyncio.run(landings(folder)), LANDING_SECONDS)
        files = {size: f"sqlite:///{folder}/{size}.db" for size in (SHORT, long)}
        figures["decision, SQLite"] = (asyncio.run(decisions(files, "SQLite")), GROWTH)
        for size in files:
            (folder / f"{size}.db").unlink()
        with private_postgres() as address:
            urls = {size: database(address, f"facts_{size}") for size in files}
            figures["decision, Postgres"] = (asyncio.run(decisions(urls, "Postgres")), GROWTH)
    return figures


def database(address: str, name: str) -> str:
    """A new database on the server."""
    engine = create_engine(address)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return f"{address.rpartition('/')[0]}/{name}"


if __name__ == "__main__":
    with use_own_folders():
        main()
