"""Runs as a whole: begin one, take one up again, wait for it, call it off, give it other limits."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from shiftwork import failpoints
from shiftwork.app.commands.kept_options import check_profiles
from shiftwork.app.commands.spec_lock import check_no_other, claimed
from shiftwork.app.messaging import mailbox, messages
from shiftwork.app.messaging.allowances import tell_limits
from shiftwork.app.messaging.dispatch import dispatched, unrecorded
from shiftwork.app.runtime.context import World
from shiftwork.app.runtime.git_retry import again
from shiftwork.app.runtime.leases import taken, taken_over, until_lost
from shiftwork.app.runtime.recorder import Recorder
from shiftwork.app.runtime.streams import RUN, STORY, load
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.decision import receive
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId, Stream, run_stream, story_stream
from shiftwork.domain.landing.state import request_key
from shiftwork.domain.notices.notice import NoticePlan
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.frame import afoot
from shiftwork.domain.run.state import RUN_ENDED, RunPlan, RunState
from shiftwork.domain.run.steering.undo import undo_request
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story.state import LandingStage, StoryState
from shiftwork.domain.usage.forecast import Forecast
from shiftwork.domain.workflow.workflow import Workflow
from shiftwork.errors import BranchGoneError, RunBusyError, UnknownRunError
from shiftwork.ports.store import EventStore, Inbox
from shiftwork.ports.views import Lease, is_gone

type Stories = Mapping[StoryId, StoryState]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a new run is to be. The branch is made from `base`, where one is named, if it is not there yet; `source` is
    the spec's file, and `done` are the stories that it says have landed before. `patterns` are what earlier runs have
    learnt of the code base, and `foreseen` is what it may cost. It continues `without_gates` that the user has named;
    `base_story` is the one of the spec that makes the others green on the branch, before all else. Where `review` is
    set, a person approves each patch before it lands. `model`, `named`, `trusted` and `settings` are as in `RunPlan`.
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
    patterns: tuple[str, ...] = ()
    notices: NoticePlan = NoticePlan()
    proof: ProofPolicy = ProofPolicy.TRUSTING
    foreseen: Forecast | None = None
    without_gates: tuple[str, ...] = ()
    base_story: StoryId = StoryId("")
    review: bool = False
    model: str = ""
    named: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()


async def start_run(world: World, order: Order) -> RunId:
    """Record the run and give it a job; it goes on while this process lives, and can be resumed afterwards.

    Raises RunBusyError where a living process works on a run of the same spec.
    """
    await again(lambda: _on_branch(world, order))
    run = RunId(world.clock.fresh())
    async with claimed(world, order.landing, order.source):
        await world.leases.acquire(run, world.owner)
        world.beat.taken()
        recorder = Recorder(world=world, kind=RUN, stream=run_stream(run), state=RunState(), version=0)
        await recorder.write("start", opening(order, run, world.clock.now(), world.project, world.worktree))
        failpoints.reach("run.recorded")
    await _start_job(world, recorder.state)
    return run


async def _on_branch(world: World, order: Order) -> None:
    if order.base:
        await world.repository.ensure_branch(order.branch, order.base)
    await world.repository.tip(order.branch)


def opening(order: Order, run: RunId, at: float, project: str = "", worktree: str = "") -> tuple[Fact, ...]:
    """The facts that a run begins with."""
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
        patterns=order.patterns,
        notices=order.notices,
        proof=order.proof,
        foreseen=order.foreseen,
        without_gates=order.without_gates,
        base_story=order.base_story,
        project=project,
        worktree=worktree,
        review=order.review,
        model=order.model,
        named=order.named,
        trusted=order.trusted,
        settings=order.settings,
    )
    adopted = (run_facts.StoryAdopted(at=at, story=story.id) for story in order.spec.stories if story.id in order.done)
    return (run_facts.RunStarted(at=at, plan=plan), *adopted)


async def resume_run(world: World, run: RunId) -> RunState:
    """Go on with a run whose process is gone; one that is over is only given back, unless its mail asks for more.

    What its attempts left running is ended before anything continues. Raises RunBusyError where a living process works
    on the run, or on another one of its spec; the end of it may be asked for all the same. Raises UnknownRunError for
    a run of another project: its commits are not here.
    """
    wanted = await foreseen(world.events, world.inbox, run)
    if wanted.given.project != world.project:
        raise unknown_run(run)
    if wanted.status in RUN_ENDED:
        return wanted
    if not wanted.requests.cancelling:
        check_profiles(wanted.given, world.agents)
        await check_no_other(world, wanted)
    previous = await _take_over(world, run)
    state = await _reopened(world, run)
    await world.reaper.end(f"{run}/")
    stories = await _begun(world, state)
    await _tell_beforehand(world, stories, state, wanted)
    if previous is not None:
        await world.engine.recover(previous.owner.executor)
    await _revive(world, stories, state)
    return state


async def foreseen(events: EventStore, inbox: Inbox, run: RunId) -> RunState:
    """The run as it will be when it has recorded what was begun for it, and has read its mail after that. Raises
    UnknownRunError where there is none.
    """
    state = await load(events, RUN, run_stream(run))
    if state.plan is None:
        raise unknown_run(run)
    begun = [dispatched(effect, 0.0) for effect, _ in await unrecorded(events, state)]
    return RUN.fold(state, (*begun, *await _news(inbox, state, 0.0)))


def unknown_run(run: RunId) -> UnknownRunError:
    return UnknownRunError(f"there is no run {run}", hint="shiftwork status --all lists the runs")


async def _news(inbox: Inbox, state: RunState, at: float) -> tuple[Fact, ...]:
    stream = run_stream(state.given.run)
    return messages.facts_of(stream, await inbox.receive(stream, after=state.cursor), at)


async def _reopened(world: World, run: RunId) -> RunState:
    """The run as it goes on; one that was over reads its mail now, because a run that is over has no job to do it."""
    stream = run_stream(run)
    version = await world.events.version(stream)
    state = await load(world.events, RUN, stream, version)
    if state.status in RUN_ENDED and (news := await _news(world.inbox, state, world.clock.now())):
        recorder = Recorder(world=world, kind=RUN, stream=stream, state=state, version=version)
        await recorder.write(receive(state.cursor).key, news)
        state = recorder.state
    return state


async def _take_over(world: World, run: RunId) -> Lease | None:
    held = await world.leases.acquire(run, world.owner)
    if held is None:
        world.beat.taken()
        return None
    # Of the one who holds it at this moment: somebody else may have taken it over since the run was looked at.
    alive = world.alive(held.owner)
    if not is_gone(held, alive=alive):
        raise RunBusyError(
            f"run {run} is being worked on by {held.owner}",
            hint=f"shiftwork status {run} shows it; shiftwork cancel {run} ends it",
        )
    if not await taken(world.leases, held, world.owner, alive=alive):
        raise RunBusyError(f"another process has just taken over run {run}", hint=f"shiftwork status {run}")
    world.beat.taken()
    return held


async def _begun(world: World, state: RunState) -> Stories:
    """The stories that are worked on, those included that the run does not know of yet."""
    run = state.given.run
    begun = {story: await load(world.events, STORY, story_stream(run, story)) for story in afoot(state)}
    return begun | {known.given.story.id: known for _, known in await unrecorded(world.events, state)}


async def _tell_beforehand(world: World, stories: Stories, state: RunState, wanted: RunState) -> None:
    """What the run has yet to hear of is in the inboxes of those whom it concerns before any of them goes on: the run
    may be later. A story begins nothing under the limits of before, and a queue runs no gates on what is cancelled.
    """
    run = state.given.run
    for story, known in stories.items():
        if known.spending.raises < wanted.spending.raises:
            await tell_limits(world.inbox, wanted, story)
        if wanted.requests.cancelling or story in wanted.requests.unwanted:
            await mailbox.cancel(world.inbox, story_stream(run, story), known.go)
            # It may have died after it had asked to land, and before it had recorded that.
            number = known.landing.requests + (known.landing.progress is not LandingStage.REQUESTED)
            await _take_back(world, state.given.landing, request_key(run, story, number))
    for story in state.requests.undoing:
        if wanted.requests.cancelling or story in wanted.requests.unwanted:
            await _take_back(world, state.given.landing, undo_request(state, story).key)


async def _take_back(world: World, queue: Stream, request: str) -> None:
    if await mailbox.has_asked(world.inbox, queue, request):
        await mailbox.withdraw(world.inbox, queue, request)


async def _revive(world: World, stories: Stories, state: RunState) -> None:
    """A job for every stream that is not at its end. A job too many finds nothing to do, a job too few strands work."""
    run = state.given.run
    for story, known in stories.items():
        if known.landing.progress is LandingStage.REQUESTED:
            request = request_key(run, story, known.landing.requests)
            await world.engine.start(world.landing_job(state.given.landing, request))
        await world.engine.start(world.story_job(run, story, known.go))
    for story, undo in state.requests.undoing.items():
        if undo.landing is LandingStage.REQUESTED:
            await world.engine.start(world.landing_job(state.given.landing, undo_request(state, story).key))
    await _start_job(world, state)


async def _start_job(world: World, state: RunState) -> None:
    run = state.given.run
    world.runs[run] = world.run_job(run, state.endings)
    await world.engine.start(world.runs[run])


async def wait_for(world: World, run: RunId) -> RunState:
    """The run as it stands when its job in this process has ended; until then, signs of life are given for it.

    Raises what any job of this process died of: the run's own might wait for that one for ever. It can be resumed.
    """
    try:
        await _joined(world, run)
    except BranchGoneError as error:
        branch = (await load(world.events, RUN, run_stream(run))).given.branch
        raise BranchGoneError(
            f"run {run} lands on {branch}, and there is no branch of that name with a commit any more",
            hint=f"git branch -m NEW {branch} where it is called NEW now; then: shiftwork resume {run}",
        ) from error
    await world.leases.release(run, world.owner)
    return await load(world.events, RUN, run_stream(run))


async def _joined(world: World, run: RunId) -> None:
    joined = asyncio.ensure_future(world.engine.join(world.runs[run]))
    alarm = asyncio.ensure_future(world.alarm.listen())
    lost = asyncio.ensure_future(until_lost(world, run))
    try:
        await asyncio.wait({joined, alarm, lost}, return_when=asyncio.FIRST_COMPLETED)
        if alarm.done():
            raise alarm.result()
        if lost.done():
            lost.result()
            raise taken_over(run_stream(run))
        joined.result()
    finally:
        for task in (joined, alarm, lost):
            task.cancel()


async def cancel_run(inbox: Inbox, run: RunId, key: str = "") -> None:
    """Ask for the end of a run, once for each key; whoever works on it sees that within a second."""
    await inbox.post(run_stream(run), f"cancel/{key}", messages.cancel())


async def change_options(inbox: Inbox, run: RunId, key: str, named: run_facts.OptionsChanged) -> None:
    """Name other options for a run, once for each key; those that are not named stay."""
    await inbox.post(run_stream(run), f"options/{key}", messages.intent(named))


async def raise_limits(inbox: Inbox, run: RunId, key: str, limits: Limits) -> None:
    """Set other limits for a run, once for each key. The run tells its stories: this is one message, and whoever is
    killed before or after it leaves nothing half done.
    """
    await inbox.post(run_stream(run), f"limits/{key}", messages.intent(run_facts.LimitsRaised(at=0, limits=limits)))
