"""Views of the history: the rows that are written with the facts, in the same transaction."""

from collections.abc import Iterable
from itertools import compress
from json import dumps
from operator import is_not

from shiftwork.app.runtime.story_projection import undelivered_by, used_part
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.landing.state import QueueState
from shiftwork.domain.run.state import RunState, RunStatus, StoryOutcome
from shiftwork.domain.run.steering.options import in_force
from shiftwork.domain.story.state import StoryStatus
from shiftwork.ports.views import PAUSED, Row, RunRow, StoryRow


def run_rows(before: RunState, after: RunState) -> tuple[Row, ...]:
    """The row of the run, and the rows of its idle stories that have changed. A story that has started writes its own
    rows until it ends.
    """
    return (_run_row(after), *(idle_row(after, story) for story in _changed(before, after)))


def _changed(before: RunState, after: RunState) -> Iterable[StoryId]:
    if after.given.workflow.frame and not after.frame.round:
        return ()  # the run's own steps may still plan other stories
    if before.graph is not after.graph or before.frame.round != after.frame.round:
        return [story for story, known in after.stories.items() if is_idle(known) and _is_new(before, story, known)]
    return [story for story in _touched(before, after) if is_idle(after.stories[story])]


def _is_new(before: RunState, story: StoryId, known: StoryOutcome) -> bool:
    """Whether the row of an idle story differs after the stories were ordered again."""
    return not known.dispatched or before.stories.get(story) is not known


def _touched(before: RunState, after: RunState) -> Iterable[StoryId]:
    """The stories of the same graph whose outcome or obstacle has changed. A run decides for each of its stories, so
    this compares all of them without a step of Python for each.
    """
    changed = set[StoryId]()
    if before.stories is not after.stories:
        differ = map(is_not, before.stories.values(), after.stories.values())
        changed.update(compress(after.stories, differ))
    if before.schedule.blocked is not after.schedule.blocked:
        changed.update(story for story, _ in before.schedule.blocked.items() ^ after.schedule.blocked.items())
    return sorted(changed, key=after.graph.position.__getitem__)


def is_idle(known: StoryOutcome) -> bool:
    """Whether the story waits for its first or its next start, or was cancelled before the first."""
    return known.status in {StoryStatus.UNCLAIMED, StoryStatus.BLOCKED} or not known.dispatched


def _run_row(run: RunState) -> RunRow:
    plan = run.given
    band = plan.forecast.whole if plan.forecast else None
    return RunRow(
        run=plan.run,
        title=plan.spec.title,
        status=PAUSED if run.requests.paused and run.status is RunStatus.RUNNING else run.status,
        workflow=plan.workflow.id,
        agent=plan.agent,
        branch=plan.branch,
        stories=len(run.stories),
        completed=run.totals.completed,
        failed=run.totals.failed,
        cost_usd=run.totals.spent,
        started_at=run.started_at,
        ended_at=run.ended_at,
        unpriced=run.totals.unpriced,
        estimated=run.totals.estimated,
        low_usd=band.low_usd if band else None,
        high_usd=band.high_usd if band else None,
        known=band.known if band else 0,
        max_usd=plan.limits.run.usd,
        max_tokens=plan.limits.run.tokens,
        max_sessions=plan.limits.run.sessions,
        story_usd=plan.limits.story.usd,
        story_tokens=plan.limits.story.tokens,
        story_sessions=plan.limits.story.sessions,
        step_usd=plan.limits.step.usd,
        step_tokens=plan.limits.step.tokens,
        undelivered=undelivered_by(run.noticing, run.endings) if run.ended_at is not None else "",
        without_gates="\n".join(plan.without_gates),
        project=plan.project,
        options=dumps(in_force(plan)),
        undoing="\n".join(run.requests.undoing),
    )


def idle_row(run: RunState, story: StoryId) -> StoryRow:
    known = run.stories[story]
    return StoryRow(
        run=run.given.run,
        story=story,
        position=run.graph.position[story],
        title=run.asked(story).title,
        status=known.status,
        step="",
        failure=run.schedule.blocked.get(story, known.reason),
        cause=known.cause or "",
        started_at=None,
        ended_at=None,
        used=used_part(known.usage),
        depends_on=run.asked(story).depends_on,
    )


def queue_rows(before: QueueState, after: QueueState) -> tuple[Row, ...]:  # noqa: ARG001 - one shape for all
    """A landing queue has no rows: the rows of its stories show it."""
    return ()
