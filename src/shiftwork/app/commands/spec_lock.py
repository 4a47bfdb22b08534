"""Two runs of one spec would pay for the same stories: of those that are begun at once, one is, the others are told.

Whoever begins one holds a claim on the spec from the look at who works on it until the new run is recorded and leased,
so that whoever looks next finds it. From then on the run's own lease is all that counts. Not taken: a claim for as long
as the run lives. Whoever resumes a run would have to take it too, and `cancel` must be able to when another holds it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from shiftwork.app.runtime.context import World
from shiftwork.app.runtime.leases import FRESH_SECONDS, taken
from shiftwork.app.runtime.streams import RUN, load
from shiftwork.domain.core.ids import RunId, Stream, repository_of, run_stream, spec_claim
from shiftwork.domain.run.state import RUN_ENDED, RunPlan, RunState
from shiftwork.errors import RunBusyError, UnfinishedRunError
from shiftwork.ports.store import EventStore, Leases
from shiftwork.ports.views import Owner, is_gone

_LOOK_SECONDS: Final = 0.1


@asynccontextmanager
async def claimed(world: World, landing: Stream, source: str) -> AsyncIterator[None]:
    """Be the only one who begins a run of the spec; raises RunBusyError where somebody works on one already."""
    if not source:
        yield
        return
    claim = spec_claim(repository_of(landing), world.worktree, source)
    async with world.locks[claim]:
        await _take(world, claim, source)
        try:
            await check_unbegun(world.events, world.leases, world.alive, (), claim)
            yield
        finally:
            await world.leases.release(claim, world.owner)


async def _take(world: World, claim: Stream, source: str) -> None:
    """Wait for whoever holds the claim, which is not for long; the place of a dead one is taken."""
    while (held := await world.leases.acquire(claim, world.owner)) is not None:
        alive = world.alive(held.owner)
        if is_gone(held, alive=alive):
            if await taken(world.leases, held, world.owner, alive=alive):
                return
        elif held.age > FRESH_SECONDS:  # it lives, but may be frozen: nobody should have to wait for that
            raise RunBusyError(
                f"{held.owner} is beginning a run of {_name(source)}",
                hint="shiftwork status shows whether it came to that; then type this once more",
            )
        await asyncio.sleep(_LOOK_SECONDS)


async def check_unbegun(
    events: EventStore, leases: Leases, alive: Callable[[Owner], bool | None], runs: Iterable[RunId], claim: Stream
) -> None:
    """Whoever would begin a run of the spec is told of the one that is there: RunBusyError where somebody works on it,
    else UnfinishedRunError where it is among these. Resumed one day, it would pay again for what the new one landed.
    """
    if busy := await _unfinished(events, await _held(leases, alive), claim):
        raise _worked_on(busy)
    if left := await _unfinished(events, runs, claim):
        raise UnfinishedRunError(
            f"run {left.run} of {_name(left.source)} is unfinished, and nobody works on it",
            hint=f"shiftwork resume {left.run} goes on with it; shiftwork cancel {left.run} ends it, and then this "
            "begins anew",
        )


async def check_no_other(world: World, state: RunState) -> None:
    """Whoever goes on with a run is alone with its spec, too; raises RunBusyError."""
    plan = state.given
    others = [run for run in await _held(world.leases, world.alive) if run != plan.run]
    if plan.source and (busy := await _unfinished(world.events, others, _claim(plan))):
        raise _worked_on(busy)


async def _held(leases: Leases, alive: Callable[[Owner], bool | None]) -> Sequence[RunId]:
    """What living processes work on: runs, and by names like theirs what else is leased."""
    return [RunId(one.resource) for one in await leases.holders() if not is_gone(one, alive=alive(one.owner))]


async def _unfinished(events: EventStore, runs: Iterable[RunId], claim: Stream) -> RunPlan | None:
    """The first of the runs that is one of the spec and not over; what is no run at all is passed over."""
    for run in runs:
        state = await load(events, RUN, run_stream(run))
        if state.plan is None or state.status in RUN_ENDED:
            continue
        if _claim(state.plan) == claim:
            return state.plan
    return None


def _claim(plan: RunPlan) -> Stream:
    return spec_claim(repository_of(plan.landing), plan.worktree, plan.source)


def _worked_on(plan: RunPlan) -> RunBusyError:
    return RunBusyError(
        f"run {plan.run} works on {_name(plan.source)} already",
        hint=f"shiftwork status {plan.run} shows it; shiftwork cancel {plan.run} ends it",
    )


def _name(source: str) -> str:
    return source.partition(":")[2]
