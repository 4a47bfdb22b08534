"""Jobs that wait do not run: a message or a timer starts them again, and what comes meanwhile is not lost."""

import asyncio
from dataclasses import replace

import pytest

from shiftwork.adapters.engine.in_process import InProcessEngine
from shiftwork.app.commands.replies import Word
from shiftwork.app.commands.runs import wait_for
from shiftwork.app.loop import continued_by_messages
from shiftwork.app.perform import RUN_PERFORMERS, perform
from shiftwork.app.runtime.context import Context, job_of
from shiftwork.app.runtime.recorder import Recorder
from shiftwork.app.runtime.streams import RUN_KIND
from shiftwork.domain.agents.rate_limit import Patience
from shiftwork.domain.core.effect import Conclude
from shiftwork.domain.core.ids import RunId, StoryId, Stream, run_stream, story_stream
from shiftwork.domain.run.facts import MemoryKept
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story.facts.steps import StepStarted
from shiftwork.errors import RunBusyError
from shiftwork.ports.engine import Job
from tests.app.attempt.test_questions import BLOCKED, FIRST, asking, held, said
from tests.app.attempt.test_waiting import waiting
from tests.app.rig import SHORT, Rig, done, honest
from tests.app.spending.limits_rig import limited_once


@pytest.fixture
def rig(rig: Rig) -> Rig:
    rig.linger_seconds = 0.05
    return rig


def running(context: Context, run: RunId) -> list[Stream]:
    engine = context.engine
    assert isinstance(engine, InProcessEngine)
    streams = [run_stream(run), story_stream(run, StoryId(FIRST))]
    return [stream for stream in streams if engine._jobs.runs(job_of(stream))]


def test_a_story_that_waits_for_a_person_has_no_job_and_neither_has_its_run(rig: Rig) -> None:
    rig.script, _ = asking(BLOCKED)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await held(rig, run)
            await rig.until(lambda: not running(context, run))
            await said(context, run, Word.ANSWER, "tabs")
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert state.status is RunStatus.COMPLETED
            assert not context.started

    asyncio.run(scenario())


def test_a_story_that_waits_for_a_limit_has_no_job_until_the_limit_ends(rig: Rig) -> None:
    rig.script, rig.patience = limited_once(rig, 1.5), Patience()

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await waiting(rig, run)
            await rig.until(lambda: not running(context, run))
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert state.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_message_to_a_stream_that_is_not_worked_on_here_starts_nothing(rig: Rig) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            other = run_stream(RunId("other"))
            await context.inbox.post(other, "key", {})
            await asyncio.sleep(0.1)
            await context.engine.start(job_of(other))
            await rig.until(lambda: not running(context, RunId("other")))
            assert not running(context, RunId("other"))
            assert await context.events.version(other) == 0

    asyncio.run(scenario())


class Unreachable(InProcessEngine):
    """An engine that cannot start a job that waits."""

    async def start(self, job: Job) -> None:
        raise ConnectionError(f"no start of {job.stream}")


def test_an_engine_that_cannot_start_a_job_again_fails_the_run_loudly(rig: Rig) -> None:
    async def scenario() -> None:
        stream = run_stream(RunId("mine"))
        async with rig.open() as opened, continued_by_messages(replace(opened, engine=Unreachable({}))):
            opened.started.add(stream)
            await opened.inbox.post(stream, "key", {})
            error = await asyncio.wait_for(opened.failure.wait(), timeout=60)
            assert isinstance(error, ConnectionError)

    asyncio.run(scenario())


def test_the_jobs_of_a_run_that_another_process_has_taken_are_stopped(rig: Rig) -> None:
    rig.script = honest(coding=[done(pause=60)])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            task = asyncio.ensure_future(wait_for(context, run))
            await rig.until(lambda: any(isinstance(sighting.what, StepStarted) for sighting in rig.seen))
            other = replace(context.owner, executor="other")
            await context.leases.acquire(run, other, replacing=context.owner)
            with pytest.raises(RunBusyError, match="another process has taken over"):
                await asyncio.wait_for(task, timeout=60)
            assert (running(context, run), context.started) == ([], set())

    asyncio.run(scenario())


def test_what_was_decided_from_an_old_state_is_not_performed(rig: Rig) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await asyncio.wait_for(wait_for(context, run), timeout=60)
            await context.leases.acquire(run, context.owner)
            context.heartbeat.taken()
            stream = run_stream(run)
            version = await context.events.version(stream)
            old = Recorder(context=context, kind=RUN_KIND, stream=stream, state=RunState(), version=1)
            effect = Conclude(key="again", facts=(MemoryKept(at=0.0, changes=1),))
            assert await perform(effect, old, RUN_PERFORMERS) == version
            assert await context.events.version(stream) == version

    asyncio.run(scenario())
