"""A pipeline whose review has three possible decisions, for the tests of routing."""

from dataclasses import replace

from shiftwork.domain.core.ids import StepId, step_id
from shiftwork.domain.story.routing import verdict_of
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.workflow import Route, StepPlan
from shiftwork.testing.builders import (
    after_steps,
    began,
    done,
    fold_story,
    planned,
)
from shiftwork.testing.builders import started_story as started

BRAINSTORM, PLAN, WORK, REVIEW, COMPOUND = map(step_id, range(1, 6))

ROUTES = (
    Route(value="approved", target="compound"),
    Route(value="needs_fixes", target="work", back=True),
    Route(value="rejected", target="brainstorm", back=True, clear=("plan_file",)),
)


def compound(**of_work: object) -> tuple[StepPlan, ...]:
    return (
        planned("brainstorm"),
        planned("plan"),
        replace(planned("work"), **of_work),  # type: ignore[arg-type]
        replace(planned("review"), name="review", decision_key="DECISION", routes=ROUTES, max_retries=0),
        planned("compound"),
    )


def reviewed(decision: str, story: StoryState | None = None, **of_work: object) -> StoryState:
    """The story once its review has decided; where that leads is still to be followed."""
    story = story or after_steps(started(*compound(**of_work)), 3)
    running = fold_story(story, began(story))
    outputs = (("decision", decision), ("review_issues", "no tests"))
    step = running.pipeline.steps[3]
    return fold_story(
        running, done(running, outputs=outputs, decision=decision, verdict=verdict_of(step, outputs, "notes"))
    )


def statuses(story: StoryState) -> list[str]:
    return [step.status.value for step in story.pipeline.steps]


def step(story: StoryState, wanted: StepId) -> Step:
    found = story.pipeline.find(wanted)
    assert found is not None
    return found
