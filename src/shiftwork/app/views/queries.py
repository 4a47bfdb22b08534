"""What front ends show: views of runs, with what can only be derived worked out here, once for all of them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from shiftwork.app.views.amounts import usage_of
from shiftwork.app.views.run_views import Pulse, RunView, Standing, StoryView
from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.usage.totals import merged
from shiftwork.domain.usage.usage import Share
from shiftwork.errors import UnknownRunError
from shiftwork.ports.views import PAUSED, Owner, Queries, RunRow, StepRow, StoryRow, is_gone

PLAN: Final = "plan"
"""The workflow by which `shiftwork plan` has stories made."""

_LOOKED_THROUGH: Final = 200
"""How many runs are looked through for the one that is meant."""

_LISTED: Final = 10
"""How many runs are named where several could be meant."""


type Liveness = Callable[[Owner], bool | None]
"""Whether a process lives; None where that cannot be told from here."""

type Silence = Callable[[str], bool]
"""Whether the attempt with this log has printed nothing for so long that it seems stuck."""


def never(log: str) -> bool:  # noqa: ARG001 - one shape for all
    """Where nobody looks for silence."""
    return False


async def run_view(
    queries: Queries, run: str, alive: Liveness, *, every_step: bool = True, silent: Silence = never
) -> RunView:
    """One run, by its id, a beginning of it, or the newest where none is named. A plan that is made is not meant by
    that: who has one goes on with its stories.

    Without `every_step`, only stories that are at work or have failed come with their steps, or a run's only one.
    """
    wanted = (await _row(queries, run)).run
    # Its worker first, and the run only then: one that ends while it is looked at has not lost its worker, but is over.
    lease = await queries.holder(wanted)
    worker = lease.owner if lease and not is_gone(lease, alive=alive(lease.owner)) else None
    row = await _row(queries, wanted)
    stories = await queries.stories(row.run)
    row = _caught_up(row, stories)
    steps = await _steps(queries, row.run, stories, every=every_step or len(stories) == 1)
    waits = await _waits(queries, row.run)
    views = [
        replace(_story_view(story, steps.get(story.story, ()), worker, silent), waited=waits.get(story.story, ()))
        for story in stories
    ]
    spent = await queries.spent(row.run)
    shares = merged(Share(agent=one.agent, model=one.model, usage=usage_of(one)) for one in spent)
    meant = await is_meant(queries, row.run)
    pulse = _pulse(row, views, worker)
    return RunView(run=row, pulse=pulse, worker=worker, stories=views, shares=shares, meant=meant)


def _caught_up(run: RunRow, stories: Sequence[StoryRow]) -> RunRow:
    """A story tells its run of its end after it has ended: whoever is killed in between leaves the run behind it."""
    if run.ended_at is not None:
        return run
    ended = Counter(story.status for story in stories if story.story != FRAME)
    return replace(run, completed=ended["completed"], failed=ended["failed"])


def _story_view(story: StoryRow, steps: Sequence[StepRow], worker: Owner | None, silent: Silence) -> StoryView:
    if story.status != "in_progress":
        return StoryView(story=story, steps=steps)
    if story.waiting:
        return StoryView(story=story, steps=steps, standing=Standing.WAITING)
    if worker is None:
        return StoryView(story=story, steps=steps)
    logs = [step.log for step in steps if step.status == "in_progress" and step.log]
    return StoryView(story=story, steps=steps, standing=Standing.STUCK if any(map(silent, logs)) else Standing.WORKING)


async def _steps(
    queries: Queries, run: str, stories: Sequence[StoryRow], *, every: bool
) -> dict[str, Sequence[StepRow]]:
    if not every:
        telling = [story.story for story in stories if story.status in {"in_progress", PAUSED, "failed"}]
        return {story: await queries.steps(run, story) for story in telling}
    found: defaultdict[str, list[StepRow]] = defaultdict(list)
    for step in await queries.steps(run):
        found[step.story].append(step)
    return dict(found)


async def _waits(queries: Queries, run: str) -> dict[str, tuple[Waited, ...]]:
    found: dict[str, tuple[Waited, ...]] = {}
    for row in await queries.waited(run):
        wait = Waited(awaited=Awaited(row.awaited), since=row.since, until=row.until)
        found[row.story] = (*found.get(row.story, ()), wait)
    return found


async def unfinished(queries: Queries) -> str:
    """The newest run that is not over, by its id; empty where there is none."""
    return next((row.run for row in await unended(queries)), "")


async def unended(queries: Queries) -> Sequence[RunRow]:
    """The runs that are not over, the newest first."""
    return [row for row in await queries.runs(limit=_LOOKED_THROUGH) if row.ended_at is None]


async def outlines(queries: Queries, rows: Sequence[RunRow], alive: Liveness) -> list[tuple[RunRow, Pulse]]:
    """These runs as they stand, and whether anything moves in them: their rows alone do not tell of those under way."""
    flying = [row.run for row in rows if row.ended_at is None]
    views = [await run_view(queries, run, alive, every_step=False) for run in flying]
    found = {view.run.run: (view.run, view.pulse) for view in views}
    return [found.get(row.run, (row, Pulse.OVER)) for row in rows]


async def _row(queries: Queries, run: str) -> RunRow:
    row = await queries.run(run) if run else await _meant(queries)
    if row is None:
        raise await _unknown(queries, run)
    return row


async def is_meant(queries: Queries, run: str) -> bool:
    """Whether commands that name no run mean this one; where several are unfinished, some ask which is meant."""
    row = await _meant(queries)
    return row is None or (row.run == run and len(await unended(queries)) <= 1)


async def _meant(queries: Queries) -> RunRow | None:
    rows = await queries.runs(limit=_LOOKED_THROUGH)
    working = (row for row in rows if row.workflow != PLAN or row.ended_at is None)
    return next(working, next(iter(rows), None))


async def _unknown(queries: Queries, run: str) -> UnknownRunError:
    newest = await _meant(queries)
    if newest is None:
        told = f"there is no run {run}" if run else "nothing has been run here yet"
        return UnknownRunError(told, hint='shiftwork run "what you want done"')
    if any(row.story == run for row in await queries.stories(newest.run)):
        told = f"there is no run {run}: that is a story of run {newest.run}"
        return UnknownRunError(told, hint=f"shiftwork logs --story {run}")
    several = [row.run for row in await queries.runs(limit=_LOOKED_THROUGH) if row.run.startswith(run)]
    if several:
        told, more = ", ".join(several[:_LISTED]), len(several) - _LISTED
        rest = f" and {more} more" if more > 0 else ""
        hint = "the same with more of the id; shiftwork status --all lists the runs"
        return UnknownRunError(f"several runs begin with {run}: {told}{rest}", hint=hint)
    return UnknownRunError(f"there is no run {run}", hint="shiftwork status --all lists the runs")


def _pulse(run: RunRow, stories: Sequence[StoryView], worker: Owner | None) -> Pulse:
    if run.ended_at is not None:
        return Pulse.OVER
    if run.status == PAUSED:
        return Pulse.PAUSED
    flying = [view for view in stories if view.story.status == "in_progress"]
    if flying and all(view.story.waiting and view.story.until is None for view in flying):
        return Pulse.WAITING
    if worker is None:
        return Pulse.INTERRUPTED
    standings = {view.standing for view in flying}
    if standings == {Standing.WAITING}:
        return Pulse.LIMITED
    return Pulse.STUCK if Standing.STUCK in standings and Standing.WORKING not in standings else Pulse.WORKING
