"""Edits of a pipeline of the catalogue's ten steps while the fifth runs: accepted, or rejected with a reason."""

from shiftwork.domain.core.ids import step_id
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.edit_request import Edit
from shiftwork.domain.workflow.guardrails import Rejected, apply_edits
from shiftwork.domain.workflow.pipeline import Pipeline
from shiftwork.testing.builders import after_steps, began, fold_story, started_story

CODING = step_id(5)


def coding_runs() -> StoryState:
    story = after_steps(started_story(), 4)
    return fold_story(story, began(story))


def accepted(pipeline: Pipeline, *edits: Edit, by: str = CODING) -> Pipeline:
    outcome = apply_edits(pipeline, by, edits)
    assert isinstance(outcome, Pipeline), outcome
    return outcome


def rejected(pipeline: Pipeline, *edits: Edit, by: str = CODING) -> str:
    outcome = apply_edits(pipeline, by, edits)
    assert isinstance(outcome, Rejected), outcome
    return outcome.reason
