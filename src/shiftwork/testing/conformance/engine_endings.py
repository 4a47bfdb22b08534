"""What every engine must do when a job is cancelled or fails, or when the engine closes first."""

# ruff: noqa: S101 - suites use assert

import asyncio

import pytest

from shiftwork.errors import ShiftworkError
from shiftwork.ports.engine import Job
from shiftwork.testing.conformance.engine_stage import PATIENCE, Opening, Stage, awaited, job, opened, until


class EngineEndings:
    @pytest.fixture
    def opening(self) -> Opening:
        raise NotImplementedError

    @awaited
    async def test_a_cancelled_job_is_interrupted_and_runs_again_only_when_it_is_started(
        self, opening: Opening
    ) -> None:
        stage, work = Stage(), job()
        stage.blocked = True
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.start(work)
            await stage.entered.wait()
            await engine.start(work)
            joining = asyncio.ensure_future(engine.join(work))
            await asyncio.sleep(0)
            await engine.cancel(work)
            await joining
            assert stage.cleaned == [work]
            await asyncio.sleep(0.3)
            assert stage.runs == {work: 1}
            stage.released.set()
            await engine.start(work)
            await engine.join(work)
        assert stage.runs == {work: 2}

    @awaited
    async def test_a_job_that_is_cancelled_before_its_time_never_starts(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.start_later(work, 0.5)
            await engine.cancel(work)
            await engine.join(work)
            await asyncio.sleep(2)
        assert not stage.runs

    @awaited
    async def test_cancelling_an_ended_or_unknown_job_changes_nothing(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.cancel(work)
            await engine.start(work)
            await engine.join(work)
            await engine.cancel(work)
            await engine.join(work)
        assert stage.runs == {work: 1}

    @pytest.mark.parametrize("text", ["by nought", "by nought, \0 and \udcff which is no UTF-8"])
    @awaited
    async def test_joining_raises_what_the_body_raised_until_the_job_is_started_again(
        self, opening: Opening, text: str
    ) -> None:
        stage, work = Stage(), job()
        stage.failure = wrong = ZeroDivisionError(text)
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.start(work)
            for _ in range(2):
                with pytest.raises(ZeroDivisionError) as raised:
                    await engine.join(work)
                assert raised.value is wrong
            stage.failure = None
            await engine.start(work)
            await engine.join(work)
        assert stage.runs == {work: 2}

    @awaited
    async def test_a_body_that_cancels_itself_has_failed(self, opening: Opening) -> None:
        work = job()

        async def body(_: Job) -> bool:
            raise asyncio.CancelledError

        async with opened(opening, "a", run=body) as engine:
            await engine.start(work)
            with pytest.raises(ShiftworkError, match="cancelled itself"):
                await engine.join(work)

    @pytest.mark.parametrize("manner", ["raises", "swallows"])
    @awaited
    async def test_closing_is_quick_and_no_clean_up_can_end_a_job(self, opening: Opening, manner: str) -> None:
        work, entered, cleaned, runs = job(), asyncio.Event(), list[str](), list[Job]()

        async def body(work: Job) -> bool:
            runs.append(work)
            if len(runs) > 1:
                return True
            entered.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.sleep(0.05)
                cleaned.append("all")
                if manner == "raises":
                    raise OSError("the clean-up failed") from None
            return True

        async with opened(opening, "a", run=body) as engine:
            await engine.start(work)
            await entered.wait()
            joining = asyncio.ensure_future(engine.join(work))
            await asyncio.sleep(0.05)
            began = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - began < PATIENCE, "closing does not wait for a body that never ends"
        assert cleaned == ["all"]
        with pytest.raises(RuntimeError, match="closed"):
            await joining
        async with opened(opening, "b", run=body) as engine:
            await engine.recover("a")
            await engine.start(work)
            await engine.join(work)
        assert len(runs) >= 2

    @awaited
    async def test_a_closed_engine_takes_no_work(self, opening: Opening) -> None:
        engine, work = await opening("a", {"run": Stage().body}), job()
        await engine.close()
        await engine.close()
        for call in (engine.start(work), engine.start_later(work, 1), engine.join(work), engine.cancel(work)):
            with pytest.raises(RuntimeError, match="closed"):
                await call
        with pytest.raises(RuntimeError, match="closed"):
            await engine.recover("b")

    @awaited
    async def test_a_timer_ends_with_its_engine(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body) as engine:
            await engine.start_later(work, 0.3)
        await asyncio.sleep(0.6)
        assert not stage.runs

    @awaited
    async def test_a_body_that_ignores_its_interruption_is_left(self, opening: Opening) -> None:
        entered, release = asyncio.Event(), asyncio.Event()

        async def stubborn(_: Job) -> bool:
            entered.set()
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return True

        async with opened(opening, "a", run=stubborn) as engine:
            await engine.start(job())
            await entered.wait()
            began = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - began < PATIENCE
        release.set()
        await until(lambda: len(asyncio.all_tasks()) <= 2)
