"""What commands print of a run, in every state of `test_screens`, at 80 and 120 columns: `printed/*.txt`.

`PYTHONPATH=.:src python tests/golden/test_printed.py` writes the files again; look at each before you commit it.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from shiftwork.app.views.overview import Group
from shiftwork.app.views.run_views import Activity, RunView
from shiftwork.app.views.step_list import StepLine
from shiftwork.app.views.story_list import Line as Row
from shiftwork.config.site import find_site
from shiftwork.domain.core.ids import StepId
from shiftwork.entrypoints.cli.commands.steps_show import table as step_table
from shiftwork.entrypoints.cli.commands.stories import listing
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.sanitize import cells
from shiftwork.entrypoints.cli.run_status import Context, status_lines
from shiftwork.entrypoints.cli.work.foreground import Stop
from shiftwork.entrypoints.cli.work.summary import summary
from tests.golden.test_screens import NOW, SCREENS

FOLDER: Final = Path(__file__).parent / "printed"
WIDTHS: Final = (80, 120)
STOPS: Final = {Activity.OVER: Stop.OVER, Activity.WAITING: Stop.HELD}


def status(view: RunView) -> Iterator[str]:
    yield from (line.text for line in status_lines(view, NOW, Context()))


def stories(view: RunView) -> Iterator[str]:
    rows = [_row(view, number) for number in range(len(view.stories))]
    yield from (line.text for line in listing(view, rows, set(Group)))


def _row(view: RunView, number: int) -> Row:
    item = view.stories[number]
    step = next((step.name for step in item.steps if step.status == "in_progress"), "")
    return Row(story=item.story, step=step, depends_on=item.story.depends_on, waits_for=item.story.depends_on)


def steps(view: RunView) -> Iterator[str]:
    every = [step for item in view.stories for step in item.steps]
    lines = [
        StepLine(
            number=number,
            id=StepId(step.step),
            name=step.name,
            type=step.type,
            status=step.status,
            attempts=step.attempts,
            restarts=0,
            added_by="workflow",
            description="Make the change that the story describes, with tests for what it adds.",
            outcome="",
            mandatory=False,
            last=False,
        )
        for number, step in enumerate(every, start=1)
    ]
    yield from step_table([(line, phrases.state(line.status)) for line in lines], phrases.width())


def end(view: RunView) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".git").mkdir()
        yield from summary(find_site(Path(folder), {}), view, STOPS.get(view.activity, Stop.INTERRUPTED))


def runs(views: Sequence[RunView]) -> Iterator[str]:
    yield from next_steps.outlined([(view.run, view.activity) for view in views])


PRINTED: Final[dict[str, Callable[[RunView], Iterator[str]]]] = {
    "status": status,
    "stories": stories,
    "steps": steps,
    "end": end,
}


def printed(kind: str, width: int) -> str:
    """All states one after the other; times of day as where the clock is at UTC."""
    with phrases.at_width(width):
        shown = (
            line.rstrip()
            for name, view in SCREENS.items()
            if kind != "steps" or len(view.stories) == 1
            for line in (f"##### {name}", *"\n".join(PRINTED[kind](view)).split("\n"), "")
        )
        lines = list(runs(list(SCREENS.values()))) if kind == "runs" else list(shown)
    return "\n".join(lines).replace(phrases.o_clock(3600.0), "01:00:00") + "\n"


KINDS: Final = (*PRINTED, "runs")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_printed_is_as_it_was_looked_at(kind: str, width: int) -> None:
    text = printed(kind, width)
    assert text == (FOLDER / f"{kind}-{width}.txt").read_text(encoding="utf-8")
    assert max(map(cells, text.split("\n"))) <= width


def test_nothing_else_is_kept() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {f"{kind}-{width}" for kind in KINDS for width in WIDTHS}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for kind in KINDS:
        for width in WIDTHS:
            (FOLDER / f"{kind}-{width}.txt").write_text(printed(kind, width), encoding="utf-8")
