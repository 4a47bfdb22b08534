"""Leases: how a holder sends heartbeats, when it counts as dead, and how it finds that it was replaced.

A worker that was frozen, or cut off from the database for too long, may find that another process has its run. Its
agents must not continue then: the caller that waits for the run gets the error and closes the engine, which ends every
process tree of this worker. Until the worker has found out, it starts nothing, because it renews the lease first if
its last heartbeat is old; and it cannot write to the history, because every append checks the epoch of its lease.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from shiftwork.app.runtime.context import Context
from shiftwork.domain.core.ids import RunId, Stream
from shiftwork.errors import RunBusyError, StoreError
from shiftwork.ports.store import Fence, Leases
from shiftwork.ports.views import LEASE_SECONDS, Lease, Owner

HEARTBEAT_SECONDS: Final = 2.0

FRESH_SECONDS: Final = 10.0
"""If the last heartbeat of this process is older, the process sends another before it starts anything."""

_LOOK_SECONDS: Final = 1.0


async def taken(leases: Leases, held: Lease, owner: Owner, *, alive: bool | None) -> bool:
    """Take over the lease of a dead holder; False if that holder has sent a heartbeat, or another process was first."""
    older_than = LEASE_SECONDS if alive is None else 0.0
    return await leases.acquire(held.resource, owner, replacing=held.owner, older_than=older_than) is None


async def until_lost(context: Context, run: RunId) -> None:
    """Renew the lease on a run repeatedly; return when another process holds it. Raises StoreError if the database does
    not accept a heartbeat in time, because another process may hold the lease soon.
    """
    while run in await _renewed_in_time(context, run):  # noqa: ASYNC110 - a heartbeat has nothing to wait for
        await asyncio.sleep(HEARTBEAT_SECONDS)


async def _renewed_in_time(context: Context, run: RunId) -> Mapping[str, int]:
    renewing, seconds = asyncio.ensure_future(renewed(context)), context.work_policy.fence_seconds
    try:
        # Counted in waits, not by a clock: while this process is frozen, its request to the database is frozen too.
        for _ in range(round(seconds / _LOOK_SECONDS)):
            if (await asyncio.wait({renewing}, timeout=_LOOK_SECONDS))[0]:
                return await renewing
    finally:
        renewing.cancel()
    raise StoreError(
        f"the database has not answered for {seconds:.0f} s: run {run} stops here, because another process may take it",
        hint=f"check that the server is running; then: shiftwork resume {run}",
    )


async def renewed(context: Context) -> Mapping[str, int]:
    """Send a heartbeat for all leases of this process; returns those that it still holds, with their epochs."""
    (marked, at), takeovers = (
        _moment(context),
        context.heartbeat.takeovers,
    )  # taken before it is sent, so that its age is not underestimated
    held = await context.leases.renew(context.owner)
    context.heartbeat.given(marked, at, held, takeovers)
    return held


async def ensure_held(context: Context, stream: Stream) -> Fence:
    """Returns the fence that every append to the stream is checked against: the lease on its run, or on the landing
    queue. Raises RunBusyError if another process holds that lease.
    """
    kind, run, *_ = stream.split("/")
    resource = stream if kind == "landing" else run
    held = context.heartbeat.held
    if resource not in held or context.heartbeat.age(*_moment(context)) >= FRESH_SECONDS:
        held = await renewed(context)
    if resource not in held:
        raise taken_over(stream)
    return Fence(resource=resource, executor=context.owner.executor, epoch=held[resource])


def _moment(context: Context) -> tuple[float, float]:
    return context.clock.elapsed(), context.clock.now()


def taken_over(stream: Stream) -> RunBusyError:
    kind, run, *_ = stream.split("/")
    if kind == "landing":
        return RunBusyError(
            f"another process has taken over landing from this one ({stream})",
            hint="shiftwork status; shiftwork resume",
        )
    return RunBusyError(f"another process has taken over run {run}", hint=f"shiftwork status {run}")
