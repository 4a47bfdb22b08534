"""Lists below a key, as agents write them."""

import pytest

from shiftwork.prompts.answer.contract import parse
from shiftwork.prompts.answer.list_items import items


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("", ()),
        ("one", ("one",)),
        ("- one\n- two", ("one", "two")),
        ("one\n\ntwo\n", ("one", "two")),
        ("1. one\n2) two\n* three\n• four", ("one", "two", "three", "four")),
        ("- one\n  goes on\n\tand on\n- two", ("one goes on and on", "two")),
        ("- one\n  - nested", ("one", "nested")),
        ("-one", ("-one",)),
        ("None.", ()),
        ("- n/a\n- real", ("real",)),
        ("-", ()),
    ],
)
def test_an_item_a_line(written: str, read: tuple[str, ...]) -> None:
    assert items(written) == read


def test_the_lists_of_an_answer_end_where_the_next_key_begins() -> None:
    said = parse("Done.\nLEARNINGS:\n- one\n  more\n\nPATTERNS: two\nSUMMARY:\n- three\n")
    assert (said.learnings, said.patterns, said.summary) == (("one more",), ("two",), "- three")
    assert dict(said.outputs)["patterns"] == "two", "a value for later steps like any other"


def test_lists_in_a_code_fence_are_text() -> None:
    said = parse("```\nPATTERNS:\n- printed\n```\nSUMMARY: done")
    assert said.patterns == ()
