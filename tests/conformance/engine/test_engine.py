"""The engines in their conformance suite: in the process, and DBOS on Postgres, alone and with a shared queue."""

import pytest
from hypothesis import given, settings

from shiftwork.adapters.engine.dbos import DbosEngine, DbosSettings
from shiftwork.adapters.engine.in_process import InProcessEngine
from shiftwork.ports.engine import Bodies, Engine
from shiftwork.testing.conformance.engine import EngineConformance, EngineTimers
from shiftwork.testing.conformance.engine_endings import EngineEndings
from shiftwork.testing.conformance.engine_stage import Opening, awaited, plans, survive


def dbos_at(url: str, queue: str = "") -> Opening:
    async def opening(executor: str, bodies: Bodies) -> Engine:
        return await DbosEngine.open(
            DbosSettings(name="conformance", url=url, executor=executor, version="1", queue=queue, limit=500), bodies
        )

    return opening


async def in_process(_: str, bodies: Bodies) -> Engine:
    return InProcessEngine(bodies)


class TestInProcess(EngineConformance, EngineTimers, EngineEndings):
    @pytest.fixture
    def opening(self) -> Opening:
        return in_process

    @given(plan=plans)
    @settings(max_examples=150, deadline=None)
    @awaited
    async def test_a_job_survives_any_of_very_many_deaths(self, plan: list[int]) -> None:
        await survive(in_process, plan)


class TestDbos(EngineConformance, EngineTimers, EngineEndings):
    @pytest.fixture
    def opening(self, postgres_url: str) -> Opening:
        return dbos_at(postgres_url)


class TestDbosWithAQueue(EngineConformance, EngineTimers, EngineEndings):
    @pytest.fixture
    def opening(self, postgres_url: str) -> Opening:
        return dbos_at(postgres_url, "jobs")
