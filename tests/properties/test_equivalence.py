"""Texts that say the same, for any text."""

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.text.equivalence import SIGNIFICANT, comparable

words = st.lists(st.from_regex(r"[a-z0-9äéжи二]{1,9}", fullmatch=True), min_size=1, max_size=20)
marks = st.sampled_from(["", "*", "**", "`", "_", "#", ".", ",", "!", '"', "- ", "> ", "…"])
blanks = st.text(" \t\n", min_size=1, max_size=3)


def of_codetether(text: str) -> str:
    """Its rule: ASCII letters and digits in lower case, blanks as one space, and no more than 280 characters."""
    found = ""
    for mark in text:
        if mark.isascii() and mark.isalnum():
            found += mark.lower()
        elif mark.isspace() and not found.endswith(" "):
            found += " "
        if len(found) >= SIGNIFICANT:
            break
    return found.strip()


@given(words, st.data())
def test_case_blanks_punctuation_and_markdown_make_no_difference(said: list[str], data: st.DataObject) -> None:
    again = "".join(
        data.draw(marks) + data.draw(st.sampled_from([word, word.upper(), word.title()])) + data.draw(marks) + blank
        for word, blank in ((word, data.draw(blanks)) for word in said)
    )
    assert comparable(again) == comparable(" ".join(said))


@given(words, words)
def test_other_words_make_a_difference(first: list[str], second: list[str]) -> None:
    alike = " ".join(first)[:SIGNIFICANT].rstrip() == " ".join(second)[:SIGNIFICANT].rstrip()
    assert (comparable(" ".join(first)) == comparable(" ".join(second))) is alike


@given(st.text())
def test_what_can_be_compared_stays_as_it_is_and_is_short(text: str) -> None:
    found = comparable(text)
    assert comparable(found) == found
    assert len(found) <= SIGNIFICANT


@given(st.text(st.characters(max_codepoint=126), max_size=200))
def test_plain_english_is_compared_as_codetether_compares_it(text: str) -> None:
    assert comparable(text) == of_codetether(text)
