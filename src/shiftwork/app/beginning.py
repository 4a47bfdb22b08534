"""Two runs of one spec would pay for the same stories: of those that are begun at once, one is, the others are told.

Whoever begins one holds a claim on the spec from the look at who works on it until the new run is recorded and leased,
so that whoever looks next finds it. From then on the run's own lease is all that counts. Not taken: a claim for as long
as the run lives. Whoever resumes a run would have to take it too, and `cancel` must be able to when another holds it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from shiftwork.app.kinds import RUN, load
from shiftwork.app.leases import LEASE_SECONDS, is_gone
from shiftwork.app.world import World
from shiftwork.domain.model.ids import RunId, Stream, repository_of, run_stream, spec_claim
from shiftwork.domain.model.run import RUN_ENDED
from shiftwork.errors import RunBusyError
from shiftwork.ports.store import EventStore, Leases
from shiftwork.ports.views import Owner

_LOOK_SECONDS: Final = 0.1


@asynccontextmanager
async def claimed(world: World, landing: Stream, source: str) -> AsyncIterator[None]:
    """Be the only one who begins a run of the spec; raises RunBusyError where somebody works on one already."""
    if not source:
        yield
        return
    repository = repository_of(landing)
    claim = spec_claim(repository, source)
    async with world.locks[claim]:
        await _take(world, claim, source)
        try:
            if run := await at_work(world.events, world.leases, world.alive, repository, source):
                raise worked_on(run, source)
            yield
        finally:
            await world.leases.release(claim, world.owner)


async def _take(world: World, claim: Stream, source: str) -> None:
    """Wait for whoever holds the claim, which is not for long; the place of a dead one is taken."""
    while (held := await world.leases.acquire(claim, world.owner)) is not None:
        if is_gone(held, alive=world.alive(held.owner)):
            if await world.leases.acquire(claim, world.owner, replacing=held.owner) is None:
                return
        elif held.age > LEASE_SECONDS:  # it lives, but may be frozen: nobody should have to wait for that
            raise RunBusyError(
                f"process {held.owner.pid} on {held.owner.host} is beginning a run of {_name(source)}",
                hint="shiftwork status shows whether it came to that; then type this once more",
            )
        await asyncio.sleep(_LOOK_SECONDS)


async def at_work(
    events: EventStore, leases: Leases, alive: Callable[[Owner], bool | None], repository: str, source: str
) -> RunId | None:
    """The run of the spec that a living process works on."""
    for lease in await leases.holders():
        if is_gone(lease, alive=alive(lease.owner)):
            continue
        # What else is leased has no run of its name: that is one without a plan.
        run = await load(events, RUN, run_stream(RunId(lease.resource)))
        if run.plan is None or run.status in RUN_ENDED or run.plan.source != source:
            continue
        if repository_of(run.plan.landing) == repository:
            return run.plan.run
    return None


def worked_on(run: RunId, source: str) -> RunBusyError:
    return RunBusyError(
        f"run {run} works on {_name(source)} already",
        hint=f"shiftwork status {run} shows it; shiftwork cancel {run} ends it",
    )


def _name(source: str) -> str:
    return source.partition(":")[2]
