"""Makes the documents of runs, stories and steps from views, so that every front end gives the same."""

from collections.abc import Container, Iterable, Mapping, Sequence
from json import loads
from typing import Any, Final

from shiftwork.app.views import amounts
from shiftwork.app.views.documents import run_records as records
from shiftwork.app.views.documents import usage_records as usage
from shiftwork.app.views.documents.document import Json, known_moment
from shiftwork.app.views.documents.usage_records import State, state_of
from shiftwork.app.views.run_views import Activity, RunOutline, RunView, StoryActivity, StoryView, story_columns
from shiftwork.app.views.text.failure_line import reason_of
from shiftwork.domain.core.first_error import split_failure
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.proof.verdict import ProofLevel
from shiftwork.domain.usage.totals import by_agent, by_model, verdict
from shiftwork.domain.usage.usage import Share
from shiftwork.ports.rows.row_columns import columns
from shiftwork.ports.views import RunRow, StepRow

_RENAMED: Final = {"shown": "criteria_shown", "criteria": "criteria_total"}


def run_document(view: RunView, **more: Any) -> records.Run:
    """`more` is what a view does not have: `left_out`, `conflicts`, `left_running`, `refused`, `owed_gates`."""
    return records.Run(**_run_values(view), **more)


def run_heading(view: RunView, **more: Any) -> records.Run:
    """The document of a run without its stories, for those who have made them already."""
    return records.Run(**_heading_values(view), stories=(), **more)


def result_document(view: RunView, *, stop: str, exit_code: int, **more: Any) -> records.Result:
    """`more` is what a view does not have: `left_out`, `diffs`, `folder`, `owed_gates`."""
    return records.Result(**_run_values(view), stop=stop, exit_code=exit_code, **more)


def cancellation_document(view: RunView, landed_meanwhile: Sequence[str]) -> records.Cancellation:
    return records.Cancellation(**_run_values(view), landed_meanwhile=landed_meanwhile)


def runs_document(runs: Iterable[tuple[RunRow, Activity]]) -> records.Runs:
    lines = [records.RunLine(**_row_values(row, activity), max_cost_usd=row.max_usd) for row, activity in runs]
    return records.Runs(runs=lines)


def story_document(run: RunOutline, view: StoryView) -> records.Story:
    return records.Story(**_story_values(run, view), steps=[step_document(step) for step in view.steps])


def stories_document(
    run: RunView, waits_for: Mapping[str, Sequence[str]], only: Container[str] | None = None
) -> records.Stories:
    """`waits_for` are, for each story, those that must land before it starts; `only` are the stories to list."""
    lines = [
        records.StoryLine(**_story_values(run, view), waits_for=waits_for.get(view.story.story, ()))
        for view in run.stories
        if only is None or view.story.story in only
    ]
    return records.Stories(run=run.run.run, stories=lines)


def stories_of_runs_document(lists: Iterable[tuple[RunView, records.Stories]]) -> records.StoriesOfRuns:
    lines = [records.RunStories(run=view.run.run, title=view.run.title, stories=one.stories) for view, one in lists]
    return records.StoriesOfRuns(runs=lines)


def step_document(step: StepRow) -> records.Step:
    values = columns(step) | amounts.plain(amounts.usage_of(step)) | _times(step.started_at, step.ended_at)
    values |= {"model": step.model or None, "state": state_of(step.status), "duration_seconds": values.pop("seconds")}
    return records.Step(**values)


def run_state(row: RunRow, activity: Activity) -> State:
    return state_of(row.status if activity is Activity.OVER else activity.value)


def story_state(run: RunOutline, view: StoryView) -> State:
    story = view.story
    if story.story in run.undoing:
        return State.UNDOING
    if view.activity is StoryActivity.STUCK:
        return State.STUCK
    return state_of(
        story.status,
        moving=run.moves,
        waits=story.waiting.needs_person,
        limited=story.waiting.until is not None,
        proof=story.proof.level,
    )


def _run_values(view: RunView) -> Json:
    return {**_heading_values(view), "stories": [story_document(view, story) for story in view.stories]}


def _heading_values(view: RunView) -> Json:
    worker, limits, idle = view.worker, view.limits, view.idle
    return {
        **_row_values(view.run, view.activity),
        **amounts.plain(view.used),
        **_shares(view.shares),
        "worker": records.Worker(executor=worker.executor, host=worker.host, pid=worker.pid) if worker else None,
        "waited_for_you_seconds": idle.person,
        "waited_for_limits_seconds": idle.limit,
        "estimate": _estimate(view),
        "limits": usage.LimitSet(
            **{
                f"of_{whose}": usage.Limit(cost_usd=budget.usd, tokens=budget.tokens, sessions=budget.sessions)
                for whose, budget in zip(("run", "story", "step"), limits, strict=True)
            }
        ),
        "stories_by_proof": _by_proof(view),
    }


def _estimate(view: RunView) -> usage.Estimate | None:
    band = view.band
    if band is None:
        return None
    compared = verdict(band, view.used, over=view.run.ended_at is not None)
    return usage.Estimate(low_usd=band.low_usd, high_usd=band.high_usd, known_stories=band.known, verdict=compared)


def _row_values(row: RunRow, activity: Activity) -> Json:
    return {
        "run": row.run,
        "title": row.title,
        "status": row.status,
        "state": run_state(row, activity),
        "activity": activity,
        "workflow": row.workflow,
        "agent": row.agent,
        "branch": row.branch,
        "project": row.project,
        "archived": row.archived,
        "options": {"context": {}, **loads(row.options)},
        "without_gates": row.without_gates.splitlines(),
        "undoing": row.undoing.splitlines(),
        "undelivered": row.undelivered,
        "story_count": row.stories,
        "completed_count": row.completed,
        "failed_count": row.failed,
        "cost_usd": row.cost_usd,
        "estimated": bool(row.estimated),
        "unpriced": row.unpriced,
        **_times(row.started_at, row.ended_at),
    }


def _shares(shares: Sequence[Share]) -> Json:
    """The usage of each profile and of each model; the name of an unknown model is null."""
    agents, models = by_agent(shares), by_model(shares)
    return {
        "agents": [usage.AgentUse(agent=agent, **amounts.plain(used)) for agent, used in agents.items()],
        "models": [usage.ModelUse(model=model or None, **amounts.plain(used)) for model, used in models.items()],
    }


def _by_proof(view: RunView) -> dict[str, list[str]]:
    """The landed stories, by how far they are proved; without the run's own steps."""
    stories = [story.story for story in view.stories if story.story.story != FRAME]
    return {level.value: [row.story for row in stories if row.proof.level == level] for level in ProofLevel}


def _story_values(run: RunOutline, view: StoryView) -> Json:
    story, idle = view.story, view.idle
    row = story_columns(story) | amounts.plain(view.used) | _times(story.started_at, story.ended_at)
    current = next((step.name for step in view.steps if step.step == story.step), "")
    return {_RENAMED.get(name, name): value for name, value in row.items()} | {
        "state": story_state(run, view),
        "activity": view.activity,
        "step": story.step or None,
        "step_name": current,
        "failure_line": reason_of(story.failure or row["refusal"]),
        "failure_log": split_failure(story.failure or row["refusal"]).log,
        "question": story.waiting.detail if story.waiting.needs_person else "",
        "until": known_moment(story.waiting.until),
        "waited_for_you_seconds": idle.person,
        "waited_for_limits_seconds": idle.limit,
    }


def _times(started: float | None, ended: float | None) -> Json:
    return {"started_at": known_moment(started), "ended_at": known_moment(ended)}
