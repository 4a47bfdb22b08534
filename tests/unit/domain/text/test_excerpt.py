"""What is kept of a long output, and what two outputs have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.text.excerpt import (
    AFTER,
    BEFORE,
    CLOSING,
    LINE_LIMIT,
    OPENING,
    WORDS_LIMIT,
    normalised,
    trimmed,
    with_last_words,
)


def quiet(count: int, word: str = "ok") -> list[str]:
    return [f"{word} {number}" for number in range(count)]


def test_what_is_short_enough_stays_as_it_is() -> None:
    assert trimmed("one\n\ntwo\n", 9) == "one\n\ntwo\n"


def test_beginning_end_and_what_stands_around_an_error_are_kept() -> None:
    lines = [*quiet(500), "E   AssertionError: 3 != 4", *quiet(500, "fine")]
    kept = trimmed("\n".join(lines), 4000).split("\n")
    assert kept[:OPENING] == lines[:OPENING]
    assert kept[-CLOSING:] == lines[-CLOSING:]
    assert lines[500] in kept
    place = kept.index(lines[500])
    assert kept[place - BEFORE : place + AFTER + 1] == lines[500 - BEFORE : 501 + AFTER]
    assert f"[… {500 - BEFORE - OPENING} lines left out …]" in kept


def test_where_even_that_is_too_long_the_end_is_kept() -> None:
    text = "\n".join(f"error {number}" for number in range(1000))
    kept = trimmed(text, 200)
    assert len(kept) == 200
    assert kept.startswith("[…]\n")
    assert kept.endswith("error 998\nerror 999")


def test_an_endless_line_is_cut() -> None:
    kept = trimmed("error " + "x" * 10_000 + " the end", 2000)
    assert kept.endswith(" the end")
    assert len(kept) == LINE_LIMIT + 1


@given(st.text(alphabet="e rorfailx\n", max_size=3000), st.integers(0, 3000))
def test_it_is_never_longer_than_asked_for(text: str, limit: int) -> None:
    kept = trimmed(text, limit)
    assert len(kept) <= max(limit, 0)
    if len(text) <= limit:
        assert kept == text


@given(st.lists(st.sampled_from(["ok", "passed", "error: no", ""]), max_size=200))
def test_every_line_kept_is_one_of_the_output_or_a_remark(lines: list[str]) -> None:
    kept = trimmed("\n".join(lines), 600).split("\n")
    assert all(line in {*lines, "[…]"} or "left out" in line or line in "error: no" for line in kept)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("2 failed in 0.31s", "2 failed in 12.07s"),
        ("at 0x7f3a12", "at 0x55cc01"),
        ("/x/a1/verify-1/src/a.py:12: error", "/x/b2/verify-2/src/a.py:19: error"),
        ("pid 48123 died", "pid 51001 died"),
        ("10:02:13 boom", "23:59:59 boom"),
        ("2026-01-02 boom", "2026-03-04 boom"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("commit 0a1b2c3d", "commit ffee0011"),
        ("a\n\n  b", "a b"),
    ],
)
def test_what_differs_from_run_to_run_does_not_count(text: str, other: str) -> None:
    assert normalised(text) == normalised(other)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("3 failed", "2 failed"),
        ("FAILED test_a", "FAILED test_b"),
        ("assert 3 == 4", "assert 3 == 5"),
        ("NameError: feedback", "NameError: defaced"),
    ],
)
def test_another_failure_is_another_one(text: str, other: str) -> None:
    assert normalised(text) != normalised(other)


@given(st.text(max_size=200))
def test_to_normalise_twice_changes_nothing_more_than_white_space(text: str) -> None:
    assert normalised(text) == normalised(f"  {text}\n\n")


# Last words -------------------------------------------------------------------------------------------------------


@given(st.text(max_size=50), st.text(max_size=3 * WORDS_LIMIT))
def test_last_words_are_bounded_and_readable(error: str, said: str) -> None:
    message = with_last_words(error, said)
    assert message.startswith(error)
    added = message[len(error) :]
    assert len(added) <= WORDS_LIMIT + len("\nlast output: …")
    assert not added or added.startswith("\nlast output: ")
    assert not any(ord(name) < 32 for name in added.replace("\n", ""))


@pytest.mark.parametrize("said", ["", " \n", "no such model", "no \x1b[31msuch\x1b[0m\nmodel"])
def test_what_the_error_says_already_is_not_said_twice(said: str) -> None:
    assert with_last_words("exit code 1: no such\nmodel", said) == "exit code 1: no such\nmodel"


def test_the_lines_of_the_last_words_stay_apart() -> None:
    said = "fake agent: story\n\n  1/2   thinking\r\n2/2 cannot reach the model\n"
    words = "fake agent: story\n1/2 thinking\n2/2 cannot reach the model"
    assert with_last_words("ended with exit code 3", said) == f"ended with exit code 3\nlast output: {words}"


def test_of_long_last_words_the_end_is_kept() -> None:
    assert with_last_words("crashed", "x" * 5000 + "why").endswith("…" + "x" * (WORDS_LIMIT - 3) + "why")
