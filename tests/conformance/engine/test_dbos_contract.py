"""What we rely on in DBOS although it is private or undocumented, and the traps that we avoid."""

import asyncio
import contextlib
import os
import sqlite3
import time
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import event

from shiftwork.adapters.engine.dbos import DbosEngine, DbosSettings
from shiftwork.errors import StoreError
from shiftwork.ports.engine import Body, Checkpoints, Job
from shiftwork.testing.conformance.engine_stage import PATIENCE, Stage, awaited, job


async def engine_at(url: str, executor: str, version: str = "1", **bodies: Body) -> DbosEngine:
    return await DbosEngine.open(DbosSettings(name="contract", url=url, executor=executor, version=version), bodies)


async def interrupted_job(url: str, version: str = "1") -> tuple[Stage, Job]:
    """A job that has done `one` and was left by executor a in `two`."""
    stage, work = Stage(), job()
    stage.blocked.add("two")
    engine = await engine_at(url, "a", version, run=stage.body("one", "two"))
    await engine.start(work)
    await stage.entered.wait()
    await engine.close()
    stage.blocked.clear()
    return stage, work


@awaited
async def test_jobs_of_another_version_are_left_alone(database_url: str) -> None:
    stage, work = await interrupted_job(database_url)
    engine = await engine_at(database_url, "b", "2", run=stage.body("one", "two"))
    await engine.recover("a")
    await asyncio.sleep(0.3)
    assert stage.done == {"one": 1, "two": 1}
    await engine.close()
    engine = await engine_at(database_url, "c", "1", run=stage.body("one", "two"))
    await engine.recover("a")
    await engine.join(work)
    assert stage.done == {"one": 1, "two": 2}
    await engine.close()


def rows(url: str, query: str) -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
        return connection.execute(query).fetchall()


@awaited
async def test_no_number_of_recoveries_strands_a_job(sqlite_url: str) -> None:
    stage, work = await interrupted_job(sqlite_url)
    rows(sqlite_url, "UPDATE workflow_status SET recovery_attempts = 100000")
    engine = await engine_at(sqlite_url, "b", run=stage.body("one", "two"))
    await engine.recover("a")
    await engine.join(work)
    assert stage.done == {"one": 1, "two": 2}
    await engine.close()


@awaited
async def test_a_job_left_between_putting_back_and_claiming_is_found(sqlite_url: str) -> None:
    """As after the death of a process in the middle of its `recover`."""
    stage, work = await interrupted_job(sqlite_url)
    rows(
        sqlite_url,
        "UPDATE workflow_status SET status = 'ENQUEUED', queue_name = '_dbos_internal_queue', owner_xid = NULL",
    )
    engine = await engine_at(sqlite_url, "c", run=stage.body("one", "two"))
    await engine.recover("whoever-died")
    await engine.join(work)
    assert stage.done == {"one": 1, "two": 2}
    await engine.close()


@awaited
async def test_the_database_holds_json_and_milliseconds_and_is_written_ahead(sqlite_url: str) -> None:
    async def act() -> dict[str, int]:
        return {"version": 7}

    async def body(_: Job, checkpoints: Checkpoints) -> None:
        await checkpoints.once("one", act)

    engine = await engine_at(sqlite_url, "a", run=body)
    work = job()
    await engine.start(work)
    await engine.join(work)
    await engine.close()
    query = "SELECT function_name, output, serialization FROM operation_outputs"
    assert rows(sqlite_url, query) == [("one", '{"version":7}', "portable_json")]
    times = rows(sqlite_url, "SELECT created_at, typeof(created_at), updated_at FROM workflow_status")
    [(created, kind, updated)] = times
    assert kind == "integer"
    assert isinstance(created, int)
    assert isinstance(updated, int)
    assert 1_600_000_000_000 < created <= updated
    assert rows(sqlite_url, "PRAGMA journal_mode") == [("wal",)]


@awaited
async def test_an_idle_engine_leaves_the_database_alone(sqlite_url: str) -> None:
    engine = await engine_at(sqlite_url, "a")
    began: list[object] = []
    event.listen(engine._sqlite, "begin", began.append)
    until = time.monotonic() + PATIENCE
    while True:
        # What its threads were doing when they were asked to end is soon over; a thread that polls would begin again.
        began.clear()
        await asyncio.sleep(1.5)
        if not began:
            break
        assert time.monotonic() < until, began
    await engine.close()


@awaited
async def test_where_the_process_stands_still_as_it_closes_there_is_still_time_to_clean_up(sqlite_url: str) -> None:
    entered, cleaned = asyncio.Event(), list[str]()

    async def act() -> None:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            time.sleep(2)  # noqa: ASYNC251 - nothing else of this process happens meanwhile
            for _ in range(10):
                await asyncio.sleep(0.05)
            cleaned.append("all")

    async def body(_: Job, checkpoints: Checkpoints) -> None:
        await checkpoints.once("one", act)

    engine = await engine_at(sqlite_url, "a", run=body)
    await engine.start(job())
    await entered.wait()
    await engine.close()
    assert cleaned == ["all"]


@awaited
async def test_threads_are_to_be_had_after_closing(sqlite_url: str) -> None:
    engine, work = await engine_at(sqlite_url, "a", run=Stage().body("one")), job()
    await engine.start(work)
    await engine.join(work)
    await engine.close()
    assert await asyncio.to_thread(os.getpid) == os.getpid()


@awaited
async def test_one_engine_at_a_time_and_each_on_its_own_database(sqlite_url: str, tmp_path: Path) -> None:
    stage, work = Stage(), job()
    for url in (sqlite_url, f"sqlite:///{tmp_path}/other.db"):
        engine = await engine_at(url, "a", run=stage.body("one"))
        with pytest.raises(RuntimeError, match="one DBOS engine"):
            await engine_at(url, "b")
        await engine.start(work)
        await engine.join(work)
        await engine.close()
    assert stage.done == {"one": 2}


@pytest.mark.parametrize("wrong", ["sqlite:////no/such/folder/x.db", "postgresql://nobody@127.0.0.1:1/none"])
@awaited
async def test_a_database_that_cannot_be_opened_is_a_store_error(wrong: str, sqlite_url: str) -> None:
    with pytest.raises(StoreError, match="cannot be opened") as refused:
        await engine_at(wrong, "a")
    assert refused.value.hint
    assert "sqlalche.me" not in refused.value.message
    engine = await engine_at(sqlite_url, "a")
    await engine.close()


@awaited
async def test_lost_connections_are_made_again(postgres_url: str) -> None:
    stage, work, connected, cut = Stage(), job(), asyncio.Event(), asyncio.Event()

    async def until_cut() -> None:
        connected.set()
        await cut.wait()

    async def body(_: Job, checkpoints: Checkpoints) -> None:
        await checkpoints.once("one", stage.act("one"))
        await checkpoints.once("cut", until_cut)
        await checkpoints.once("two", stage.act("two"))

    engine = await engine_at(postgres_url, "a", run=body)
    await engine.start(work)
    await connected.wait()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    cut.set()
    await engine.join(work)
    assert stage.done == {"one": 1, "two": 1}
    await engine.close()
