"""THE MAIN LOOP. Every job repeats these steps: fold the history, decide, perform, append.

    history ─fold▶ state ─decide▶ effects ─perform▶ facts ─append▶ history ▶ …

A job works on one stream and is its only writer. The history is the source of truth: the facts of each effect are
recorded once under its key, so a job that is interrupted anywhere and started again, here or in another process,
reaches the same end. A job that waits ends; a message or a timer starts it again.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from shiftwork.app.folds import StreamState, load, read
from shiftwork.app.perform import LANDING_PERFORMERS, RUN_PERFORMERS, STORY_PERFORMERS, Performers, perform
from shiftwork.app.runtime.context import Context, job_of
from shiftwork.app.runtime.landing_lock import alone, turn
from shiftwork.app.runtime.recorder import Recorder
from shiftwork.app.runtime.streams import LANDING_KIND, RUN_KIND, STORY_KIND, Kind
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import RunBusyError, ShiftworkError, StoreError
from shiftwork.ports.engine import Bodies, Job
from shiftwork.records import dataclass

type Folded[S] = dict[Stream, tuple[int, S]]
"""States by stream, each with its version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop[S: StreamState]:
    """The loop over one kind of stream. `folded` caches the states of streams that have not ended."""

    kind: Kind[S]
    performers: Performers[S]
    folded: Folded[S]

    async def carry_on(self, stream: Stream, context: Context) -> bool:
        """Works until the state requires no more effects, or the next effect waits; returns whether it has ended."""
        kind = self.kind
        async with turn(context, stream) if kind.shared else alone(context, stream):
            version = await context.events.version(stream)
            state, latest = await load(context.events, kind.state, stream, version, self.folded.get(stream)), True
            self.folded[stream] = (version, state)
            while effects := kind.decide(state):
                for effect in effects:  # effects that are decided together do not need each other's facts
                    recorder = Recorder(
                        context=context, kind=kind, stream=stream, state=state, version=version, latest=latest
                    )
                    reached = await perform(effect, recorder, self.performers)
                    if reached == version:
                        return kind.shared  # no facts: the landing queue is empty, or the stream waits
                    news = recorder.written(version, reached)
                    latest = bool(news)  # this job has just written them, so there cannot be later facts
                    news = news or await read(context.events, stream, version, reached)
                    state, version = kind.state.fold(state, news), reached
                    self.folded[stream] = (version, state)
                    if any(isinstance(fact, MessagesRead) for fact in news):
                        break  # effects that were decided before the message was read may be obsolete
            self.folded.pop(stream, None)
            context.started.discard(stream)
            return True


_LOOPS: Final[dict[str, Callable[[Context], Callable[[Stream, Context], Awaitable[bool]]]]] = {
    "run": lambda context: Loop(kind=RUN_KIND, performers=RUN_PERFORMERS, folded=context.folded_runs).carry_on,
    "story": lambda context: Loop(kind=STORY_KIND, performers=STORY_PERFORMERS, folded=context.folded_stories).carry_on,
    "landing": lambda context: (
        Loop(kind=LANDING_KIND, performers=LANDING_PERFORMERS, folded=context.folded_queues).carry_on
    ),
}
"""Loops by kind of job, which is the kind of its stream."""


_GOES_ON: Final = "all that has landed or waits is kept; when the reason is gone: shiftwork resume"


def bodies(context: Callable[[], Context]) -> Bodies:
    """The job bodies to give to an engine; the context is asked for late, because it holds the engine itself."""

    async def body(job: Job) -> bool:
        stream = Stream(job.stream)
        if not (job.kind == "landing" or stream in context().started):
            return True  # it has ended; or this process does not have its run, whose dead process may have had several
        try:
            return await _LOOPS[job.kind](context())(stream, context())
        except RunBusyError as error:
            context().failure.set(error)
            return False  # the process that has the run has the job
        except Exception as error:
            if isinstance(error, ShiftworkError):
                error.hint = error.hint or _GOES_ON
            context().failure.set(error)
            raise

    return dict.fromkeys(_LOOPS, body)


@asynccontextmanager
async def continued_by_messages(context: Context) -> AsyncIterator[None]:
    """While this is open, a message to a stream that this process works on starts the job of that stream."""
    arrived = asyncio.Queue[Stream]()
    with context.inbox.listen(arrived.put_nowait):
        starting = (
            asyncio.ensure_future(_start_each(context, arrived)),
            asyncio.ensure_future(_start_unread(context)),
        )
        try:
            yield
        finally:
            for task in starting:
                task.cancel()
            await asyncio.gather(*starting, return_exceptions=True)


async def _start_each(context: Context, arrived: asyncio.Queue[Stream]) -> None:
    while True:
        stream = await arrived.get()
        if stream in context.started:
            await _start_again(context, stream)


async def _start_unread(context: Context) -> None:
    """From time to time, starts what waits although it has unread messages, whatever became of their wake-ups."""
    while True:
        await asyncio.sleep(context.work_policy.sweep_seconds)
        if cursors := _waiting_cursors(context):
            with contextlib.suppress(StoreError):  # the heartbeats report a database that stays away
                for stream in await context.inbox.unread(cursors):
                    await _start_again(context, stream)


def _waiting_cursors(context: Context) -> dict[Stream, int]:
    """How far each stream that waits has read its inbox; with them the landing queues, which may have their requests.
    Empty if none waits.
    """
    runs, stories, queues = (
        {stream: state.cursor for stream, (_, state) in folded.items()}
        for folded in (context.folded_runs, context.folded_stories, context.folded_queues)
    )
    known = {**runs, **stories}.items()
    waiting = {
        stream: cursor for stream, cursor in known if stream in context.started and not context.locks[stream].locked()
    }
    return {**waiting, **queues} if waiting else {}


async def _start_again(context: Context, stream: Stream) -> None:
    try:
        await context.engine.start(job_of(stream))
    except Exception as error:  # noqa: BLE001 - whatever it is, the run must not wait for this stream
        context.failure.set(error)
