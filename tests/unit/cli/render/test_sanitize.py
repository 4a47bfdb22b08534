"""Agents' text is made safe for a terminal: control sequences are removed, and readable text is kept."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shiftwork.entrypoints.cli.render.sanitize import cells, exact, one_line, plain

HOSTILE = st.lists(
    st.one_of(
        st.text(),
        st.sampled_from(
            ["\x1b", "\x1b[", "\x1b]0;", "\x07", "\x9b", "\x9d", "\r", "\b", "\u202e", "\ud800", "[/x]", "漢"]
        ),
    )
).map("".join)


@given(HOSTILE)
@example("\U000e0001\U0001d173\u2028")
def test_nothing_is_left_that_a_terminal_obeys_or_that_hides_words(text: str) -> None:
    left = {unicodedata.category(char) for char in plain(text) if char != "\n"}
    assert left.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})
    plain(text).encode()


@given(HOSTILE)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert plain(plain(text)) == plain(text)


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cc", "Cf", "Cs", "Cn", "Zl", "Zp"], include_characters="\n"))
)
def test_what_is_harmless_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;a title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\a link\x1b]8;;\x1b\\", "a link"),
        ("\x1b]0;never ended\nafter", "\nafter"),
        ("\x1bP1$r\x1b\\after", "after"),
        ("\x9b2Jafter", "after"),
        ("50 %\r100 %\r\ndone", "50 %\n100 %\ndone"),
        ("[/markup][bold]", "[/markup][bold]"),
        ("a\tb", "a    b"),
    ],
)
def test_sequences_are_removed_as_a_whole(text: str, left: str) -> None:
    assert plain(text) == left


@given(HOSTILE, st.integers(min_value=0, max_value=100))
def test_one_line_fits(text: str, width: int) -> None:
    line = one_line(text, width)
    assert "\n" not in line
    assert cells(line) <= width


@given(st.text(alphabet="ab 漢é", max_size=60), st.integers(min_value=1, max_value=80))
def test_one_line_says_whether_it_was_cut(text: str, width: int) -> None:
    whole = " ".join(text.split())
    line = one_line(text, width)
    assert line == whole if cells(whole) <= width else line.endswith("…") and whole.startswith(line[:-1])


def test_a_line_of_many_megabytes_costs_nothing() -> None:
    assert one_line("x" * 50_000_000, 10) == "xxxxxxxxx…"


@given(HOSTILE)
@example('NAME = "\x1b]"; run("evil"); _ = "\x07"')
def test_exactly_shown_nothing_is_left_out_and_nothing_is_obeyed(text: str) -> None:
    left, shown = iter(exact(text)), exact(text)
    assert all(char in left for char in text if char in "\n\t" or (char.isprintable() and not is_blank(char)))
    assert {unicodedata.category(char) for char in shown if char not in "\n\t"}.isdisjoint(
        {"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"}
    )
    assert not any(map(is_blank, shown))
    assert shown.count("\n") == text.count("\n")
    shown.encode()


def is_blank(char: str) -> bool:
    return char in "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0" or "VARIATION SELECTOR" in unicodedata.name(
        char, ""
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('NAME = "\x1b]"; run("evil"); _ = "\x07"', 'NAME = "^[]"; run("evil"); _ = "^G"'),
        ("\x1b[8mhidden\x1b[0m", "^[[8mhidden^[[0m"),
        ("one\rtwo\r\n", "one^Mtwo^M\n"),
        ("a\u202eb\u200bc\u2028d\x85e\ufe0f", "a<U+202E>b<U+200B>c<U+2028>d<U+0085>e<U+FE0F>"),
        ("\x7f\x00\ue000\U000e0041", "^?^@<U+E000><U+E0041>"),
        ("\ta\xa0b\u3000é漢", "\ta\xa0b\u3000é漢"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert exact(text) == shown
