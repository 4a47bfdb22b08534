"""How a run follows requests of users: what changes immediately, and what it then sends to its stories."""

from collections.abc import Callable
from typing import Final

from shiftwork.domain.core.decision import Effects
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.handlers import Handlers, handlers, on
from shiftwork.domain.core.ids import FRAME, StoryId, numbered
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run import frame as run_frame
from shiftwork.domain.run import lost_work, scheduling
from shiftwork.domain.run.frame import in_progress
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
from shiftwork.domain.run.transitions import continued, turn_story_of
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.records import replace

_CHANGED: Final = "its text was changed"

# What the run sends --------------------------------------------------------------------------------------------------


def orders(run: RunState) -> Effects:
    """The messages that the run must send before it continues."""
    return _cancels(run) or _dismissals(run) or _pauses(run) or _limits(run) or undo_effects(run)


def _cancels(run: RunState) -> Effects:
    return tuple(
        run_effects.ForwardCancel(key=numbered(f"cancel/{story}", start_number), story=story)
        for story, start_number in in_progress(run).items()
        if (run.requests.cancelling or story in run.requests.unwanted) and story not in run.requests.cancelled_stories
    )


def _dismissals(run: RunState) -> Effects:
    return tuple(
        run_effects.ForwardDismissal(key=numbered(f"dismiss/{story}", run.stories[story].dispatched), story=story)
        for story in sorted(run.requests.dismissed)
    )


def _pauses(run: RunState) -> Effects:
    if run.requests.cancelling:
        return ()
    unwritten = (
        in_progress(run).keys() - run.requests.paused_stories if run.requests.paused else run.requests.paused_stories
    )
    word = "pause" if run.requests.paused else "unpause"
    return tuple(
        run_effects.ForwardPause(key=f"{word}/{story}/{run.requests.pauses}", story=story, paused=run.requests.paused)
        for story in sorted(unwritten)
    )


def _limits(run: RunState) -> Effects:
    return tuple(
        run_effects.ForwardLimits(key=limits_key(run, story), story=story) for story in sorted(run.spending.unaware)
    )


def limits_key(run: RunState, story: StoryId) -> str:
    """The key of the message with the current limits, so that a story receives it only once."""
    return f"limits/{story}/{run.spending.raises}"


def forgotten(run: RunState, story: StoryId) -> RunState:
    """Clears the requests for a story that has ended."""
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


def restarted(run: RunState, story: StoryId) -> str:
    """Why the next retry of the story must start from scratch; empty if it need not."""
    known = run.stories.get(story)
    return known.stale if known else ""


# Requests of users ---------------------------------------------------------------------------------------------------


def _cancel_requested(run: RunState, fact: run_facts.CancelRequested) -> RunState | None:  # noqa: ARG001 - one shape for all
    return replace(run, requests=replace(run.requests, cancelling=True)) if run.status is RunStatus.RUNNING else None


def _paused(run: RunState, fact: run_facts.RunPaused) -> RunState | None:  # noqa: ARG001 - one shape for all
    return replace(run, requests=replace(run.requests, paused=True, pauses=run.requests.pauses + 1))


def _unpaused(run: RunState, fact: run_facts.RunUnpaused) -> RunState | None:  # noqa: ARG001 - one shape for all
    return replace(run, requests=replace(run.requests, paused=False))


def _cancellation_requested(run: RunState, fact: run_facts.StoryCancellationRequested) -> RunState | None:
    """Marks a story in progress, or its revert, for cancellation; a story that has not started is cancelled at once."""
    begun = run.stories[fact.story].status not in {StoryStatus.UNCLAIMED, StoryStatus.BLOCKED}
    turned = turn_story_of(
        run,
        fact.story,
        Trigger.CANCEL,
        lambda known: replace(known, cause=FailureCause.CANCELLED, reason="cancelled"),
    )
    if begun or turned is None:
        return replace(run, requests=replace(run.requests, unwanted=run.requests.unwanted | {fact.story}))
    return scheduling.failed(turned, fact.story)


def _dismissal_requested(run: RunState, fact: run_facts.StoryDismissalRequested) -> RunState | None:
    """Only the run has known until now that nobody wants the story: its own history says so next."""
    turned = turn_story_of(
        continued(run), fact.story, Trigger.CANCEL, lambda known: replace(known, cause=FailureCause.CANCELLED)
    )
    return turned and scheduling.dismissed(turned, fact.story)


def _dismissal_forwarded(run: RunState, fact: run_facts.DismissalForwarded) -> RunState | None:
    return replace(run, requests=replace(run.requests, dismissed=run.requests.dismissed - {fact.story}))


def _retry_requested(run: RunState, fact: run_facts.StoryRetryRequested) -> RunState | None:
    running = continued(under(run, fact.limits) if fact.limits else run)
    if fact.story == FRAME:
        return run_frame.reopened(running, fact.because)
    was = run.stories[fact.story].status
    if was is StoryStatus.COMPLETED:  # its work is missing, which the run has not seen itself
        running, was = lost_work.turn_lost_story(running, fact.story, Trigger.MISS), StoryStatus.MISSING
    turned = turn_story_of(
        running,
        fact.story,
        Trigger.RETRY,
        lambda known: replace(known, from_scratch=fact.from_scratch, because=fact.because, cause=None, reason=""),
    )
    return turned and run_frame.reopened(scheduling.reopened(turned, fact.story, was))


def _added(run: RunState, fact: run_facts.StoryAdded) -> RunState | None:
    return scheduling.with_stories(continued(run), (*run.given.spec.stories, fact.story))


def _edited(run: RunState, fact: run_facts.StoryEdited) -> RunState | None:
    new, old = fact.story, run.asked(fact.story.id)
    changed = tuple(new if story.id == new.id else story for story in run.given.spec.stories)
    filed = {**run.filed, new.id: new if fact.from_file else run.filed.get(new.id, old)}
    edited = replace(_about(scheduling.with_stories(run, changed), old, new), filed=filed)
    return _outdated(edited, new.id) if _wording(new) != _wording(old) else edited


def _about(run: RunState, old: Story, new: Story) -> RunState:
    """A run that was started with one sentence takes its title and text from its story: prompts show both."""
    spec = run.given.spec
    if (spec.title, spec.description) != (old.title, old.description):
        return run
    named = replace(spec, title=new.title, description=new.description)
    return replace(run, plan=replace(run.given, spec=named))


def _wording(story: Story) -> tuple[str, str, tuple[Criterion, ...]]:
    """The text that agents work from; the other fields are about scheduling and checks."""
    return story.title, story.description, story.criteria


def _outdated(run: RunState, story: StoryId) -> RunState:
    """Marks earlier work as stale, because no work may land under a text that its agent has not seen."""
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
        replace(made := continued(run), requests=replace(made.requests, undoing=undoing, undos=number))
    )


# Sent messages -------------------------------------------------------------------------------------------------------


def _cancel_forwarded(run: RunState, fact: run_facts.CancelForwarded) -> RunState | None:
    return replace(run, requests=replace(run.requests, cancelled_stories=run.requests.cancelled_stories | {fact.story}))


def _pause_forwarded(run: RunState, fact: run_facts.PauseForwarded) -> RunState | None:
    known = {fact.story}
    stories = run.requests.paused_stories | known if fact.paused else run.requests.paused_stories - known
    return replace(run, requests=replace(run.requests, paused_stories=stories))


def _if_it_fits[F: Fact](
    handler: Callable[[RunState, F], RunState | None],
) -> Callable[[RunState, F], RunState | None]:
    """Checks the request again, because the run may have changed since the user sent it."""
    return lambda run, fact: None if objection(run, fact) else handler(run, fact)


HANDLERS: Final[Handlers[RunState, RunState | None]] = handlers(
    on(run_facts.CancelRequested, _cancel_requested),
    on(run_facts.CancelForwarded, _cancel_forwarded),
    on(run_facts.RunPaused, _if_it_fits(_paused)),
    on(run_facts.RunUnpaused, _if_it_fits(_unpaused)),
    on(run_facts.PauseForwarded, _pause_forwarded),
    on(run_facts.StoryCancellationRequested, _if_it_fits(_cancellation_requested)),
    on(run_facts.StoryDismissalRequested, _if_it_fits(_dismissal_requested)),
    on(run_facts.DismissalForwarded, _dismissal_forwarded),
    on(run_facts.StoryRetryRequested, _if_it_fits(_retry_requested)),
    on(run_facts.StoryAdded, _if_it_fits(_added)),
    on(run_facts.StoryEdited, _if_it_fits(_edited)),
    on(run_facts.StoriesReordered, _if_it_fits(_reordered)),
    on(run_facts.StoryUndoRequested, _if_it_fits(_undo_requested)),
    on(run_facts.UndoPosted, undo_posted),
    on(run_facts.UndoLanded, undo_landed),
    on(run_facts.StoryUndone, undone),
    on(story_facts.LandingWithdrawalAsked, undo_withdrawal_asked),
    on(run_facts.UndoRefused, undo_refused),
)
