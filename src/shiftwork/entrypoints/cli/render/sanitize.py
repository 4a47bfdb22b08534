"""Makes text of agents and gates safe for a terminal: nothing in it moves the cursor, changes colours or hides words.

`plain` removes what is not meant to be read, and is for output of programs; `exact` removes nothing, and is for files
that a person reviews.
"""

import re
from typing import Final

from shiftwork.domain.text.readable import readable

_WIDE: Final = "WF"

# Letters and marks by Unicode's tables that nothing is drawn for: fillers, variation selectors, the empty Braille cell.
_BLANK: Final = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U000e0100-\U000e01ef"
)


def plain(text: str) -> str:
    """The text in lines; tabs become spaces, and all unreadable characters are removed."""
    return readable(text)


def exact(text: str) -> str:
    """The text with every character written out that a terminal interprets or that is invisible: `^[`, `^M`,
    `<U+202E>`.

    For texts that a person reviews, such as a patch: nothing is removed. Tabs, newlines and wide spaces stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(r"[^\n\t -~]", lambda found: _seen(found[0]), text)


def _seen(char: str) -> str:
    if char.isascii():
        return f"^{chr(ord(char) ^ 0x40)}"
    if (char.isprintable() or _is_space(char)) and not re.match(f"[{_BLANK}]", char):
        return char
    return f"<U+{ord(char):04X}>"


def _is_space(char: str) -> bool:
    from unicodedata import category  # noqa: PLC0415 - most text is ASCII

    return category(char) == "Zs"


def one_line(text: str, width: int) -> str:
    """The text on one line of at most `width` cells; an ellipsis marks a cut."""
    # Shortened first: an agent's line may be megabytes long.
    return cut(" ".join(plain(text[: 8 * width + 256]).split()), width)


def cut(line: str, width: int) -> str:
    """The first `width` cells of a line; an ellipsis marks a cut."""
    if cells(line) <= width:
        return line
    kept, used = 0, 0
    while used + cells(line[kept]) < width:
        used += cells(line[kept])
        kept += 1
    return f"{line[:kept].rstrip()}…" if width else ""


def cells(text: str) -> int:
    """How many columns the text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - most text is ASCII

    return sum(0 if combining(char) else 1 + (east_asian_width(char) in _WIDE) for char in text)
