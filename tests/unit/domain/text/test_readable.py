"""What is left of a text once everything is removed that is not meant to be read."""

import pytest

from shiftwork.domain.text.readable import readable


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain", "plain"),
        ("größer", "größer"),
        ("a\tb\r\nc\rd", "a    b\nc\nd"),
        ("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link", "red link"),
        ("a\x00b\u202ec\u200bd\u2028e\ud800f", "abcdef"),
    ],
)
def test_only_what_is_meant_to_be_read_is_left(text: str, left: str) -> None:
    assert readable(text) == left
