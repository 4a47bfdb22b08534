"""Commands for whole runs: start, resume, wait for, cancel, and change the limits."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from shiftwork import failpoints
from shiftwork.app.commands.kept_options import check_profiles
from shiftwork.app.commands.spec_lock import check_no_other, claimed
from shiftwork.app.folds import RUN, STORY, load
from shiftwork.app.messaging import messages, run_inbox
from shiftwork.app.messaging.allowances import report_limits
from shiftwork.app.messaging.dispatch import dispatched, unrecorded
from shiftwork.app.runtime.context import Context, job_of
from shiftwork.app.runtime.git_retry import again
from shiftwork.app.runtime.leases import taken, taken_over, until_lost
from shiftwork.app.runtime.recorder import Recorder
from shiftwork.app.runtime.streams import RUN_KIND
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.decision import receive
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, RunId, StoryId, Stream, run_stream, story_stream
from shiftwork.domain.landing.state import request_key
from shiftwork.domain.notices.notice import NoticePlan
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.frame import in_progress
from shiftwork.domain.run.state import RUN_ENDED, RunPlan, RunState
from shiftwork.domain.run.steering.undo import undo_request
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story.state import LandingStage, StoryState
from shiftwork.domain.usage.forecast import Forecast
from shiftwork.domain.workflow.workflow import Workflow
from shiftwork.errors import BranchGoneError, RunBusyError, UnknownRunError
from shiftwork.ports.store import History, MessageBox
from shiftwork.ports.views import Lease, is_gone
from shiftwork.records import attributes, dataclass

type Stories = Mapping[StoryId, StoryState]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The options of a new run. A missing branch is created from `base`, if given. `source` is the spec's file; `done`
    are the stories that have landed, and `missing` those of them that the branch no longer has. `patterns` are what
    earlier runs learnt about the code base; `forecast` is the estimated cost. The user allows the run to continue
    `without_gates`; `base_story` repairs gates that fail on the branch, before all other stories. With `review`, a
    person approves each patch before it lands. `model`, `named`, `trusted`, `settings`, `ordered`, `keep_going`,
    `context`, `plan_file` and `replaces_file` are as in `RunPlan`.
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
    missing: frozenset[StoryId] = frozenset()
    patterns: tuple[str, ...] = ()
    notices: NoticePlan = NoticePlan()
    proof: ProofPolicy = ProofPolicy.TRUSTING
    forecast: Forecast | None = None
    without_gates: tuple[str, ...] = ()
    base_story: StoryId = StoryId("")
    review: bool = False
    model: str = ""
    named: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    ordered: bool = False
    keep_going: bool = False
    context: tuple[tuple[str, str], ...] = ()
    plan_file: str = ""
    replaces_file: bool = False


async def start_run(context: Context, order: Order) -> RunId:
    """Records the run and starts its job; it works while this process lives, and can be resumed afterwards.

    Raises RunBusyError if a living process works on a run of the same spec.
    """
    run = await record_run(context, order)
    await context.begin(run_stream(run))
    return run


async def record_run(context: Context, order: Order) -> RunId:
    """Only records the run; this process has its lease."""
    await again(lambda: _on_branch(context, order))
    run = RunId(context.clock.fresh())
    async with claimed(context, order.landing, order.source):
        await context.leases.acquire(run, context.owner)
        context.heartbeat.taken()
        recorder = Recorder(context=context, kind=RUN_KIND, stream=run_stream(run), state=RunState(), version=0)
        await recorder.write("start", opening(order, run, context.clock.now(), context.project, context.worktree))
        failpoints.reach("run.recorded")
    return run


async def _on_branch(context: Context, order: Order) -> None:
    if order.base:
        await context.repository.ensure_branch(order.branch, order.base)
    await context.repository.tip(order.branch)


_PLANNED: Final = frozenset({each.name for each in attributes(Order)} - {"done", "missing"})
"""What the plan of a run keeps of its order."""


def opening(order: Order, run: RunId, at: float, project: str = "", worktree: str = "") -> tuple[Fact, ...]:
    """Returns the first facts of a run."""
    kept: dict[str, Any] = {each.name: getattr(order, each.name) for each in attributes(Order) if each.name in _PLANNED}
    plan = RunPlan(run=run, project=project, worktree=worktree, **kept)
    adopted = (run_facts.StoryAdopted(at=at, story=story.id) for story in order.spec.stories if story.id in order.done)
    missing = tuple(story.id for story in order.spec.stories if story.id in order.missing)
    sought = (run_facts.LandedSought(at=at, missing=missing),) if missing else ()
    return (run_facts.RunStarted(at=at, plan=plan), *adopted, *sought)


async def resume_run(context: Context, run: RunId) -> RunState:
    """Continues a run whose process is gone; only returns a finished run, unless an unread message gives it more work.

    Ends processes left by its attempts before anything continues. Raises RunBusyError if a living process works on the
    run or, unless the run is being cancelled, on another run of its spec. Raises UnknownRunError for a run of another
    project: its commits are not here.
    """
    wanted = await forecast(context.events, context.inbox, run)
    if wanted.given.project != context.project:
        raise unknown_run(run)
    if wanted.status in RUN_ENDED:
        return wanted
    if not wanted.requests.cancelling:
        check_profiles(wanted.given, context.agents)
        await check_no_other(context, wanted)
    previous = await _take_over(context, run)
    state = await _reopened(context, run)
    await context.reaper.end(f"{run}/")
    stories = await _begun(context, state)
    await _report_beforehand(context, stories, state, wanted)
    await _revive(context, stories, state)
    if previous is not None:
        await context.engine.recover(previous.owner.executor)
    return state


async def forecast(events: History, inbox: MessageBox, run: RunId) -> RunState:
    """Returns the run as it will be after it has recorded its started stories and then read its messages. Raises
    UnknownRunError if it does not exist.
    """
    state = await load(events, RUN, run_stream(run))
    if state.plan is None:
        raise unknown_run(run)
    begun = [dispatched(effect, 0.0) for effect, _ in await unrecorded(events, state)]
    return RUN.fold(state, (*begun, *await _news(inbox, state, 0.0)))


def unknown_run(run: RunId) -> UnknownRunError:
    """For a run without a history in the database that this project may change."""
    message = f"there is no run {run} to continue or change: it is archived, or belongs to another project"
    hint = "shiftwork status --all lists the runs; archived ones can only be read, by shiftwork report and others"
    return UnknownRunError(message, hint=hint)


async def _news(inbox: MessageBox, state: RunState, at: float) -> tuple[Fact, ...]:
    stream = run_stream(state.given.run)
    return messages.facts_of(stream, await inbox.receive(stream, after=state.cursor), at)


async def _reopened(context: Context, run: RunId) -> RunState:
    """Returns the run to continue. A finished run has no job, so its messages are read here."""
    stream = run_stream(run)
    version = await context.events.version(stream)
    state = await load(context.events, RUN, stream, version)
    if state.status in RUN_ENDED and (news := await _news(context.inbox, state, context.clock.now())):
        recorder = Recorder(context=context, kind=RUN_KIND, stream=stream, state=state, version=version)
        await recorder.write(receive(state.cursor).key, news)
        state = recorder.state
    return state


async def _take_over(context: Context, run: RunId) -> Lease | None:
    held = await context.leases.acquire(run, context.owner)
    if held is None:
        context.heartbeat.taken()
        return None
    # Check the current holder: another process may have taken the run over in the meantime.
    alive = context.alive(held.owner)
    if not is_gone(held, alive=alive):
        raise RunBusyError(
            f"run {run} is being worked on by {held.owner}",
            hint=f"shiftwork status {run} shows it; shiftwork cancel {run} ends it",
        )
    if not await taken(context.leases, held, context.owner, alive=alive):
        raise RunBusyError(f"another process has just taken over run {run}", hint=f"shiftwork status {run}")
    context.heartbeat.taken()
    return held


async def _begun(context: Context, state: RunState) -> Stories:
    """Returns the stories in progress, including those that the run has not recorded yet."""
    run = state.given.run
    begun = {story: await load(context.events, STORY, story_stream(run, story)) for story in in_progress(state)}
    return begun | {known.given.story.id: known for _, known in await unrecorded(context.events, state)}


async def _report_beforehand(context: Context, stories: Stories, state: RunState, wanted: RunState) -> None:
    """Forwards the run's unread messages to its stories and queue before any of them continues, because the run may
    read them later. So no story starts work under old limits, and no queue runs gates on cancelled work.
    """
    run = state.given.run
    for story, known in stories.items():
        if known.spending.raises < wanted.spending.raises:
            await report_limits(context.inbox, wanted, story)
        if wanted.requests.cancelling or story in wanted.requests.unwanted:
            await run_inbox.cancel(context.inbox, story_stream(run, story), known.start_number)
            # The process may have died after it requested the landing and before it recorded that.
            number = known.landing.requests + (known.landing.progress is not LandingStage.REQUESTED)
            await _withdraw(context, state.given.landing, request_key(run, story, number))
    for story in state.requests.undoing:
        if wanted.requests.cancelling or story in wanted.requests.unwanted:
            await _withdraw(context, state.given.landing, undo_request(state, story).key)


async def _withdraw(context: Context, queue: Stream, request: str) -> None:
    if await run_inbox.has_asked(context.inbox, queue, request):
        await run_inbox.withdraw(context.inbox, queue, request)


async def _revive(context: Context, stories: Stories, state: RunState) -> None:
    """Starts a job for every unfinished stream. An extra job does nothing, a missing job blocks work."""
    run = state.given.run
    for story in stories:
        await context.begin(story_stream(run, story))
    for story in await context.workspaces.remaining(run, (*state.stories, FRAME)):
        if story not in stories:  # it has reported its end, and its process died before it had removed its workspace
            await context.begin(story_stream(run, story))
    requests = (*(known.landing.progress for known in stories.values()), *_undos(state))
    if LandingStage.REQUESTED in requests:
        await context.engine.start(job_of(state.given.landing))
    await context.begin(run_stream(run))


def _undos(state: RunState) -> tuple[LandingStage, ...]:
    return tuple(undo.landing for undo in state.requests.undoing.values())


async def wait_for(context: Context, run: RunId) -> RunState:
    """Waits until the run's job in this process has ended, sending heartbeats; returns the run.

    Raises the error of any failed job of this process, because the run's own job might wait for that job forever. The
    run can be resumed.
    """
    try:
        await _joined(context, run)
    except BranchGoneError as error:
        branch = (await load(context.events, RUN, run_stream(run))).given.branch
        raise BranchGoneError(
            f"run {run} lands on {branch}, but that branch no longer exists or has no commit",
            hint=f"if it was renamed to NEW: git branch -m NEW {branch}; then: shiftwork resume {run}",
        ) from error
    await context.leases.release(run, context.owner)
    return await load(context.events, RUN, run_stream(run))


async def _joined(context: Context, run: RunId) -> None:
    joined = asyncio.ensure_future(context.engine.join(job_of(run_stream(run))))
    failure = asyncio.ensure_future(context.failure.wait())
    lost = asyncio.ensure_future(until_lost(context, run))
    try:
        await asyncio.wait({joined, failure, lost}, return_when=asyncio.FIRST_COMPLETED)
        if failure.done():
            raise failure.result()
        if lost.done():
            lost.result()
            await _stop(context, run)
            raise taken_over(run_stream(run))
        joined.result()
    finally:
        for task in (joined, failure, lost):
            task.cancel()


async def _stop(context: Context, run: RunId) -> None:
    """Stops the jobs of a run that another process has taken over."""
    streams = [stream for stream in context.started if stream.split("/")[1] == run]
    context.started.difference_update(streams)
    await asyncio.gather(*(context.engine.cancel(job_of(stream)) for stream in streams))


async def cancel_run(inbox: MessageBox, run: RunId, key: str = "") -> None:
    """Cancels a run, once for each key; the process that works on it sees this within a second."""
    await messages.send(inbox, run_stream(run), f"cancel/{key}", run_facts.CancelRequested(at=messages.UNREAD))


async def change_options(inbox: MessageBox, run: RunId, key: str, named: run_facts.OptionsChanged) -> None:
    """Changes options of a run, once for each key; options that are not named stay."""
    await messages.send(inbox, run_stream(run), f"options/{key}", named)


async def raise_limits(inbox: MessageBox, run: RunId, key: str, limits: Limits) -> None:
    """Sets other limits for a run, once for each key, with a single message; the run forwards them to its stories."""
    raised = run_facts.LimitsRaised(at=messages.UNREAD, limits=limits)
    await messages.send(inbox, run_stream(run), f"limits/{key}", raised)
