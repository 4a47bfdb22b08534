"""Rows as flat columns, and back: each field of a part is a column of its row."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from shiftwork.ports.rows.row_parts import COLUMN
from shiftwork.records import attributes, dataclass, is_record


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A field of a row: a column, or a part with columns of its own."""

    name: str
    column: str
    type: Any
    is_part: bool


@cache
def _layout(row: Any) -> tuple[_Place, ...]:
    return tuple(
        _Place(
            name=field.name,
            column=field.metadata.get(COLUMN, field.name),
            type=field.type,
            is_part=is_record(field.type),
        )
        for field in attributes(row)
    )


def column_types(row: type) -> Mapping[str, Any]:
    """The type of each column of a kind of row."""
    return _types(row)


@cache
def _types(row: type) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for place in _layout(row):
        found |= _types(place.type) if place.is_part else {place.column: place.type}
    return found


def columns(row: Any) -> dict[str, Any]:
    """The values of a row, by column."""
    kind: type = type(row)
    found: dict[str, Any] = {}
    for place in _layout(kind):
        value = getattr(row, place.name)
        found |= columns(value) if place.is_part else {place.column: value}
    return found


def built[R](row: type[R], values: Mapping[str, Any]) -> R:
    """The row of these columns. Fields without a column get their defaults; raises TypeError for one that has none."""
    kind: type = row
    plain, parts = _places(kind)
    found = {name: values[column] for name, column in plain if column in values}
    for name, part in parts:
        found[name] = built(part, values)
    return row(**found)


@cache
def _places(row: Any) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, Any], ...]]:
    """The name and column of each plain field, and the name and type of each part: in tuples, because reports build
    many rows.
    """
    plain = tuple((place.name, place.column) for place in _layout(row) if not place.is_part)
    return plain, tuple((place.name, place.type) for place in _layout(row) if place.is_part)
