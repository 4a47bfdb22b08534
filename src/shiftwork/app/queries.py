"""What front ends show: views of runs, with what can only be derived worked out here, once for all of them."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from shiftwork.errors import UnknownRunError
from shiftwork.ports.views import PAUSED, Owner, Queries, RunRow, StepRow, StoryRow


class Pulse(StrEnum):
    """Whether anything moves: a run that is not over is worked on, waits for a person, is paused, or is nobody's."""

    WORKING = "working"
    WAITING = "waiting"
    PAUSED = "paused"
    INTERRUPTED = "interrupted"
    OVER = "over"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryView:
    """A story with its steps."""

    story: StoryRow
    steps: Sequence[StepRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run as it is shown, from its rows and from whether its worker lives."""

    run: RunRow
    pulse: Pulse
    worker: Owner | None
    stories: Sequence[StoryView]

    @property
    def cost_usd(self) -> float | None:
        """What the stories have cost so far; the run's own row only counts those that have ended."""
        known = [view.story.cost_usd for view in self.stories if view.story.cost_usd is not None]
        return sum(known) if known else None

    @property
    def moves(self) -> bool:
        """Whether anybody works on what is under way; in a paused run the last attempts are brought to their end."""
        return self.pulse is Pulse.WORKING or (self.pulse is Pulse.PAUSED and self.worker is not None)

    @property
    def under_way(self) -> tuple[str, ...]:
        """The stories that are being worked on; where nobody works on the run there are none."""
        working = self.pulse is Pulse.WORKING
        return tuple(one.story.story for one in self.stories if working and one.story.status == "in_progress")


type Liveness = Callable[[Owner], bool | None]
"""Whether a process lives; None where that cannot be told from here."""


async def run_view(queries: Queries, run: str, alive: Liveness, *, every_step: bool = True) -> RunView:
    """One run, by its id, a beginning of it, or the newest where none is named.

    Without `every_step`, only stories that are at work or have failed come with their steps, or a run's only one.
    """
    row = await _row(queries, run)
    stories = await queries.stories(row.run)
    steps = await _steps(queries, row.run, stories, every=every_step or len(stories) == 1)
    views = [StoryView(story=story, steps=steps.get(story.story, ())) for story in stories]
    lease = await queries.holder(row.run)
    worker = lease.owner if lease and alive(lease.owner) is not False else None
    return RunView(run=row, pulse=_pulse(row, stories, worker), worker=worker, stories=views)


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


async def _row(queries: Queries, run: str) -> RunRow:
    newest = await queries.runs(limit=1)
    row = await queries.run(run) if run else next(iter(newest), None)
    if row is None:
        told = f"there is no run {run}" if run else "nothing has been run here yet"
        hint = "shiftwork status --all lists the runs" if newest else 'shiftwork run "what you want done"'
        raise UnknownRunError(told, hint=hint)
    return row


def _pulse(run: RunRow, stories: Sequence[StoryRow], worker: Owner | None) -> Pulse:
    if run.ended_at is not None:
        return Pulse.OVER
    if run.status == PAUSED:
        return Pulse.PAUSED
    flying = [story for story in stories if story.status == "in_progress"]
    if flying and all(story.waiting for story in flying):
        return Pulse.WAITING
    return Pulse.WORKING if worker else Pulse.INTERRUPTED
