"""Archiving: a finished run moves to one file, is read from there, and nothing else is touched."""

import asyncio
import contextlib
import gzip
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.adapters.store.archives import ArchivedHistory, FileArchives
from shiftwork.adapters.store.reader.archive_file import row_lines, rows
from shiftwork.adapters.store.reader.archived_queries import ArchivedQueries
from shiftwork.app.attempt.memory import carried_patterns
from shiftwork.app.commands.forecast import past_costs
from shiftwork.app.commands.gc import Archived, Spared, archive, clean
from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.runs import raise_limits, wait_for
from shiftwork.app.views.export import export
from shiftwork.app.views.history import account
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.report.markdown_report import report
from shiftwork.app.views.report.record_reader import read_record
from shiftwork.app.views.report.run_record import record_of
from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import RunId, StoryId, Stream, run_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.errors import StoreError, UnknownRunError
from shiftwork.ports.store import Archive, Fence, Retention
from shiftwork.ports.views import Owner, Queries, RunRow, StoryRow
from tests.app.commands.test_cleaning import cleanup, state
from tests.app.rig import LANDING, SHORT, Rig


@pytest.fixture
def rig(git_rig: Rig) -> Rig:
    """What is archived was cleaned up before."""
    return git_rig


YESTERDAY = 86400.0


async def finished(rig: Rig) -> RunId:
    async with rig.open() as context:
        run = await rig.start(context, workflow=SHORT)
        await wait_for(context, run)
    await rig.store.leases.release(run, context.owner)
    await clean(await cleanup(rig))
    return run


def archives(rig: Rig) -> FileArchives:
    return FileArchives(state(rig) / "archive")


async def documents(rig: Rig, run: RunId) -> tuple[str, object, object]:
    """What report, export and status show."""
    folder = str(state(rig) / "archive")
    queries = ArchivedQueries(rig.store.confined("test"), lambda: rig.store.events, folder)
    whole = await account(queries.history, run)
    view = await run_view(queries, run, lambda _: None)
    record = await read_record(queries, queries.history, view)
    assert record == record_of(whole)
    return report(record), export(whole, rig.repo), replace(view, run=replace(view.run, archived=""))


def test_a_finished_run_is_archived_and_shown_as_before(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        before = await documents(rig, run)
        facts = await rig.store.events.read(run_stream(run))
        shown = list[object]()
        (dry,) = await archive(await cleanup(rig), 0.0, dry=True, seen=shown.append)
        assert shown == [dry], "each is shown as soon as it is done"
        assert isinstance(dry, Archived)
        assert not (state(rig) / "archive").exists()
        (done,) = await archive(await cleanup(rig), 0.0)
        assert done == replace(dry, file=f"{run}.jsonl.gz")
        assert list(await rig.store.events.read(run_stream(run))) == []
        assert list(await rig.store.confined("test").stories(run)) == []
        assert (await rig.store.confined("test").runs())[0].archived == done.file
        assert await documents(rig, run) == before
        kept = ArchivedHistory(rig.store.events, archives(rig))
        assert tuple(await kept.read(run_stream(run), after=1, upto=2)) == tuple(facts[1:2])
        assert await kept.version(run_stream(run)) == len(facts)
        assert await kept.version(Stream("run/unknown")) == 0
        assert await kept.version(LANDING) == await rig.store.events.version(LANDING) > 0
        assert await kept.snapshot(LANDING) == await rig.store.events.snapshot(LANDING)
        assert await archive(await cleanup(rig), 0.0) == ()
        assert (state(rig) / "archive" / done.file).stat().st_mode & 0o777 == 0o600

    asyncio.run(check())


def test_without_its_file_an_archived_run_is_unknown_and_stops_nothing(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        await archive(await cleanup(rig), 0.0)
        with pytest.raises(UnknownRunError, match="there is no run"):
            await account(rig.store.events, run)
        assert await carried_patterns(rig.store.confined("test"), rig.store.events, Stream("landing/")) == ()

    asyncio.run(check())


def test_a_run_that_is_too_young_or_in_progress_or_has_a_request_stays(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        assert await archive(await cleanup(rig), YESTERDAY) == ()
        other = Owner(executor="other", host="elsewhere:1", pid=1, pid_started=1.0)
        await rig.store.leases.acquire(run, other)
        assert await archive(await cleanup(rig), 0.0) == (Spared(run=run, reason="process 1 on elsewhere works on it"),)
        await rig.store.leases.release(run, other)
        undo = run_facts.StoryUndoRequested(at=1.0, story=StoryId("US-001"))
        await ask(rig.store.events, rig.store.inbox, run, undo, "undo")
        waits = Spared(run=run, reason=f"a request waits for it: shiftwork resume {run}")
        assert await archive(await cleanup(rig), 0.0) == (waits,)
        assert await rig.store.leases.holders() == []

    asyncio.run(check())


class Broken:
    """Archives on a full disk."""

    def save(self, archive: Archive) -> str:
        raise StoreError(f"the archive of {archive.run} cannot be written", hint="check the disk")

    def load(self, run: str) -> Archive | None:
        return None


class KilledError(Exception):
    """The process is killed."""


class Killing:
    """A database whose process is killed before the removal."""

    async def remove(self, archived: RunRow, versions: Mapping[Stream, int], messages: int, fence: Fence) -> None:
        raise KilledError


def test_nothing_is_removed_before_the_archive_is_written(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        facts = await rig.store.events.read(run_stream(run))
        tools = await cleanup(rig)
        full = replace(tools, archive_stores=replace(tools.archive_stores, archives=Broken()))
        (spared,) = await archive(full, 0.0)
        reason = f"it cannot be archived: the archive of {run} cannot be written; check the disk"
        assert spared == Spared(run=run, reason=reason)
        with pytest.raises(KilledError):
            await archive(replace(tools, archive_stores=replace(tools.archive_stores, retention=Killing())), 0.0)
        assert await rig.store.events.read(run_stream(run)) == facts
        (done,) = await archive(tools, 0.0)
        assert isinstance(done, Archived), "the next call completes what was begun"

    asyncio.run(check())


def test_a_run_whose_workspace_stands_stays(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        (state(rig) / "runs" / run / "US-001" / "step-001").mkdir(parents=True)
        left = await (await cleanup(rig)).remains.runs()
        expected = (Spared(run=run, reason="its workspaces have not been removed"),) if run in left else None
        assert expected is not None
        assert await archive(await cleanup(rig), 0.0) == expected

    asyncio.run(check())


class Late:
    """A database that receives a request from the user just before the removal."""

    def __init__(self, rig: Rig, run: RunId, own: Retention) -> None:
        self._rig = rig
        self._run = run
        self._own = own

    async def remove(self, archived: RunRow, versions: Mapping[Stream, int], messages: int, fence: Fence) -> None:
        undo = run_facts.StoryUndoRequested(at=1.0, story=StoryId("US-001"))
        await ask(self._rig.store.events, self._rig.store.inbox, self._run, undo, "undo")
        await self._own.remove(archived, versions, messages, fence)


def test_no_accepted_request_is_lost(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        tools = await cleanup(rig)
        archive_stores = replace(tools.archive_stores, retention=Late(rig, run, tools.archive_stores.retention))
        (late,) = await archive(replace(tools, archive_stores=archive_stores), 0.0)
        reason = f"it cannot be archived: {run_stream(run)} has received a request meanwhile"
        assert late == Spared(run=run, reason=reason)
        assert await rig.store.inbox.receive(run_stream(run), after=0)

    asyncio.run(check())


def test_limits_that_a_finished_run_has_not_read_yet_keep_it_in_the_database(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        await raise_limits(rig.store.inbox, run, "more", Limits(run=Budget(usd=5.0)))
        (spared,) = await archive(await cleanup(rig), 0.0)
        assert spared == Spared(run=run, reason=f"a request waits for it: shiftwork resume {run}")

    asyncio.run(check())


class Listed:
    """Views whose list of runs is from a moment ago; `then` is what has happened since."""

    def __init__(self, own: Queries, then: Callable[[], Awaitable[object]], **changed: Any) -> None:
        self._own = own
        self._then = then
        self._changed = changed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    async def runs(self, *, limit: int = 20, unended: bool = False) -> Sequence[RunRow]:
        rows = await self._own.runs(limit=limit, unended=unended)
        await self._then()
        return [replace(row, **self._changed) for row in rows]


def test_what_another_process_archived_meanwhile_is_not_archived_again(rig: Rig) -> None:
    async def check() -> None:
        await finished(rig)
        tools, other = await cleanup(rig), await cleanup(rig)
        listed = Listed(tools.archive_stores.queries, lambda: archive(other, 0.0))
        assert await archive(replace(tools, archive_stores=replace(tools.archive_stores, queries=listed)), 0.0) == ()

    asyncio.run(check())


def test_a_run_is_archived_as_it_is_and_not_as_it_was_listed(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        tools = await cleanup(rig)

        async def nothing() -> None: ...

        listed = Listed(tools.archive_stores.queries, nothing, status="failed", completed=0)
        await archive(replace(tools, archive_stores=replace(tools.archive_stores, queries=listed)), 0.0)
        row = await tools.archive_stores.queries.run(run)
        assert row is not None
        assert (row.status, row.completed, bool(row.archived)) == ("completed", 1, True)

    asyncio.run(check())


HEAD = b'{"format": 1, "run": "r1", "lines": 1}\n'
DAMAGED = {
    "foreign": b'{"format": 99, "run": "r1", "lines": 0}\n',
    "no archive": b"[]\n",
    "short": b'{"format": 1, "run": "r1", "lines": 3}\n',
    "without a count": b'{"format": 1, "run": "r1"}\n',
    "of another run": b'{"format": 1, "run": "r2", "lines": 0}\n',
    "with a row of another run": HEAD + b'{"row": "stories", "values": {"run": "r2"}}\n',
    "with a number": HEAD + b"5\n",
    "with an unknown table": HEAD + b'{"row": "unknown", "values": {"run": "r1"}}\n',
    "with an incomplete row": HEAD + b'{"row": "stories", "values": {"run": "r1"}}\n',
    "with an unknown fact": HEAD
    + b'{"stream": "run/r1", "version": 1, "key": "", "kind": "?", "schema": 1, "body": {}}\n',
    "deep": HEAD + b"[" * 100_000 + b"\n",
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_archive_is_reported(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "r1.jsonl.gz"
    file.write_bytes(gzip.compress(DAMAGED[damage]))
    with pytest.raises(StoreError, match=r"r1\.jsonl\.gz"):
        FileArchives(tmp_path).load("r1")
    if damage not in {"with an unknown table", "with an unknown fact"}:  # which are not read for these rows
        with pytest.raises(StoreError, match=r"r1\.jsonl\.gz"):
            rows(str(tmp_path), "r1", row_lines(str(tmp_path), "r1"), StoryRow)


@given(place=st.integers(0, 10_000), change=st.integers(1, 255))
def test_whatever_byte_has_changed_an_archive_is_read_as_it_was_or_refused(place: int, change: int) -> None:
    content = Archive(run="r1", recorded=(), rows=())
    with TemporaryDirectory() as folder:
        archives = FileArchives(folder)
        file = Path(folder) / archives.save(content)
        data = bytearray(file.read_bytes())
        data[place % len(data)] ^= change
        file.write_bytes(data[: len(data) - place % 3])
        with contextlib.suppress(StoreError):
            assert archives.load("r1") == content


@pytest.mark.parametrize("place", ["pipe", "folder"])
def test_what_is_no_file_is_no_archive(tmp_path: Path, place: str) -> None:
    file = tmp_path / "r1.jsonl.gz"
    if place == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    with pytest.raises(StoreError, match=r"r1\.jsonl\.gz"):
        FileArchives(tmp_path).load("r1")


@pytest.mark.parametrize("way", ["archive", "archive/r1.jsonl.gz.partial/x"])
def test_what_stands_in_the_way_of_archives_is_reported(tmp_path: Path, way: str) -> None:
    (tmp_path / way).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / way).write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be written"):
        FileArchives(tmp_path / "archive").save(Archive(run="r1", recorded=(), rows=()))


def test_an_archive_is_read_once_for_a_view_and_its_history(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        await archive(await cleanup(rig), 0.0)
        folder = state(rig) / "archive"
        queries = ArchivedQueries(rig.store.confined("test"), lambda: rig.store.events, str(folder))
        view, facts = await run_view(queries, run, lambda _: None), await queries.history.read(run_stream(run))
        (folder / f"{run}.jsonl.gz").unlink()
        assert await run_view(queries, run, lambda _: None) == view
        assert await queries.history.read(run_stream(run)) == facts

    asyncio.run(check())


def test_an_archived_run_without_its_file_says_so_and_stops_no_new_run(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        await archive(await cleanup(rig), 0.0)
        folder = state(rig) / "archive"
        queries = ArchivedQueries(rig.store.confined("test"), lambda: rig.store.events, str(folder))
        file = folder / f"{run}.jsonl.gz"
        file.write_bytes(file.read_bytes()[:-20])
        assert await carried_patterns(queries, queries.history, Stream("landing/")) == ()
        assert await past_costs(queries) == []
        file.unlink()
        assert await past_costs(queries) == []
        with pytest.raises(StoreError, match=f"run {run} was archived to .*, which does not exist"):
            await run_view(queries, run, lambda _: None)

    asyncio.run(check())
