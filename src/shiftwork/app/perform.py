"""From an effect to the facts that came of it: one performer an effect, each safe to be called again."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

from shiftwork import failpoints
from shiftwork.app import (
    allowances,
    checking,
    dispatching,
    framing,
    landing,
    mail,
    memory,
    messages,
    proving,
    waiting,
    withdrawing,
)
from shiftwork.app.again import again
from shiftwork.app.attempting import run_agent
from shiftwork.app.gating import inspected
from shiftwork.app.leases import ensure_held
from shiftwork.app.naming import desk_of, place_of
from shiftwork.app.noticing import notify
from shiftwork.app.pen import Pen
from shiftwork.app.ticking import tick
from shiftwork.app.turns import call
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model.facts import Fact, Trouble
from shiftwork.domain.model.gate import GateReport
from shiftwork.domain.model.ids import Commit, in_go, run_stream
from shiftwork.domain.model.pipeline import Step
from shiftwork.domain.model.queue import LandingRequest, request_key
from shiftwork.domain.model.story import FailureCause
from shiftwork.domain.model.usage import NOTHING_USED
from shiftwork.domain.rules import approving
from shiftwork.domain.rules.commit_message import body_of
from shiftwork.domain.rules.editing import skipped
from shiftwork.domain.rules.gating import failing
from shiftwork.domain.rules.routing import FAILED, PASSED, route_for
from shiftwork.domain.rules.spec_gates import gates_of_run
from shiftwork.errors import RepositoryError, VersionConflictError

type Facts = tuple[Fact, ...]


async def perform(effect: e.Effect, pen: Pen) -> int:
    """Do the effect and record its facts under its key; give the version that the stream has then.

    Nothing is done from a state that is not the latest: where the history holds more (another writer came first, or
    this very job before it died), its version is given, and the caller folds that and decides anew. Nor is anything
    done for a run that another process has taken over.
    """
    await ensure_held(pen.world, pen.stream)
    if not await pen.is_latest():
        return await pen.world.events.version(pen.stream)
    try:
        facts = await again(lambda: _PERFORMERS[type(effect)](effect, pen))
        if facts:
            await pen.write(effect.key, facts)
    except VersionConflictError:
        return await pen.world.events.version(pen.stream)
    return pen.version


async def _conclude(effect: e.Conclude, pen: Pen) -> Facts:
    return tuple(replace(fact, at=pen.world.clock.now()) for fact in effect.facts)


async def _receive(effect: e.Receive, pen: Pen) -> Facts:
    received = await pen.world.inbox.wait(pen.stream, after=effect.cursor)
    return messages.facts_of(pen.stream, received, pen.world.clock.now())


async def _end_run(effect: e.EndRun, pen: Pen) -> Facts:
    """In one write, because what is over has no job that would look into its mail."""
    letters = await mail.unread(pen)
    return (*await _conclude(effect, pen), *messages.facts_of(pen.stream, letters, pen.world.clock.now()))


# A story's -----------------------------------------------------------------------------------------------------


async def _prepare(effect: e.PrepareWorkspace, pen: Pen) -> Facts:
    """A workspace that cannot be made fails the story; nobody ever works in the user's own checkout instead."""
    world = pen.world
    try:
        base, head = await again(lambda: _laid_out(effect, pen))
    except (RepositoryError, OSError) as error:
        reason = f"no workspace: {error}"
        return (f.StoryFailed(at=world.clock.now(), cause=FailureCause.WORKSPACE, reason=reason),)
    failpoints.reach("workspace.prepared")
    return (f.WorkspacePrepared(at=world.clock.now(), number=effect.number, base=base, head=head),)


async def _laid_out(effect: e.PrepareWorkspace, pen: Pen) -> tuple[Commit, Commit]:
    """Whatever stood there is made anew."""
    world, story = pen.world, pen.state
    base = effect.base or await world.repository.tip(story.given.branch)
    head = effect.head or base
    await world.workspaces.prepare(place_of(story, effect.number), head, base=base)
    return base, head


async def _run_gates(effect: e.RunGates, pen: Pen) -> Facts:
    world, story = pen.world, pen.state
    if letters := await mail.unread(pen):
        await mail.take_in(pen, letters)
        return ()
    at = world.clock.now()
    started = f.StepStarted(at=at, step=effect.step, attempt=effect.attempt, commit=story.head, log="")
    step = story.pipeline.find(effect.step)
    commands = step.commands or gates_of_run(world.conduct.gates, story.given.gates, story.given.without_gates)
    checking = world.gates.check(story.head, commands, f"{story.given.run}/{effect.key}", base=story.base)
    report = await mail.unless_cancelled(pen, checking)
    if report is None:  # as if it had not begun
        await mail.take_in(pen, await mail.unread(pen))
        return ()
    return (started, _gates_ended(step, effect.attempt, report, world.clock.now()))


def _gates_ended(step: Step, attempt: int, report: GateReport, at: float) -> Fact:
    """Red gates fail the step, unless they decide where the story goes on."""
    if report.passed or route_for(step, FAILED):
        decision = PASSED if report.passed else FAILED
        return f.StepCompleted(
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
    return f.StepFailed(
        at=at,
        step=step.id,
        attempt=attempt,
        trouble=Trouble.GATES,
        error=failing(report),
        usage=NOTHING_USED,
        diff="",
    )


async def _merge_base(effect: e.MergeBase, pen: Pen) -> Facts:
    world = pen.world
    commit, files = await world.repository.merged(effect.base, effect.head)
    keep = world.desks.keep_path(desk_of(pen.state, "merge", 1), "merge")
    try:
        await again(lambda: world.workspaces.restore(place_of(pen.state), commit, keep, forward=True))
    except RepositoryError as error:
        return (f.WorkspaceLost(at=world.clock.now(), number=pen.state.workspace, reason=error.message),)
    return (f.BaseMerged(at=world.clock.now(), commit=commit, base=effect.base, files=tuple(files)),)


async def _request_landing(effect: e.RequestLanding, pen: Pen) -> Facts:
    """One who has asked already, and has died over it, records that before it hears of anything: whoever cancels the
    story takes it back then.
    """
    world, story = pen.world, pen.state
    given = story.given
    asked = request_key(given.run, given.story.id, effect.number)
    if await mail.first(pen, lambda: mail.has_asked(world.inbox, given.landing, asked)):
        return ()
    inspection, case = await inspected(world, story, effect.tip), proving.case_of(story)
    request = LandingRequest(
        run=given.run,
        story=given.story.id,
        number=effect.number,
        stream=pen.stream,
        tip=effect.tip,
        title=given.story.title,
        body=body_of(given.story),
        case=case,
        may_be_empty=given.story.may_be_empty,
        base=story.base,
        inspection=inspection,
        broken=story.refused.broken if story.refused else (),
        borrowing=story.borrowing == effect.tip,
        gates=given.gates,
        without_gates=given.without_gates,
        review=approving.reviewed(story) or inspection.held,
        approved=approving.approved(story),
        skipped=skipped(story.pipeline),
    )
    await mail.ask_to_land(world.inbox, given.landing, given.branch, request)
    failpoints.reach("landing.posted")
    await call(world, given.landing, request.key)
    at = world.clock.now()
    return (f.LandingRequested(at=at, number=effect.number, tip=effect.tip, inspection=inspection),)


async def _release(effect: e.ReleaseWorkspace, pen: Pen) -> Facts:
    await pen.world.workspaces.discard(place_of(pen.state, effect.number))
    failpoints.reach("workspace.released")
    return (f.WorkspaceReleased(at=pen.world.clock.now(), number=effect.number),)


async def _tell_waiting(effect: e.TellWaiting, pen: Pen) -> Facts:
    given = pen.state.given
    body = messages.waits(given.story.id, waiting=effect.waiting)
    await pen.world.inbox.post(run_stream(given.run), f"{given.story.id}/{effect.key}", body)
    return (f.WaitingTold(at=pen.world.clock.now(), waiting=effect.waiting),)


async def _report(effect: e.ReportStory, pen: Pen) -> Facts:  # noqa: ARG001 - one shape for all
    given = pen.state.given
    await memory.keep_story(pen.world, pen.state)
    await pen.world.inbox.post(
        run_stream(given.run), in_go(f"ended/{given.story.id}", pen.state.go), messages.ended(pen.state)
    )
    failpoints.reach("story.reported")
    return (f.StoryReported(at=pen.world.clock.now()),)


_PERFORMERS: Final[dict[type[e.Effect], Callable[[Any, Pen], Awaitable[Facts]]]] = {
    e.Conclude: _conclude,
    e.Receive: _receive,
    e.Notify: notify,
    e.EndRun: _end_run,
    e.DispatchStory: dispatching.dispatch,
    e.ForwardCancel: dispatching.forward_cancel,
    e.ForwardPause: dispatching.forward_pause,
    e.ForwardLimits: allowances.forward_limits,
    e.RequestUndo: dispatching.request_undo,
    e.WithdrawUndo: withdrawing.withdraw_undo,
    e.RevertStory: dispatching.revert,
    e.TickSpec: tick,
    e.CloseLoop: framing.close_loop,
    e.GrantAllowance: allowances.grant,
    e.RefuseAllowance: allowances.refuse,
    e.KeepMemory: memory.keep,
    e.PrepareWorkspace: _prepare,
    e.RunAgent: run_agent,
    e.RunGates: _run_gates,
    e.MergeBase: _merge_base,
    e.OpenLoop: framing.open_loop,
    e.ClaimAllowance: allowances.claim,
    e.SettleAllowance: allowances.settle,
    e.RequestLanding: _request_landing,
    e.WithdrawLanding: withdrawing.withdraw,
    e.ReleaseWorkspace: _release,
    e.TellWaiting: _tell_waiting,
    e.WaitUntil: waiting.wait_until,
    e.ReportStory: _report,
    e.TakeBatch: landing.take,
    e.CheckCandidates: checking.check,
    e.MoveBase: landing.move,
    e.AnswerStories: landing.answer,
}
