"""The table and columns of each kind of view row, derived from the row's type so that they stay in step."""

from dataclasses import dataclass, fields
from typing import Any, Final

from shiftwork.ports.views import Lease, Owner, ProfileRow, Row, RunRow, SpentRow, StepRow, StoryRow, WaitedRow

_GREATEST: Final = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A table of rows; a row replaces another with the same values in the `identity` columns."""

    table: str
    identity: tuple[str, ...]
    columns: tuple[str, ...]


def _view(table: str, row: type[Row], *identity: str) -> View:
    return View(table=table, identity=identity, columns=tuple(field.name for field in fields(row)))


VIEWS: Final[dict[type[Row], View]] = {
    RunRow: _view("runs", RunRow, "run"),
    StoryRow: _view("stories", StoryRow, "run", "story"),
    StepRow: _view("steps", StepRow, "run", "story", "step"),
    ProfileRow: _view("profiles", ProfileRow, "run", "story", "role"),
    SpentRow: _view("spent", SpentRow, "run", "story", "agent", "model"),
    WaitedRow: _view("waited", WaitedRow, "run", "story", "number"),
}


def identity(row: Row) -> tuple[str, ...]:
    return tuple(getattr(row, name) for name in VIEWS[type(row)].identity)


def values(row: Row) -> dict[str, Any]:
    """The row's columns. Characters that databases reject (NUL, half of a surrogate pair) are replaced, and numbers
    that are too large are capped: a fact that cannot be shown must not stop a run.
    """
    return {name: _storable(getattr(row, name)) for name in VIEWS[type(row)].columns}


def lease(resource: str, owner: Owner, age: float) -> Lease:
    """A lease whose age is never negative, even if the clock was set back."""
    return Lease(resource=resource, owner=owner, age=max(0.0, age))


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return max(-_GREATEST, min(value, _GREATEST)) if isinstance(value, int) else value
