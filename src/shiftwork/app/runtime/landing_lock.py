"""The lock for landing: only one process at a time lands on a branch, and the lock of a dead process is released.

The lease decides this, and also which process may remove a lock that a killed git has left on the branch. A holder
that was frozen and has lost its lease without knowing can no longer write to the queue, and finds the branch at
another commit.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from shiftwork import failpoints
from shiftwork.app.folds import LANDING, load
from shiftwork.app.runtime.context import Context
from shiftwork.app.runtime.leases import HEARTBEAT_SECONDS, renewed, taken
from shiftwork.app.runtime.side_tasks import cancel_all
from shiftwork.domain.core.ids import Stream
from shiftwork.ports.processes import Reaper
from shiftwork.ports.store import EventStore
from shiftwork.ports.views import is_gone

LOOK_SECONDS: Final = 0.25


@asynccontextmanager
async def alone(context: Context, stream: Stream) -> AsyncIterator[None]:
    """Be the only job of this process that works on the stream."""
    async with context.locks[stream]:
        yield


@asynccontextmanager
async def turn(context: Context, stream: Stream) -> AsyncIterator[None]:
    """Be the only job of all processes that lands from this queue. Its checks end with it."""
    async with alone(context, stream):
        await _take(context, stream)
        heartbeating = asyncio.ensure_future(_heartbeat(context))
        try:
            failpoints.reach("landing.leased")
            yield
        finally:
            await cancel_all(heartbeating, *context.checks.pop(stream, {}).values())
            await context.leases.release(stream, context.owner)


async def _take(context: Context, stream: Stream) -> None:
    """Wait for the lease. If its holder is dead, take the lease and end the processes that its gates left running."""
    while (held := await context.leases.acquire(stream, context.owner)) is not None:
        alive = context.alive(held.owner)
        if not is_gone(held, alive=alive):
            await asyncio.sleep(LOOK_SECONDS)
        elif await taken(context.leases, held, context.owner, alive=alive):
            await end_gates(context.events, context.reaper, stream)
            break
    context.heartbeat.taken()


async def end_gates(events: EventStore, reaper: Reaper, queue: Stream) -> None:
    """End the gate processes that a dead process left running for a queue; no effect if there is no such queue."""
    for entry in (await load(events, LANDING, queue)).entries:
        await reaper.end(f"{entry.request.run}/{entry.request.story}/verify/")


async def _heartbeat(context: Context) -> None:
    while True:
        await asyncio.sleep(HEARTBEAT_SECONDS)
        await renewed(context)
