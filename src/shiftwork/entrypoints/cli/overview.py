"""Many stories on a terminal: a row each, those at work with what their agents do."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from rich.table import Table
from rich.text import Text

from shiftwork.app.amounts import brief_cost
from shiftwork.domain.model.pipeline import FINISHED
from shiftwork.domain.model.story import StoryState, StoryStatus
from shiftwork.entrypoints.cli import words
from shiftwork.entrypoints.cli.clean import one_line

type Shown = tuple[StoryState, str]
"""A story, and what is done for it now."""

_COLUMNS: Final[tuple[tuple[str, Literal["left", "right"], int], ...]] = (
    ("story", "left", 8),
    ("state", "left", 9),
    ("step", "left", 22),
    ("time", "right", 8),
    ("cost", "right", 9),
)
_FIXED: Final = sum(room + 1 for _, _, room in _COLUMNS)
_STYLES: Final = {StoryStatus.COMPLETED: "green", StoryStatus.FAILED: "red", StoryStatus.IN_PROGRESS: ""}


def stories_table(stories: Sequence[Shown], now: float, rows: int, room: int) -> Table:
    """Those that are over make way first, the earliest of them before others, where there is not room for all."""
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    for heading, side, width in _COLUMNS:
        table.add_column(heading, justify=side, min_width=width, no_wrap=True)
    table.add_column("", no_wrap=True)
    shown = fitting(stories, rows)
    for story, doing in shown:
        for cells, style in _rows(story, doing, now, max(room - _FIXED, 12)):
            table.add_row(*(Text(cell, style=style) for cell in cells))
    if len(shown) < len(stories):
        table.add_row(Text(f"({len(stories) - len(shown)} more)", style="dim"))
    return table


def fitting(stories: Sequence[Shown], rows: int) -> Sequence[Shown]:
    """In their order; one at work takes two rows, one that is over a single one."""
    over = [place for place, (story, _) in enumerate(stories) if story.ended_at]
    needed = 2 * len(stories) - len(over)
    gone = set(over[: max(needed - rows, 0)])
    return [shown for place, shown in enumerate(stories) if place not in gone][: max(rows, 1)]


def _rows(story: StoryState, doing: str, now: float, room: int) -> Iterator[tuple[tuple[str, ...], str]]:
    asked = story.given.story
    spent = words.between(story.started_at, story.ended_at or now)
    cost = brief_cost(story.usage)
    state = "waits" if story.hold else words.state(story.status)
    cells = (one_line(asked.id, 24), state, _step(story), words.duration(spent), cost, one_line(asked.title, room))
    yield cells, _STYLES.get(story.status, "")
    if doing and not story.ended_at:
        yield ("", "", "", "", "", one_line(doing, room)), "dim"


def _step(story: StoryState) -> str:
    """Which step of how many; where no step is left, the landing, and what it came to."""
    steps, step = story.pipeline.steps, story.pipeline.current
    if step is None or story.status is StoryStatus.COMPLETED:
        return story.landed[:10] or ("-" if story.ended_at else "landing")
    done = sum(one.status in FINISHED for one in steps)
    return f"{one_line(step.name, 16)} {done + 1}/{len(steps)}"
