"""The page *Your first day* is a session that happens so: typed again, only times and names differ."""

from pathlib import Path

import pytest

from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP
from tests.first_day import PAGE, comparable, fitted, play

pytest_plugins = ["shiftwork.testing.agent_programs"]

_LINES = 120


@NEEDS_BUBBLEWRAP
@pytest.mark.real_agent
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_first_day_typed_again_is_the_page(tmp_path: Path, claude_program: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    again = play(tmp_path, claude_program)
    assert comparable(again).splitlines() == comparable(page).splitlines(), "python -m tests.first_day"
    assert len(page.splitlines()) <= _LINES


@pytest.mark.parametrize(
    ("shown", "printed", "page"),
    [
        ([], ["a", "b"], ["a", "b"]),
        (["a", "b 1"], ["a", "b 2"], ["a", "b 2"]),
        (["…", "b 1"], ["a", "b 2"], ["…", "b 2"]),
        (["a", "…", "c"], ["a", "b", "c"], ["a", "…", "c"]),
        (["a", "…", "d"], ["a", "b", "c"], ["a", "b", "c"]),
        (["x", "…"], ["a", "b"], ["a", "b"]),
    ],
)
def test_lines_are_left_out_only_where_the_page_says_so(shown: list[str], printed: list[str], page: list[str]) -> None:
    assert fitted(shown, printed) == page
