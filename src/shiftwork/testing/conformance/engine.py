"""What every engine must do: start jobs, at once or later, one run at a time, and lose no start."""

# ruff: noqa: S101 - suites use assert

import asyncio
import threading

import pytest
from hypothesis import given

from shiftwork.ports.engine import Job
from shiftwork.testing.conformance.engine_stage import (
    FEW,
    PATIENCE,
    Opening,
    Stage,
    awaited,
    job,
    opened,
    plans,
    survive,
    until,
)


class EngineConformance:
    @pytest.fixture
    def opening(self) -> Opening:
        raise NotImplementedError

    @awaited
    async def test_a_body_is_given_its_job(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.start(work)
            await engine.join(work)
        assert stage.runs == {work: 1}

    @awaited
    async def test_a_job_that_is_started_while_it_runs_runs_once_more(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        stage.blocked = True
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.start(work)
            await stage.entered.wait()
            await asyncio.gather(*(engine.start(work) for _ in range(5)))
            stage.released.set()
            await until(lambda: stage.runs[work] == 2)
            await engine.join(work)
            await asyncio.sleep(0.3)
        assert stage.runs == {work: 2}

    @awaited
    async def test_a_finished_job_that_is_started_runs_again(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body) as engine:
            for times in (1, 2):
                await engine.start(work)
                await engine.join(work)
                assert stage.runs == {work: times}

    @awaited
    async def test_a_job_that_waits_is_not_finished_until_it_was_started_again(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        stage.waits = True
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.start(work)
            await until(lambda: stage.runs[work] == 1)
            joining = asyncio.ensure_future(engine.join(work))
            await asyncio.sleep(0.3)
            assert not joining.done()
            stage.waits = False
            await engine.start(work)
            await joining
        assert stage.runs == {work: 2}

    @awaited
    async def test_a_job_of_an_unknown_kind_is_refused(self, opening: Opening) -> None:
        async with opened(opening, "a") as engine:
            with pytest.raises(LookupError):
                await engine.start(job("nobody"))
            with pytest.raises(LookupError):
                await engine.start_later(job("nobody"), 1.0)

    @awaited
    async def test_a_job_that_was_never_started_has_nothing_to_wait_for(self, opening: Opening) -> None:
        async with opened(opening, "a") as engine:
            await engine.join(job())

    @awaited
    async def test_bodies_run_on_the_loop_and_in_the_thread_that_opened_the_engine(self, opening: Opening) -> None:
        places: list[object] = []

        async def body(_: Job) -> bool:
            places.append((asyncio.get_running_loop(), threading.get_ident()))
            return True

        work = job()
        async with opened(opening, "a", run=body) as engine:
            await engine.start(work)
            await engine.join(work)
        assert places == [(asyncio.get_running_loop(), threading.get_ident())]

    @awaited
    async def test_a_job_starts_others_and_itself_again(self, opening: Opening) -> None:
        stage, parent, child = Stage(), job("parent"), job()
        runs: list[Job] = []

        async def body(work: Job) -> bool:
            runs.append(work)
            await engine.start(child)
            if len(runs) == 1:
                await engine.start(work)
            return len(runs) == 2

        async with opened(opening, "a", parent=body, run=stage.body) as engine:
            await engine.start(parent)
            await engine.join(parent)
            await engine.join(child)
        assert runs == [parent, parent]
        assert stage.runs[child] in {1, 2}

    @awaited
    async def test_a_started_job_runs_although_its_starter_is_cancelled(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body) as engine:
            starter = asyncio.ensure_future(engine.start(work))
            await asyncio.sleep(0)
            starter.cancel()
            await asyncio.wait({starter})
            await until(lambda: stage.runs[work] == 1)
            await engine.join(work)

    @awaited
    async def test_waiting_jobs_are_in_nobodys_way(self, opening: Opening) -> None:
        waiting, stage = Stage(), Stage()
        waiting.waits = True
        async with opened(opening, "a", waiting=waiting.body, run=stage.body) as engine:
            jobs = [job("waiting") for _ in range(200)]
            await asyncio.gather(*(engine.start(waiter) for waiter in jobs))
            await until(lambda: waiting.runs.total() == len(jobs))
            quick = job()
            async with asyncio.timeout(PATIENCE):
                await engine.start(quick)
                await engine.join(quick)
            waiting.waits = False
            await asyncio.gather(*(engine.start(waiter) for waiter in jobs))
            await asyncio.gather(*(engine.join(waiter) for waiter in jobs))
        assert set(waiting.runs.values()) == {2}

    @given(plan=plans)
    @FEW
    @awaited
    async def test_a_job_survives_any_deaths(self, opening: Opening, plan: list[int]) -> None:
        await survive(opening, plan)

    @awaited
    async def test_recovering_twice_and_recovering_no_one_are_harmless(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        stage.blocked = True
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.start(work)
            await stage.entered.wait()
        stage.entered.clear()
        async with opened(opening, "b", run=stage.body) as engine:
            await engine.recover("nobody")
            await engine.recover("a")
            await engine.start(work)
            await stage.entered.wait()
            await engine.recover("a")
            stage.released.set()
            await engine.join(work)
        assert stage.runs[work] in {2, 3}


class EngineTimers:
    @pytest.fixture
    def opening(self) -> Opening:
        raise NotImplementedError

    @awaited
    async def test_a_job_starts_later_and_not_before(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.start_later(work, 0.6)
            await asyncio.sleep(0.4)
            assert not stage.runs
            await engine.join(work)
            await asyncio.sleep(0.3)
        assert stage.runs == {work: 1}

    @awaited
    async def test_a_job_that_is_started_before_its_time_starts_once(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.start_later(work, 1.0)
            await engine.start(work)
            await engine.join(work)
            await asyncio.sleep(2.5)
        assert stage.runs == {work: 1}

    @awaited
    async def test_a_later_time_replaces_the_earlier_one(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.start_later(work, 0.5)
            await engine.start_later(work, 60)
            await asyncio.sleep(2)
            assert not stage.runs
            await engine.start_later(work, 0.1)
            await engine.join(work)
        assert stage.runs == {work: 1}

    @awaited
    async def test_a_job_may_set_its_own_time_again_and_again(self, opening: Opening) -> None:
        work, runs = job(), list[Job]()

        async def body(work: Job) -> bool:
            runs.append(work)
            if len(runs) < 3:
                await engine.start_later(work, 0.05)
            return len(runs) == 3

        async with opened(opening, "a", run=body) as engine:
            await engine.start(work)
            await engine.join(work)
        assert runs == [work] * 3
