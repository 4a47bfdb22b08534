"""How a run follows what people ask of it: what changes at once, and what its stories are then told."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model import withdrawal_facts as t
from shiftwork.domain.model.ids import FRAME, Commit, StoryId, in_go, run_stream
from shiftwork.domain.model.queue import REVERT, LandingRequest
from shiftwork.domain.model.run import RunState, RunStatus, Undo
from shiftwork.domain.model.spec import Criterion, Story
from shiftwork.domain.model.story import FailureCause, LandingStage
from shiftwork.domain.rules import framing, scheduling
from shiftwork.domain.rules.allowing import under
from shiftwork.domain.rules.commit_message import revert_of
from shiftwork.domain.rules.deciding import NOW, Effects
from shiftwork.domain.rules.framing import afoot
from shiftwork.domain.rules.intents import objection
from shiftwork.domain.rules.machine import Trigger, turn_run, turn_story_of
from shiftwork.domain.rules.remembering import taken_back
from shiftwork.domain.rules.ticking import owe

CALLED_OFF: Final = "it was cancelled first"
"""Why a revert has not landed that nothing else stood in the way of."""

_CHANGED: Final = "what it asks for was changed"
_TAKEN_BACK: Final = "its work was taken back"
"""Why a story that is retried does not go on with what was done for it."""

# What is to be told --------------------------------------------------------------------------------------------------


def orders(run: RunState) -> Effects:
    """What somebody must be told before the run goes on."""
    return _cancels(run) or _pauses(run) or _limits(run) or _undos(run)


def _cancels(run: RunState) -> Effects:
    return tuple(
        e.ForwardCancel(key=in_go(f"cancel/{story}", go), story=story)
        for story, go in afoot(run).items()
        if (run.cancelling or story in run.unwanted) and story not in run.cancelled_stories
    )


def _pauses(run: RunState) -> Effects:
    if run.cancelling:
        return ()
    untold = afoot(run).keys() - run.paused_stories if run.paused else run.paused_stories
    word = "pause" if run.paused else "unpause"
    return tuple(
        e.ForwardPause(key=f"{word}/{story}/{run.pauses}", story=story, paused=run.paused) for story in sorted(untold)
    )


def _limits(run: RunState) -> Effects:
    return tuple(e.ForwardLimits(key=limits_key(run, story), story=story) for story in sorted(run.unaware))


def limits_key(run: RunState, story: StoryId) -> str:
    """Whoever tells a story of the limits that hold now tells it once."""
    return f"limits/{story}/{run.raises}"


def _undos(run: RunState) -> Effects:
    due = (_next_of_undo(run, story, undo) for story, undo in run.undoing.items())
    return tuple(effect for effect in due if effect)


def _next_of_undo(run: RunState, story: StoryId, undo: Undo) -> e.Effect | None:
    """Once the run or the revert is cancelled, no revert is asked for any more, and one that was is taken back; what
    has landed nevertheless is told to its story like any other.
    """
    cancelled = run.cancelling or story in run.unwanted
    match undo.landing:
        case LandingStage.LANDED:
            return e.RevertStory(key=f"revert/{undo.number}", story=story, commit=undo.commit)
        case LandingStage.NONE if cancelled:
            refused = r.UndoRefused(at=NOW, story=story, reason=CALLED_OFF)
            return e.Conclude(key=f"undo/{undo.number}/called-off", facts=(refused,))
        case LandingStage.NONE:
            return e.RequestUndo(key=f"undo/{undo.number}", story=story)
        case _ if cancelled and not undo.withdrawing:
            return e.WithdrawUndo(key=f"undo/{undo.number}/withdraw", story=story)
        case _:
            return None


def undo_request(run: RunState, story: StoryId) -> LandingRequest:
    """Where somebody has taken the changes back already, there is nothing to be landed, and that is well. The spec's
    own checks say what its work must come to, so they do not judge what takes that work back.
    """
    known, plan = run.stories[story], run.given
    return LandingRequest(
        run=plan.run,
        story=story,
        number=run.undoing[story].number,
        stream=run_stream(plan.run),
        tip=known.base,
        title=run.asked(story).title,
        body=revert_of(known.commit),
        may_be_empty=True,
        base=known.commit,
        type=REVERT,
        without_gates=plan.without_gates,
    )


def forgotten(run: RunState, story: StoryId) -> RunState:
    """The story has ended: whatever it was told is done with."""
    gone = {story}
    return replace(
        run,
        unwanted=run.unwanted - gone,
        cancelled_stories=run.cancelled_stories - gone,
        paused_stories=run.paused_stories - gone,
        unaware=run.unaware - gone,
    )


def anew(run: RunState, story: StoryId) -> str:
    """Why the next go at the story begins with its first step, whether or not anybody asks for that; else empty."""
    known = run.stories.get(story)
    return known.stale if known else ""


# What people ask for -------------------------------------------------------------------------------------------------


def _going(run: RunState) -> RunState:
    """The run as it goes on; one that was over starts with nothing left of what had been asked of it."""
    again = turn_run(
        run,
        Trigger.REOPEN,
        ended_at=None,
        cancelling=False,
        unwanted=frozenset(),
        cancelled_stories=frozenset(),
        paused=False,
        paused_stories=frozenset(),
    )
    return again or run


def _cancel_requested(run: RunState, fact: r.CancelRequested) -> RunState | None:  # noqa: ARG001 - one shape for all
    return replace(run, cancelling=True) if run.status is RunStatus.RUNNING else None


def _paused(run: RunState, fact: r.RunPaused) -> RunState | None:  # noqa: ARG001 - one shape for all
    return replace(run, paused=True, pauses=run.pauses + 1)


def _unpaused(run: RunState, fact: r.RunUnpaused) -> RunState | None:  # noqa: ARG001 - one shape for all
    return replace(run, paused=False)


def _cancellation_requested(run: RunState, fact: r.StoryCancellationRequested) -> RunState | None:
    """A story in flight is told, and so is the revert of one; a story that nobody has begun has failed with that."""
    turned = turn_story_of(run, fact.story, Trigger.CANCEL, cause=FailureCause.CANCELLED, reason="cancelled")
    if turned is None:
        return replace(run, unwanted=run.unwanted | {fact.story})
    return scheduling.failed(turned, fact.story)


def _retry_requested(run: RunState, fact: r.StoryRetryRequested) -> RunState | None:
    going = _going(under(run, fact.limits) if fact.limits else run)
    if fact.story == FRAME:
        return framing.reopened(going)
    turned = turn_story_of(going, fact.story, Trigger.RETRY, afresh=fact.afresh, cause=None, reason="")
    return turned and framing.reopened(scheduling.reopened(turned, fact.story))


def _added(run: RunState, fact: r.StoryAdded) -> RunState | None:
    return scheduling.with_stories(_going(run), (*run.given.spec.stories, fact.story))


def _edited(run: RunState, fact: r.StoryEdited) -> RunState | None:
    new, old = fact.story, run.asked(fact.story.id)
    changed = tuple(new if story.id == new.id else story for story in run.given.spec.stories)
    edited = _about(scheduling.with_stories(run, changed), old, new)
    return _outdated(edited, new.id) if _wording(new) != _wording(old) else edited


def _about(run: RunState, old: Story, new: Story) -> RunState:
    """A run of one sentence is about its story: prompts tell of both."""
    spec = run.given.spec
    if (spec.title, spec.description) != (old.title, old.description):
        return run
    named = replace(spec, title=new.title, description=new.description)
    return replace(run, plan=replace(run.given, spec=named))


def _wording(story: Story) -> tuple[str, str, tuple[Criterion, ...]]:
    """What agents work from; the rest is about when they do, and about what judges them."""
    return story.title, story.description, story.criteria


def _outdated(run: RunState, story: StoryId) -> RunState:
    """Nothing may land under a text that no agent has seen."""
    known = run.stories[story]
    if not known.dispatched:
        return run
    return replace(run, stories={**run.stories, story: replace(known, stale=known.stale or _CHANGED)})


def _reordered(run: RunState, fact: r.StoriesReordered) -> RunState | None:
    return scheduling.scheduled(replace(run, first=fact.stories))


def _undo_requested(run: RunState, fact: r.StoryUndoRequested) -> RunState | None:
    number = run.undos + 1
    undoing = {**run.undoing, fact.story: Undo(number=number)}
    return scheduling.scheduled(replace(_going(run), undoing=undoing, undos=number))


# What came of it -----------------------------------------------------------------------------------------------------


def _cancel_forwarded(run: RunState, fact: r.CancelForwarded) -> RunState | None:
    return replace(run, cancelled_stories=run.cancelled_stories | {fact.story})


def _pause_forwarded(run: RunState, fact: r.PauseForwarded) -> RunState | None:
    known = {fact.story}
    told = run.paused_stories | known if fact.paused else run.paused_stories - known
    return replace(run, paused_stories=told)


def _undo_posted(run: RunState, fact: r.UndoPosted) -> RunState | None:
    return _undo_came_to(run, fact.story, LandingStage.NONE, landing=LandingStage.REQUESTED)


def _undo_landed(run: RunState, fact: r.UndoLanded) -> RunState | None:
    landed = {"landing": LandingStage.LANDED, "commit": fact.commit, "gates": fact.gates}
    return _undo_came_to(run, fact.story, LandingStage.REQUESTED, **landed)


def _undo_came_to(run: RunState, story: StoryId, before: LandingStage, **changes: Any) -> RunState | None:
    undo = run.undoing.get(story)
    if undo is None or undo.landing is not before:
        return None
    return replace(run, undoing={**run.undoing, story: replace(undo, **changes)})


def _undone(run: RunState, fact: r.StoryUndone) -> RunState | None:
    undo = run.undoing.get(fact.story)
    if undo is None or undo.landing is not LandingStage.LANDED:
        return None
    nowhere = {"commit": Commit(""), "base": Commit(""), "proof": None}
    told = {"cause": FailureCause.UNDONE, "reason": f"reverted by {undo.commit[:12]}", "stale": _TAKEN_BACK}
    known = taken_back(run, fact.story, undo.commit, fact.at)
    turned = turn_story_of(known, fact.story, Trigger.UNDO, **told, **nowhere)
    return turned and owe(scheduling.scheduled(_without_undo(turned, fact.story)), fact.story)


def _undo_withdrawal_asked(run: RunState, fact: t.LandingWithdrawalAsked) -> RunState | None:
    story = next((story for story, undo in run.undoing.items() if undo.number == fact.number), StoryId(""))
    return _undo_came_to(run, story, LandingStage.REQUESTED, withdrawing=True)


def _undo_refused(run: RunState, fact: r.UndoRefused) -> RunState | None:
    undo = run.undoing.get(fact.story)
    if undo is None or undo.landing is LandingStage.LANDED:
        return None
    return scheduling.scheduled(_without_undo(run, fact.story))


def _without_undo(run: RunState, story: StoryId) -> RunState:
    undoing = {other: undo for other, undo in run.undoing.items() if other != story}
    return replace(run, undoing=undoing, unwanted=run.unwanted - {story})


type _Handler = Callable[[RunState, Any], RunState | None]


def _if_it_fits(handler: _Handler) -> _Handler:
    """Between the asking and the hearing of it something may have come in the way."""
    return lambda run, fact: None if objection(run, fact) else handler(run, fact)


HANDLERS: Final[dict[type[f.Fact], _Handler]] = {
    r.CancelRequested: _cancel_requested,
    r.CancelForwarded: _cancel_forwarded,
    r.RunPaused: _if_it_fits(_paused),
    r.RunUnpaused: _if_it_fits(_unpaused),
    r.PauseForwarded: _pause_forwarded,
    r.StoryCancellationRequested: _if_it_fits(_cancellation_requested),
    r.StoryRetryRequested: _if_it_fits(_retry_requested),
    r.StoryAdded: _if_it_fits(_added),
    r.StoryEdited: _if_it_fits(_edited),
    r.StoriesReordered: _if_it_fits(_reordered),
    r.StoryUndoRequested: _if_it_fits(_undo_requested),
    r.UndoPosted: _undo_posted,
    r.UndoLanded: _undo_landed,
    r.StoryUndone: _undone,
    t.LandingWithdrawalAsked: _undo_withdrawal_asked,
    r.UndoRefused: _undo_refused,
}
