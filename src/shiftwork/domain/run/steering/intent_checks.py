"""What users may ask of a run, and why not: the same check for the command and for the run that applies it later."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.handlers import Handlers, handlers, on
from shiftwork.domain.core.ids import FRAME, StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RUN_ENDED, RunState, RunStatus
from shiftwork.domain.spec.graph import find_cycle, reachable
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.spec.story_lookup import guess
from shiftwork.domain.story.state import StoryStatus
from shiftwork.records import dataclass
from shiftwork.regexes import regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """Why a request is refused, and what to type instead."""

    reason: str
    hint: str


def objection(run: RunState, intent: Fact) -> Objection | None:
    """Why the intent would change nothing; None if it is valid. A run that has not started accepts nothing."""
    if run.plan is None:
        return Objection(reason="the run has not started", hint="shiftwork status --all")
    return _OBJECTIONS[type(intent)](run, intent)


def _typed(run: RunState, command: str, story: StoryId) -> str:
    """The command with the run's name, because story ids repeat between runs."""
    return f"shiftwork {command} {story} --run {run.given.run}"


def next_story_id(stories: Sequence[Story]) -> StoryId:
    """The next free id in the style of the existing ids: the same prefix and number of digits."""
    found = [match for story in stories if (match := _NUMBERED.fullmatch(story.id))]
    prefix = Counter(match["prefix"] for match in found).most_common(1)[0][0] if found else "US-"
    numbers = [match["number"] for match in found if match["prefix"] == prefix]
    width = max((len(number) for number in numbers), default=3)
    return StoryId(f"{prefix}{max(map(int, numbers), default=0) + 1:0{width}d}")


_NUMBERED: Final = regex(r"(?P<prefix>.*?)(?P<number>[0-9]+)")


# The run -------------------------------------------------------------------------------------------------------------


def _over(run: RunState) -> Objection | None:
    if run.status not in RUN_ENDED:
        return None
    return Objection(reason=f"run {run.given.run} is over", hint=f"shiftwork status {run.given.run}")


def _pause(run: RunState, intent: run_facts.RunPaused) -> Objection | None:  # noqa: ARG001 - one shape for all
    resume = f"shiftwork resume {run.given.run}"
    return _over(run) or (Objection(reason="it is paused already", hint=resume) if run.requests.paused else None)


def _unpause(run: RunState, intent: run_facts.RunUnpaused) -> Objection | None:  # noqa: ARG001 - one shape for all
    return _over(run) or (
        None if run.requests.paused else Objection(reason="it is not paused", hint=f"shiftwork status {run.given.run}")
    )


def _cancelled(run: RunState) -> Objection | None:
    if run.requests.cancelling and run.status not in RUN_ENDED:
        return Objection(reason="the run is being cancelled", hint=f"shiftwork status {run.given.run}")
    return None


# An existing story ---------------------------------------------------------------------------------------------------


def _unknown(run: RunState, story: StoryId) -> Objection | None:
    if story in run.stories:
        return None
    message = f"there is no story {story} in the run{guess(story, run.stories)}"
    return Objection(reason=message, hint=f"shiftwork stories {run.given.run}")


def _cancel(run: RunState, intent: run_facts.StoryCancellationRequested) -> Objection | None:
    if amiss := _over(run) or _unknown(run, intent.story):
        return amiss
    match run.stories[intent.story].status:
        case StoryStatus.COMPLETED if intent.story in run.requests.undoing:
            return None
        case StoryStatus.COMPLETED:
            return Objection(reason=f"{intent.story} has landed", hint=_typed(run, "undo", intent.story))
        case StoryStatus.FAILED | StoryStatus.CANCELLED | StoryStatus.UNDONE | StoryStatus.MISSING as status:
            return Objection(reason=f"{intent.story} {_OVER[status]} already", hint=_typed(run, "retry", intent.story))
        case _:
            return None


def _dismiss(run: RunState, intent: run_facts.StoryDismissalRequested) -> Objection | None:
    """A run that was cancelled stays over: to reopen it would start its other stories."""
    if amiss := _unknown(run, intent.story) or (None if run.status is RunStatus.FAILED else _over(run)):
        return amiss
    if run.stories[intent.story].status is not StoryStatus.FAILED:
        return Objection(reason=f"{intent.story} has not failed", hint=f"shiftwork status {run.given.run}")
    return None


_OVER: Final = {
    StoryStatus.FAILED: "has failed",
    StoryStatus.CANCELLED: "is cancelled",
    StoryStatus.UNDONE: "is undone",
    StoryStatus.MISSING: "has landed, and is no longer found on the branch",
}


def _retry(run: RunState, intent: run_facts.StoryRetryRequested) -> Objection | None:
    if intent.story == FRAME:
        status = f"shiftwork status {run.given.run}"
        unneeded = None if run.frame.failure else Objection(reason="the run's own steps have not failed", hint=status)
        return _cancelled(run) or unneeded
    if amiss := _cancelled(run) or _unknown(run, intent.story):
        return amiss
    match run.stories[intent.story].status:
        case StoryStatus.FAILED | StoryStatus.CANCELLED | StoryStatus.UNDONE | StoryStatus.MISSING:
            return None
        case StoryStatus.COMPLETED:
            landed = Objection(reason=f"{intent.story} has landed", hint=_typed(run, "undo", intent.story))
            return None if intent.missing else landed
        case StoryStatus.BLOCKED:
            without = f", or: shiftwork resume {run.given.run} --keep-going" if run.given.ordered else ""
            return Objection(
                reason=f"{intent.story} is blocked: {run.schedule.blocked[intent.story]}",
                hint=f"retry the story it depends on: when that has landed, this story starts automatically{without}",
            )
        case _:
            return Objection(reason=f"{intent.story} has not failed", hint=f"shiftwork status {run.given.run}")


# A new or changed story ----------------------------------------------------------------------------------------------


def _add(run: RunState, intent: run_facts.StoryAdded) -> Objection | None:
    if amiss := _cancelled(run):
        return amiss
    if intent.story.id in run.stories:
        return Objection(
            reason=f"there is a story {intent.story.id} already", hint=_typed(run, "edit", intent.story.id)
        )
    return _tangled(run, intent.story)


def _edit(run: RunState, intent: run_facts.StoryEdited) -> Objection | None:
    story = intent.story.id
    if amiss := _unknown(run, story):
        return amiss
    match run.stories[story].status:
        case StoryStatus.IN_PROGRESS:
            cancel = f"shiftwork cancel {run.given.run} --story {story}"
            hint = f"{cancel}, then edit it, then: {_typed(run, 'retry', story)} --from-scratch"
            return Objection(reason=f"{story} is in progress and works from the text it started with", hint=hint)
        case StoryStatus.COMPLETED:
            return Objection(reason=f"{story} has landed", hint=_typed(run, "undo", story))
        case _:
            return _tangled(run, intent.story)


def _tangled(run: RunState, story: Story) -> Objection | None:
    """What is wrong with the dependencies of a new or changed story."""
    edges = {story.id: story.depends_on} | {
        other.id: other.depends_on for other in run.given.spec.stories if other.id != story.id
    }
    if missing := [needed for needed in story.depends_on if needed not in edges]:
        return Objection(
            reason=f"{story.id} would depend on {', '.join(missing)}, which the run does not have",
            hint=f"shiftwork stories {run.given.run}",
        )
    if story.id in reachable(edges, (story.id,)):
        cycle = find_cycle(edges)
        message = f"the dependencies would form a cycle: {' → '.join((*cycle, cycle[0]))}"
        return Objection(reason=message, hint=f"shiftwork stories {run.given.run}")
    return None


def _reorder(run: RunState, intent: run_facts.StoriesReordered) -> Objection | None:
    if len(set(intent.stories)) < len(intent.stories):
        return Objection(reason="a story is named twice", hint=f"shiftwork stories {run.given.run}")
    return _over(run) or next(filter(None, (_unknown(run, story) for story in intent.stories)), None)


# A landed story ------------------------------------------------------------------------------------------------------


_UNLANDED: Final = {
    StoryStatus.UNCLAIMED: "it has not started",
    StoryStatus.IN_PROGRESS: "it is in progress",
    StoryStatus.FAILED: "it has failed",
    StoryStatus.CANCELLED: "it was cancelled",
    StoryStatus.UNDONE: "it is undone already",
    StoryStatus.MISSING: "it is no longer found on the branch",
    StoryStatus.BLOCKED: "it is blocked",
}


def _undo(run: RunState, intent: run_facts.StoryUndoRequested) -> Objection | None:
    story = intent.story
    if amiss := _cancelled(run) or _unknown(run, story):
        return amiss
    known = run.stories[story]
    if known.status is not StoryStatus.COMPLETED:
        message = f"{story} has not landed: {_UNLANDED[known.status]}"
        return Objection(reason=message, hint=f"shiftwork stories {run.given.run}")
    if not known.commit or not known.base:
        return Objection(
            reason=f"{story} had landed before this run",
            hint="find its commit with git log and revert it with git revert",
        )
    if known.commit == known.base:
        message = f"{story} has changed nothing, so there is nothing to undo"
        return Objection(reason=message, hint=f"shiftwork status {run.given.run}")
    if story in run.requests.undoing:
        return Objection(reason=f"{story} is being undone already", hint=f"shiftwork status {run.given.run}")
    return _needed(run, story)


def _needed(run: RunState, story: StoryId) -> Objection | None:
    """Refuses if other work depends on the story. Landed work is undone in reverse order; the hint names the next."""
    behind = [other for other in run.graph.dependents[story] if other not in run.requests.undoing]
    if landed := [other for other in behind if run.stories[other].status is StoryStatus.COMPLETED]:
        message = f"{', '.join(landed)} depend{'' if len(landed) > 1 else 's'} on {story} and landed after it"
        deeper = _undo(run, run_facts.StoryUndoRequested(at=0, story=landed[-1]))
        return Objection(reason=message, hint=deeper.hint if deeper else f"first: {_typed(run, 'undo', landed[-1])}")
    building = run.schedule.in_progress if run.given.ordered else behind  # each builds on all that landed before it
    if in_progress := [other for other in building if other in run.schedule.in_progress]:
        message = f"{', '.join(in_progress)}, in progress, {'build' if len(in_progress) > 1 else 'builds'} on {story}"
        return Objection(reason=message, hint=f"first: shiftwork cancel {run.given.run} --story {in_progress[0]}")
    return None


def _allowed(_run: RunState, _intent: Fact) -> Objection | None:
    return None


_OBJECTIONS: Final[Handlers[RunState, Objection | None]] = handlers(
    on(run_facts.RunPaused, _pause),
    on(run_facts.RunUnpaused, _unpause),
    on(run_facts.LimitsRaised, _allowed),
    on(run_facts.OptionsChanged, _allowed),
    on(run_facts.StoryCancellationRequested, _cancel),
    on(run_facts.StoryDismissalRequested, _dismiss),
    on(run_facts.StoryRetryRequested, _retry),
    on(run_facts.StoryAdded, _add),
    on(run_facts.StoryEdited, _edit),
    on(run_facts.StoriesReordered, _reorder),
    on(run_facts.StoryUndoRequested, _undo),
)

INTENTS: Final = frozenset(_OBJECTIONS)
"""The facts that record requests of users."""
