"""What a run tells its stories: to begin, to begin once more, to pause, to end, and that their work was taken back."""

from collections.abc import Sequence
from dataclasses import replace

from shiftwork import failpoints
from shiftwork.app import mail, messages
from shiftwork.app.kinds import STORY, load
from shiftwork.app.pen import Pen
from shiftwork.app.picking import cast
from shiftwork.app.turns import alone, call
from shiftwork.app.world import World
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.ids import FRAME, StoryId, Stream, story_stream
from shiftwork.domain.model.run import RunState
from shiftwork.domain.model.story import StoryState
from shiftwork.domain.rules.decide_run import decide_run
from shiftwork.domain.rules.framing import afoot
from shiftwork.domain.rules.steering import undo_request
from shiftwork.ports.store import EventStore

type Facts = tuple[Fact, ...]


async def dispatch(effect: e.DispatchStory, pen: Pen) -> Facts:
    """Open the story's own stream, or open it again, give it a job, and remember that. What people have asked for
    meanwhile comes first: they may have cancelled the run, or have changed the story.
    """
    given, world = effect.assignment, pen.world
    stream = story_stream(given.run, given.story.id)
    if await mail.first(pen, lambda: opened(world.events, stream, effect.go)):
        return ()
    if effect.go == 1:
        assigned = await cast(world, effect)
        started = f.StoryStarted(at=world.clock.now(), assignment=assigned, steps=effect.steps)
        opening = Pen(world=world, kind=STORY, stream=stream, state=StoryState(), version=0)
        await opening.write("start", (started,))
    else:
        await _reopen(effect, world, stream)
    await world.engine.start(world.story_job(given.run, given.story.id, effect.go))
    failpoints.reach("story.dispatched")
    return (dispatched(effect, world.clock.now()),)


def dispatched(effect: e.DispatchStory, at: float) -> Fact:
    """What the run records when the story has begun."""
    given = effect.assignment
    if given.story.id == FRAME:
        return r.FrameBegun(at=at, go=effect.go)
    return r.StoryDispatched(at=at, story=given.story.id, slot=given.slot)


async def unrecorded(events: EventStore, run: RunState) -> Sequence[tuple[e.DispatchStory, StoryState]]:
    """The stories that somebody has begun who died before the run knew of it. It records that before it hears of
    anything.
    """
    due = [effect for effect in decide_run(run) if isinstance(effect, e.DispatchStory)]
    known = [await opened(events, _of(run, effect.assignment.story.id), effect.go) for effect in due]
    return [(effect, story) for effect, story in zip(due, known, strict=True) if story]


async def opened(events: EventStore, stream: Stream, go: int) -> StoryState | None:
    """The story, where somebody has opened its stream for that go."""
    known = await load(events, STORY, stream)
    return known if known.assignment is not None and known.go == go else None


async def _reopen(effect: e.DispatchStory, world: World, stream: Stream) -> None:
    """The job of the go before may still be writing down that it has reported: it is let finish."""
    async with alone(world, stream):
        pen = await _pen(world, stream)
        old = await mail.unread(pen)
        reopened = f.StoryReopened(
            at=world.clock.now(),
            assignment=replace(effect.assignment, picks=pen.state.given.picks),  # who has begun it goes on
            steps=effect.steps,
            afresh=effect.afresh,
            cursor=old[-1].position if old else pen.state.cursor,
        )
        await pen.write(f"reopen/{effect.go}", (reopened,))
    failpoints.reach("story.reopened")


async def _pen(world: World, stream: Stream) -> Pen:
    version = await world.events.version(stream)
    state = await load(world.events, STORY, stream, version)
    return Pen(world=world, kind=STORY, stream=stream, state=state, version=version)


async def forward_cancel(effect: e.ForwardCancel, pen: Pen) -> Facts:
    await mail.cancel(pen.world.inbox, _of(pen.state, effect.story), afoot(pen.state)[effect.story])
    return (r.CancelForwarded(at=pen.world.clock.now(), story=effect.story),)


async def forward_pause(effect: e.ForwardPause, pen: Pen) -> Facts:
    await pen.world.inbox.post(_of(pen.state, effect.story), effect.key, messages.pause(paused=effect.paused))
    return (r.PauseForwarded(at=pen.world.clock.now(), story=effect.story, paused=effect.paused),)


def _of(run: RunState, story: StoryId) -> Stream:
    return story_stream(run.given.run, story)


# Taking back what has landed -----------------------------------------------------------------------------------------


async def request_undo(effect: e.RequestUndo, pen: Pen) -> Facts:
    """A revert lands as any work does: the changes from what landed back to what it stood on, gates and all."""
    world, run = pen.world, pen.state
    request = undo_request(run, effect.story)
    queue = run.given.landing
    if await mail.first(pen, lambda: mail.has_asked(world.inbox, queue, request.key)):
        return ()
    await mail.ask_to_land(world.inbox, queue, run.given.branch, request)
    failpoints.reach("undo.posted")
    await call(world, queue, request.key)
    return (r.UndoPosted(at=world.clock.now(), story=effect.story),)


async def revert(effect: e.RevertStory, pen: Pen) -> Facts:
    """Nobody works on a story that has landed, so its run may write into its history."""
    world = pen.world
    story = await _pen(world, _of(pen.state, effect.story))
    await story.write(effect.key, (f.StoryReverted(at=world.clock.now(), commit=effect.commit),))
    failpoints.reach("story.reverted")
    return (r.StoryUndone(at=world.clock.now(), story=effect.story, gates=pen.state.undoing[effect.story].gates),)
