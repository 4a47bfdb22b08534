"""Changes one key in the text of a TOML file and leaves the rest as it is: comments, order, spelling.

No TOML library that keeps comments is installed by default, so this edits lines: it finds where statements begin and
end with the standard parser, and compares what the new text reads as with what it should, before anybody writes it.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from shiftwork.errors import SettingsError
from shiftwork.records import dataclass
from shiftwork.regexes import regex

type Place = tuple[str, ...]

_PART: Final = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_KEY: Final = regex(rf"[ \t]*({_PART}(?:[ \t]*\.[ \t]*{_PART})*)[ \t]*=")
_NAME: Final = regex(rf"{_PART}(?:\.{_PART})*")
_BARE: Final = regex(r"[A-Za-z0-9_-]+")
_LONGEST: Final = 1000
"""The most lines of one value: the end of a value is found by trying."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """Lines `first` to `last`, without the latter: `[place]`, or a key with a value, whose text starts at `value`."""

    first: int
    last: int
    place: Place
    table: Place = ()
    value: int = 0

    @property
    def is_table(self) -> bool:
        return not self.value


def place_of(name: str) -> Place:
    """The parts of a dotted name, such as gates."a.b".minutes; () if it is none."""
    if not _NAME.fullmatch(name):
        return ()
    try:
        return _path(tomllib.loads(f"{name} = 0"))
    except tomllib.TOMLDecodeError:
        return ()


def name_of(place: Place) -> str:
    return ".".join(part if _BARE.fullmatch(part) else quoted(part) for part in place)


def quoted(text: str) -> str:
    """As a TOML string: JSON's escapes are valid in TOML, once DEL is escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def as_toml(value: Any) -> str:
    """The value as it is written in the file."""
    match value:
        case str():
            return quoted(value)
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(map(as_toml, value))}]"
        case Mapping():
            pairs = ", ".join(f"{name_of((key,))} = {as_toml(item)}" for key, item in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case _:
            return str(value)


def line_of(text: str, place: Place) -> int:
    """The line of the key, or of the table nearest to it; 0 if the file has neither."""
    best = max(
        (item for item in _statements(text) if place[: len(item.place)] == item.place),
        key=lambda item: len(item.place),
        default=None,
    )
    return best.first + 1 if best else 0


def with_value(text: str, place: Place, value: Any) -> str:
    """The text with this value there. Raises SettingsError if no small edit leads there."""
    wanted = tomllib.loads(text)
    table = wanted
    for part in place[:-1]:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise _too_hard(place)
    table[place[-1]] = value
    return _checked(_set(text, place, value), wanted, place)


def without_value(text: str, place: Place) -> str:
    """The text without that key, or without that table and everything in it."""
    wanted = tomllib.loads(text)
    above: list[dict[str, Any]] = [wanted]
    for part in place[:-1]:
        above.append(above[-1][part])
    del above[-1][place[-1]]
    new = _remove(text, place)
    if above[-1] or tomllib.loads(new) == wanted:
        return _checked(new, wanted, place)
    # The last key of a table took its empty table with it.
    for part, table in zip(reversed(place[:-1]), reversed(above[:-1]), strict=True):
        if table[part]:
            break
        del table[part]
    return _checked(new, wanted, place)


def _checked(text: str, wanted: Mapping[str, Any], place: Place) -> str:
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise _too_hard(place) from None
    if found != wanted:
        raise _too_hard(place)
    return text


def _too_hard(place: Place) -> SettingsError:
    reason = f"{name_of(place)} cannot be changed without rewriting more of the file"
    return SettingsError(reason, hint="change it in an editor, then: shiftwork config validate")


def _set(text: str, place: Place, value: Any) -> str:
    lines, statements = _lines(text), tuple(_statements(text))
    keys = [item for item in statements if not item.is_table]
    for item in keys:
        if place[: len(item.place)] == item.place:
            return _with_new_value(lines, item, _below(_value(lines, item), place[len(item.place) :], value))
    above = place[:-1]
    end = "\r\n" if "\r\n" in text else "\n"
    beside = [item for item in keys if item.place[: len(above)] == above and item.table == above[: len(item.table)]]
    headers = [item for item in statements if item.is_table and item.place == above]
    if beside:
        where, key = beside[-1].last, place[len(beside[-1].table) :]
    elif headers:
        where, key = headers[-1].last, place[-1:]
    else:
        blank = [end] if lines and lines[-1].strip() else []
        return "".join((*_ended(lines, end), *blank, f"[{name_of(above)}]{end}", _line(place[-1:], value, end)))
    before = _ended(lines[:where], end)
    return "".join((*before, _line(key, value, end), *lines[where:]))


def _remove(text: str, place: Place) -> str:
    lines, statements = _lines(text), tuple(_statements(text))
    gone: set[int] = set()
    for item in statements:
        if item.place[: len(place)] == place:
            gone.update(range(item.first, item.last))
        elif not item.is_table and place[: len(item.place)] == item.place:
            table = _value(lines, item)
            inner = table
            for part in place[len(item.place) : -1]:
                inner = inner[part]
            del inner[place[-1]]
            return _with_new_value(lines, item, table)
    for number, item in enumerate(statements):
        if item.is_table and item.place == place[:-1] and item.first not in gone:
            later = [other.first for other in statements[number + 1 :] if other.is_table]
            section = range(item.last, later[0] if later else len(lines))
            if all(line in gone or not lines[line].strip() for line in section):
                gone.add(item.first)
    return "".join(line for number, line in enumerate(lines) if number not in gone)


def _below(old: Any, rest: Place, value: Any) -> Any:
    """The value of a key: `value` itself, or a table that has it at the place `rest`."""
    if not rest:
        return value
    return {**old, rest[0]: _below(old.get(rest[0], {}), rest[1:], value)} if isinstance(old, dict) else old


def _with_new_value(lines: list[str], item: _Statement, value: Any) -> str:
    """A comment after the value stays."""
    own = "".join(lines[item.first : item.last])
    new = own[: item.value] + f" {as_toml(value)}" + own[item.value + _length(own[item.value :]) :]
    return "".join((*lines[: item.first], new, *lines[item.last :]))


def _value(lines: list[str], item: _Statement) -> Any:
    return tomllib.loads("x =" + "".join(lines[item.first : item.last])[item.value :])["x"]


def _length(text: str) -> int:
    """Where a value ends: at the first `#` before which it is complete, or at the end of the line."""
    for found in re.finditer(r"[ \t]*#", text):
        if _reads(f"x ={text[: found.start()]}"):
            return found.start()
    return len(text.rstrip())


def _reads(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _line(key: Place, value: Any, end: str) -> str:
    return f"{name_of(key)} = {as_toml(value)}{end}"


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _ended(lines: list[str], end: str) -> list[str]:
    """The last line of a file may have no end."""
    return [*lines[:-1], lines[-1] + ("" if lines[-1].endswith("\n") else end)] if lines else []


def _statements(text: str) -> Iterator[_Statement]:
    lines, table, at = _lines(text), tuple[str, ...](), 0
    while at < len(lines):
        line = lines[at]
        if line.lstrip().startswith("["):
            table = _path(tomllib.loads(line))
            yield _Statement(first=at, last=at + 1, place=table)
        elif found := _KEY.match(line):
            last = _end(lines, at)
            place = (*table, *_path(tomllib.loads(f"{found[1]} = 0")))
            yield _Statement(first=at, last=last, place=place, table=table, value=found.end())
            at = last - 1
        at += 1


def _end(lines: list[str], first: int) -> int:
    most = min(len(lines), first + _LONGEST)
    return next((last for last in range(first + 1, most + 1) if _reads("".join(lines[first:last]))), most)


def _path(table: Any) -> Place:
    parts = []
    while isinstance(table, dict) and table:
        part, table = next(iter(table.items()))
        parts.append(part)
    return tuple(parts)
