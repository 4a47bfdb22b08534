"""Edits of a pipeline of the catalogue's ten steps while the fifth runs: accepted, or rejected with the reason."""

from shiftwork.domain.model.editing import Edit
from shiftwork.domain.model.ids import step_id
from shiftwork.domain.model.pipeline import Pipeline
from shiftwork.domain.model.story import StoryState
from shiftwork.domain.rules.editing import Rejected, apply_edits
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
