"""How things are said: durations, lines that keep to their room."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.entrypoints.cli import words
from shiftwork.entrypoints.cli.answer import answer
from shiftwork.entrypoints.cli.clean import cells


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "-"),
        (-1, "0.0 s"),
        (0.44, "0.4 s"),
        (9.94, "9.9 s"),
        (9.99, "9 s"),
        (59.9, "59 s"),
        (60, "1 min 00 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h 00 min"),
        (90_000, "25 h 00 min"),
    ],
)
def test_durations(seconds: float | None, said: str) -> None:
    assert words.duration(seconds) == said


@given(st.text(), st.integers(min_value=0, max_value=60))
def test_padded_text_takes_exactly_its_room(text: str, room: int) -> None:
    assert cells(words.padded(text, room)) == room


def test_what_is_under_way_where_nobody_works_has_stopped() -> None:
    assert words.state("in_progress") == "working"
    assert words.state("in_progress", moving=False) == "stopped"
    assert words.state("completed", moving=False) == "done"


def test_facts_are_aligned_and_empty_ones_left_out() -> None:
    assert words.facts([("a", "1"), ("none", ""), ("long", "2")]) == "  a     1\n  long  2"


def test_an_answer_needs_no_event_loop_unless_it_waits() -> None:
    import asyncio  # noqa: PLC0415 - the point of the test

    async def at_once() -> str:
        return "now" if asyncio._get_running_loop() is None else "on a loop"

    async def later() -> str:
        await asyncio.to_thread(lambda: None)
        return "on a loop" if asyncio._get_running_loop() else "now"

    assert answer(at_once) == "now"
    assert answer(later) == "on a loop"


def test_an_error_in_an_answer_is_raised() -> None:
    async def failing() -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        answer(failing)
