"""Taking turns: of all processes that would land on one branch, one does at a time, and no turn outlives its holder.

The lease decides, and with it who may clear away a lock that a killed git has left on the branch. A holder that was
frozen, and has lost its turn without knowing, cannot write to the queue any more, and finds the branch at another
commit.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from shiftwork import failpoints
from shiftwork.app.runtime.context import World
from shiftwork.app.runtime.leases import BEAT_SECONDS, renewed, taken
from shiftwork.app.runtime.streams import LANDING, load
from shiftwork.domain.core.ids import Stream
from shiftwork.ports.processes import Reaper
from shiftwork.ports.store import EventStore
from shiftwork.ports.views import is_gone

LOOK_SECONDS: Final = 0.25


async def call(world: World, stream: Stream, request: str) -> None:
    """Have a job read this request, which lies in the queue's inbox. One that still waits for its turn will."""
    if not world.waiting[stream]:
        await world.engine.start(world.landing_job(stream, request))


@asynccontextmanager
async def alone(world: World, stream: Stream) -> AsyncIterator[None]:
    """Be the only job of this process that works on the stream."""
    world.waiting[stream] += 1
    try:
        await world.locks[stream].acquire()
    finally:
        world.waiting[stream] -= 1
    try:
        yield
    finally:
        world.locks[stream].release()


@asynccontextmanager
async def turn(world: World, stream: Stream) -> AsyncIterator[None]:
    """Be the only job of all processes that lands from this queue."""
    async with alone(world, stream):
        await _take(world, stream)
        beating = asyncio.ensure_future(_beat(world))
        try:
            failpoints.reach("landing.leased")
            yield
        finally:
            beating.cancel()
            await asyncio.gather(beating, return_exceptions=True)
            await world.leases.release(stream, world.owner)


async def _take(world: World, stream: Stream) -> None:
    """Wait for the lease; where its holder is dead, take it, and end what its gates have left running."""
    while (held := await world.leases.acquire(stream, world.owner)) is not None:
        alive = world.alive(held.owner)
        if not is_gone(held, alive=alive):
            await asyncio.sleep(LOOK_SECONDS)
        elif await taken(world.leases, held, world.owner, alive=alive):
            await end_gates(world.events, world.reaper, stream)
            break
    world.beat.taken()


async def end_gates(events: EventStore, reaper: Reaper, queue: Stream) -> None:
    """End what a dead process has left running of the gates of a queue; nothing where the name is none of a queue's."""
    for entry in (await load(events, LANDING, queue)).entries:
        await reaper.end(f"{entry.request.run}/{entry.request.story}/verify/")


async def _beat(world: World) -> None:
    while True:
        await asyncio.sleep(BEAT_SECONDS)
        await renewed(world)
