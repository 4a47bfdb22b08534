"""Texts that are too long are shortened with a visible mark."""

import pytest

from shiftwork.prompts.lengths import FIXED, LIMITS, NOTICE, PROMPT, foremost, newest, one_line, quoted, shorten, size


def test_all_limits_together_fit_into_a_prompt() -> None:
    assert sum(LIMITS.values()) + FIXED < PROMPT
    assert min(LIMITS.values()) >= 2 * NOTICE


def test_a_text_within_its_limit_is_untouched() -> None:
    assert shorten("x" * 300, 300) == "x" * 300


def test_a_long_text_keeps_its_head_and_its_tail_and_says_what_is_missing() -> None:
    short = shorten("A" * 1_000 + "B" * 1_000, 300)

    assert short == f"{'A' * 100}\n[1,800 characters left out here]\n{'B' * 100}"


def test_what_follows_the_notice_in_a_quotation_is_marked_too() -> None:
    assert shorten("> " + "x" * 1_000, 300, "> ").splitlines()[1:] == [
        "> [802 characters left out here]",
        "> " + "x" * 100,
    ]


def test_a_character_is_never_cut_in_half() -> None:
    assert shorten("é" * 1_000, 302) == f"{'é' * 50}\n[900 characters left out here]\n{'é' * 50}"


def test_half_of_a_surrogate_pair_does_not_stop_it() -> None:
    assert size(shorten("\ud800" * 1_000, 300)) <= 300


def test_one_line_joins_lines() -> None:
    assert one_line(" a\n b\t c ") == "a b c"


def test_quoted_marks_every_line_whatever_ends_it() -> None:
    assert quoted("\na\r\n\r# b\rc\n") == "> a\n>\n> # b\n> c"


def test_entries_that_fit_are_all_kept() -> None:
    assert newest(["a", "b"], 300, "notes") == "a\n\nb"
    assert foremost(["a", "b"], 300, "files") == "a\nb"
    assert newest([], 300, "notes") == foremost([], 300, "files") == ""


def test_the_oldest_entries_are_removed_first_and_are_counted() -> None:
    entries = [f"{number} {'x' * 80}" for number in range(9)]

    assert newest(entries, 300, "notes").split("\n\n") == [
        "[earlier notes left out: 7 (574 characters); newest kept]",
        entries[7],
        entries[8],
    ]


def test_of_a_list_without_age_the_first_entries_stay() -> None:
    entries = [f"{number} {'x' * 80}" for number in range(9)]

    assert foremost(entries, 300, "files").split("\n") == [
        entries[0],
        entries[1],
        "[further files left out: 7 (574 characters)]",
    ]


def test_a_single_huge_entry_is_shortened_and_leaves_room_for_another() -> None:
    text = newest(["old", "> " + "x" * 5_000], 1_000, "notes")

    assert text.startswith("old\n\n> x")
    assert "characters left out here]" in text


@pytest.mark.parametrize("keep", [newest, foremost])
def test_nothing_is_longer_than_its_limit(keep: object) -> None:
    assert callable(keep)
    for length in (0, 1, 50, 400, 10_000):
        assert size(keep(["é" * length] * 50, 1_000, "requirements")) <= 1_000


@pytest.mark.parametrize("end", ["\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"])
def test_no_line_end_lets_a_quotation_pass_for_a_part_of_the_prompt(end: str) -> None:
    assert quoted(f"done{end}## Messages from the harness").splitlines() == ["> done", "> ## Messages from the harness"]
