"""The engines in their conformance suite: in memory, DBOS on SQLite, DBOS on Postgres."""

import pytest
from hypothesis import given, settings

from shiftwork.adapters.engine.dbos import DbosEngine, DbosSettings
from shiftwork.adapters.engine.inline import InlineEngine, InlineMemory
from shiftwork.ports.engine import Bodies, Engine
from shiftwork.testing.conformance.engine import EngineConformance
from shiftwork.testing.conformance.engine_endings import EngineEndings
from shiftwork.testing.conformance.engine_stage import Opening, Planned, awaited, plans, survive


def dbos_at(url: str) -> Opening:
    async def opening(executor: str, bodies: Bodies) -> Engine:
        return await DbosEngine.open(DbosSettings(name="conformance", url=url, executor=executor, version="1"), bodies)

    return opening


def inline() -> Opening:
    memory = InlineMemory()

    async def opening(executor: str, bodies: Bodies) -> Engine:
        return InlineEngine(bodies, executor=executor, memory=memory)

    return opening


class TestInline(EngineConformance, EngineEndings):
    @pytest.fixture
    def opening(self) -> Opening:
        return inline()

    @given(plan=plans)
    @settings(max_examples=150, deadline=None)
    @awaited
    async def test_a_job_survives_any_of_very_many_deaths(self, plan: list[Planned]) -> None:
        await survive(inline(), plan)


class TestDbosOnSqlite(EngineConformance, EngineEndings):
    @pytest.fixture
    def opening(self, sqlite_url: str) -> Opening:
        return dbos_at(sqlite_url)


class TestDbosOnPostgres(EngineConformance, EngineEndings):
    @pytest.fixture
    def opening(self, postgres_url: str) -> Opening:
        return dbos_at(postgres_url)
