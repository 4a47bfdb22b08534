"""Ids that were typed differently."""

import pytest

from shiftwork.domain.spec.story_lookup import guess

KNOWN = ("US-001", "US-010", "auth", "T2.1")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("us-001", "US-001"),
        ("US-1", "US-001"),
        ("us1", "US-001"),
        ("10", "US-010"),
        ("Auth", "auth"),
        ("t2-1", "T2.1"),
        ("US-009", ""),
        ("1", ""),
        ("", ""),
        ("…", ""),
    ],
)
def test_what_is_meant_is_reported_where_it_is_one(typed: str, meant: str) -> None:
    assert guess(typed, KNOWN) == (f"; did you mean {meant}?" if meant else "")
