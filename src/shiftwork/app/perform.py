"""From an effect to the facts that came of it: one performer an effect, each safe to be called again."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from shiftwork import failpoints
from shiftwork.app.attempt import memory, rate_limit_wait
from shiftwork.app.attempt.agent_session import run_agent
from shiftwork.app.landing import batch, check, proof, withdrawal
from shiftwork.app.landing.gates import inspected
from shiftwork.app.messaging import allowances, dispatch, mailbox, messages
from shiftwork.app.messaging import frame as messaging_frame
from shiftwork.app.messaging.notifications import notify_of_run, notify_of_story
from shiftwork.app.messaging.spec_writeback import tick
from shiftwork.app.runtime.git_retry import again
from shiftwork.app.runtime.landing_lock import call
from shiftwork.app.runtime.leases import ensure_held
from shiftwork.app.runtime.locations import desk_of, place_of
from shiftwork.app.runtime.recorder import Recorder, RunRecorder, StoryRecorder
from shiftwork.app.runtime.streams import StreamState
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, in_go, run_stream
from shiftwork.domain.gates.attribution import failing
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing import effects as landing_effects
from shiftwork.domain.landing.commit_message import body_of
from shiftwork.domain.landing.state import LandingRequest, QueueState, request_key
from shiftwork.domain.notices import effects as notices_effects
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.named_gates import gates_of_run
from shiftwork.domain.story import approval
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.facts.steps import Trouble
from shiftwork.domain.story.routing import FAILED, PASSED, route_for
from shiftwork.domain.story.state import FailureCause, StoryState
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.domain.workflow.guardrails import skipped
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.errors import RepositoryError, VersionConflictError

type Facts = tuple[Fact, ...]
type Performers[S: StreamState] = Mapping[type[e.Effect], Callable[[Any, Recorder[S]], Awaitable[Facts]]]


async def perform[S: StreamState](effect: e.Effect, recorder: Recorder[S], performers: Performers[S]) -> int:
    """Do the effect and record its facts under its key; give the version that the stream has then.

    Nothing is done from a state that is not the latest: where the history holds more (another writer came first, or
    this very job before it died), its version is given, and the caller folds that and decides anew. Nor is anything
    done for a run that another process has taken over.
    """
    await ensure_held(recorder.world, recorder.stream)
    if not await recorder.is_latest():
        return await recorder.world.events.version(recorder.stream)
    try:
        facts = await again(lambda: performers[type(effect)](effect, recorder))
        if facts:
            await recorder.write(effect.key, facts)
    except VersionConflictError:
        return await recorder.world.events.version(recorder.stream)
    return recorder.version


async def _conclude[S: StreamState](effect: e.Conclude, recorder: Recorder[S]) -> Facts:
    return tuple(replace(fact, at=recorder.world.clock.now()) for fact in effect.facts)


async def _receive[S: StreamState](effect: e.Receive, recorder: Recorder[S]) -> Facts:
    received = await recorder.world.inbox.wait(recorder.stream, after=effect.cursor)
    return messages.facts_of(recorder.stream, received, recorder.world.clock.now())


async def _end_run(effect: run_effects.EndRun, recorder: RunRecorder) -> Facts:
    """In one write, because what is over has no job that would look into its mail."""
    letters = await mailbox.unread(recorder)
    return (
        *await _conclude(effect, recorder),
        *messages.facts_of(recorder.stream, letters, recorder.world.clock.now()),
    )


# A story's -----------------------------------------------------------------------------------------------------


async def _prepare(effect: story_effects.PrepareWorkspace, recorder: StoryRecorder) -> Facts:
    """A workspace that cannot be made fails the story; nobody ever works in the user's own checkout instead."""
    world = recorder.world
    try:
        base, head = await again(lambda: _laid_out(effect, recorder))
    except (RepositoryError, OSError) as error:
        reason = f"no workspace: {error}"
        return (story_facts.StoryFailed(at=world.clock.now(), cause=FailureCause.WORKSPACE, reason=reason),)
    failpoints.reach("workspace.prepared")
    return (story_facts.WorkspacePrepared(at=world.clock.now(), number=effect.number, base=base, head=head),)


async def _laid_out(effect: story_effects.PrepareWorkspace, recorder: StoryRecorder) -> tuple[Commit, Commit]:
    """Whatever stood there is made anew."""
    world, story = recorder.world, recorder.state
    base = effect.base or await world.repository.tip(story.given.branch)
    head = effect.head or base
    await world.workspaces.prepare(place_of(story, effect.number), head, base=base)
    return base, head


async def _run_gates(effect: story_effects.RunGates, recorder: StoryRecorder) -> Facts:
    world, story = recorder.world, recorder.state
    if letters := await mailbox.unread(recorder):
        await mailbox.take_in(recorder, letters)
        return ()
    at = world.clock.now()
    started = story_facts.StepStarted(at=at, step=effect.step, attempt=effect.attempt, commit=story.work.head, log="")
    step = story.pipeline.step(effect.step)
    commands = step.plan.commands or gates_of_run(world.conduct.gates, story.given.gates, story.given.without_gates)
    check = world.gates.check(story.work.head, commands, f"{story.given.run}/{effect.key}", base=story.work.base)
    report = await mailbox.unless_cancelled(recorder, check)
    if report is None:  # as if it had not begun
        await mailbox.take_in(recorder, await mailbox.unread(recorder))
        return ()
    return (started, _gates_ended(step, effect.attempt, report, world.clock.now()))


def _gates_ended(step: Step, attempt: int, report: GateReport, at: float) -> Fact:
    """Red gates fail the step, unless they decide where the story goes on."""
    if report.passed or route_for(step, FAILED):
        decision = PASSED if report.passed else FAILED
        return story_facts.StepCompleted(
            at=at,
            step=step.id,
            attempt=attempt,
            commit=report.commit,
            notes=f"gates {decision}: {', '.join(result.name for result in report.results)}",
            outputs=(),
            usage=NOTHING_USED,
            decision=decision,
            verdict="" if report.passed else failing(report),
        )
    return story_facts.StepFailed(
        at=at,
        step=step.id,
        attempt=attempt,
        trouble=Trouble.GATES,
        error=failing(report),
        usage=NOTHING_USED,
        diff="",
    )


async def _merge_base(effect: story_effects.MergeBase, recorder: StoryRecorder) -> Facts:
    world = recorder.world
    commit, files = await world.repository.merged(effect.base, effect.head)
    keep = world.desks.keep_path(desk_of(recorder.state, "merge", 1), "merge")
    try:
        await again(lambda: world.workspaces.restore(place_of(recorder.state), commit, keep, forward=True))
    except RepositoryError as error:
        return (
            story_facts.WorkspaceLost(at=world.clock.now(), number=recorder.state.work.workspace, reason=error.message),
        )
    return (story_facts.BaseMerged(at=world.clock.now(), commit=commit, base=effect.base, files=tuple(files)),)


async def _request_landing(effect: story_effects.RequestLanding, recorder: StoryRecorder) -> Facts:
    """One who has asked already, and has died over it, records that before it hears of anything: whoever cancels the
    story takes it back then.
    """
    world, story = recorder.world, recorder.state
    given = story.given
    asked = request_key(given.run, given.story.id, effect.number)
    if await mailbox.first(recorder, lambda: mailbox.has_asked(world.inbox, given.landing, asked)):
        return ()
    inspection, case = await inspected(world, story, effect.tip), proof.case_of(story)
    request = LandingRequest(
        run=given.run,
        story=given.story.id,
        number=effect.number,
        stream=recorder.stream,
        tip=effect.tip,
        title=given.story.title,
        body=body_of(given.story),
        case=case,
        may_be_empty=given.story.may_be_empty,
        base=story.work.base,
        inspection=inspection,
        broken=story.landing.refused.broken if story.landing.refused else (),
        borrowing=story.landing.borrowing == effect.tip,
        gates=given.gates,
        without_gates=given.without_gates,
        review=approval.reviewed(story) or inspection.held,
        approved=approval.approved(story),
        skipped=skipped(story.pipeline),
    )
    await mailbox.ask_to_land(world.inbox, given.landing, given.branch, request)
    failpoints.reach("landing.posted")
    await call(world, given.landing, request.key)
    at = world.clock.now()
    return (story_facts.LandingRequested(at=at, number=effect.number, tip=effect.tip, inspection=inspection),)


async def _release(effect: story_effects.ReleaseWorkspace, recorder: StoryRecorder) -> Facts:
    await recorder.world.workspaces.discard(place_of(recorder.state, effect.number))
    failpoints.reach("workspace.released")
    return (story_facts.WorkspaceReleased(at=recorder.world.clock.now(), number=effect.number),)


async def _tell_waiting(effect: story_effects.TellWaiting, recorder: StoryRecorder) -> Facts:
    given = recorder.state.given
    body = messages.waits(given.story.id, waiting=effect.waiting)
    await recorder.world.inbox.post(run_stream(given.run), f"{given.story.id}/{effect.key}", body)
    return (story_facts.WaitingTold(at=recorder.world.clock.now(), waiting=effect.waiting),)


async def _report(effect: story_effects.ReportStory, recorder: StoryRecorder) -> Facts:  # noqa: ARG001 - one shape for all
    given = recorder.state.given
    await memory.keep_story(recorder.world, recorder.state)
    await recorder.world.inbox.post(
        run_stream(given.run), in_go(f"ended/{given.story.id}", recorder.state.go), messages.ended(recorder.state)
    )
    failpoints.reach("story.reported")
    return (story_facts.StoryReported(at=recorder.world.clock.now()),)


RUN_PERFORMERS: Final[Performers[RunState]] = {
    e.Conclude: _conclude,
    e.Receive: _receive,
    notices_effects.Notify: notify_of_run,
    run_effects.EndRun: _end_run,
    run_effects.DispatchStory: dispatch.dispatch,
    run_effects.ForwardCancel: dispatch.forward_cancel,
    run_effects.ForwardPause: dispatch.forward_pause,
    run_effects.ForwardLimits: allowances.forward_limits,
    run_effects.RequestUndo: dispatch.request_undo,
    run_effects.WithdrawUndo: withdrawal.withdraw_undo,
    run_effects.RevertStory: dispatch.revert,
    run_effects.TickSpec: tick,
    run_effects.CloseLoop: messaging_frame.close_loop,
    run_effects.GrantAllowance: allowances.grant,
    run_effects.RefuseAllowance: allowances.refuse,
    run_effects.KeepMemory: memory.keep,
}
STORY_PERFORMERS: Final[Performers[StoryState]] = {
    e.Conclude: _conclude,
    e.Receive: _receive,
    notices_effects.Notify: notify_of_story,
    story_effects.PrepareWorkspace: _prepare,
    story_effects.RunAgent: run_agent,
    story_effects.RunGates: _run_gates,
    story_effects.MergeBase: _merge_base,
    story_effects.OpenLoop: messaging_frame.open_loop,
    story_effects.ClaimAllowance: allowances.claim,
    story_effects.SettleAllowance: allowances.settle,
    story_effects.RequestLanding: _request_landing,
    story_effects.WithdrawLanding: withdrawal.withdraw,
    story_effects.ReleaseWorkspace: _release,
    story_effects.TellWaiting: _tell_waiting,
    story_effects.WaitUntil: rate_limit_wait.wait_until,
    story_effects.ReportStory: _report,
}
LANDING_PERFORMERS: Final[Performers[QueueState]] = {
    e.Conclude: _conclude,
    e.Receive: _receive,
    landing_effects.TakeBatch: batch.take,
    landing_effects.CheckCandidates: check.check,
    landing_effects.MoveBase: batch.move,
    landing_effects.AnswerStories: batch.answer,
}
