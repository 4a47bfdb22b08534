"""Messages from a run to its stories: start, restart, pause, cancel, and that their work was reverted."""

from collections.abc import Sequence
from typing import Final

from shiftwork import failpoints
from shiftwork.app.folds import STORY, load
from shiftwork.app.messaging import messages, run_inbox
from shiftwork.app.messaging.landed_search import found_changed
from shiftwork.app.runtime.choose_profile import with_profiles
from shiftwork.app.runtime.context import Context, job_of
from shiftwork.app.runtime.landing_lock import alone
from shiftwork.app.runtime.recorder import Recorder, RunRecorder, StoryRecorder
from shiftwork.app.runtime.streams import STORY_KIND
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, StoryId, Stream, story_stream
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.frame import in_progress
from shiftwork.domain.run.state import RunState
from shiftwork.domain.run.steering.undo import undo_request
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.ports.store import History
from shiftwork.records import replace

type Facts = tuple[Fact, ...]


_MISSING: Final = "its work is no longer found on the branch"


async def dispatch(effect: run_effects.DispatchStory, recorder: RunRecorder) -> Facts:
    """Opens or reopens the story's stream, starts its job, and records that. Unread requests from people come first:
    they may have cancelled the run or changed the story.
    """
    given, context = effect.assignment, recorder.context
    stream = story_stream(given.run, given.story.id)
    if await run_inbox.first(recorder, lambda: opened(context.events, stream, effect.start_number)):
        return ()
    if given.story.depends_on and await found_changed(recorder):
        return ()
    if effect.start_number == 1:
        assigned = await with_profiles(context, effect)
        started = story_facts.StoryStarted(at=context.clock.now(), assignment=assigned, steps=effect.steps)
        opening = Recorder(context=context, kind=STORY_KIND, stream=stream, state=StoryState(), version=0)
        await opening.write("start", (started,))
    else:
        await _reopen(effect, context, stream)
    await context.begin(stream)
    failpoints.reach("story.dispatched")
    return (dispatched(effect, context.clock.now()),)


def dispatched(effect: run_effects.DispatchStory, at: float) -> Fact:
    """Returns the fact that the run records when the story has started."""
    given = effect.assignment
    if given.story.id == FRAME:
        return run_facts.FrameBegun(at=at, start_number=effect.start_number)
    return run_facts.StoryDispatched(at=at, story=given.story.id, slot=given.slot)


async def unrecorded(events: History, run: RunState) -> Sequence[tuple[run_effects.DispatchStory, StoryState]]:
    """Returns the stories that a process started before it died, and that the run has not recorded yet. The run records
    them before it reads messages.
    """
    due = [effect for effect in decide_run(run) if isinstance(effect, run_effects.DispatchStory)]
    known = [await opened(events, _of(run, effect.assignment.story.id), effect.start_number) for effect in due]
    return [(effect, story) for effect, story in zip(due, known, strict=True) if story]


async def opened(events: History, stream: Stream, start_number: int) -> StoryState | None:
    """Returns the story if its stream is open for that start; else None."""
    known = await load(events, STORY, stream)
    return known if known.assignment is not None and known.start_number == start_number else None


async def _reopen(effect: run_effects.DispatchStory, context: Context, stream: Stream) -> None:
    """Waits for the previous job of the story, which may still be recording that it has reported."""
    async with alone(context, stream):
        recorder = await _story_recorder(context, stream)
        old = await run_inbox.unread(recorder)
        if recorder.state.status is StoryStatus.COMPLETED:  # its work was looked for when the retry was requested
            missed = story_facts.StoryMissed(at=context.clock.now(), reason=_MISSING)
            await recorder.write(f"missed/{recorder.version}", (missed,))
        reopened = story_facts.StoryReopened(
            at=context.clock.now(),
            assignment=replace(effect.assignment, picks=recorder.state.given.picks),  # the same profiles continue
            steps=effect.steps,
            from_scratch=effect.from_scratch,
            cursor=old[-1].position if old else recorder.state.cursor,
            because=effect.because,
        )
        await recorder.write(f"reopen/{effect.start_number}", (reopened,))
    failpoints.reach("story.reopened")


async def _story_recorder(context: Context, stream: Stream) -> StoryRecorder:
    version = await context.events.version(stream)
    state = await load(context.events, STORY, stream, version)
    return Recorder(context=context, kind=STORY_KIND, stream=stream, state=state, version=version)


async def forward_cancel(effect: run_effects.ForwardCancel, recorder: RunRecorder) -> Facts:
    await run_inbox.cancel(
        recorder.context.inbox, _of(recorder.state, effect.story), in_progress(recorder.state)[effect.story]
    )
    return (run_facts.CancelForwarded(at=recorder.context.clock.now(), story=effect.story),)


async def forward_dismissal(effect: run_effects.ForwardDismissal, recorder: RunRecorder) -> Facts:
    """Records it in the story's history. Waits for the job of the story, which may still be recording its report."""
    context, stream = recorder.context, _of(recorder.state, effect.story)
    async with alone(context, stream):
        story = await _story_recorder(context, stream)
        await story.write(effect.key, (story_facts.StoryDismissed(at=context.clock.now()),))
    failpoints.reach("story.dismissed")
    return (run_facts.DismissalForwarded(at=context.clock.now(), story=effect.story),)


async def forward_pause(effect: run_effects.ForwardPause, recorder: RunRecorder) -> Facts:
    kind = story_facts.StoryPaused if effect.paused else story_facts.StoryUnpaused
    target = _of(recorder.state, effect.story)
    await messages.send(recorder.context.inbox, target, effect.key, kind(at=messages.UNREAD))
    return (run_facts.PauseForwarded(at=recorder.context.clock.now(), story=effect.story, paused=effect.paused),)


def _of(run: RunState, story: StoryId) -> Stream:
    return story_stream(run.given.run, story)


# Reverting what has landed -------------------------------------------------------------------------------------------


async def request_undo(effect: run_effects.RequestUndo, recorder: RunRecorder) -> Facts:
    """Requests to land the reverse changes of the story, with all gates, as for any work."""
    context, run = recorder.context, recorder.state
    request = undo_request(run, effect.story)
    queue = run.given.landing
    if await run_inbox.first(recorder, lambda: run_inbox.has_asked(context.inbox, queue, request.key)):
        return ()
    await run_inbox.ask_to_land(context.inbox, queue, run.given.branch, request)
    failpoints.reach("undo.posted")
    await context.engine.start(job_of(queue))
    return (run_facts.UndoPosted(at=context.clock.now(), story=effect.story),)


async def revert(effect: run_effects.RevertStory, recorder: RunRecorder) -> Facts:
    """Records the revert in the story's history: the run may do that, because a landed story has no job."""
    context = recorder.context
    story = await _story_recorder(context, _of(recorder.state, effect.story))
    await story.write(effect.key, (story_facts.StoryReverted(at=context.clock.now(), commit=effect.commit),))
    failpoints.reach("story.reverted")
    return (
        run_facts.StoryUndone(
            at=context.clock.now(), story=effect.story, gates=recorder.state.requests.undoing[effect.story].gates
        ),
    )
