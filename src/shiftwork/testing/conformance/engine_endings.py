"""What every engine must do when a job ends by cancellation or an error, or when the engine closes first."""

# ruff: noqa: S101 - suites use assert

import asyncio

import pytest

from shiftwork.errors import ShiftworkError
from shiftwork.ports.engine import Checkpoints, Job
from shiftwork.testing.conformance.engine_stage import PATIENCE, Opening, Stage, awaited, job, opened, until


class EngineEndings:
    @pytest.fixture
    def opening(self) -> Opening:
        raise NotImplementedError

    @awaited
    async def test_a_cancelled_job_is_interrupted_and_goes_no_further(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        stage.blocked.add("one")
        async with opened(opening, "a", run=stage.body("one", "two", preemptible=True)) as engine:
            await engine.start(work)
            await stage.entered.wait()
            await engine.cancel(work)
            await until(lambda: stage.cleaned == ["one"])
            await engine.join(work)
        async with opened(opening, "b", run=stage.body("one", "two")) as engine:
            await engine.recover("a")
            await engine.start(work)
            await engine.join(work)
        assert stage.done == {"one": 1}

    @awaited
    async def test_an_act_that_may_not_be_interrupted_ends_and_nothing_follows(self, opening: Opening) -> None:
        stage, work, entered, proceed = Stage(), job(), asyncio.Event(), asyncio.Event()

        async def steady() -> None:
            entered.set()
            await proceed.wait()
            stage.done["steady"] += 1

        async def body(_: Job, checkpoints: Checkpoints) -> None:
            await checkpoints.once("steady", steady)
            await checkpoints.once("next", stage.act("next"))

        async with opened(opening, "a", run=body) as engine:
            await engine.start(work)
            await entered.wait()
            await engine.cancel(work)
            await asyncio.sleep(0.1)
            assert stage.done == {}
            proceed.set()
            await engine.join(work)
            await asyncio.sleep(0.1)
        assert stage.done == {"steady": 1}

    @awaited
    async def test_cancelling_an_ended_or_unknown_job_changes_nothing(self, opening: Opening) -> None:
        stage, work = Stage(), job()
        async with opened(opening, "a", run=stage.body("one")) as engine:
            await engine.cancel(work)
            await engine.start(work)
            await engine.join(work)
            await engine.cancel(work)
            await engine.join(work)
        assert stage.done == {"one": 1}

    @pytest.mark.parametrize("text", ["by nought", "by nought, \0 and \udcff which is no UTF-8"])
    @awaited
    async def test_joining_raises_what_the_body_raised_and_the_job_stays_failed(
        self, opening: Opening, text: str
    ) -> None:
        stage, work, wrong = Stage(), job(), ZeroDivisionError(text)

        async def body(_: Job, checkpoints: Checkpoints) -> None:
            await checkpoints.once("fail", stage.act("fail"))
            raise wrong

        async with opened(opening, "a", run=body) as engine:
            await engine.start(work)
            for _ in range(2):
                with pytest.raises(ZeroDivisionError) as raised:
                    await engine.join(work)
                assert raised.value is wrong
        async with opened(opening, "b", run=body) as engine:
            await engine.recover("a")
            await engine.start(work)
            with pytest.raises((ZeroDivisionError, ShiftworkError), match="by nought"):
                await engine.join(work)
        assert stage.done == {"fail": 1}

    @awaited
    async def test_what_an_act_raised_is_the_bodys_and_no_result(self, opening: Opening) -> None:
        """The cause of the error may have gone when another process continues the job."""
        stage, work, wrong, met = Stage(), job(), ValueError("no such \udcff thing"), list[object]()
        stage.blocked.add("stop")

        async def act() -> str:
            stage.done["act"] += 1
            if stage.done["act"] == 1:
                raise wrong
            return "done"

        async def body(_: Job, checkpoints: Checkpoints) -> None:
            try:
                met.append(await checkpoints.once("act", act))
            except ValueError as error:
                met.append(error)
            await checkpoints.once("stop", stage.act("stop"))

        async with opened(opening, "a", run=body) as engine:
            await engine.start(work)
            await stage.entered.wait()
        stage.blocked.clear()
        async with opened(opening, "b", run=body) as engine:
            await engine.recover("a")
            await engine.join(work)
        assert met == [wrong, "done"]
        assert stage.done == {"act": 2, "stop": 2}

    @awaited
    async def test_a_body_that_cancels_itself_has_failed(self, opening: Opening) -> None:
        work = job()

        async def give_up() -> None:
            raise asyncio.CancelledError

        async def body(_: Job, checkpoints: Checkpoints) -> None:
            await checkpoints.once("give-up", give_up)

        async with opened(opening, "a", run=body) as engine:
            await engine.start(work)
            with pytest.raises(ShiftworkError, match="cancelled itself"):
                await engine.join(work)

    @pytest.mark.parametrize("manner", ["raises", "swallows"])
    @awaited
    async def test_closing_is_quick_and_no_clean_up_can_end_a_job(self, opening: Opening, manner: str) -> None:
        stage, work, entered = Stage(), job(), asyncio.Event()

        async def stubborn() -> None:
            stage.done["stubborn"] += 1
            if stage.done["stubborn"] > 1:
                return
            entered.set()
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0.05)
                stage.cleaned.append("stubborn")
                if manner == "raises":
                    raise OSError("the clean-up failed")

        async def body(_: Job, checkpoints: Checkpoints) -> None:
            try:
                await checkpoints.once("stubborn", stubborn)
            except asyncio.CancelledError:
                if manner == "raises":
                    raise
                return
            await checkpoints.once("next", stage.act("next"))

        async with opened(opening, "a", run=body) as engine:
            await engine.start(work)
            await entered.wait()
            joining = asyncio.ensure_future(engine.join(work))
            await asyncio.sleep(0.05)
            began = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - began < PATIENCE, "closing does not wait for an act that never ends"
        assert stage.cleaned == ["stubborn"]
        with pytest.raises(RuntimeError, match="closed"):
            await joining
        async with opened(opening, "b", run=body) as engine:
            await engine.recover("a")
            await engine.join(work)
        assert stage.done == {"stubborn": 2, "next": 1}

    @awaited
    async def test_a_closed_engine_takes_no_work(self, opening: Opening) -> None:
        async with opened(opening, "a") as engine:
            pass
        await engine.close()
        for call in (engine.start, engine.join, engine.cancel):
            with pytest.raises(RuntimeError, match="closed"):
                await call(job())
        with pytest.raises(RuntimeError, match="closed"):
            await engine.recover("b")
