"""A diff as lines of HTML, bounded: a report of many stories must stay quick to open."""

from collections.abc import Iterator
from typing import Final

from shiftwork.app.views.html_report.html_text import Html, block, element
from shiftwork.records import dataclass

_KINDS: Final = (
    ("+++", "file"),
    ("---", "file"),
    ("diff ", "file"),
    ("index ", "file"),
    ("@@", "hunk"),
    ("+", "add"),
    ("-", "del"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What a story changed. At most `room` characters are shown; `command` shows all of it."""

    patch: str = ""
    room: int = 0
    command: str = ""


def diff_lines(diff: Diff) -> Iterator[Html]:
    text, more = block(diff.patch, diff.room)
    if text:
        yield element("pre", *(_line(line) for line in text.split("\n")), class_="diff")
    if more:
        yield element("p", f"{more:,} lines left out: ", element("code", diff.command), class_="muted")


def _line(line: str) -> Html:
    kind = next((kind for start, kind in _KINDS if line.startswith(start)), None)
    return element("span", line or " ", class_=kind)
