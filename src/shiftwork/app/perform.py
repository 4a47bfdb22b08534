"""From an effect to the facts that came of it: one performer an effect, each safe to be called again."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

from shiftwork import failpoints
from shiftwork.app import landing, messages
from shiftwork.app.attempt import run_agent
from shiftwork.app.kinds import STORY
from shiftwork.app.naming import desk_of, place_of
from shiftwork.app.pen import Pen
from shiftwork.app.telling import tick
from shiftwork.app.turns import call
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.facts import Fact, Trouble
from shiftwork.domain.model.gate import GateReport
from shiftwork.domain.model.ids import run_stream, story_stream
from shiftwork.domain.model.queue import LandingRequest
from shiftwork.domain.model.story import FailureCause, StoryState
from shiftwork.domain.model.usage import NOTHING_USED
from shiftwork.domain.rules.landing import failing
from shiftwork.errors import RepositoryError, VersionConflictError

type Facts = tuple[Fact, ...]


async def perform(effect: e.Effect, pen: Pen) -> int:
    """Do the effect and record its facts under its key; give the version that the stream has then.

    Nothing is done from a state that is not the latest: where the history holds more (another writer came first, or
    this very job before it died), its version is given, and the caller folds that and decides anew.
    """
    if not await pen.is_latest():
        return await pen.world.events.version(pen.stream)
    try:
        facts = await _PERFORMERS[type(effect)](effect, pen)
        if facts:
            await pen.write(effect.key, facts)
    except VersionConflictError:
        return await pen.world.events.version(pen.stream)
    return pen.version


async def _conclude(effect: e.Conclude, pen: Pen) -> Facts:
    return tuple(replace(fact, at=pen.world.clock.now()) for fact in effect.facts)


async def _receive(effect: e.Receive, pen: Pen) -> Facts:
    inbox = pen.world.inbox
    take = inbox.wait if effect.wait else inbox.receive
    return messages.facts_of(pen.stream, await take(pen.stream, after=effect.cursor), pen.world.clock.now())


# A run's -------------------------------------------------------------------------------------------------------


async def _dispatch(effect: e.DispatchStory, pen: Pen) -> Facts:
    """Open the story's own stream, give it a job, and remember that."""
    given, world = effect.assignment, pen.world
    stream = story_stream(given.run, given.story.id)
    started = f.StoryStarted(at=world.clock.now(), assignment=given, steps=effect.steps)
    opening = Pen(world=world, kind=STORY, stream=stream, state=StoryState(), version=0)
    await opening.write("start", (started,))
    await world.engine.start(world.story_job(given.run, given.story.id, stream))
    failpoints.reach("story.dispatched")
    return (r.StoryDispatched(at=world.clock.now(), story=given.story.id, slot=given.slot),)


async def _forward_cancel(effect: e.ForwardCancel, pen: Pen) -> Facts:
    run = pen.state.given.run
    await pen.world.inbox.post(story_stream(run, effect.story), "cancel", messages.cancel())
    return (r.CancelForwarded(at=pen.world.clock.now(), story=effect.story),)


# A story's -----------------------------------------------------------------------------------------------------


async def _prepare(effect: e.PrepareWorkspace, pen: Pen) -> Facts:
    """A workspace that cannot be made fails the story; nobody ever works in the user's own checkout instead."""
    world, story = pen.world, pen.state
    try:
        base = effect.base or await world.repository.tip(story.given.branch)
        head = effect.head or base
        await world.workspaces.prepare(place_of(story, effect.number), head)
    except (RepositoryError, OSError) as error:
        reason = f"no workspace: {error}"
        return (f.StoryFailed(at=world.clock.now(), cause=FailureCause.WORKSPACE, reason=reason),)
    failpoints.reach("workspace.prepared")
    return (f.WorkspacePrepared(at=world.clock.now(), number=effect.number, base=base, head=head),)


async def _run_gates(effect: e.RunGates, pen: Pen) -> Facts:
    world, story = pen.world, pen.state
    at = world.clock.now()
    started = f.StepStarted(at=at, step=effect.step, attempt=effect.attempt, commit=story.head, log="")
    report = await world.gates.check(story.head, world.conduct.gates, f"{story.given.run}/{effect.key}")
    return (started, _gates_ended(effect, report, world.clock.now()))


def _gates_ended(effect: e.RunGates, report: GateReport, at: float) -> Fact:
    if report.passed:
        names = ", ".join(result.name for result in report.results)
        return f.StepCompleted(
            at=at,
            step=effect.step,
            attempt=effect.attempt,
            commit=report.commit,
            notes=f"gates passed: {names}",
            outputs=(),
            usage=NOTHING_USED,
        )
    return f.StepFailed(
        at=at,
        step=effect.step,
        attempt=effect.attempt,
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
        await world.workspaces.restore(place_of(pen.state), commit, keep)
    except RepositoryError as error:
        return (f.WorkspaceLost(at=world.clock.now(), number=pen.state.workspace, reason=error.message),)
    return (f.BaseMerged(at=world.clock.now(), commit=commit, base=effect.base, files=tuple(files)),)


async def _request_landing(effect: e.RequestLanding, pen: Pen) -> Facts:
    world, story = pen.world, pen.state
    given = story.given
    request = LandingRequest(
        run=given.run,
        story=given.story.id,
        number=effect.number,
        stream=pen.stream,
        tip=effect.tip,
        title=given.story.title,
        body=landing.commit_body(story),
        may_be_empty=given.story.may_be_empty,
        base=story.base,
    )
    await world.inbox.post(given.landing, f"land/{request.key}", messages.land(given.branch, request))
    failpoints.reach("landing.posted")
    await call(world, given.landing, request.key)
    return (f.LandingRequested(at=world.clock.now(), number=effect.number, tip=effect.tip),)


async def _release(effect: e.ReleaseWorkspace, pen: Pen) -> Facts:
    await pen.world.workspaces.discard(place_of(pen.state, effect.number))
    failpoints.reach("workspace.released")
    return (f.WorkspaceReleased(at=pen.world.clock.now(), number=effect.number),)


async def _report(effect: e.ReportStory, pen: Pen) -> Facts:  # noqa: ARG001 - one shape for all
    given = pen.state.given
    await pen.world.inbox.post(run_stream(given.run), f"ended/{given.story.id}", messages.ended(pen.state))
    failpoints.reach("story.reported")
    return (f.StoryReported(at=pen.world.clock.now()),)


_PERFORMERS: Final[dict[type[e.Effect], Callable[[Any, Pen], Awaitable[Facts]]]] = {
    e.Conclude: _conclude,
    e.Receive: _receive,
    e.DispatchStory: _dispatch,
    e.ForwardCancel: _forward_cancel,
    e.TickSpec: tick,
    e.PrepareWorkspace: _prepare,
    e.RunAgent: run_agent,
    e.RunGates: _run_gates,
    e.MergeBase: _merge_base,
    e.RequestLanding: _request_landing,
    e.ReleaseWorkspace: _release,
    e.ReportStory: _report,
    e.TakeBatch: landing.take,
    e.CheckCandidates: landing.check,
    e.MoveBase: landing.move,
    e.AnswerStories: landing.answer,
}
