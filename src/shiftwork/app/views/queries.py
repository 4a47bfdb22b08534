"""Views of runs for all front ends, with derived values such as the activity."""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from shiftwork.app.views.amounts import usage_of
from shiftwork.app.views.run_views import PLAN, Activity, RunOutline, RunView, StoryActivity, StoryView
from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.usage.totals import merged
from shiftwork.domain.usage.usage import Share
from shiftwork.errors import UnknownRunError
from shiftwork.ports.views import PAUSED, Owner, Queries, RunRow, SpentRow, StepRow, StoryRow, WaitedRow, is_gone
from shiftwork.records import dataclass, replace
from shiftwork.regexes import regex

_STORY: Final = regex(r"[A-Z]+-\d+")
"""What a story's id usually looks like; an id of a run has no capitals."""

LOOKED_THROUGH: Final = 200
"""How many runs are searched for the selected run."""

_LISTED: Final = 10
"""How many runs an error lists if an id is ambiguous."""


type Liveness = Callable[[Owner], bool | None]
"""Whether a process lives; None if that is unknown here."""

type Silence = Callable[[str], bool]
"""Whether the attempt with this log has printed nothing for so long that it seems stuck."""


type Served = Callable[[RunOutline], Awaitable[bool]]
"""Whether a server has a process for the run, or will start one."""


def never(log: str) -> bool:  # noqa: ARG001 - the signature of `Silence`
    """For callers that do not check for silence."""
    return False


async def unserved(view: RunOutline) -> bool:  # noqa: ARG001 - the signature of `Served`
    """For callers to whom it is one whether a run is queued or interrupted."""
    return False


async def run_view(  # noqa: PLR0913 - what a view depends on beside the database
    queries: Queries,
    run: str,
    alive: Liveness,
    *,
    every_step: bool = True,
    silent: Silence = never,
    served: Served = unserved,
) -> RunView:
    """Returns a run by its id or a prefix of it, or the newest run if `run` is empty. Skips finished planning runs,
    because users continue with the planned stories.

    Without `every_step`, only includes the steps of stories in progress, paused or failed, or of a run's only story.
    """
    row, worker = await _worked_on(queries, run, alive)
    stories = await queries.stories(row.run)
    rows = RunRows(
        run=row,
        stories=stories,
        steps=await _steps(queries, row.run, stories, every=every_step or len(stories) == 1),
        waited=await queries.waited(row.run),
        spent=await queries.spent(row.run),
    )
    return await _queued(assembled(rows, worker, meant=await is_meant(queries, row.run), silent=silent), served)


async def run_outline(queries: Queries, run: str, alive: Liveness, *, served: Served = unserved) -> RunOutline:
    """Returns a run as `run_view` does, without reading the stories that have ended or have not started. One that seems
    stuck is working.
    """
    row, worker = await _worked_on(queries, run, alive)
    if row.ended_at is not None:
        return RunOutline(run=row, activity=Activity.OVER, worker=worker)
    ended = await queries.story_counts(row.run)
    row = replace(row, completed=ended.get("completed", 0), failed=ended.get("failed", 0))
    stories = await queries.stories(row.run, status="in_progress")
    views = [_story_view(story, (), worker, never) for story in stories]
    return await _queued(RunOutline(run=row, activity=_activity(row, views, worker), worker=worker), served)


async def story_view(queries: Queries, run: RunOutline, story: str, *, silent: Silence = never) -> StoryView | None:
    """Returns a story of a run, with all its steps; None if the run has no such story."""
    named = run.run.run
    row = next(iter(await queries.stories(named, story=story)), None)
    if row is None:
        return None
    view = _story_view(row, await queries.steps(named, story), run.worker, silent)
    return replace(view, waited=_waits(await queries.waited(named, story)).get(story, ()))


async def _worked_on(queries: Queries, run: str, alive: Liveness) -> tuple[RunRow, Owner | None]:
    """The run, and its worker, read before it: a run that ends in between is then over, and not without a worker."""
    wanted = (await _row(queries, run)).run
    lease = await queries.holder(wanted)
    worker = lease.owner if lease and not is_gone(lease, alive=alive(lease.owner)) else None
    return await _row(queries, wanted), worker


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRows:
    """The rows of a run; `steps` are those of each story."""

    run: RunRow
    stories: Sequence[StoryRow]
    steps: Mapping[str, Sequence[StepRow]]
    waited: Iterable[WaitedRow]
    spent: Iterable[SpentRow]


def assembled(rows: RunRows, worker: Owner | None, *, meant: bool = True, silent: Silence = never) -> RunView:
    """Returns the view of a run from its rows, wherever they were read."""
    run, waits = _caught_up(rows.run, rows.stories), _waits(rows.waited)
    views = [
        replace(_story_view(story, rows.steps.get(story.story, ()), worker, silent), waited=waits.get(story.story, ()))
        for story in rows.stories
    ]
    shares = merged(Share(agent=row.agent, model=row.model, usage=usage_of(row)) for row in rows.spent)
    activity = _activity(run, views, worker)
    return RunView(run=run, activity=activity, worker=worker, stories=views, shares=shares, meant=meant)


def _caught_up(run: RunRow, stories: Sequence[StoryRow]) -> RunRow:
    """A story reports its end to its run after it has ended: if the process is killed in between, the run is behind."""
    if run.ended_at is not None:
        return run
    ended = Counter(story.status for story in stories if story.story != FRAME)
    return replace(run, completed=ended["completed"], failed=ended["failed"])


def _story_view(story: StoryRow, steps: Sequence[StepRow], worker: Owner | None, silent: Silence) -> StoryView:
    if story.status != "in_progress":
        return StoryView(story=story, steps=steps)
    if story.waiting.waits:
        return StoryView(story=story, steps=steps, activity=StoryActivity.WAITING)
    if worker is None:
        return StoryView(story=story, steps=steps)
    logs = [step.log for step in steps if step.status == "in_progress" and step.log]
    return StoryView(
        story=story, steps=steps, activity=StoryActivity.STUCK if any(map(silent, logs)) else StoryActivity.WORKING
    )


async def _steps(
    queries: Queries, run: str, stories: Sequence[StoryRow], *, every: bool
) -> dict[str, Sequence[StepRow]]:
    if not every:
        shown = [story.story for story in stories if story.status in {"in_progress", PAUSED, "failed", "cancelled"}]
        return {story: await queries.steps(run, story) for story in shown}
    found: defaultdict[str, list[StepRow]] = defaultdict(list)
    for step in await queries.steps(run):
        found[step.story].append(step)
    return dict(found)


def _waits(rows: Iterable[WaitedRow]) -> dict[str, tuple[Waited, ...]]:
    found: dict[str, tuple[Waited, ...]] = {}
    for row in rows:
        wait = Waited(awaited=Awaited(row.awaited), since=row.since, until=row.until)
        found[row.story] = (*found.get(row.story, ()), wait)
    return found


async def unfinished(queries: Queries) -> str:
    """Returns the id of the newest unfinished run; empty if there is none."""
    return next((row.run for row in await unended(queries)), "")


async def unended(queries: Queries) -> Sequence[RunRow]:
    """Returns the unfinished runs, newest first."""
    return await queries.runs(limit=LOOKED_THROUGH, unended=True)


async def needing_elsewhere(queries: Queries, run: str) -> list[StoryRow]:
    """Returns the stories that need a person in unfinished runs other than this one, newest run first."""
    others = [row.run for row in await unended(queries) if row.run != run]
    return [story for other in others for story in await queries.stories(other) if story.waiting.needs_person]


async def stories_that(queries: Queries, fits: Callable[[StoryRow], bool]) -> list[StoryRow]:
    """Returns the stories of the last runs, newest run first, without archived runs: these can only be read."""
    runs = [row.run for row in await queries.runs(limit=LOOKED_THROUGH) if not row.archived]
    return [story for run in runs for story in await queries.stories(run) if fits(story)]


async def runs_with(queries: Queries, story: str, states: Collection[str] = ()) -> list[str]:
    """Returns the runs that have this story, newest first; with `states`, only where it is in one of them."""
    runs = [row.run for row in await queries.runs(limit=LOOKED_THROUGH)]
    return [run for run in runs if await has_story(queries, run, story, states)]


async def has_story(queries: Queries, run: str, story: str, states: Collection[str] = ()) -> bool:
    """Whether the run has this story; with `states`, only if it is in one of them."""
    return any(not states or row.status in states for row in await queries.stories(run, story=story))


async def outlines(
    queries: Queries, rows: Sequence[RunRow], alive: Liveness, *, served: Served = unserved
) -> list[tuple[RunRow, Activity]]:
    """Returns these runs with their activity, which rows alone do not show for unfinished runs."""
    views = [await run_outline(queries, row.run, alive, served=served) for row in rows if row.ended_at is None]
    found = {view.run.run: (view.run, view.activity) for view in views}
    return [found.get(row.run, (row, Activity.OVER)) for row in rows]


async def _row(queries: Queries, run: str) -> RunRow:
    row = await queries.run(run) if run else await _meant(queries)
    if row is None:
        raise await _unknown(queries, run)
    return row


async def is_meant(queries: Queries, run: str) -> bool:
    """Whether commands without a run id use this run; if several are unfinished, some commands ask."""
    row = await _meant(queries)
    return row is None or (row.run == run and len(await unended(queries)) <= 1)


async def _meant(queries: Queries) -> RunRow | None:
    rows = await queries.runs(limit=1)  # nearly always the run that is meant
    if rows and not _working(rows):
        rows = await queries.runs(limit=LOOKED_THROUGH)
    return next(iter((*_working(rows), *rows)), None)


def _working(rows: Sequence[RunRow]) -> list[RunRow]:
    return [row for row in rows if row.workflow != PLAN or row.ended_at is None]


async def _unknown(queries: Queries, run: str) -> UnknownRunError:
    newest = await _meant(queries)
    if newest is None:
        message = f"there is no run {run}" if run else "nothing has been run here yet"
        return UnknownRunError(message, hint='shiftwork run "what you want done"')
    if having := await runs_with(queries, run):
        where = newest.run if newest.run in having else having[0]
        message = f"there is no run {run}: that is a story of run {where}"
        return UnknownRunError(message, hint=f"shiftwork steps {run}{'' if where == newest.run else f' --run {where}'}")
    several = [row.run for row in await queries.runs(limit=LOOKED_THROUGH) if row.run.startswith(run)]
    if several:
        message, more = ", ".join(several[:_LISTED]), len(several) - _LISTED
        rest = f" and {more} more" if more > 0 else ""
        hint = "give more characters of the id; shiftwork status --all lists the runs"
        return UnknownRunError(f"several runs begin with {run}: {message}{rest}", hint=hint)
    if _STORY.fullmatch(run):
        hint = f"shiftwork stories {newest.run} lists those of the newest run"
        return UnknownRunError(f"there is no run {run}, and no story of that id", hint=hint)
    return UnknownRunError(f"there is no run {run}", hint="shiftwork status --all lists the runs")


async def _queued[V: RunOutline](view: V, served: Served) -> V:
    """The row of a run stays paused until a process has read the request that ends the pause."""
    stopped = view.worker is None and view.activity in {Activity.INTERRUPTED, Activity.PAUSED}
    return replace(view, activity=Activity.QUEUED) if stopped and await served(view) else view


def _activity(run: RunRow, stories: Sequence[StoryView], worker: Owner | None) -> Activity:
    if run.ended_at is not None:
        return Activity.OVER
    if run.status == PAUSED:
        return Activity.PAUSED
    in_progress = [view for view in stories if view.story.status == "in_progress"]
    if in_progress and all(view.story.waiting.needs_person for view in in_progress):
        return Activity.WAITING
    if worker is None:
        return Activity.INTERRUPTED
    activities = {view.activity for view in in_progress}
    if activities == {StoryActivity.WAITING}:
        return Activity.LIMITED
    return (
        Activity.STUCK
        if StoryActivity.STUCK in activities and StoryActivity.WORKING not in activities
        else Activity.WORKING
    )
