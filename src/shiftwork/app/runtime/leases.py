"""Leases at work: how a holder shows that it lives, when it is taken to be gone, and how it finds that it was replaced.

A worker that was frozen, or cut off from the database for too long, may find that another process has its run. Its
agents must not continue then: the caller that waits for the run gets the error and closes the engine, by which every
process tree of this worker is ended. Until it has found out, it begins nothing, for it looks first where its last sign
of life is not a fresh one; and it writes nothing into the history at all, for every append checks the epoch of its
lease.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from shiftwork.app.runtime.context import World
from shiftwork.domain.core.ids import RunId, Stream
from shiftwork.errors import RunBusyError, StoreError
from shiftwork.ports.store import Fence, Leases
from shiftwork.ports.views import LEASE_SECONDS, Lease, Owner

BEAT_SECONDS: Final = 2.0

FRESH_SECONDS: Final = 10.0
"""How old the last sign of life of this process may be where something is begun without giving another one first."""

_LOOK_SECONDS: Final = 1.0


async def taken(leases: Leases, held: Lease, owner: Owner, *, alive: bool | None) -> bool:
    """Take the place of a holder that is gone; False where it has given a sign of life after all, or another came
    first.
    """
    older_than = LEASE_SECONDS if alive is None else 0.0
    return await leases.acquire(held.resource, owner, replacing=held.owner, older_than=older_than) is None


async def until_lost(world: World, run: RunId) -> None:
    """Renew the lease on a run again and again; return when another process holds it. Raises StoreError where the
    database does not take a sign of life in time: then another process may hold it soon.
    """
    while run in await _renewed_in_time(world, run):  # noqa: ASYNC110 - a heartbeat has nothing to wait for
        await asyncio.sleep(BEAT_SECONDS)


async def _renewed_in_time(world: World, run: RunId) -> Mapping[str, int]:
    renewing, seconds = asyncio.ensure_future(renewed(world)), world.conduct.fence_seconds
    try:
        # Counted in looks: where this process stands still, so does what it waits for.
        for _ in range(round(seconds / _LOOK_SECONDS)):
            if (await asyncio.wait({renewing}, timeout=_LOOK_SECONDS))[0]:
                return await renewing
    finally:
        renewing.cancel()
    raise StoreError(
        f"the database has not answered for {seconds:.0f} s: run {run} stops here, for another process may take it",
        hint=f"see that the server runs; then: shiftwork resume {run}",
    )


async def renewed(world: World) -> Mapping[str, int]:
    """Give a sign of life for all that this process holds; what that still is, with the epoch of each."""
    (ticked, at), takeovers = _moment(world), world.beat.takeovers  # before it is given: it is no younger than that
    held = await world.leases.renew(world.owner)
    world.beat.given(ticked, at, held, takeovers)
    return held


async def ensure_held(world: World, stream: Stream) -> Fence:
    """What every append to the stream is checked against: the lease on its run, or on the landing queue itself. Raises
    RunBusyError where that is another's.
    """
    kind, run, *_ = stream.split("/")
    resource = stream if kind == "landing" else run
    held = world.beat.held
    if resource not in held or world.beat.age(*_moment(world)) >= FRESH_SECONDS:
        held = await renewed(world)
    if resource not in held:
        raise taken_over(stream)
    return Fence(resource=resource, executor=world.owner.executor, epoch=held[resource])


def _moment(world: World) -> tuple[float, float]:
    return asyncio.get_running_loop().time(), world.clock.now()


def taken_over(stream: Stream) -> RunBusyError:
    kind, run, *_ = stream.split("/")
    if kind == "landing":
        return RunBusyError(
            f"another process has taken this one's turn to land ({stream})", hint="shiftwork status; shiftwork resume"
        )
    return RunBusyError(f"another process has taken over run {run}", hint=f"shiftwork status {run}")
