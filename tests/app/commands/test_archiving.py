"""Archiving: a finished run moves to one file, is read from there, and nothing else is touched."""

import asyncio
import gzip
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.store.archives import ArchivedHistory, FileArchives
from shiftwork.adapters.store.reader.archived_queries import ArchivedQueries
from shiftwork.app.attempt.memory import carried_patterns
from shiftwork.app.commands.gc import Archived, Spared, archive, clean
from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.runs import wait_for
from shiftwork.app.views.export import export
from shiftwork.app.views.history import account
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.report import report
from shiftwork.domain.core.ids import RunId, StoryId, Stream, run_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.errors import StoreError, UnknownRunError
from shiftwork.ports.store import Archive, Fence
from shiftwork.ports.views import Owner, RunRow
from tests.app.commands.test_cleaning import broom, state
from tests.app.rig import LANDING, SHORT, Rig

YESTERDAY = 86400.0


async def finished(rig: Rig) -> RunId:
    async with rig.open() as context:
        run = await rig.start(context, workflow=SHORT)
        await wait_for(context, run)
    await rig.store.leases.release(run, context.owner)
    await clean(await broom(rig))
    return run


def archives(rig: Rig) -> FileArchives:
    return FileArchives(state(rig) / "archive")


async def documents(rig: Rig, run: RunId) -> tuple[str, object, object]:
    """What report, export and status show."""
    folder = str(state(rig) / "archive")
    queries = ArchivedQueries(rig.store.confined("test"), lambda: rig.store.events, folder)
    whole = await account(queries.history, run)
    view = await run_view(queries, run, lambda _: None)
    return report(whole), export(whole, rig.repo), replace(view, run=replace(view.run, archived=""))


def test_a_finished_run_is_archived_and_shown_as_before(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        before = await documents(rig, run)
        facts = await rig.store.events.read(run_stream(run))
        (dry,) = await archive(await broom(rig), 0.0, dry=True)
        assert isinstance(dry, Archived)
        assert not (state(rig) / "archive").exists()
        (done,) = await archive(await broom(rig), 0.0)
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
        assert await archive(await broom(rig), 0.0) == ()
        assert (state(rig) / "archive" / done.file).stat().st_mode & 0o777 == 0o600

    asyncio.run(check())


def test_without_its_file_an_archived_run_is_unknown_and_stops_nothing(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        await archive(await broom(rig), 0.0)
        with pytest.raises(UnknownRunError, match="there is no run"):
            await account(rig.store.events, run)
        assert await carried_patterns(rig.store.confined("test"), rig.store.events, Stream("landing/")) == ()

    asyncio.run(check())


def test_a_run_that_is_too_young_or_in_progress_or_has_a_request_stays(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        assert await archive(await broom(rig), YESTERDAY) == ()
        other = Owner(executor="other", host="elsewhere:1", pid=1, pid_started=1.0)
        await rig.store.leases.acquire(run, other)
        assert await archive(await broom(rig), 0.0) == (Spared(run=run, reason="process 1 on elsewhere works on it"),)
        await rig.store.leases.release(run, other)
        undo = run_facts.StoryUndoRequested(at=1.0, story=StoryId("US-001"))
        await ask(rig.store.events, rig.store.inbox, run, undo, "undo")
        waits = Spared(run=run, reason=f"a request waits for it: shiftwork resume {run}")
        assert await archive(await broom(rig), 0.0) == (waits,)
        assert await rig.store.leases.holders() == []

    asyncio.run(check())


class Broken:
    """Archives on a full disk."""

    def save(self, archive: Archive) -> str:
        raise StoreError(f"the archive of {archive.run} cannot be written")

    def load(self, run: str) -> Archive | None:
        return None


class KilledError(Exception):
    """The process is killed."""


class Killing:
    """A database whose process is killed before the removal."""

    async def remove(self, archived: RunRow, versions: Mapping[Stream, int], fence: Fence) -> None:
        raise KilledError


def test_nothing_is_removed_before_the_archive_is_written(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        facts = await rig.store.events.read(run_stream(run))
        tools = await broom(rig)
        full = replace(tools, keeping=replace(tools.keeping, archives=Broken()))
        (spared,) = await archive(full, 0.0)
        assert spared == Spared(run=run, reason=f"it cannot be archived: the archive of {run} cannot be written")
        with pytest.raises(KilledError):
            await archive(replace(tools, keeping=replace(tools.keeping, retention=Killing())), 0.0)
        assert await rig.store.events.read(run_stream(run)) == facts
        (done,) = await archive(tools, 0.0)
        assert isinstance(done, Archived), "the next call completes what was begun"

    asyncio.run(check())


def test_a_run_whose_workspace_stands_stays(rig: Rig) -> None:
    async def check() -> None:
        run = await finished(rig)
        (state(rig) / "runs" / run / "US-001" / "step-001").mkdir(parents=True)
        left = await (await broom(rig)).remains.runs()
        expected = (Spared(run=run, reason="its workspaces have not been removed"),) if run in left else None
        assert expected is not None
        assert await archive(await broom(rig), 0.0) == expected

    asyncio.run(check())


@pytest.mark.parametrize("damage", ["cut", "foreign", "no archive", "short"])
def test_a_damaged_archive_is_reported(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "r1.jsonl.gz"
    texts = {
        "foreign": b'{"format": 99, "run": "r1", "lines": 0}\n',
        "no archive": b"[]\n",
        "short": b'{"format": 1, "run": "r1", "lines": 3}\n',
    }
    file.write_bytes(gzip.compress(texts.get(damage, b'{"format": 1, "run": "r1", "lines": 0}\n')))
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:20])
    with pytest.raises(StoreError, match="r1"):
        FileArchives(tmp_path).load("r1")
