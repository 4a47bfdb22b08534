"""One small palette for all output: yellow needs you, blue working, green landed, red failed, dim the rest.

A colour repeats what the words say, so nothing is lost without it.
"""

import sys
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from shiftwork.records import dataclass

_RESET: Final = "\x1b[0m"
DUMB: Final = ("dumb", "unknown")
"""Terminals that understand no commands, as `TERM` names them."""


class Style(StrEnum):
    """How a line looks: the parameter of the terminal's own command."""

    PLAIN = ""
    BOLD = "1"
    DIM = "2"
    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    BLUE = "34"


COLORS: Final = (Style.RED, Style.GREEN, Style.YELLOW, Style.BLUE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text without control characters."""

    text: str = ""
    style: Style = Style.PLAIN


def has_colors(env: Mapping[str, str], *, terminal: bool | None = None) -> bool:
    """Whether output is coloured: `NO_COLOR` first, then `FORCE_COLOR`, then whether it is a terminal."""
    if env.get("NO_COLOR"):
        return False
    if forced := env.get("FORCE_COLOR"):
        return forced != "0"
    is_terminal = sys.stdout.isatty() if terminal is None else terminal
    return is_terminal and env.get("TERM", "").lower() not in DUMB


def painted(line: Line) -> str:
    return f"\x1b[{line.style}m{line.text}{_RESET}" if line.text and line.style else line.text


def joined(lines: Iterable[Line], *, colors: bool) -> str:
    """The lines as one text; a line may hold several."""
    return "\n".join(painted(line) if colors else line.text for line in lines)
