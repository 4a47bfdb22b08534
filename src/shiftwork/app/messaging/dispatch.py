"""What a run tells its stories: to begin, to begin once more, to pause, to end, and that their work was taken back."""

from collections.abc import Sequence
from dataclasses import replace

from shiftwork import failpoints
from shiftwork.app.messaging import mailbox, messages
from shiftwork.app.runtime.choose_profile import cast
from shiftwork.app.runtime.context import World
from shiftwork.app.runtime.landing_lock import alone, call
from shiftwork.app.runtime.recorder import Recorder, RunRecorder, StoryRecorder
from shiftwork.app.runtime.streams import STORY, load
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, StoryId, Stream, story_stream
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.frame import afoot
from shiftwork.domain.run.state import RunState
from shiftwork.domain.run.steering.undo import undo_request
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.ports.store import EventStore

type Facts = tuple[Fact, ...]


async def dispatch(effect: run_effects.DispatchStory, recorder: RunRecorder) -> Facts:
    """Open the story's own stream, or open it again, give it a job, and remember that. What people have asked for
    meanwhile comes first: they may have cancelled the run, or have changed the story.
    """
    given, world = effect.assignment, recorder.world
    stream = story_stream(given.run, given.story.id)
    if await mailbox.first(recorder, lambda: opened(world.events, stream, effect.go)):
        return ()
    if effect.go == 1:
        assigned = await cast(world, effect)
        started = story_facts.StoryStarted(at=world.clock.now(), assignment=assigned, steps=effect.steps)
        opening = Recorder(world=world, kind=STORY, stream=stream, state=StoryState(), version=0)
        await opening.write("start", (started,))
    else:
        await _reopen(effect, world, stream)
    await world.engine.start(world.story_job(given.run, given.story.id, effect.go))
    failpoints.reach("story.dispatched")
    return (dispatched(effect, world.clock.now()),)


def dispatched(effect: run_effects.DispatchStory, at: float) -> Fact:
    """What the run records when the story has begun."""
    given = effect.assignment
    if given.story.id == FRAME:
        return run_facts.FrameBegun(at=at, go=effect.go)
    return run_facts.StoryDispatched(at=at, story=given.story.id, slot=given.slot)


async def unrecorded(events: EventStore, run: RunState) -> Sequence[tuple[run_effects.DispatchStory, StoryState]]:
    """The stories that somebody has begun who died before the run knew of it. It records that before it hears of
    anything.
    """
    due = [effect for effect in decide_run(run) if isinstance(effect, run_effects.DispatchStory)]
    known = [await opened(events, _of(run, effect.assignment.story.id), effect.go) for effect in due]
    return [(effect, story) for effect, story in zip(due, known, strict=True) if story]


async def opened(events: EventStore, stream: Stream, go: int) -> StoryState | None:
    """The story, where somebody has opened its stream for that go."""
    known = await load(events, STORY, stream)
    return known if known.assignment is not None and known.go == go else None


async def _reopen(effect: run_effects.DispatchStory, world: World, stream: Stream) -> None:
    """The job of the go before may still be writing down that it has reported: it is let finish."""
    async with alone(world, stream):
        recorder = await _story_recorder(world, stream)
        old = await mailbox.unread(recorder)
        reopened = story_facts.StoryReopened(
            at=world.clock.now(),
            assignment=replace(effect.assignment, picks=recorder.state.given.picks),  # who has begun it goes on
            steps=effect.steps,
            afresh=effect.afresh,
            cursor=old[-1].position if old else recorder.state.cursor,
        )
        await recorder.write(f"reopen/{effect.go}", (reopened,))
    failpoints.reach("story.reopened")


async def _story_recorder(world: World, stream: Stream) -> StoryRecorder:
    version = await world.events.version(stream)
    state = await load(world.events, STORY, stream, version)
    return Recorder(world=world, kind=STORY, stream=stream, state=state, version=version)


async def forward_cancel(effect: run_effects.ForwardCancel, recorder: RunRecorder) -> Facts:
    await mailbox.cancel(recorder.world.inbox, _of(recorder.state, effect.story), afoot(recorder.state)[effect.story])
    return (run_facts.CancelForwarded(at=recorder.world.clock.now(), story=effect.story),)


async def forward_pause(effect: run_effects.ForwardPause, recorder: RunRecorder) -> Facts:
    await recorder.world.inbox.post(_of(recorder.state, effect.story), effect.key, messages.pause(paused=effect.paused))
    return (run_facts.PauseForwarded(at=recorder.world.clock.now(), story=effect.story, paused=effect.paused),)


def _of(run: RunState, story: StoryId) -> Stream:
    return story_stream(run.given.run, story)


# Taking back what has landed -----------------------------------------------------------------------------------------


async def request_undo(effect: run_effects.RequestUndo, recorder: RunRecorder) -> Facts:
    """A revert lands as any work does: the changes from what landed back to what it stood on, gates and all."""
    world, run = recorder.world, recorder.state
    request = undo_request(run, effect.story)
    queue = run.given.landing
    if await mailbox.first(recorder, lambda: mailbox.has_asked(world.inbox, queue, request.key)):
        return ()
    await mailbox.ask_to_land(world.inbox, queue, run.given.branch, request)
    failpoints.reach("undo.posted")
    await call(world, queue, request.key)
    return (run_facts.UndoPosted(at=world.clock.now(), story=effect.story),)


async def revert(effect: run_effects.RevertStory, recorder: RunRecorder) -> Facts:
    """Nobody works on a story that has landed, so its run may write into its history."""
    world = recorder.world
    story = await _story_recorder(world, _of(recorder.state, effect.story))
    await story.write(effect.key, (story_facts.StoryReverted(at=world.clock.now(), commit=effect.commit),))
    failpoints.reach("story.reverted")
    return (
        run_facts.StoryUndone(
            at=world.clock.now(), story=effect.story, gates=recorder.state.requests.undoing[effect.story].gates
        ),
    )
