"""What every engine must do: start jobs once, remember checkpoints, lose nothing when its process dies."""

# ruff: noqa: S101 - suites use assert

import asyncio
import threading

import pytest
from hypothesis import given

from shiftwork.errors import ShiftworkError
from shiftwork.ports.engine import Checkpoints, Job
from shiftwork.testing.conformance.engine_stage import (
    FEW,
    PATIENCE,
    Opening,
    Planned,
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
        given: list[Job] = []

        async def body(work: Job, _: Checkpoints) -> None:
            given.append(work)

        async with opened(opening, "a", run=body) as engine:
            work = job()
            await engine.start(work)
            await engine.join(work)
            assert given == [work]

    @awaited
    async def test_a_job_begins_once_anyone_who_starts_it_again(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body("one")) as engine:
            await asyncio.gather(*(engine.start(work) for _ in range(5)))
            await engine.join(work)
            await engine.start(work)
            await engine.join(work)
        async with opened(opening, "b", run=stage.body("one")) as engine:
            await engine.start(work)
            await engine.join(work)
        assert stage.done == {"one": 1}

    @awaited
    async def test_a_job_of_an_unknown_kind_is_refused(self, opening: Opening) -> None:
        async with opened(opening, "a") as engine:
            with pytest.raises(LookupError):
                await engine.start(job("nobody"))

    @awaited
    async def test_joining_an_unknown_job_is_a_lookup_error(self, opening: Opening) -> None:
        async with opened(opening, "a") as engine:
            with pytest.raises(LookupError):
                await engine.join(job())

    @awaited
    async def test_acts_run_on_the_loop_and_in_the_thread_that_opened_the_engine(self, opening: Opening) -> None:
        stage, work, places = Stage(), job(), []

        async def where() -> None:
            places.append((asyncio.get_running_loop(), threading.get_ident()))

        async def body(_: Job, checkpoints: Checkpoints) -> None:
            await checkpoints.once("where", where, preemptible=True)
            await checkpoints.once("stop", stage.act("stop"))
            await checkpoints.once("there", where)

        here = (asyncio.get_running_loop(), threading.get_ident())
        stage.blocked.add("stop")
        async with opened(opening, "a", run=body) as engine:
            await engine.start(work)
            await stage.entered.wait()
        stage.blocked.clear()
        async with opened(opening, "b", run=body) as engine:
            await engine.recover("a")
            await engine.join(work)
        assert places == [here, here]

    @awaited
    async def test_finished_checkpoints_are_remembered_when_another_recovers_the_job(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        stage.blocked.add("two")
        body = stage.body("one", "two", "three")
        async with opened(opening, "a", run=body) as engine:
            await engine.start(work)
            await stage.entered.wait()
        assert stage.cleaned == ["two"]
        stage.blocked.clear()
        async with opened(opening, "b", run=body) as engine:
            await engine.recover("a")
            await engine.join(work)
        assert stage.done == {"one": 1, "two": 2, "three": 1}

    @given(plan=plans)
    @FEW
    @awaited
    async def test_a_job_survives_any_deaths(self, opening: Opening, plan: list[Planned]) -> None:
        await survive(opening, plan)

    @awaited
    async def test_recovering_twice_and_recovering_no_one_change_nothing(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        stage.blocked.add("one")
        async with opened(opening, "a", run=stage.body("one")) as engine:
            await engine.start(work)
            await stage.entered.wait()
        stage.entered.clear()
        async with opened(opening, "b", run=stage.body("one")) as engine:
            await engine.recover("nobody")
            await engine.recover("a")
            await stage.entered.wait()
            await engine.recover("a")
            await asyncio.sleep(0.2)
            assert stage.done == {"one": 2}
            with pytest.raises(ValueError, match="not dead"):
                await engine.recover("b")

    @awaited
    async def test_a_replay_by_other_code_is_an_error(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        stage.blocked.add("two")
        async with opened(opening, "a", run=stage.body("one", "two")) as engine:
            await engine.start(work)
            await stage.entered.wait()
        async with opened(opening, "b", run=stage.body("other", "two")) as engine:
            await engine.recover("a")
            with pytest.raises(ShiftworkError, match="different version of the code"):
                await engine.join(work)
        assert stage.done == {"one": 1, "two": 1}

    @awaited
    async def test_a_job_starts_others_from_inside_an_act_and_from_outside_one(self, opening: Opening) -> None:
        stage, parent, child, sibling = Stage(), job("parent"), job(), job()
        stage.blocked.add("stop")

        async def body(_: Job, checkpoints: Checkpoints) -> None:
            await engine.start(sibling)
            await checkpoints.once("start", lambda: engine.start(child))
            await checkpoints.once("stop", stage.act("stop"))
            await checkpoints.once("join", lambda: engine.join(child))

        async with opened(opening, "a", parent=body, run=stage.body("one")) as engine:
            await engine.start(parent)
            await stage.entered.wait()
            await engine.join(child)
            await engine.join(sibling)
        stage.blocked.clear()
        async with opened(opening, "b", parent=body, run=stage.body("one")) as engine:
            await engine.recover("a")
            await engine.join(parent)
        assert stage.done == {"one": 2, "stop": 2}

    @awaited
    async def test_a_started_job_runs_although_its_starter_is_cancelled(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body("one")) as engine:
            starter = asyncio.ensure_future(engine.start(work))
            await asyncio.sleep(0)
            starter.cancel()
            await asyncio.wait({starter})
            await until(lambda: stage.done["one"] == 1)
            await engine.join(work)

    @awaited
    async def test_hundreds_of_blocked_jobs_are_in_nobodys_way(self, opening: Opening) -> None:
        stage, proceed = Stage(), asyncio.Event()

        async def wait() -> None:
            stage.done["waiting"] += 1
            await proceed.wait()

        async def waiting(_: Job, checkpoints: Checkpoints) -> None:
            await checkpoints.once("wait", wait, preemptible=True)

        async with opened(opening, "a", waiting=waiting, run=stage.body("one", "two", "three")) as engine:
            jobs = [job("waiting") for _ in range(200)]
            await asyncio.gather(*(engine.start(waiter) for waiter in jobs))
            await until(lambda: stage.done["waiting"] == len(jobs))
            quick = job()
            async with asyncio.timeout(PATIENCE):
                await engine.start(quick)
                await engine.join(quick)
            proceed.set()
            await asyncio.gather(*(engine.join(waiter) for waiter in jobs))
