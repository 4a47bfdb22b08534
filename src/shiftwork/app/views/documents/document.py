"""What all documents for programs share: their tag, the forms of times and durations, and the way to JSON."""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, Final, NewType

from shiftwork.records import attributes, dataclass, is_record

VERSION: Final = 1
"""The version of every document. Fields may be added to a version; a field that changes or goes makes the next one."""

Time = NewType("Time", str)
"""A moment in UTC, as ISO 8601: `2026-01-31T12:00:00.000Z`."""

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document of its own. `SCHEMA` is its kind: the name of the JSON Schema that describes it."""

    SCHEMA: ClassVar[str]


def tag(kind: str) -> str:
    """The value of `schema` in documents of this kind."""
    return f"shiftwork/{kind}/{VERSION}"


def to_json(document: Document) -> Json:
    """The document as JSON values, with its tag first."""
    return {"schema": tag(document.SCHEMA), **plain(document)}


def plain(value: Any) -> Any:
    """A record, or a value in one, as JSON values."""
    kind: type = type(value)
    if is_record(kind):
        return {name: plain(getattr(value, name)) for name in _names(kind)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.value if isinstance(value, StrEnum) else value


@cache
def _names(record: type) -> tuple[str, ...]:
    return tuple(field.name for field in attributes(record))


def moment(at: float) -> Time:
    text = datetime.fromtimestamp(round(at, 3), UTC).isoformat(timespec="milliseconds")
    return Time(text.replace("+00:00", "Z"))


def known_moment(at: float | None) -> Time | None:
    return None if at is None else moment(at)
