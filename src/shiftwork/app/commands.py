"""What people ask for: start a run, go on with one, cancel one, answer one that waits."""

import asyncio
from dataclasses import dataclass

from shiftwork import failpoints
from shiftwork.app import messages
from shiftwork.app.keeper import until_lost
from shiftwork.app.kinds import RUN, STORY, load
from shiftwork.app.pen import Pen
from shiftwork.app.world import World
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.ids import RunId, StoryId, Stream, run_stream, story_stream
from shiftwork.domain.model.run import RUN_ENDED, RunPlan, RunState
from shiftwork.domain.model.spec import Spec
from shiftwork.domain.model.story import LandingStage, Limits, StoryStatus
from shiftwork.domain.model.workflow import Workflow
from shiftwork.errors import RunBusyError, UnknownRunError
from shiftwork.ports.store import Inbox
from shiftwork.ports.views import Lease

LEASE_SECONDS = 10.0
"""How long a worker on another host may give no sign of life before its runs may be taken over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a new run is to be. The branch is made from `base`, where one is named, if it is not there yet; `source` is
    the spec's file, and `done` are the stories that it says have landed before.
    """

    spec: Spec
    workflow: Workflow
    branch: str
    landing: Stream
    agent: str
    limits: Limits = Limits()
    parallel: int = 1
    base: str = ""
    source: str = ""
    done: frozenset[StoryId] = frozenset()


async def start_run(world: World, order: Order) -> RunId:
    """Record the run and give it a job; it goes on while this process lives, and can be resumed afterwards."""
    if order.base:
        await world.repository.ensure_branch(order.branch, order.base)
    await world.repository.tip(order.branch)
    run = RunId(world.clock.fresh())
    plan = RunPlan(
        run=run,
        spec=order.spec,
        workflow=order.workflow,
        branch=order.branch,
        landing=order.landing,
        agent=order.agent,
        limits=order.limits,
        parallel=order.parallel,
        source=order.source,
    )
    await world.leases.acquire(run, world.owner)
    pen = Pen(world=world, kind=RUN, stream=run_stream(run), state=RunState(), version=0)
    at = world.clock.now()
    adopted = (r.StoryAdopted(at=at, story=story.id) for story in order.spec.stories if story.id in order.done)
    await pen.write("start", (r.RunStarted(at=at, plan=plan), *adopted))
    failpoints.reach("run.recorded")
    await world.engine.start(world.run_job(run, run_stream(run)))
    return run


async def resume_run(world: World, run: RunId, *, alive: bool | None = None) -> RunState:
    """Go on with a run whose process is gone; a run that has ended is only given back.

    `alive` tells whether the process that holds the run still lives, where the caller can know that. What its
    attempts left running is ended before anything goes on.
    """
    state = await load(world.events, RUN, run_stream(run))
    if state.plan is None:
        raise UnknownRunError(f"there is no run {run}", hint="shiftwork status lists the runs")
    if state.status in RUN_ENDED:
        return state
    previous = await _take_over(world, run, alive=alive)
    await world.reaper.end(f"{run}/")
    if previous is not None:
        await world.engine.recover(previous.owner.executor)
    await _revive(world, state)
    return state


async def _take_over(world: World, run: RunId, *, alive: bool | None) -> Lease | None:
    held = await world.leases.acquire(run, world.owner)
    if held is None:
        return None
    gone = not alive if alive is not None else held.age > LEASE_SECONDS
    if not gone:
        raise RunBusyError(
            f"run {run} is being worked on by process {held.owner.pid} on {held.owner.host}",
            hint=f"shiftwork status {run} shows it; shiftwork cancel {run} ends it",
        )
    lost = await world.leases.acquire(run, world.owner, replacing=held.owner)
    if lost is not None:
        raise RunBusyError(f"another process has just taken over run {run}", hint=f"shiftwork status {run}")
    return held


async def _revive(world: World, state: RunState) -> None:
    """A job for every stream that is not at its end. A job too many finds nothing to do, a job too few strands work."""
    run = state.given.run
    for story, outcome in state.stories.items():
        if outcome.status is not StoryStatus.IN_PROGRESS:
            continue
        stream = story_stream(run, story)
        known = await load(world.events, STORY, stream)
        if known.landing is LandingStage.REQUESTED:
            request = f"{run}/{story}/{known.landings}"
            await world.engine.start(world.landing_job(state.given.landing, request))
        await world.engine.start(world.story_job(run, story, stream))
    await world.engine.start(world.run_job(run, run_stream(run)))


async def wait_for(world: World, run: RunId) -> RunState:
    """The run as it stands when its job in this process has ended; until then, signs of life are given for it.

    Raises what any job of this process died of: the run's own might wait for that one for ever. It can be resumed.
    """
    joined = asyncio.ensure_future(world.engine.join(world.run_job(run, run_stream(run))))
    alarm = asyncio.ensure_future(world.alarm.listen())
    lost = asyncio.ensure_future(until_lost(world, run))
    try:
        await asyncio.wait({joined, alarm, lost}, return_when=asyncio.FIRST_COMPLETED)
        if alarm.done():
            raise alarm.result()
        if lost.done():
            raise RunBusyError(f"another process has taken over run {run}", hint=f"shiftwork status {run}")
        joined.result()
    finally:
        for task in (joined, alarm, lost):
            task.cancel()
    await world.leases.release(run, world.owner)
    return await load(world.events, RUN, run_stream(run))


async def cancel_run(inbox: Inbox, run: RunId) -> None:
    """Ask for the end of a run; whoever works on it sees that within a second."""
    await inbox.post(run_stream(run), "cancel", messages.cancel())


async def raise_limit(inbox: Inbox, run: RunId, story: str, key: str, limit_usd: float) -> None:
    """Let a story that has reached its limit go on up to another one."""
    body = messages.release(granted=True, limit_usd=limit_usd)
    await inbox.post(Stream(f"story/{run}/{story}"), f"release/{key}", body)
