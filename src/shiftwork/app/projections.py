"""Views of the history: the rows that a change of state writes beside the facts, in the same transaction."""

from shiftwork.domain.model.ids import StoryId
from shiftwork.domain.model.pipeline import Step
from shiftwork.domain.model.queue import QueueState
from shiftwork.domain.model.run import RunState
from shiftwork.domain.model.story import StoryState, StoryStatus
from shiftwork.domain.model.usage import NOTHING_USED
from shiftwork.ports.views import Row, RunRow, StepRow, StoryRow


def run_rows(before: RunState, after: RunState) -> tuple[Row, ...]:
    first = before.plan is None
    unclaimed = (_unclaimed_row(after, position) for position in range(len(after.stories))) if first else ()
    return (_run_row(after), *unclaimed)


def _run_row(run: RunState) -> RunRow:
    plan = run.given
    outcomes = run.stories.values()
    usage = sum((outcome.usage for outcome in outcomes), start=NOTHING_USED)
    return RunRow(
        run=plan.run,
        title=plan.spec.title,
        status=run.status,
        workflow=plan.workflow.id,
        agent=plan.agent,
        branch=plan.branch,
        stories=len(run.stories),
        completed=sum(outcome.status is StoryStatus.COMPLETED for outcome in outcomes),
        failed=sum(outcome.status is StoryStatus.FAILED for outcome in outcomes),
        cost_usd=usage.cost_usd,
        started_at=run.started_at,
        ended_at=run.ended_at,
    )


def _unclaimed_row(run: RunState, position: int) -> StoryRow:
    story = run.given.spec.stories[position]
    return StoryRow(
        run=run.given.run,
        story=story.id,
        position=position,
        title=story.title,
        status=StoryStatus.UNCLAIMED,
        step="",
        landing="none",
        commit="",
        ref="",
        waiting="",
        failure="",
        cause="",
        cost_usd=None,
        input_tokens=0,
        output_tokens=0,
        started_at=None,
        ended_at=None,
    )


def story_rows(before: StoryState, after: StoryState) -> tuple[Row, ...]:
    """The story, and those of its steps that changed or moved."""
    known = {step.id: (position, step) for position, step in enumerate(before.pipeline.steps)}
    steps = (
        _step_row(after, position, step)
        for position, step in enumerate(after.pipeline.steps)
        if known.get(step.id) != (position, step)
    )
    kept = {step.id for step in after.pipeline.steps}
    gone = (_gone_row(after, step) for step in before.pipeline.steps if step.id not in kept)
    return (_story_row(after), *steps, *gone)


def _story_row(story: StoryState) -> StoryRow:
    given = story.given
    current = story.pipeline.current
    return StoryRow(
        run=given.run,
        story=given.story.id,
        position=given.position,
        title=given.story.title,
        status=story.status,
        step=current.id if current else "",
        landing=story.landing,
        commit=story.landed,
        ref=story.landed_ref,
        waiting=f"{story.hold.cause}: {story.hold.detail}" if story.hold else "",
        failure=story.failure,
        cause=story.cause or "",
        cost_usd=story.usage.cost_usd,
        input_tokens=story.usage.input_tokens,
        output_tokens=story.usage.output_tokens,
        started_at=story.started_at,
        ended_at=story.ended_at,
    )


GONE = -1
"""The position of a step that an edit replaced: lists leave it out, its log and cost stay to be asked for."""


def _gone_row(story: StoryState, step: Step) -> StepRow:
    return _step_row(story, GONE, step)


def _step_row(story: StoryState, position: int, step: Step) -> StepRow:
    return StepRow(
        run=story.given.run,
        story=StoryId(story.given.story.id),
        step=step.id,
        position=position,
        name=step.name,
        type=step.type,
        kind=step.kind,
        status=step.status,
        description=step.description,
        attempts=step.attempts,
        restarts=step.restarts,
        notes=step.notes,
        error=step.error,
        skip_reason=step.skip_reason,
        cost_usd=step.usage.cost_usd,
        input_tokens=step.usage.input_tokens,
        output_tokens=step.usage.output_tokens,
        started_at=step.started_at,
        ended_at=step.ended_at,
        log=step.log,
    )


def queue_rows(before: QueueState, after: QueueState) -> tuple[Row, ...]:  # noqa: ARG001 - one shape for all
    """A landing queue is seen through its stories."""
    return ()
