"""Leases at work: how a holder shows that it lives, when it is taken to be gone, and how it finds that it was replaced.

A worker that was frozen, or cut off from the database for too long, may find that somebody else has taken its run over.
Its agents must not go on editing then: whoever waits for the run is told, leaves the world, and with that the engine is
closed and every process tree of its own is ended.
"""

import asyncio
from typing import Final

from shiftwork.app.world import World
from shiftwork.domain.model.ids import RunId
from shiftwork.ports.views import Lease

BEAT_SECONDS: Final = 2.0

LEASE_SECONDS: Final = 10.0
"""How long a holder on another host may give no sign of life before its place may be taken."""


def is_gone(held: Lease, *, alive: bool | None) -> bool:
    """On this host it is known whether the holder lives; of another only its signs of life are."""
    return held.age > LEASE_SECONDS if alive is None else not alive


async def until_lost(world: World, run: RunId) -> None:
    """Renew the lease on a run again and again; return when somebody else holds it."""
    while run in await world.leases.renew(world.owner):  # noqa: ASYNC110 - a heartbeat has nothing to wait for
        await asyncio.sleep(BEAT_SECONDS)
