"""Shows a text exactly, because a user who agrees to it must see all of it.

Nothing is removed or cut, and nothing that a reader could overlook or confuse is shown as it is: line feeds, repeated
blanks, blanks at an end, control and format characters, and all non-ASCII characters, because a letter of another
script may look like a Latin letter. Each of these becomes a mark in angle brackets, and so does text that looks like a
mark.

Option not taken: escapes with a backslash. Commands are full of backslashes, and all of them would have to be doubled.
"""

import re
from collections.abc import Iterator
from typing import Final

from shiftwork.regexes import regex

EMPTY: Final = "<nothing>"

_LINE_FEED: Final = "<LF>"
_GOES_ON: Final = "\\"
"""At the end of a line that is broken to fit; a shell reads it the same way."""

_TO_MARK: Final = regex(
    r"""
      (?P<feed> \n )
    | (?P<blanks> \ {2,} | (?m:^)\  | \ (?m:$) )
    | (?P<code> [^\n -~] | < (?= LF> | nothing> | \d+\ blanks> | U\+ ) )
    """,
    re.VERBOSE,
)
_PIECES: Final = regex(r"<LF>|<\d+ blanks>|<U\+[0-9A-F]+>|[^ <]+| |<")


def marked(text: str) -> str:
    """On one line."""
    return _TO_MARK.sub(_mark, text) or EMPTY


def in_lines(text: str, room: int | None) -> list[str]:
    """A line for each line of the text, broken between words to fit the room."""
    lines = marked(text).split(_LINE_FEED)
    whole = [*(f"{line}{_LINE_FEED}" for line in lines[:-1]), lines[-1]]
    if whole[-1] == "":
        whole.pop()  # the text ends with a line feed, and its mark is at the end of the previous line
    return whole if room is None else [part for line in whole for part in _broken(line, max(room, len(_LINE_FEED) + 2))]


def _mark(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "feed":
            return _LINE_FEED
        case "blanks":
            return f"<{len(found[0])} blanks>"
        case _:
            return f"<U+{ord(found[0]):04X}>"


def _broken(line: str, room: int) -> Iterator[str]:
    """Words, blanks and marks stay whole if they fit in a line."""
    shown = ""
    for piece in _PIECES.findall(line):
        left = piece
        if shown and len(shown) + len(left) >= room:
            yield shown + _GOES_ON
            shown = ""
        while len(left) >= room:
            yield left[: room - 1] + _GOES_ON
            left = left[room - 1 :]
        shown += left
    if shown:
        yield shown
