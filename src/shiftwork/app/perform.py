"""Performs effects and returns their facts: one performer per effect type, each safe to call again."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final, cast

from shiftwork import failpoints
from shiftwork.app.attempt import memory, rate_limit_wait
from shiftwork.app.attempt.agent_session import run_agent
from shiftwork.app.folds import StreamState
from shiftwork.app.landing import batch, check, commit_wording, proof, withdrawal
from shiftwork.app.landing.gates import inspected
from shiftwork.app.messaging import allowances, dispatch, messages, run_inbox
from shiftwork.app.messaging import frame as messaging_frame
from shiftwork.app.messaging.landed_search import found_changed
from shiftwork.app.messaging.left_out_notes import share_left_out
from shiftwork.app.messaging.notifications import notify_of_run, notify_of_story
from shiftwork.app.messaging.spec_writeback import update
from shiftwork.app.runtime.context import job_of
from shiftwork.app.runtime.git_retry import again
from shiftwork.app.runtime.landing_lock import alone
from shiftwork.app.runtime.leases import ensure_held
from shiftwork.app.runtime.locations import attempt_folder_of, place_of
from shiftwork.app.runtime.recorder import Recorder, RunRecorder, StoryRecorder
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StoryId, numbered, run_stream, story_stream
from shiftwork.domain.gates.attribution import failing
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing import effects as landing_effects
from shiftwork.domain.landing.state import LandingRequest, QueueState, request_key
from shiftwork.domain.notices import effects as notices_effects
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
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
from shiftwork.records import replace

type Facts = tuple[Fact, ...]
type Performer[S: StreamState] = Callable[[e.Effect, Recorder[S]], Awaitable[Facts]]
type Performers[S: StreamState] = Mapping[type[e.Effect], Performer[S]]


async def perform[S: StreamState](effect: e.Effect, recorder: Recorder[S], performers: Performers[S]) -> int:
    """Perform the effect and record its facts under its key; returns the new version of the stream.

    Does nothing if the state is not the latest: if the history has more facts (from another writer, or from this job
    before it died), returns that version, and the caller folds and decides again. Also does nothing for a run that
    another process has taken over.
    """
    await ensure_held(recorder.context, recorder.stream)
    if not await recorder.is_latest():
        return await recorder.context.events.version(recorder.stream)
    try:
        facts = await again(lambda: performers[type(effect)](effect, recorder))
        if facts:
            await recorder.write(effect.key, facts)
    except VersionConflictError:
        return await recorder.context.events.version(recorder.stream)
    return recorder.version


async def _conclude[S: StreamState](effect: e.Conclude, recorder: Recorder[S]) -> Facts:
    return tuple(replace(fact, at=recorder.context.clock.now()) for fact in effect.facts)


async def _end_run(effect: run_effects.EndRun, recorder: RunRecorder) -> Facts:
    """Records the end and the unread messages in one write, because a run that has ended has no job to read them.

    Waits for the jobs of its stories, which release their workspaces after they have reported: nothing of a run that
    has ended is left.
    """
    stories = story_stream(recorder.state.given.run, StoryId(""))
    for stream in [stream for stream in recorder.context.locks if stream.startswith(stories)]:
        async with alone(recorder.context, stream):
            pass
    if await found_changed(recorder):
        return ()
    unread_messages = await run_inbox.unread(recorder)
    return (
        *await _conclude(effect, recorder),
        *messages.facts_of(recorder.stream, unread_messages, recorder.context.clock.now()),
    )


# A story's -----------------------------------------------------------------------------------------------------


async def _prepare(effect: story_effects.PrepareWorkspace, recorder: StoryRecorder) -> Facts:
    """If the workspace cannot be created, the story fails; agents never work in the user's own checkout instead."""
    context = recorder.context
    try:
        base, head = await again(lambda: _laid_out(effect, recorder))
    except (RepositoryError, OSError) as error:
        reason = f"no workspace: {error}"
        return (story_facts.StoryFailed(at=context.clock.now(), cause=FailureCause.WORKSPACE, reason=reason),)
    failpoints.reach("workspace.prepared")
    return (story_facts.WorkspacePrepared(at=context.clock.now(), number=effect.number, base=base, head=head),)


async def _laid_out(effect: story_effects.PrepareWorkspace, recorder: StoryRecorder) -> tuple[Commit, Commit]:
    """Replaces whatever exists at that place."""
    context, story = recorder.context, recorder.state
    base = effect.base or await context.repository.tip(story.given.branch)
    head = effect.head or base
    await context.workspaces.prepare(place_of(story, effect.number), head, base=base)
    return base, head


async def _run_gates(effect: story_effects.RunGates, recorder: StoryRecorder) -> Facts:
    context, story = recorder.context, recorder.state
    if unread_messages := await run_inbox.unread(recorder):
        await run_inbox.take_in(recorder, unread_messages)
        return ()
    at = context.clock.now()
    started = story_facts.StepStarted(at=at, step=effect.step, attempt=effect.attempt, commit=story.work.head, log="")
    step = story.pipeline.step(effect.step)
    commands = step.plan.commands or gates_of_run(
        context.work_policy.gates, story.given.gates, story.given.without_gates
    )
    check = context.gates.check(story.work.head, commands, f"{story.given.run}/{effect.key}", base=story.work.base)
    report = await run_inbox.unless_cancelled(recorder, check)
    if report is None:  # cancelled: as if it had not begun
        await run_inbox.take_in(recorder, await run_inbox.unread(recorder))
        return ()
    return (started, _gates_ended(step, effect.attempt, report, context.clock.now()))


def _gates_ended(step: Step, attempt: int, report: GateReport, at: float) -> Fact:
    """Red gates fail the step, unless the step has a route for that decision."""
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
            verdict="" if report.passed else failing(report).for_agents,
        )
    return story_facts.StepFailed(
        at=at,
        step=step.id,
        attempt=attempt,
        trouble=Trouble.GATES,
        error=failing(report).whole,
        usage=NOTHING_USED,
        diff="",
    )


async def _merge_base(effect: story_effects.MergeBase, recorder: StoryRecorder) -> Facts:
    context = recorder.context
    commit, files = await context.repository.merged(effect.base, effect.head, made_from=recorder.state.work.base)
    keep = context.attempt_folders.keep_path(attempt_folder_of(recorder.state, "merge", 1), "merge")
    try:
        await again(lambda: context.workspaces.restore(place_of(recorder.state), commit, keep, forward=True))
    except RepositoryError as error:
        return (
            story_facts.WorkspaceLost(
                at=context.clock.now(), number=recorder.state.work.workspace, reason=error.message
            ),
        )
    return (story_facts.BaseMerged(at=context.clock.now(), commit=commit, base=effect.base, files=tuple(files)),)


async def _request_landing(effect: story_effects.RequestLanding, recorder: StoryRecorder) -> Facts:
    """If a process has posted the request and died, the request is recorded before any message is read, so that a
    cancelled story withdraws it.
    """
    context, story = recorder.context, recorder.state
    given = story.given
    asked = request_key(given.run, given.story.id, effect.number)
    if await run_inbox.first(recorder, lambda: run_inbox.has_asked(context.inbox, given.landing, asked)):
        return ()
    touched = await context.protecting.touched(story.work.base, effect.tip)
    inspection = await inspected(context, story, effect.tip, touched)
    case = proof.case_of(story, context.work_policy.gates)
    message = await commit_wording.word_commit(context, story, touched)
    request = LandingRequest(
        run=given.run,
        story=given.story.id,
        number=effect.number,
        stream=recorder.stream,
        tip=effect.tip,
        title=given.story.title,
        body=message.body,
        subject=message.subject,
        trailers=message.trailers,
        short_subject=message.short_subject,
        allowed_message=story.landing.allowed_message,
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
        passed=story.landing.passed if approval.approved(story) else None,
    )
    await share_left_out(recorder, effect.tip, effect.number, inspection)
    await run_inbox.ask_to_land(context.inbox, given.landing, given.branch, request)
    failpoints.reach("landing.posted")
    await context.engine.start(job_of(given.landing))
    at = context.clock.now()
    return (story_facts.LandingRequested(at=at, number=effect.number, tip=effect.tip, inspection=inspection),)


async def _release(effect: story_effects.ReleaseWorkspace, recorder: StoryRecorder) -> Facts:
    context, steps = recorder.context, recorder.state.pipeline.steps
    for missed in filter(None, (step.unsummarised for step in steps)):  # a session that is not asked any more
        await context.attempt_folders.clear(Path(missed.home))
    await context.workspaces.discard(place_of(recorder.state, effect.number))
    failpoints.reach("workspace.released")
    return (story_facts.WorkspaceReleased(at=recorder.context.clock.now(), number=effect.number),)


async def _report_waiting(effect: story_effects.ReportWaiting, recorder: StoryRecorder) -> Facts:
    given = recorder.state.given
    waits = run_facts.StoryWaits(at=messages.UNREAD, story=given.story.id, waiting=effect.waiting)
    await messages.send(recorder.context.inbox, run_stream(given.run), f"{given.story.id}/{effect.key}", waits)
    return (story_facts.WaitingReported(at=recorder.context.clock.now(), waiting=effect.waiting),)


async def _report(effect: story_effects.ReportStory, recorder: StoryRecorder) -> Facts:  # noqa: ARG001 - one shape for all
    given = recorder.state.given
    await memory.keep_story(recorder.context, recorder.state)
    key = numbered(f"ended/{given.story.id}", recorder.state.start_number)
    await messages.send(recorder.context.inbox, run_stream(given.run), key, messages.ended(recorder.state))
    failpoints.reach("story.reported")
    return (*await run_inbox.too_late(recorder), story_facts.StoryReported(at=recorder.context.clock.now()))


def _on[E: e.Effect, S: StreamState](
    kind: type[E], performer: Callable[[E, Recorder[S]], Awaitable[Facts]]
) -> tuple[type[e.Effect], Performer[S]]:
    """A line of a table. `perform` looks a performer up by the type of the effect, so it receives only its own kind."""
    return kind, cast("Performer[S]", performer)


def _performers[S: StreamState](*lines: tuple[type[e.Effect], Performer[S]]) -> Performers[S]:
    return dict(lines)


RUN_PERFORMERS: Final[Performers[RunState]] = _performers(
    _on(e.Conclude, _conclude),
    _on(e.Receive, run_inbox.next_messages),
    _on(notices_effects.Notify, notify_of_run),
    _on(run_effects.EndRun, _end_run),
    _on(run_effects.DispatchStory, dispatch.dispatch),
    _on(run_effects.ForwardCancel, dispatch.forward_cancel),
    _on(run_effects.ForwardDismissal, dispatch.forward_dismissal),
    _on(run_effects.ForwardPause, dispatch.forward_pause),
    _on(run_effects.ForwardLimits, allowances.forward_limits),
    _on(run_effects.RequestUndo, dispatch.request_undo),
    _on(run_effects.WithdrawUndo, withdrawal.withdraw_undo),
    _on(run_effects.RevertStory, dispatch.revert),
    _on(run_effects.UpdateSpec, update),
    _on(run_effects.CloseLoop, messaging_frame.close_loop),
    _on(run_effects.GrantAllowance, allowances.grant),
    _on(run_effects.RefuseAllowance, allowances.refuse),
    _on(run_effects.KeepMemory, memory.keep),
)
STORY_PERFORMERS: Final[Performers[StoryState]] = _performers(
    _on(e.Conclude, _conclude),
    _on(e.Receive, run_inbox.next_messages),
    _on(notices_effects.Notify, notify_of_story),
    _on(story_effects.PrepareWorkspace, _prepare),
    _on(story_effects.RunAgent, run_agent),
    _on(story_effects.RunGates, _run_gates),
    _on(story_effects.MergeBase, _merge_base),
    _on(story_effects.OpenLoop, messaging_frame.open_loop),
    _on(story_effects.ClaimAllowance, allowances.claim),
    _on(story_effects.SettleAllowance, allowances.settle),
    _on(story_effects.RequestLanding, _request_landing),
    _on(story_effects.WithdrawLanding, withdrawal.withdraw),
    _on(story_effects.ReleaseWorkspace, _release),
    _on(story_effects.ReportWaiting, _report_waiting),
    _on(story_effects.WaitUntil, rate_limit_wait.wait_until),
    _on(story_effects.ReportStory, _report),
)
LANDING_PERFORMERS: Final[Performers[QueueState]] = _performers(
    _on(e.Conclude, _conclude),
    _on(e.Receive, run_inbox.next_messages),
    _on(landing_effects.TakeBatch, batch.take),
    _on(landing_effects.CheckCandidates, check.check),
    _on(landing_effects.MoveBase, batch.move),
    _on(landing_effects.AnswerStories, batch.answer),
)
