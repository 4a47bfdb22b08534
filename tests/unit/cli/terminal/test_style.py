"""When output has colours, and that these add nothing to the words."""

import pytest

from shiftwork.entrypoints.cli.terminal.style import Line, Style, has_colors, joined


@pytest.mark.parametrize(
    ("env", "terminal", "colored"),
    [
        ({"TERM": "xterm-256color"}, True, True),
        ({"TERM": "xterm-256color"}, False, False),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, True, False),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, True, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
    ids=["terminal", "pipe", "refused", "empty", "refused and forced", "forced", "forced off", "dumb"],
)
def test_colours_follow_the_wish_of_the_user_and_then_the_terminal(
    env: dict[str, str], *, terminal: bool, colored: bool
) -> None:
    assert has_colors(env, terminal=terminal) is colored


def test_a_colour_adds_nothing_to_the_words() -> None:
    lines = [Line("Needs you", Style.YELLOW), Line(), Line("as it is")]
    assert joined(lines, colors=False) == "Needs you\n\nas it is"
    assert joined(lines, colors=True) == "\x1b[33mNeeds you\x1b[0m\n\nas it is"
