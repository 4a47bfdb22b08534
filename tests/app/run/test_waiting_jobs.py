"""Jobs that wait do not run: a message or a timer starts them again, and what comes meanwhile is not lost."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import pytest

from shiftwork.adapters.engine.in_process import InProcessEngine
from shiftwork.adapters.store.in_memory import MemoryInbox
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
from shiftwork.errors import RunBusyError, StoreError
from shiftwork.ports.engine import Job
from shiftwork.ports.store import Message
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


class UnheardInbox(MemoryInbox):
    """An inbox whose wake-ups reach nobody, and whose next sweeps or reads fail."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Mapping[Stream, int]] = []
        self.failing_sweeps = 0
        self.failing_reads = 0

    def listen(self, woken: Callable[[Stream], None]) -> AbstractContextManager[None]:
        return nullcontext()

    async def receive(self, target: Stream, *, after: int) -> Sequence[Message]:
        if self.failing_reads:
            self.failing_reads -= 1
            raise StoreError("the disk does not answer")
        return await super().receive(target, after=after)

    async def unread(self, cursors: Mapping[Stream, int]) -> frozenset[Stream]:
        self.asked.append(cursors)
        if self.failing_sweeps:
            self.failing_sweeps -= 1
            raise StoreError("the disk does not answer")
        return await super().unread(cursors)


@pytest.fixture
def unheard(rig: Rig) -> UnheardInbox:
    rig.store.inbox = UnheardInbox()
    return rig.store.inbox


def test_a_story_whose_wake_up_was_lost_reads_its_answer_after_the_next_sweep(rig: Rig, unheard: UnheardInbox) -> None:
    rig.script, _ = asking(BLOCKED)
    rig.sweep_seconds = 0.2

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await held(rig, run)
            await rig.until(lambda: not running(context, run))
            unheard.failing_sweeps = 1  # the sweep after that finds the answer
            await said(context, run, Word.ANSWER, "tabs")
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert state.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_process_in_which_nothing_waits_asks_the_store_nothing(rig: Rig, unheard: UnheardInbox) -> None:
    rig.sweep_seconds = 0.01

    async def scenario() -> None:
        async with rig.open():
            await asyncio.sleep(0.3)

    asyncio.run(scenario())
    assert not unheard.asked


def test_a_story_whose_inbox_cannot_be_read_stops_its_process_and_reads_its_answer_in_the_next(rig: Rig) -> None:
    rig.script, _ = asking(BLOCKED)
    rig.store.inbox = inbox = UnheardInbox()

    async def scenario() -> RunId:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await held(rig, run)
            await rig.until(lambda: not running(context, run))
            await said(context, run, Word.ANSWER, "tabs")
            inbox.failing_reads = 1
            await context.engine.start(job_of(story_stream(run, StoryId(FIRST))))
            with pytest.raises(StoreError, match="does not answer"):
                await asyncio.wait_for(wait_for(context, run), timeout=60)
            return run

    run = asyncio.run(scenario())
    rig.sweep_seconds = 0.1
    assert asyncio.run(rig.carried_on(run)).status is RunStatus.COMPLETED


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
