"""Lists the stories of a run: the state of each, and what it waits for."""

from collections.abc import Mapping, Sequence

from shiftwork.app.folds import RUN, load
from shiftwork.domain.core.ids import FRAME, RunId, StoryId, run_stream
from shiftwork.domain.run.scheduling import held_by
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryStatus
from shiftwork.ports.store import History
from shiftwork.ports.views import Queries, StepRow, StoryRow
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """`waits_for` are the dependencies that have not landed and, in an ordered run, the story right before this one;
    `step` is the name of the current step.
    """

    story: StoryRow
    step: str
    depends_on: tuple[str, ...]
    waits_for: tuple[str, ...]


async def roll(queries: Queries, events: History, run: RunId) -> list[Line]:
    """Returns the stories in the order of the spec."""
    state = await load(events, RUN, run_stream(run))
    before = held_by(state)
    return [await _line(queries, state, row, before) for row in await queries.stories(run)]


async def _line(queries: Queries, run: RunState, row: StoryRow, before: Mapping[StoryId, StoryId]) -> Line:
    story = StoryId(row.story)
    asked = () if story == FRAME else run.asked(story).depends_on
    steps = await queries.steps(row.run, row.story) if row.status == StoryStatus.IN_PROGRESS else ()
    needed = [other for other in asked if run.stories[other].status is not StoryStatus.COMPLETED]
    if story in before and row.status in {StoryStatus.UNCLAIMED, StoryStatus.BLOCKED}:
        needed.append(before[story])
    return Line(
        story=row,
        step=_name_of(steps, row.step),
        depends_on=asked,
        waits_for=tuple(dict.fromkeys(needed)),
    )


def _name_of(steps: Sequence[StepRow], wanted: str) -> str:
    return next((step.name for step in steps if step.step == wanted), "")
