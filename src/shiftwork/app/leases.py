"""Leases at work: how a holder shows that it lives, when it is taken to be gone, and how it finds that it was replaced.

A worker that was frozen, or cut off from the database for too long, may find that somebody else has taken its run over.
Its agents must not go on editing then: whoever waits for the run is told, leaves the world, and with that the engine is
closed and every process tree of its own is ended. Until it has found out, it must not begin anything either, nor write
into the history: before each of these it looks, where its last sign of life is so old that somebody may have its place.
"""

import asyncio
from collections.abc import Set as AbstractSet
from typing import Final

from shiftwork.app.world import World
from shiftwork.domain.model.ids import RunId, Stream
from shiftwork.errors import RunBusyError
from shiftwork.ports.views import Lease

BEAT_SECONDS: Final = 2.0

LEASE_SECONDS: Final = 10.0
"""How long a holder on another host may give no sign of life before its place may be taken."""


def is_gone(held: Lease, *, alive: bool | None) -> bool:
    """On this host it is known whether the holder lives; of another only its signs of life are."""
    return held.age > LEASE_SECONDS if alive is None else not alive


async def until_lost(world: World, run: RunId) -> None:
    """Renew the lease on a run again and again; return when somebody else holds it."""
    while run in await renewed(world):  # noqa: ASYNC110 - a heartbeat has nothing to wait for
        await asyncio.sleep(BEAT_SECONDS)


async def renewed(world: World) -> AbstractSet[str]:
    """Give a sign of life for all that this process holds, and tell what that still is."""
    ticked, at = _moment(world)  # before it is given: it is no younger than that
    held = frozenset(await world.leases.renew(world.owner))
    world.beat.ticked, world.beat.at, world.beat.held = ticked, at, held
    return held


async def ensure_held(world: World, stream: Stream) -> None:
    """Raise RunBusyError where somebody else has taken over the run that the stream is one of. Whoever lands needs no
    more than the branch and the stream as they were found; see `turns`.
    """
    kind, run, *_ = stream.split("/")
    if kind == "landing" or (world.beat.age(*_moment(world)) < LEASE_SECONDS and run in world.beat.held):
        return
    if run not in await renewed(world):
        raise taken_over(RunId(run))


def _moment(world: World) -> tuple[float, float]:
    return asyncio.get_running_loop().time(), world.clock.now()


def taken_over(run: RunId) -> RunBusyError:
    return RunBusyError(f"another process has taken over run {run}", hint=f"shiftwork status {run}")
