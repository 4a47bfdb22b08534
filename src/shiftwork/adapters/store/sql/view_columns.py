"""The table and columns of each kind of view row, derived from the row's type so that they stay in step."""

from collections.abc import Callable, Mapping
from functools import cache
from json import dumps, loads
from typing import Any, Final

from shiftwork.ports.rows.row_columns import built, column_types, columns
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.ports.views import (
    AttemptRow,
    Lease,
    Owner,
    ProfileRow,
    Row,
    RunRow,
    SnapshotRow,
    SpentRow,
    StepRow,
    StoryRow,
    WaitedRow,
)
from shiftwork.records import dataclass

_GREATEST: Final = 2**63 - 1


def _texts(stored: str) -> tuple[str, ...]:
    return tuple(loads(stored))


_READ: Final[dict[Any, Callable[[Any], Any]]] = {WaitCause: WaitCause, tuple[str, ...]: _texts}
"""How a column is read whose type no database has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A table of rows, its columns with their types; a row replaces another with the same values in the `identity`
    columns.
    """

    table: str
    identity: tuple[str, ...]
    columns: Mapping[str, Any]


def _view(table: str, row: type[Row], *identity: str) -> View:
    return View(table=table, identity=identity, columns=column_types(row))


VIEWS: Final[dict[type[Row], View]] = {
    RunRow: _view("runs", RunRow, "run"),
    StoryRow: _view("stories", StoryRow, "run", "story"),
    StepRow: _view("steps", StepRow, "run", "story", "step"),
    ProfileRow: _view("profiles", ProfileRow, "run", "story", "role"),
    SpentRow: _view("spent", SpentRow, "run", "story", "agent", "model"),
    WaitedRow: _view("waited", WaitedRow, "run", "story", "number"),
    AttemptRow: _view("attempts", AttemptRow, "run", "story", "step", "number"),
    SnapshotRow: _view("snapshots", SnapshotRow, "stream"),
}


def identity(row: Row) -> tuple[str, ...]:
    return tuple(getattr(row, name) for name in VIEWS[type(row)].identity)


def values(row: Row) -> dict[str, Any]:
    """The row's columns. Characters that databases reject (NUL, half of a surrogate pair) are replaced, and numbers
    that are too large are capped: a fact that cannot be shown must not stop a run.
    """
    return {name: _storable(value) for name, value in columns(row).items()}


def row_of[R](kind: type[R], stored: Mapping[str, Any]) -> R:
    """The row with these stored columns. Missing columns get their defaults; raises TypeError if one has none."""
    of: type = kind
    special = _special(of)
    if not special:
        return built(kind, stored)
    return built(kind, {**stored, **{name: read(stored[name]) for name, read in special if name in stored}})


@cache
def _special(kind: type) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """The columns of a row whose type no database has, and how each is read: most rows have none."""
    return tuple((name, _READ[hint]) for name, hint in column_types(kind).items() if hint in _READ)


def lease(resource: str, owner: Owner, age: float) -> Lease:
    """A lease whose age is never negative, even if the clock was set back."""
    return Lease(resource=resource, owner=owner, age=max(0.0, age))


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    if isinstance(value, tuple):
        return dumps([_storable(item) for item in value])
    return max(-_GREATEST, min(value, _GREATEST)) if isinstance(value, int) else value
