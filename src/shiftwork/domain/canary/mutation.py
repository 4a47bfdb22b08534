"""Breaks a source file on purpose: changes its text so that loading or compiling fails with a mark in the message."""

import re
from enum import StrEnum
from typing import Final

from shiftwork.domain.canary.failing_statement import Place, statement
from shiftwork.domain.canary.insertion_point import blank_lines, end, top
from shiftwork.domain.text.file_types import ending
from shiftwork.regexes import regex

_MARK: Final = "shiftwork_canary_"
_COLOURS: Final = regex(r"\x1b\[[0-9;]*m")
_WIDTH: Final = 79
"""The line length that formatters of most languages allow."""

_SEMICOLONS: Final = frozenset({"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"})
"""Languages in which projects differ about semicolons at the end of statements."""
_QUOTES: Final = _SEMICOLONS | {"py", "rb"}
"""Languages in which projects differ about quotes."""


class Style(StrEnum):
    """Where a file is broken: before anything in it runs, or at its end, formatted, for gates that check text first."""

    RUNTIME = "runtime"
    LAST = "last"


def mark(token: str, number: int) -> str:
    """An identifier in most languages. The `_` at its end prevents a truncated mark from matching another."""
    return f"{_MARK}{token}_{number}_"


def marks_in(token: str, output: str | bytes) -> frozenset[int]:
    """The numbers of the files whose complete marks are in the output."""
    text = output if isinstance(output, str) else output.decode("ascii", "replace")
    found = re.findall(rf"{_MARK}{re.escape(token)}_([0-9]+)_", _COLOURS.sub("", text))
    return frozenset(int(number) for number in found)


def can_break(path: str) -> bool:
    return statement(path) is not None


def broken(path: str, text: str, mark: str, style: Style = Style.RUNTIME) -> str:
    """The text with one added statement. A file of an unknown language stays unchanged."""
    said = statement(path)
    if said is None:
        return text
    if said.place is Place.TOP or (said.place is Place.EITHER and style is Style.RUNTIME):
        return _inserted(path, text, _filled(said.text, path, mark))
    words = _filled(said.last or said.text, path, mark)
    if max(map(len, words.splitlines())) > _WIDTH:
        words = _filled((said.last or said.text).replace(" in PATH", ""), path, mark)
    return _appended(path, text, _as_the_file_has_it(path, text, words))


def _filled(template: str, path: str, mark: str) -> str:
    head, _, tail = mark.partition("_")
    plain = re.sub(r"[^\w./ +-]", "_", path, flags=re.ASCII)
    values = {"HEAD": head, "TAIL": f"_{tail}", "MARK": mark, "PATH": plain}
    return re.sub("HEAD|TAIL|MARK|PATH", lambda found: values[found[0]], template)


def _as_the_file_has_it(path: str, text: str, words: str) -> str:
    single, double = (len(re.findall(rf"{quote}[^'\"\n]*{quote}", text)) for quote in "'\"")
    if ending(path) in _QUOTES and single > double:
        words = words.replace('"', "'")
    if ending(path) in _SEMICOLONS and text.strip() and not re.search(r";\s*$", text, re.MULTILINE):
        words = words.removesuffix(";")
    return words


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _inserted(path: str, text: str, words: str) -> str:
    newline = _newline(text)
    spot = top(path, text)
    before = text[: spot.at]
    words = f"{spot.before}{words}{spot.after}"
    gap = "" if before.endswith(("\n", "\r", "\ufeff")) or not before else newline
    return f"{before}{gap}{words.replace('\n', newline)}{newline}{text[spot.at :]}"


def _appended(path: str, text: str, words: str) -> str:
    newline = _newline(text)
    at = end(path, text)
    before = text[:at].rstrip(" \t\r\n")
    gap = newline * (1 + blank_lines(path, text)) if before.strip("\ufeff") else ""
    rest = f"{newline}{text[at:]}" if at < len(text) else ""
    return f"{before}{gap}{words.replace('\n', newline)}{newline}{rest}"
