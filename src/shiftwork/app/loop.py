"""THE MAIN LOOP. Every job of the product is this: fold the history, decide, perform, append, and again.

    history ─fold▶ state ─decide▶ effects ─perform▶ facts ─append▶ history ▶ …

A job works on one stream and is its only writer. Whatever the engine remembers of it may be lost: the history is the
truth, each effect has a key under which its facts are recorded once, and a job that starts again from the history
alone comes to the same end.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from shiftwork.app.perform import LANDING_PERFORMERS, RUN_PERFORMERS, STORY_PERFORMERS, Performers, perform
from shiftwork.app.runtime.context import World
from shiftwork.app.runtime.landing_lock import alone, turn
from shiftwork.app.runtime.recorder import Recorder
from shiftwork.app.runtime.streams import LANDING, RUN, STORY, Kind, StreamState, load, read
from shiftwork.domain.core.effect import Effect
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.story.effects import RunAgent
from shiftwork.errors import RunBusyError
from shiftwork.ports.engine import Bodies, Checkpoints, Job


async def work(job: Job, checkpoints: Checkpoints, world: World) -> None:
    """Carry one stream on until its state asks for nothing more."""
    await _LOOPS[job.kind](world)(Stream(job.stream), checkpoints, world)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop[S: StreamState]:
    """The loop over one kind of stream. `folded` are states that are known already, each with its version."""

    kind: Kind[S]
    performers: Performers[S]
    folded: dict[Stream, tuple[int, S]] = field(default_factory=dict)

    async def carry_on(self, stream: Stream, checkpoints: Checkpoints, world: World) -> None:
        kind = self.kind
        async with turn(world, stream) if kind.shared else alone(world, stream):
            # The first read is a checkpoint too: a replay must decide from what was known then, not from what is now.
            version = await checkpoints.once("load", lambda: world.events.version(stream))
            state, latest = await load(world.events, kind, stream, version, self.folded.get(stream)), False
            while effects := kind.decide(state):
                for effect in effects:  # decided together, none of them needs the facts of another
                    recorder = Recorder(
                        world=world, kind=kind, stream=stream, state=state, version=version, latest=latest
                    )
                    preemptible = isinstance(effect, RunAgent)
                    reached = await checkpoints.once(effect.key, self._act(effect, recorder), preemptible=preemptible)
                    if reached == version:
                        return  # nothing came of it: a landing queue is empty, and the next request starts its next job
                    news = recorder.written(version, reached)
                    latest = bool(news)  # written just now by this job, so that nothing can be behind it
                    news = news or await read(world.events, stream, version, reached)
                    state, version = kind.fold(state, news), reached
                    if kind.shared:  # it lives as long as its branch: the next job is not to fold all of it again
                        self.folded[stream] = (version, state)
                    if any(isinstance(fact, MessagesRead) for fact in news):
                        break  # what was decided before the message was read may not be wanted any more

    def _act(self, effect: Effect, recorder: Recorder[S]) -> Callable[[], Awaitable[int]]:
        return lambda: perform(effect, recorder, self.performers)


_LOOPS: Final[dict[str, Callable[[World], Callable[[Stream, Checkpoints, World], Awaitable[None]]]]] = {
    "run": lambda world: Loop(kind=RUN, performers=RUN_PERFORMERS, folded=world.folded_runs).carry_on,
    "story": lambda _: Loop(kind=STORY, performers=STORY_PERFORMERS).carry_on,
    "landing": lambda world: Loop(kind=LANDING, performers=LANDING_PERFORMERS, folded=world.folded_queues).carry_on,
}
"""By the kind of a job, which is the kind of its stream."""


def bodies(world: Callable[[], World]) -> Bodies:
    """The job bodies to give to an engine; the world is asked for late, because it holds the engine itself."""

    async def body(job: Job, checkpoints: Checkpoints) -> None:
        try:
            await work(job, checkpoints, world())
        except RunBusyError as error:
            world().alarm.ring(error)
            await asyncio.Event().wait()  # whoever has the run has the job: the engine is not told that it has ended
        except Exception as error:
            world().alarm.ring(error)
            raise

    return dict.fromkeys(_LOOPS, body)
