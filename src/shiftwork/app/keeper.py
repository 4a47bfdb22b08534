"""Signs of life for what this process works on, and the news that it has lost it.

A worker that was frozen, or cut off from the database for too long, may find that somebody else has taken its run over.
Its agents must not go on editing then: whoever waits for the run is told, leaves the world, and with that the engine is
closed and every process tree of its own is ended.
"""

import asyncio
from typing import Final

from shiftwork.app.world import World
from shiftwork.domain.model.ids import RunId

BEAT_SECONDS: Final = 2.0


async def until_lost(world: World, run: RunId) -> None:
    """Renew the lease on a run again and again; return when somebody else holds it."""
    while run in await world.leases.renew(world.owner):  # noqa: ASYNC110 - a heartbeat has nothing to wait for
        await asyncio.sleep(BEAT_SECONDS)
