"""Prevents two runs of one spec, which would pay for the same stories: only one starts, the others get an error.

A process that starts a run holds a claim on the spec from its check for other runs until the new run is recorded and
leased, so that the next process finds it. From then on only the run's own lease counts. Rejected: a claim for as long
as the run lives. `resume` would have to take it too, and `cancel` must work while another process holds it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from shiftwork.app.folds import RUN, load
from shiftwork.app.runtime.context import Context
from shiftwork.app.runtime.leases import FRESH_SECONDS, taken
from shiftwork.domain.core.ids import RunId, Stream, repository_of, run_stream, spec_claim
from shiftwork.domain.run.state import RUN_ENDED, RunPlan, RunState
from shiftwork.errors import SpecBusyError, UnfinishedRunError
from shiftwork.ports.store import EventStore, Leases
from shiftwork.ports.views import Owner, is_gone

_LOOK_SECONDS: Final = 0.1


@asynccontextmanager
async def claimed(context: Context, landing: Stream, source: str) -> AsyncIterator[None]:
    """Holds the claim on the spec while a run starts; raises RunBusyError if a process works on a run of it."""
    if not source:
        yield
        return
    claim = spec_claim(repository_of(landing), context.worktree, source)
    async with context.locks[claim]:
        await _take(context, claim, source)
        try:
            await check_unbegun(context.events, context.leases, context.alive, (), claim)
            yield
        finally:
            await context.leases.release(claim, context.owner)


async def _take(context: Context, claim: Stream, source: str) -> None:
    """Waits for the holder of the claim, which never takes long; takes over the claim of a dead holder."""
    while (held := await context.leases.acquire(claim, context.owner)) is not None:
        alive = context.alive(held.owner)
        if is_gone(held, alive=alive):
            if await taken(context.leases, held, context.owner, alive=alive):
                return
        elif held.age > FRESH_SECONDS:  # it lives, but may be frozen: do not wait for it
            raise SpecBusyError(
                f"{held.owner} is starting a run of {_name(source)}",
                hint="shiftwork status shows whether it has started; then repeat this command",
            )
        await asyncio.sleep(_LOOK_SECONDS)


async def check_unbegun(
    events: EventStore, leases: Leases, alive: Callable[[Owner], bool | None], runs: Iterable[RunId], claim: Stream
) -> None:
    """Raises RunBusyError if a process works on a run of the spec, and UnfinishedRunError if one of `runs` is an
    unfinished run of it: if resumed later, that run would pay again for stories that the new run has landed.
    """
    if busy := await _unfinished(events, await _held(leases, alive), claim):
        raise _worked_on(busy)
    if left := await _unfinished(events, runs, claim):
        raise UnfinishedRunError(
            f"run {left.run} of {_name(left.source)} is unfinished, and no process works on it",
            hint=f"shiftwork resume {left.run} continues it; shiftwork cancel {left.run} ends it, and then this "
            "starts a new run",
        )


async def check_no_other(context: Context, state: RunState) -> None:
    """Raises RunBusyError if a process works on another run of the same spec."""
    plan = state.given
    others = [run for run in await _held(context.leases, context.alive) if run != plan.run]
    if plan.source and (busy := await _unfinished(context.events, others, _claim(plan))):
        raise _worked_on(busy)


async def _held(leases: Leases, alive: Callable[[Owner], bool | None]) -> Sequence[RunId]:
    """Returns all resources that living processes hold: runs, and also other leases."""
    return [RunId(lease.resource) for lease in await leases.holders() if not is_gone(lease, alive=alive(lease.owner))]


async def _unfinished(events: EventStore, runs: Iterable[RunId], claim: Stream) -> RunPlan | None:
    """Returns the first unfinished run of the spec; skips resources that are not runs."""
    for run in runs:
        state = await load(events, RUN, run_stream(run))
        if state.plan is None or state.status in RUN_ENDED:
            continue
        if _claim(state.plan) == claim:
            return state.plan
    return None


def _claim(plan: RunPlan) -> Stream:
    return spec_claim(repository_of(plan.landing), plan.worktree, plan.source)


def _worked_on(plan: RunPlan) -> SpecBusyError:
    return SpecBusyError(
        f"run {plan.run} already works on {_name(plan.source)}",
        hint=f"shiftwork status {plan.run} shows it; shiftwork cancel {plan.run} ends it",
    )


def _name(source: str) -> str:
    return source.partition(":")[2]
