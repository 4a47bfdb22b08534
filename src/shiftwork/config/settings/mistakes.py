"""Describes the errors in the settings, each on a line, in words for the author of the file."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from shiftwork.errors import SettingsError
from shiftwork.records import dataclass

type Loc = tuple[int | str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The `keys` of the table at a place, and the `names` of the tables in which a key may belong."""

    keys: Callable[[list[int | str]], list[str]]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """What is wrong at a place of the file; `variable` is the variable or the option that overrides the file there."""

    place: tuple[str, ...]
    reason: str
    variable: str = ""
    unknown: bool = False


def mistakes(error: ValidationError, given: Mapping[Loc, str], tables: Tables) -> list[Mistake]:
    return [
        Mistake(
            place=_place(item["loc"]),
            reason=_message(item, tables),
            variable=given.get(item["loc"][:2], ""),
            unknown=item["type"] == "extra_forbidden",
        )
        for item in _once(error.errors())
    ]


def mistaken(path: Path, error: ValidationError, given: Mapping[Loc, str], tables: Tables) -> SettingsError:
    """`given` are the variables and options that override the file."""
    found = mistakes(error, given, tables)
    theirs = sorted({mistake.variable for mistake in found if mistake.variable})
    lines = [f"  {mistake.variable or '.'.join(mistake.place)}: {mistake.reason}" for mistake in found]
    where = " and ".join(theirs) if all(mistake.variable for mistake in found) else path.name
    hint = f"fix {where}; shiftwork config validate shows where, shiftwork config list every setting"
    return SettingsError(
        f"{where} has {len(lines)} mistake{'s' if len(lines) > 1 else ''}:\n" + "\n".join(lines), hint=hint
    )


def _once(items: Sequence[Any]) -> list[Any]:
    """A gate is a command or a table, and pydantic reports errors for both forms: drop those of the other form."""
    tables = {_gate(item["loc"]) for item in items if item["loc"][2:3] == ("GateSettings",) and not _no_table(item)}
    return [
        item
        for item in items
        if _gate(item["loc"]) is None or (not _no_table(item) and (item["loc"][2] != "str" or not _among(item, tables)))
    ]


def _gate(loc: Loc) -> Loc | None:
    return loc[:2] if loc[0] == "gates" and len(loc) > 2 else None


def _no_table(item: Any) -> bool:
    return item["loc"][2:] == ("GateSettings",) and item["type"] in {"model_type", "model_attributes_type"}


def _among(item: Any, tables: set[Loc | None]) -> bool:
    return _gate(item["loc"]) in tables


def _place(loc: Loc) -> tuple[str, ...]:
    return tuple(str(part) for part in loc if part not in {"str", "GateSettings"})


_WORDS: Final = {
    "float_parsing": "a number is needed",
    "float_type": "a number is needed",
    "int_parsing": "a whole number is needed",
    "int_type": "a whole number is needed",
    "int_from_float": "a whole number is needed",
    "bool_parsing": "true or false is needed",
    "bool_type": "true or false is needed",
    "string_type": "text in quotes is needed",
    "tuple_type": 'a list is needed: ["…"]',
    "model_type": "a table is needed, with keys of its own",
    "model_attributes_type": "a table is needed, with keys of its own",
    "dict_type": "a table is needed, with keys of its own",
    "missing": "is missing",
    "finite_number": "a finite number is needed",
    "greater_than": "must be more than {gt:,.16g}",
    "greater_than_equal": "must be {ge:,.16g} or more",
    "less_than": "must be less than {lt:,.16g}",
    "less_than_equal": "must be {le:,.16g} or less",
    "literal_error": "must be {expected}",
}
_COMMAND: Final = 'a command in quotes is needed, or a table: { command = "…", minutes = 15 }'
_SCALARS: Final = (str, int, float, bool)


def _message(item: Any, tables: Tables) -> str:
    if item["type"] == "extra_forbidden":
        return _unknown(item["loc"], tables)
    if _gate(item["loc"]) and item["loc"][2] == "str":
        return _COMMAND
    known = _WORDS.get(item["type"])
    if known is None:
        return str(item["msg"]).removeprefix("Value error, ")
    said = f", not {item['input']!r}" if isinstance(item["input"], _SCALARS) else ""
    return known.format_map(item.get("ctx", {})) + said if known != "is missing" else known


def _unknown(loc: Loc, tables: Tables) -> str:
    *section, key = loc
    known = tables.keys(section)
    belongs = [name for name in tables.names if key in tables.keys([name])]
    if belongs:
        return f"unknown key here; it belongs under [{belongs[0]}]"
    close = difflib.get_close_matches(str(key), known, n=1)
    return "unknown key" + (f"; did you mean {close[0]}?" if close else f"; known keys: {', '.join(known)}")
