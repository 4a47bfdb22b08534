"""How a person's edits of a story's steps are answered: in the order of the history, by the rules for agents."""

from collections.abc import Sequence

from shiftwork.domain.core.decision import NOW, Effects
from shiftwork.domain.core.effect import Conclude
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import ENDED, LandingStage, StoryState
from shiftwork.domain.workflow.edit_request import Edit
from shiftwork.domain.workflow.guardrails import PERSON, Rejected, apply_edits, outline, restarted
from shiftwork.domain.workflow.pipeline import Pipeline
from shiftwork.records import replace

type Answer = story_facts.WorkflowEdited | story_facts.WorkflowEditRejected


def requested(story: StoryState, fact: story_facts.WorkflowEditRequested) -> StoryState | None:
    return replace(story, control=replace(story.control, edits=(*story.control.edits, fact.edits)))


def due(story: StoryState) -> Effects:
    """The answer to the oldest request."""
    if not story.control.edits:
        return ()
    return (Conclude(key=f"edit/{story.control.edited + 1}", facts=(answer(story, story.control.edits[0]),)),)


def answered(story: StoryState, fact: Answer) -> StoryState:
    """The story without its oldest request, if the fact answers a person."""
    if fact.by != PERSON:
        return story
    control = story.control
    return replace(story, control=replace(control, edits=control.edits[1:], edited=control.edited + 1))


def answer(story: StoryState, edits: tuple[Edit, ...]) -> Answer:
    changed = outcome(story, edits)
    if isinstance(changed, Rejected):
        return rejection(edits, changed.reason)
    before, after = outline(story.pipeline), outline(changed)
    return story_facts.WorkflowEdited(at=NOW, by=PERSON, edits=edits, before=before, after=after)


def rejection(edits: Sequence[Edit], reason: str) -> story_facts.WorkflowEditRejected:
    return story_facts.WorkflowEditRejected(at=NOW, by=PERSON, request="; ".join(map(spelled, edits)), reason=reason)


def outcome(story: StoryState, edits: Sequence[Edit]) -> Pipeline | Rejected:
    """The pipeline after the edits of a person, or why they are rejected."""
    if story.status in ENDED:
        return Rejected(reason="the story has ended")
    if story.landing.progress is not LandingStage.NONE:
        return Rejected(reason="the story is landing: its steps are done")
    return apply_edits(story.pipeline, PERSON, edits)


def ends_attempt(story: StoryState, step: StepId, edits: Sequence[Edit]) -> bool:
    """Whether the request ends the attempt at the step: it restarts the step, and the rules allow that."""
    return step in restarted(edits) and not isinstance(outcome(story, edits), Rejected)


def spelled(edit: Edit) -> str:
    """The operation in one line."""
    steps = ", ".join(f"{step.type} ({step.description})" for step in edit.steps)
    said = (edit.operation.value, edit.target, steps, ", ".join(edit.order), edit.description)
    return f"{' '.join(part for part in said if part)}: {edit.reason}"
