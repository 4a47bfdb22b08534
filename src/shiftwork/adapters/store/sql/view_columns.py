"""Where each row of a view is kept and which columns it has: read off the row's own type, so that neither can drift."""

from dataclasses import dataclass, fields
from typing import Any, Final

from shiftwork.ports.views import Lease, Owner, PlayedRow, Row, RunRow, SpentRow, StepRow, StoryRow, WaitedRow

_GREATEST: Final = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A table of rows; `identity` names the columns by which a row replaces another."""

    table: str
    identity: tuple[str, ...]
    columns: tuple[str, ...]


def _view(table: str, row: type[Row], *identity: str) -> View:
    return View(table=table, identity=identity, columns=tuple(field.name for field in fields(row)))


VIEWS: Final[dict[type[Row], View]] = {
    RunRow: _view("runs", RunRow, "run"),
    StoryRow: _view("stories", StoryRow, "run", "story"),
    StepRow: _view("steps", StepRow, "run", "story", "step"),
    PlayedRow: _view("played", PlayedRow, "run", "story", "role"),
    SpentRow: _view("spent", SpentRow, "run", "story", "agent", "model"),
    WaitedRow: _view("waited", WaitedRow, "run", "story", "number"),
}


def identity(row: Row) -> tuple[str, ...]:
    return tuple(getattr(row, name) for name in VIEWS[type(row)].identity)


def values(row: Row) -> dict[str, Any]:
    """The row's columns; what no database can hold of a text (NUL, half of a surrogate pair) is replaced, and a number
    that is too great for one is shown as the greatest: a fact that cannot be shown must not keep a run from going on.
    """
    return {name: _storable(getattr(row, name)) for name in VIEWS[type(row)].columns}


def lease(resource: str, owner: Owner, age: float) -> Lease:
    """A clock that was set back must not make a sign of life come from the future."""
    return Lease(resource=resource, owner=owner, age=max(0.0, age))


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return max(-_GREATEST, min(value, _GREATEST)) if isinstance(value, int) else value
