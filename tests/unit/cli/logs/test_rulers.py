"""Rulers in the output of a gate fit the terminal, and no other line is changed."""

import pytest

from shiftwork.entrypoints.cli.logs.gate_logs import _within
from shiftwork.entrypoints.cli.render import phrases


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (f"    {'=' * 80}", f"    {'=' * 76}"),
        (f"    {'=' * 30} 2 passed in 0.1 s {'=' * 31}", f"    {'=' * 28} 2 passed in 0.1 s {'=' * 28}"),
        (f"    {'=' * 20}", f"    {'=' * 20}"),
        (f"    {'x' * 100}", f"    {'x' * 100}"),
    ],
)
def test_a_ruler_is_shortened_to_the_terminal(line: str, shown: str) -> None:
    with phrases.at_width(80):
        assert _within(line) == shown
