"""Refused work: after a step that changed nothing, or at landing. The same refusal twice is a plateau: the story tries
another profile and then ends, but does not pay for a third session of the same kind.
"""

from typing import Final

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
    """The last completed step, if it should have changed files and the story has changed nothing so far. None if the
    next step should change files too, because that step runs first.
    """
    if story.given.story.may_be_empty or not story.work.head or story.work.head != story.work.base:
        return None
    last, following = _last_completed(story.pipeline), story.pipeline.current
    if last is None or not _changes(last):
        return None
    return None if following and _changes(following) else last


def _last_completed(pipeline: Pipeline) -> Step | None:
    following = pipeline.current
    before = pipeline.steps[: pipeline.index(following.id)] if following else pipeline.steps
    return next((step for step in reversed(before) if step.status is not StepStatus.SKIPPED), None)


def _changes(step: Step) -> bool:
    return must_change(step, step.decision)


def unchanged(step: Step) -> str:
    return f"{step.id} {step.plan.name} ended without changing a file, and no step before it has changed one."


# The same again ---------------------------------------------------------------------------------------------------


def failures_with(story: StoryState, refused: Refused) -> tuple[Failure, ...]:
    """The refusals of the work so far, in order, without those that a person decides."""
    if refused.cause in {Refusal.DEPENDENCIES, Refusal.APPROVAL}:
        return story.landing.failures
    return (*story.landing.failures, Failure(digest=fingerprint(_identity(refused)), line=_line(refused.text.detail)))


def _identity(refused: Refused) -> str:
    """The text by which refusals are compared. A conflict with another commit is a different conflict."""
    match refused.cause:
        case Refusal.EMPTY:
            return refused.cause
        case Refusal.CONFLICT:
            return "\n".join((refused.cause, f"onto {refused.base}", *sorted(refused.files)))
        case _:
            return f"{refused.cause}\n{refused.text.detail}"


def _line(detail: str) -> str:
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
    step = unchanged_step(story)
    if step is None or step.id != fact.step or story.landing.progress is not LandingStage.NONE:
        return None
    return refused_with(story, Refused(cause=fact.cause, text=RefusalText(detail=fact.detail), base=story.work.base))


def refused_with(story: StoryState, refused: Refused) -> StoryState:
    return replace(
        story,
        landing=replace(
            story.landing, progress=LandingStage.REFUSED, refused=refused, failures=failures_with(story, refused)
        ),
    )
