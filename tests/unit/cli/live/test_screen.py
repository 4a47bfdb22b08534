"""What a terminal shows after lines were drawn again and again."""

import io
import re
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.entrypoints.cli.live.screen import Screen
from shiftwork.entrypoints.cli.render.sanitize import cells
from shiftwork.entrypoints.cli.terminal.style import Line, Style

WIDTH, HEIGHT = 20, 6
COMMAND = re.compile(r"\x1b\[(\??[0-9]*)([A-Za-z])|([^\x1b])")


def rows(output: str) -> list[str]:
    """The rows of a terminal that was sent this, those that it scrolled away included; it cannot go back to them."""
    found, row, column = [""], 0, 0
    for number, command, char in COMMAND.findall(output):
        if command == "A":
            row = max(row - int(number), len(found) - HEIGHT, 0)
        elif command == "K":
            found[row] = ""
        elif char == "\r":
            column = 0
        elif char == "\n":
            row, column = row + 1, 0
            found += [""] * (row + 1 - len(found))
        elif char:
            found[row] = found[row].ljust(column)[:column] + char
            column += 1
    return found


lines = st.builds(Line, st.text(alphabet="ab …", max_size=30), st.sampled_from(Style))


@given(st.lists(st.lists(lines, min_size=1, max_size=9), min_size=1, max_size=5))
def test_the_last_drawing_is_what_is_shown(drawings: Sequence[Sequence[Line]]) -> None:
    out = io.StringIO()
    screen = Screen(out, size=lambda: (WIDTH, HEIGHT))
    screen.start()
    for drawing in drawings:
        screen.draw(drawing)
        shown = [row for row in rows(out.getvalue())[-HEIGHT:] if row]
        expected = drawing if len(drawing) <= HEIGHT else [*drawing[: HEIGHT - 1], Line("...")]
        assert shown == [_fitting(line) for line in expected if line.text]
        assert all(cells(row) <= WIDTH for row in shown)
    screen.stop(drawings[-1])
    ended = rows(out.getvalue())
    assert [row for row in ended if row] == [_fitting(line) for line in drawings[-1] if line.text]
    assert ended[-1] == "", "the next output starts on a line of its own"
    assert out.getvalue().endswith("\x1b[?25h")


def _fitting(line: Line) -> str:
    return line.text if len(line.text) <= WIDTH else f"{line.text[: WIDTH - 1].rstrip()}…"


def test_without_colors_a_line_may_still_be_bold() -> None:
    drawn = {}
    for colors in (True, False):
        out = io.StringIO()
        Screen(out, colors=colors).draw([Line("a", Style.RED), Line("b", Style.BOLD), Line("", Style.DIM)])
        drawn[colors] = out.getvalue()
    assert drawn == {True: "\x1b[31ma\x1b[0m\n\x1b[1mb\x1b[0m\n", False: "a\n\x1b[1mb\x1b[0m\n"}
