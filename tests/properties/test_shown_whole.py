"""What a user is asked to trust is shown exactly: every character that would run can be read from it."""

import re
from unicodedata import category

from hypothesis import example, given
from hypothesis import strategies as st

from shiftwork.config.trust.consent_claims import Command
from shiftwork.entrypoints.cli.env.trust import changes
from shiftwork.entrypoints.cli.render.visible_text import EMPTY, in_lines, marked

TRICKY = st.text(st.sampled_from("ab <>LFUBSP+0A2\\\n\t\r\x1b\u00a0\u202e\u200b\u2028\u0430…é'#;"), max_size=60)
TEXTS = st.one_of(TRICKY, st.text(max_size=60))
ROOMS = st.one_of(st.none(), st.integers(1, 40))

_MARK = re.compile(r"<(?:(LF)|(\d+) blanks|U\+([0-9A-F]{4,6}))>")


def read(lines: list[str]) -> str:
    """How a careful reader understands it: a backslash at the end of every line but the last continues the line."""
    joined = "".join(line if line.endswith("<LF>") else line[:-1] for line in lines[:-1]) + lines[-1]
    return "" if joined == EMPTY else _MARK.sub(_meant, joined)


def _meant(mark: re.Match[str]) -> str:
    line_feed, blanks, code = mark.groups()
    return "\n" if line_feed else " " * int(blanks) if blanks else chr(int(code, 16))


@given(TEXTS, ROOMS)
@example("make test  # see https://example.org/ci:\ntouch /tmp/PWNED", None)
@example(f"make test{' --opt' * 200}; touch /tmp/PWNED", 60)
@example("<LF>", 3)
@example("<2 blanks>", None)
@example("\\\n", 1)
@example("<nothing>", None)
def test_what_runs_can_be_read_from_what_is_shown(text: str, room: int | None) -> None:
    assert read(in_lines(text, room)) == text


@given(TEXTS, ROOMS)
def test_nothing_that_is_shown_is_invisible_or_looks_like_something_else(text: str, room: int | None) -> None:
    for line in in_lines(text, room):
        assert line.isascii()
        assert not any(category(char).startswith("C") for char in line)
        assert "  " not in line


@given(TEXTS, st.integers(20, 40))
def test_no_line_is_wider_than_its_room(text: str, room: int) -> None:
    assert all(len(line) <= room for line in in_lines(text, room))


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_two_claims_that_differ_are_shown_differently(
    item: list[tuple[str, str]], other: list[tuple[str, str]]
) -> None:
    first, second = (tuple(Command(where=where, text=text) for where, text in each) for each in (item, other))
    assert (list(changes((), first)) == list(changes((), second))) is (first == second)


@given(TEXTS, TEXTS)
def test_a_change_is_never_shown_as_two_equal_lines(old: str, new: str) -> None:
    before, now = Command(where="gates.test", text=old), Command(where="gates.test", text=new)
    shown = list(changes((before,), (now,)))
    removed = [line.replace("  - ", "", 1) for line in shown[: len(shown) // 2]]
    added = [line.replace("  + ", "", 1) for line in shown[len(shown) // 2 :]]
    assert (removed == added) is (old == new)


@given(TEXTS)
def test_plain_commands_are_shown_as_they_are(text: str) -> None:
    simple = text.isascii() and text.isprintable() and "  " not in text and text == text.strip() and "<" not in text
    assert not simple or marked(text) == (text or EMPTY)
