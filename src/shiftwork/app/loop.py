"""THE MAIN LOOP. Every job of the product is this: fold the history, decide, perform, append, and again.

    history ─fold▶ state ─decide▶ effects ─perform▶ facts ─append▶ history ▶ …

A job works on one stream and is its only writer. Whatever the engine remembers of it may be lost: the history is the
truth, each effect has a key under which its facts are recorded once, and a job that starts again from the history
alone comes to the same end.
"""

import asyncio
from collections.abc import Awaitable, Callable

from shiftwork.app.perform import perform
from shiftwork.app.runtime.context import World
from shiftwork.app.runtime.landing_lock import alone, turn
from shiftwork.app.runtime.recorder import Pen
from shiftwork.app.runtime.streams import KINDS, load, read
from shiftwork.domain.core.effect import Effect
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.story.effects import RunAgent
from shiftwork.errors import RunBusyError
from shiftwork.ports.engine import Bodies, Checkpoints, Job


async def work(job: Job, checkpoints: Checkpoints, world: World) -> None:
    """Carry one stream on until its state asks for nothing more."""
    kind, stream = KINDS[job.kind], Stream(job.stream)
    async with turn(world, stream) if kind.shared else alone(world, stream):
        # The first read is a checkpoint too: a replay must decide from what was known then, not from what is now.
        version = await checkpoints.once("load", lambda: world.events.version(stream))
        state, latest = await load(world.events, kind, stream, version, world.folded.get(stream)), False
        while effects := kind.decide(state):
            for effect in effects:  # decided together, none of them needs the facts of another
                pen = Pen(world=world, kind=kind, stream=stream, state=state, version=version, latest=latest)
                preemptible = isinstance(effect, RunAgent)
                reached = await checkpoints.once(effect.key, _act(effect, pen), preemptible=preemptible)
                if reached == version:
                    return  # nothing came of it: a landing queue is empty, and who asks to land starts its next job
                news = pen.written(version, reached)
                latest = bool(news)  # written just now by this job, so that nothing can be behind it
                news = news or await read(world.events, stream, version, reached)
                state, version = kind.fold(state, news), reached
                if kind.shared:  # it lives as long as its branch: the next job is not to fold all of it again
                    world.folded[stream] = (version, state)
                if any(isinstance(fact, MessagesRead) for fact in news):
                    break  # what was decided before it was heard of may not be wanted any more


def _act(effect: Effect, pen: Pen) -> Callable[[], Awaitable[int]]:
    return lambda: perform(effect, pen)


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

    return dict.fromkeys(KINDS, body)
