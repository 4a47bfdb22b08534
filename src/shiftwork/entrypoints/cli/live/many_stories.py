"""Many stories on a terminal: a row each, with the agent's activity for those in progress."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from shiftwork.app.views.amounts import brief_cost
from shiftwork.app.views.board import proof_level
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.domain.workflow.pipeline import FINISHED
from shiftwork.entrypoints.cli.live.screen import Line, Style
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line

type Shown = tuple[StoryState, str]
"""A story, and its current activity."""

_COLUMNS: Final[tuple[tuple[str, Literal["left", "right"], int], ...]] = (
    ("story", "left", 8),
    ("state", "left", 9),
    ("step", "left", 18),
    ("time", "right", 8),
    ("cost", "right", 9),
)
"""Wide enough for usual values, so that nothing moves. The last columns are dropped first."""

_COST: Final = 4
_TITLE: Final = 20
_ALWAYS: Final = 3
_INDENT: Final = "  "
_STYLES: Final = {StoryStatus.COMPLETED: Style.GREEN, StoryStatus.FAILED: Style.RED}


def stories_table(stories: Sequence[Shown], now: float, rows: int, room: int) -> Iterator[Line]:
    """If there is no room for all, finished stories are left out first, the earliest before others."""
    shown = fitting(stories, rows)
    widths = _widths([_cells(story, now) for story, _ in shown], room)
    heading = (*(name for name, _, _ in _COLUMNS), "title")
    yield Line(_line(heading, widths, room), Style.DIM)
    for story, doing in shown:
        yield Line(_line(_cells(story, now), widths, room), _STYLES.get(story.status, Style.PLAIN))
        if doing and not story.ended_at:
            yield Line(_INDENT + one_line(doing, room - len(_INDENT)), Style.DIM)
    if len(shown) < len(stories):
        yield Line(f"({len(stories) - len(shown)} more)", Style.DIM)


def _widths(rows: Sequence[tuple[str, ...]], room: int) -> list[int]:
    """The widths of the columns before the title; the last columns are dropped if the title has no room, and the cost
    column if all costs are unknown.
    """
    widths = [max([least, *(cells(row[place]) for row in rows)]) for place, (_, _, least) in enumerate(_COLUMNS)]
    if all(row[_COST] in {"-", "unknown"} for row in rows):
        widths.pop()
    while len(widths) > _ALWAYS and sum(widths) + len(widths) + _TITLE > room:
        widths.pop()
    return widths


def _line(row: tuple[str, ...], widths: Sequence[int], room: int) -> str:
    fixed = " ".join(
        text.rjust(wide) if side == "right" else phrases.padded(text, wide)
        for text, wide, (_, side, _) in zip(row, widths, _COLUMNS, strict=False)
    )
    return f"{fixed} {one_line(row[-1], max(room - cells(fixed) - 1, 0))}"


def fitting(stories: Sequence[Shown], rows: int) -> Sequence[Shown]:
    """In their order; a story in progress takes two rows, a finished one takes one."""
    over = [place for place, (story, _) in enumerate(stories) if story.ended_at]
    needed = 2 * len(stories) - len(over)
    gone = set(over[: max(needed - rows, 0)])
    return [shown for place, shown in enumerate(stories) if place not in gone][: max(rows, 1)]


def _cells(story: StoryState, now: float) -> tuple[str, ...]:
    asked = story.given.story
    spent = phrases.between(story.started_at, story.ended_at or now)
    level = proof_level(story)
    state = phrases.state(story.status, waits=bool(story.asks), limited=bool(story.rate_limit.wait), proof=level)
    name, title = one_line(asked.id, 24), asked.title
    return name, state, _step(story), phrases.duration(spent), brief_cost(story.spending.usage), title


def _step(story: StoryState) -> str:
    """Which step of how many; after the last step, the landing and its result."""
    steps, step = story.pipeline.steps, story.pipeline.current
    if step is None or story.status is StoryStatus.COMPLETED:
        return story.landed_commit[:10] or ("-" if story.ended_at else "landing")
    done = sum(item.status in FINISHED for item in steps)
    return f"{one_line(step.plan.name, 16)} {done + 1}/{len(steps)}"
