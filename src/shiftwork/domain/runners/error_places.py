"""What the outputs of runners have in common: places in files, frames of stacks, messages on several lines."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from shiftwork.domain.core.first_error import FirstError
from shiftwork.domain.runners.runner_report import Located
from shiftwork.domain.text.readable import readable
from shiftwork.regexes import regex

type Place = tuple[str, int]
"""A file, and a line in it."""

_LINE: Final = 1000
_MESSAGE: Final = 600
_BLOCK: Final = 20_000
_FOREIGN: Final = regex(
    r"^<|^node:|^internal/|(?:^|/)(?:site-packages|dist-packages|node_modules|vendor|rustc|gems)/"
    r"|/lib(?:64)?/(?:python|ruby|go)[\d.-]*/|/go[\d.-]*/(?:src|pkg)/|/\.cargo/|/library/(?:std|core|alloc)/"
)
"""Code of others: the standard library, installed packages, the runner itself."""
_FRAME: Final = regex(r"(?:\(|\bat |\u276f |^)(?:file://)?((?:[A-Za-z]:)?[^\s():]+):(\d+)(?::\d+)?\)?")
_SCRIPT_ERROR: Final = regex(r"^[ \t]*(\w*(?:Error|Exception)\b(?: \[[\w.]+\])?: ?.*|\w*(?:Error|Exception))$")


def readable_lines(output: str) -> str:
    """The output without colours, other control characters and blanks at the ends of lines; long lines are cut."""
    return "\n".join(line[:_LINE].rstrip() for line in readable(output).split("\n"))


def is_own(file: str) -> bool:
    """Whether the file is likely the project's own."""
    return _FOREIGN.search(file) is None


def make_error(message: str, place: Place = ("", 0)) -> FirstError:
    """The record with a message on one line, and the file as it is written in a project."""
    said = " ".join(message.split()).removesuffix(" // Object.is equality")
    file = place[0].removeprefix("file://").removeprefix("./")
    return FirstError(file=file, line=place[1], message=said if len(said) <= _MESSAGE else f"{said[:_MESSAGE]}…")


def find_by_form(form: re.Pattern[str], text: str) -> Located | None:
    """The first match of a pattern with the groups `file`, `line` and `message`, of which the line may be missing."""
    if (found := form.search(text)) is None:
        return None
    parts = found.groupdict()
    return found.start(), make_error(parts["message"], (parts.get("file") or "", int(parts.get("line") or 0)))


def take_block(text: str, start: int, end: re.Pattern[str]) -> str:
    """The text from there up to the next line that begins something else, bounded: code under test can print anything,
    and no output may keep us busy.
    """
    after, most = text.find("\n", start), start + _BLOCK
    stop = end.search(text, after + 1, most) if 0 <= after < most else None
    return text[start : stop.start() if stop else most]


def find_frames(block: str) -> Iterator[Place]:
    """The places in a stack of JavaScript, the innermost first."""
    for line in block.split("\n"):
        stripped = line.strip()
        if (found := _FRAME.search(stripped)) and re.match(r"at |\u276f |\S+ \(|[^\s(]+:\d+:\d+$", stripped):
            yield found[1], int(found[2])


def first_own(places: Iterable[Place]) -> Place:
    """The first place in the project's own code; no place if there is none."""
    return next((place for place in places if is_own(place[0])), ("", 0))


def find_script_message(lines: Iterable[str]) -> str:
    """The message of a JavaScript error; if it ends with a colon, with the line after it. Empty if there is none."""
    rest = iter(lines)
    for line in rest:
        if found := _SCRIPT_ERROR.match(line):
            message = found[1].strip()
            more = next((item for item in rest if item.strip()), "") if message.endswith(":") else ""
            return f"{message} {more.strip()}".strip()
    return ""
