"""How a run follows what people ask of it: what changes at once, and what its stories are then told."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from shiftwork.domain.core.decision import Effects
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, StoryId, in_go
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run import frame as run_frame
from shiftwork.domain.run import scheduling
from shiftwork.domain.run.frame import afoot
from shiftwork.domain.run.spending.allowance import under
from shiftwork.domain.run.state import RunState, RunStatus, Undo
from shiftwork.domain.run.steering.intent_checks import objection
from shiftwork.domain.run.steering.undo import (
    undo_effects,
    undo_landed,
    undo_posted,
    undo_refused,
    undo_withdrawal_asked,
    undone,
)
from shiftwork.domain.run.transitions import turn_run, turn_story_of
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause

_CHANGED: Final = "what it asks for was changed"

# What is to be told --------------------------------------------------------------------------------------------------


def orders(run: RunState) -> Effects:
    """What somebody must be told before the run goes on."""
    return _cancels(run) or _pauses(run) or _limits(run) or undo_effects(run)


def _cancels(run: RunState) -> Effects:
    return tuple(
        run_effects.ForwardCancel(key=in_go(f"cancel/{story}", go), story=story)
        for story, go in afoot(run).items()
        if (run.requests.cancelling or story in run.requests.unwanted) and story not in run.requests.cancelled_stories
    )


def _pauses(run: RunState) -> Effects:
    if run.requests.cancelling:
        return ()
    untold = afoot(run).keys() - run.requests.paused_stories if run.requests.paused else run.requests.paused_stories
    word = "pause" if run.requests.paused else "unpause"
    return tuple(
        run_effects.ForwardPause(key=f"{word}/{story}/{run.requests.pauses}", story=story, paused=run.requests.paused)
        for story in sorted(untold)
    )


def _limits(run: RunState) -> Effects:
    return tuple(
        run_effects.ForwardLimits(key=limits_key(run, story), story=story) for story in sorted(run.spending.unaware)
    )


def limits_key(run: RunState, story: StoryId) -> str:
    """Whoever tells a story of the limits that hold now tells it once."""
    return f"limits/{story}/{run.spending.raises}"


def forgotten(run: RunState, story: StoryId) -> RunState:
    """The story has ended: whatever it was told is done with."""
    gone = {story}
    return replace(
        run,
        requests=replace(
            run.requests,
            unwanted=run.requests.unwanted - gone,
            cancelled_stories=run.requests.cancelled_stories - gone,
            paused_stories=run.requests.paused_stories - gone,
        ),
        spending=replace(run.spending, unaware=run.spending.unaware - gone),
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
        requests=replace(
            run.requests,
            cancelling=False,
            unwanted=frozenset(),
            cancelled_stories=frozenset(),
            paused=False,
            paused_stories=frozenset(),
        ),
    )
    return again or run


def _cancel_requested(run: RunState, fact: run_facts.CancelRequested) -> RunState | None:  # noqa: ARG001 - one shape for all
    return replace(run, requests=replace(run.requests, cancelling=True)) if run.status is RunStatus.RUNNING else None


def _paused(run: RunState, fact: run_facts.RunPaused) -> RunState | None:  # noqa: ARG001 - one shape for all
    return replace(run, requests=replace(run.requests, paused=True, pauses=run.requests.pauses + 1))


def _unpaused(run: RunState, fact: run_facts.RunUnpaused) -> RunState | None:  # noqa: ARG001 - one shape for all
    return replace(run, requests=replace(run.requests, paused=False))


def _cancellation_requested(run: RunState, fact: run_facts.StoryCancellationRequested) -> RunState | None:
    """A story in flight is told, and so is the revert of one; a story that nobody has begun has failed with that."""
    turned = turn_story_of(run, fact.story, Trigger.CANCEL, cause=FailureCause.CANCELLED, reason="cancelled")
    if turned is None:
        return replace(run, requests=replace(run.requests, unwanted=run.requests.unwanted | {fact.story}))
    return scheduling.failed(turned, fact.story)


def _retry_requested(run: RunState, fact: run_facts.StoryRetryRequested) -> RunState | None:
    going = _going(under(run, fact.limits) if fact.limits else run)
    if fact.story == FRAME:
        return run_frame.reopened(going)
    turned = turn_story_of(going, fact.story, Trigger.RETRY, afresh=fact.afresh, cause=None, reason="")
    return turned and run_frame.reopened(scheduling.reopened(turned, fact.story))


def _added(run: RunState, fact: run_facts.StoryAdded) -> RunState | None:
    return scheduling.with_stories(_going(run), (*run.given.spec.stories, fact.story))


def _edited(run: RunState, fact: run_facts.StoryEdited) -> RunState | None:
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


def _reordered(run: RunState, fact: run_facts.StoriesReordered) -> RunState | None:
    return scheduling.scheduled(replace(run, requests=replace(run.requests, first=fact.stories)))


def _undo_requested(run: RunState, fact: run_facts.StoryUndoRequested) -> RunState | None:
    number = run.requests.undos + 1
    undoing = {**run.requests.undoing, fact.story: Undo(number=number)}
    return scheduling.scheduled(
        replace(made := _going(run), requests=replace(made.requests, undoing=undoing, undos=number))
    )


# What came of it -----------------------------------------------------------------------------------------------------


def _cancel_forwarded(run: RunState, fact: run_facts.CancelForwarded) -> RunState | None:
    return replace(run, requests=replace(run.requests, cancelled_stories=run.requests.cancelled_stories | {fact.story}))


def _pause_forwarded(run: RunState, fact: run_facts.PauseForwarded) -> RunState | None:
    known = {fact.story}
    told = run.requests.paused_stories | known if fact.paused else run.requests.paused_stories - known
    return replace(run, requests=replace(run.requests, paused_stories=told))


type _Handler = Callable[[RunState, Any], RunState | None]


def _if_it_fits(handler: _Handler) -> _Handler:
    """Between the asking and the hearing of it something may have come in the way."""
    return lambda run, fact: None if objection(run, fact) else handler(run, fact)


HANDLERS: Final[dict[type[Fact], _Handler]] = {
    run_facts.CancelRequested: _cancel_requested,
    run_facts.CancelForwarded: _cancel_forwarded,
    run_facts.RunPaused: _if_it_fits(_paused),
    run_facts.RunUnpaused: _if_it_fits(_unpaused),
    run_facts.PauseForwarded: _pause_forwarded,
    run_facts.StoryCancellationRequested: _if_it_fits(_cancellation_requested),
    run_facts.StoryRetryRequested: _if_it_fits(_retry_requested),
    run_facts.StoryAdded: _if_it_fits(_added),
    run_facts.StoryEdited: _if_it_fits(_edited),
    run_facts.StoriesReordered: _if_it_fits(_reordered),
    run_facts.StoryUndoRequested: _if_it_fits(_undo_requested),
    run_facts.UndoPosted: undo_posted,
    run_facts.UndoLanded: undo_landed,
    run_facts.StoryUndone: undone,
    story_facts.LandingWithdrawalAsked: undo_withdrawal_asked,
    run_facts.UndoRefused: undo_refused,
}
