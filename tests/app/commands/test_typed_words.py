"""What a person types in the place of a story: its id, an id with a mistake, an option, or an answer."""

import pytest

from shiftwork.app.commands.replies import looks_like_story


@pytest.mark.parametrize(("typed", "meant"), [("us-001", True), ("US-01", True), ("2", False), ("use tabs", False)])
def test_a_mistyped_id_is_no_answer_and_a_number_is_an_option(typed: str, *, meant: bool) -> None:
    assert looks_like_story(typed, ["US-001", "US-002"]) is meant
