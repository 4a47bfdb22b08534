"""Lists the steps of a story: the state of each, who added it, and the edits that people have requested."""

from collections.abc import Sequence
from typing import Final

from shiftwork.app.folds import STORY, load
from shiftwork.domain.core.ids import StepId, StoryId, story_stream
from shiftwork.domain.run.assignment import assignment
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.story.steering import step_edits
from shiftwork.domain.workflow.guardrails import HARNESS, PERSON
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.ports.store import History
from shiftwork.records import dataclass

_ADDED_BY: Final = {"": "workflow", PERSON: PERSON, HARNESS: "Shiftwork"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLine:
    """A step as it is shown. `outcome` is its summary, or why it failed or was skipped. A `mandatory` step cannot be
    skipped, and nothing can follow one that is `last`.
    """

    number: int
    id: StepId
    name: str
    type: str
    status: str
    attempts: int
    restarts: int
    added_by: str
    description: str
    outcome: str
    mandatory: bool
    last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StepList:
    """The steps of a story, in their order. A story that has not started shows those that it will start with.
    `requested` are edits of people that the story has not answered yet, `rejected` are the last rejected edits.
    """

    story: StoryId
    title: str
    status: str
    steps: tuple[StepLine, ...]
    requested: tuple[str, ...]
    rejected: tuple[str, ...]


def step_list(
    run: RunState, state: StoryState, unread: Sequence[story_facts.WorkflowEditRequested], *, begun: bool
) -> StepList:
    """Returns the steps of a story as it is `present`; `unread` are requests that it has not read."""
    story = state.given.story.id
    requests = (*state.control.edits, *(request.edits for request in unread))
    return StepList(
        story=story,
        title=state.given.story.title,
        status=state.status if begun else run.stories[story].status,
        steps=tuple(_line(number, step) for number, step in enumerate(state.pipeline.steps, start=1)),
        requested=tuple(step_edits.spelled(edit) for edits in requests for edit in edits),
        rejected=tuple(f"{added_by(note.by)}: {note.text}" for note in state.dialogue.rejected),
    )


async def present(events: History, run: RunState, story: StoryId) -> StoryState:
    """Returns the story, or, before its start, the story as the run will start it."""
    known = await load(events, STORY, story_stream(run.given.run, story))
    if known.assignment is not None:
        return known
    given = assignment(run, run.asked(story), run.graph.position[story])
    started = story_facts.StoryStarted(at=0, assignment=given, steps=run.given.workflow.story_steps)
    return STORY.evolve(known, started)


def added_by(who: str) -> str:
    """Returns the author of a step or of an edit: the workflow, an agent, a person or the harness."""
    return _ADDED_BY.get(who) or f"agent ({who})"


def _line(number: int, step: Step) -> StepLine:
    return StepLine(
        number=number,
        id=step.id,
        name=step.plan.name,
        type=step.plan.type,
        status=step.status,
        attempts=step.attempts,
        restarts=step.restarts,
        added_by=added_by(step.added_by),
        description=step.plan.description,
        outcome=step.error or step.skip_reason or step.notes,
        mandatory=step.mandatory,
        last=step.last,
    )
