"""Signs of life for what this process works on, and what follows when it has lost it: it lets go at once.

A worker that was frozen, or cut off from the database for too long, may find that somebody else has taken its runs
over. Its agents must not go on editing then: closing the engine ends every process tree it owns.
"""

import asyncio
from typing import Final

from shiftwork.app.world import World
from shiftwork.domain.model.ids import RunId

BEAT_SECONDS: Final = 2.0


async def keep(world: World, run: RunId) -> None:
    """Renew the lease on a run until it is lost or this is cancelled; when it is lost, close the engine."""
    while run in await world.leases.renew(world.owner):  # noqa: ASYNC110 - a heartbeat has nothing to wait for
        await asyncio.sleep(BEAT_SECONDS)
    await world.engine.close()
