"""What we rely on in DBOS although it is private or undocumented, and the traps that we avoid."""

import asyncio
import os
import time
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

from shiftwork.adapters.engine.dbos import DbosEngine, DbosSettings
from shiftwork.errors import StoreError
from shiftwork.ports.engine import Body, Job
from shiftwork.testing.conformance.engine_stage import PATIENCE, Stage, awaited, job


async def engine_at(url: str, executor: str, version: str = "1", **bodies: Body) -> DbosEngine:
    return await DbosEngine.open(DbosSettings(name="contract", url=url, executor=executor, version=version), bodies)


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(query.encode())
        return found.fetchall() if found.description else []


async def interrupted_job(url: str, version: str = "1") -> tuple[Stage, Job]:
    """A job that executor a left while it was running."""
    stage, work = Stage(), job()
    stage.blocked = True
    engine = await engine_at(url, "a", version, run=stage.body)
    await engine.start(work)
    await stage.entered.wait()
    await engine.close()
    stage.blocked = False
    return stage, work


@awaited
async def test_jobs_of_another_version_are_left_alone(postgres_url: str) -> None:
    stage, work = await interrupted_job(postgres_url)
    for executor, version, runs in (("b", "2", 1), ("c", "1", 2)):
        engine = await engine_at(postgres_url, executor, version, run=stage.body)
        await engine.recover("a")
        await engine.join(work)
        await asyncio.sleep(0.3)
        assert stage.runs == {work: runs}
        await engine.close()


@awaited
async def test_a_living_executor_is_not_recovered(postgres_url: str) -> None:
    engine = await engine_at(postgres_url, "a")
    with pytest.raises(ValueError, match="not dead"):
        await engine.recover("a")
    await engine.close()


@awaited
async def test_no_number_of_recoveries_strands_a_job(postgres_url: str) -> None:
    stage, work = await interrupted_job(postgres_url)
    rows(postgres_url, "UPDATE dbos.workflow_status SET recovery_attempts = 100000")
    engine = await engine_at(postgres_url, "b", run=stage.body)
    await engine.recover("a")
    await engine.join(work)
    assert stage.runs == {work: 2}
    await engine.close()


@awaited
async def test_the_database_holds_json_and_no_steps(postgres_url: str) -> None:
    stage, work = Stage(), job()
    engine = await engine_at(postgres_url, "a", run=stage.body)
    await engine.start(work)
    await engine.join(work)
    await engine.close()
    stored = "SELECT status, serialization, executor_id FROM dbos.workflow_status"
    assert rows(postgres_url, stored) == [("SUCCESS", "portable_json", "a")]
    assert rows(postgres_url, "SELECT * FROM dbos.operation_outputs") == []


@awaited
async def test_an_idle_engine_leaves_the_database_alone(postgres_url: str) -> None:
    engine = await engine_at(postgres_url, "a")
    began: list[object] = []
    event.listen(engine._dbos._sys_db.engine, "begin", began.append)
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
async def test_where_the_process_stands_still_as_it_closes_there_is_still_time_to_clean_up(postgres_url: str) -> None:
    entered, cleaned = asyncio.Event(), list[str]()

    async def body(_: Job) -> bool:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            time.sleep(2)  # noqa: ASYNC251 - nothing else of this process happens meanwhile
            for _look in range(10):
                await asyncio.sleep(0.05)
            cleaned.append("all")
        return True

    engine = await engine_at(postgres_url, "a", run=body)
    await engine.start(job())
    await entered.wait()
    await engine.close()
    assert cleaned == ["all"]


@awaited
async def test_threads_are_to_be_had_after_closing(postgres_url: str) -> None:
    engine, work = await engine_at(postgres_url, "a", run=Stage().body), job()
    await engine.start(work)
    await engine.join(work)
    await engine.close()
    assert await asyncio.to_thread(os.getpid) == os.getpid()


@awaited
async def test_one_engine_at_a_time(postgres_url: str) -> None:
    stage, work = Stage(), job()
    for times in (1, 2):
        engine = await engine_at(postgres_url, "a", run=stage.body)
        with pytest.raises(RuntimeError, match="one DBOS engine"):
            await engine_at(postgres_url, "b")
        await engine.start(work)
        await engine.join(work)
        await engine.close()
        assert stage.runs == {work: times}


@awaited
async def test_a_database_that_cannot_be_opened_is_a_store_error(postgres_url: str) -> None:
    with pytest.raises(StoreError, match="cannot be opened") as refused:
        await engine_at("postgresql://nobody@127.0.0.1:1/none", "a")
    assert refused.value.hint
    assert "sqlalche.me" not in refused.value.message
    engine = await engine_at(postgres_url, "a")
    await engine.close()


@awaited
async def test_lost_connections_are_made_again(postgres_url: str) -> None:
    stage, first, second = Stage(), job(), job()
    stage.blocked = True
    engine = await engine_at(postgres_url, "a", run=stage.body)
    await engine.start(first)
    await stage.entered.wait()
    rows(
        postgres_url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    stage.released.set()
    await engine.start(second)
    await engine.join(first)
    await engine.join(second)
    assert stage.runs == {first: 1, second: 1}
    await engine.close()
    assert {status for (status,) in rows(postgres_url, "SELECT status FROM dbos.workflow_status")} == {"SUCCESS"}
