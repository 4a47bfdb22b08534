"""THE MAIN LOOP. Every job repeats these steps: fold the history, decide, perform, append.

    history ─fold▶ state ─decide▶ effects ─perform▶ facts ─append▶ history ▶ …

A job works on one stream and is its only writer. The engine may lose everything it stores about a job: the history is
the source of truth, the facts of each effect are recorded once under its key, and a job that restarts from the history
alone reaches the same end.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from shiftwork.app.perform import LANDING_PERFORMERS, RUN_PERFORMERS, STORY_PERFORMERS, Performers, perform
from shiftwork.app.runtime.context import Context
from shiftwork.app.runtime.landing_lock import alone, turn
from shiftwork.app.runtime.recorder import Recorder
from shiftwork.app.runtime.streams import LANDING, RUN, STORY, Kind, StreamState, load, read
from shiftwork.domain.core.effect import Effect
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.story.effects import RunAgent
from shiftwork.errors import RunBusyError
from shiftwork.ports.engine import Bodies, Checkpoints, Job


async def work(job: Job, checkpoints: Checkpoints, context: Context) -> None:
    """Work on one stream until its state requires no more effects."""
    await _LOOPS[job.kind](context)(Stream(job.stream), checkpoints, context)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop[S: StreamState]:
    """The loop over one kind of stream. `folded` caches states, each with its version."""

    kind: Kind[S]
    performers: Performers[S]
    folded: dict[Stream, tuple[int, S]] = field(default_factory=dict)

    async def carry_on(self, stream: Stream, checkpoints: Checkpoints, context: Context) -> None:
        kind = self.kind
        async with turn(context, stream) if kind.shared else alone(context, stream):
            # The first read is a checkpoint too: a replay must decide from the version of that time, not the latest.
            version = await checkpoints.once("load", lambda: context.events.version(stream))
            state, latest = await load(context.events, kind, stream, version, self.folded.get(stream)), False
            while effects := kind.decide(state):
                for effect in effects:  # effects that are decided together do not need each other's facts
                    recorder = Recorder(
                        context=context, kind=kind, stream=stream, state=state, version=version, latest=latest
                    )
                    preemptible = isinstance(effect, RunAgent)
                    reached = await checkpoints.once(effect.key, self._act(effect, recorder), preemptible=preemptible)
                    if reached == version:
                        return  # no facts: the landing queue is empty, and the next request starts its next job
                    news = recorder.written(version, reached)
                    latest = bool(news)  # this job has just written them, so there cannot be later facts
                    news = news or await read(context.events, stream, version, reached)
                    state, version = kind.fold(state, news), reached
                    if kind.shared:  # it exists as long as its branch: the next job must not fold all of it again
                        self.folded[stream] = (version, state)
                    if any(isinstance(fact, MessagesRead) for fact in news):
                        break  # effects that were decided before the message was read may be obsolete

    def _act(self, effect: Effect, recorder: Recorder[S]) -> Callable[[], Awaitable[int]]:
        return lambda: perform(effect, recorder, self.performers)


_LOOPS: Final[dict[str, Callable[[Context], Callable[[Stream, Checkpoints, Context], Awaitable[None]]]]] = {
    "run": lambda context: Loop(kind=RUN, performers=RUN_PERFORMERS, folded=context.folded_runs).carry_on,
    "story": lambda _: Loop(kind=STORY, performers=STORY_PERFORMERS).carry_on,
    "landing": lambda context: Loop(kind=LANDING, performers=LANDING_PERFORMERS, folded=context.folded_queues).carry_on,
}
"""Loops by kind of job, which is the kind of its stream."""


def bodies(context: Callable[[], Context]) -> Bodies:
    """The job bodies to give to an engine; the world is asked for late, because it holds the engine itself."""

    async def body(job: Job, checkpoints: Checkpoints) -> None:
        try:
            await work(job, checkpoints, context())
        except RunBusyError as error:
            context().failure.set(error)
            await asyncio.Event().wait()  # the process that has the run has the job: it must not end in this engine
        except Exception as error:
            context().failure.set(error)
            raise

    return dict.fromkeys(_LOOPS, body)
