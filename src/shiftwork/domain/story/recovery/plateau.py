"""Refused work: after a step that changed nothing, or at landing. The same refusal twice is a plateau: the story tries
another profile and then ends, but does not pay for a third session of the same kind.
"""

from typing import Final

from shiftwork.domain.core.first_error import split_failure, without_logs
from shiftwork.domain.core.refusal import Refusal, RefusalText
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.routing import must_change
from shiftwork.domain.story.state import Failure, LandingStage, Refused, StoryState
from shiftwork.domain.text.excerpt import fingerprint
from shiftwork.domain.workflow.pipeline import Pipeline, Step, StepStatus
from shiftwork.records import replace

_LINE: Final = 200


# No change --------------------------------------------------------------------------------------------------------


def unchanged_step(story: StoryState) -> Step | None:
    """The last step that should have changed files, if it has ended and the story has changed nothing so far. None as
    long as a step to come should change files: one step of many may be a trial that keeps nothing.
    """
    ended, coming = _around(story.pipeline)
    if not _is_unchanged(story) or any(map(_changes, coming)):
        return None
    return next((step for step in reversed(ended) if _changes(step)), None)


def _is_unchanged(story: StoryState) -> bool:
    return not story.given.story.may_be_empty and bool(story.work.head) and story.work.head == story.work.base


def _around(pipeline: Pipeline) -> tuple[list[Step], list[Step]]:
    """The steps before the current one, and those from it on, without those that were skipped."""
    current = pipeline.current
    place = pipeline.index(current.id) if current else len(pipeline.steps)
    before, after = (
        [step for step in steps if step.status is not StepStatus.SKIPPED]
        for steps in (pipeline.steps[:place], pipeline.steps[place:])
    )
    return before, after


def _changes(step: Step) -> bool:
    return must_change(step, step.decision)


def unchanged(step: Step) -> str:
    return f"{step.id} {step.plan.name} ended without changing a file, and no step before it has changed one."


# The same again ---------------------------------------------------------------------------------------------------


def failures_with(story: StoryState, refused: Refused) -> tuple[Failure, ...]:
    """The refusals of the work so far, in order, without those that a person decides."""
    if refused.cause in {Refusal.DEPENDENCIES, Refusal.APPROVAL, Refusal.MESSAGE}:
        return story.landing.failures
    return (*story.landing.failures, Failure(digest=_identity(refused), line=_line(refused.text.detail)))


def _identity(refused: Refused) -> str:
    """By which refusals are compared. A conflict with another commit is a different conflict."""
    match refused.cause:
        case Refusal.EMPTY:
            return fingerprint(refused.cause)
        case Refusal.CONFLICT:  # a fingerprint leaves out hashes of commits
            return f"{fingerprint('\n'.join((refused.cause, *sorted(refused.files))))} onto {refused.base}"
        case _:
            return fingerprint(f"{refused.cause}\n{without_logs(refused.text.detail)}")


def _line(detail: str) -> str:
    """What failed, and why as far as the text says it."""
    parts = split_failure(detail)
    if parts.error:
        return f"{parts.head.partition('\n')[0]} {parts.error}"[:_LINE]
    lines = [line.strip() for line in detail.splitlines() if line.strip()]
    return " … ".join(dict.fromkeys((*lines[:1], *lines[-1:])))[:_LINE]


def on_plateau(story: StoryState) -> bool:
    """Whether the last repair led to the same refusal again."""
    last = [failure.digest for failure in story.landing.failures[-2:]]
    return story.landing.refused is not None and len(last) > 1 and last[0] == last[1]


def escalation(story: StoryState) -> str:
    """The profile for a repair that the usual profile could not make: once, and only if the settings name it."""
    return story.given.limits.escalate if on_plateau(story) and not story.landing.escalated else ""


def whole_story(story: StoryState) -> str:
    """A note that the last failure is not new, with the different failures before it; empty if it is new."""
    if not on_plateau(story):
        return ""
    others = dict.fromkeys(
        failure.line for failure in story.landing.failures if failure.digest != story.landing.failures[-1].digest
    )
    by = f", also after {story.landing.escalated} had tried" if story.landing.escalated else ""
    before = f"; before that: {'; '.join(others)}" if others else ""
    return f" (the same failure came back{by}{before})"


def work_refused(story: StoryState, fact: story_facts.WorkRefused) -> StoryState | None:
    """A recorded refusal stays one, also of a step that would now wait for those to come."""
    ended, _ = _around(story.pipeline)
    if not _is_unchanged(story) or fact.step not in {step.id for step in ended if _changes(step)}:
        return None
    if story.landing.progress is not LandingStage.NONE:
        return None
    return refused_with(story, Refused(cause=fact.cause, text=RefusalText(detail=fact.detail), base=story.work.base))


def refused_with(story: StoryState, refused: Refused) -> StoryState:
    return replace(
        story,
        landing=replace(
            story.landing, progress=LandingStage.REFUSED, refused=refused, failures=failures_with(story, refused)
        ),
    )
