"""Makes the JSON Schema of each kind of document from its records. The generated files are in `shiftwork/schemas`."""

import types
import typing
from collections import abc
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from shiftwork.app.views.documents.catalogue import DOCUMENTS
from shiftwork.app.views.documents.document import Json, Time, tag
from shiftwork.app.views.documents.vocabulary import MEANINGS
from shiftwork.records import attributes, is_record

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_UTC: Final = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"
_SIMPLE: Final[Mapping[Any, Json]] = {
    Any: {},
    Time: {"type": "string", "format": "date-time", "pattern": _UTC},
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    None: {"type": "null"},
    type(None): {"type": "null"},
}

_NAMES: Final = frozenset({"string", "integer", "number", "boolean", "null"})


def schema(kind: str) -> Json:
    """Raises KeyError for an unknown kind."""
    records = DOCUMENTS[kind]
    parts: dict[str, Json] = {}
    whole = [_document(record, kind, parts) for record in records]
    head = {"$schema": _DIALECT, "$id": tag(kind), "title": kind}
    return head | (whole[0] if len(whole) == 1 else {"anyOf": whole}) | ({"$defs": parts} if parts else {})


def _document(record: type, kind: str, parts: dict[str, Json]) -> Json:
    described = _object(record, parts)
    named = {"schema": {"const": tag(kind), "description": MEANINGS["schema"]}}
    return described | {"properties": named | described["properties"], "required": ["schema", *described["required"]]}


def _object(record: type, parts: dict[str, Json]) -> Json:
    fields = attributes(record)
    return {
        "description": " ".join((record.__doc__ or "").split()),
        "type": "object",
        "properties": {field.name: _named(field.name, form(field.type, parts)) for field in fields},
        "required": [field.name for field in fields],
    }


def _named(name: str, described: Json) -> Json:
    return described | {"description": MEANINGS[name]}


def form(kind: Any, parts: dict[str, Json]) -> Json:
    """The schema of a type; the records in it are added to `parts` by their names."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if is_record(kind):
        return _reference(kind, parts)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"enum": [member.value for member in kind]}
    return _composed(kind, parts)


def _composed(kind: Any, parts: dict[str, Json]) -> Json:
    if isinstance(kind, str):  # the name of a record that contains itself
        return {"$ref": f"#/$defs/{kind}"}
    inner = typing.get_args(kind)
    match typing.get_origin(kind):
        case typing.Literal:
            return {"enum": list(inner)}
        case types.UnionType | typing.Union:
            return _either([form(part, parts) for part in inner])
        case abc.Sequence:
            return {"type": "array", "items": form(inner[0], parts)}
        case abc.Mapping:
            return {"type": "object", "additionalProperties": form(inner[1], parts)}
        case _:
            raise TypeError(f"{kind} has no form in JSON")


def _reference(record: type, parts: dict[str, Json]) -> Json:
    name = record.__name__
    if name not in parts:
        parts[name] = {}  # a record may contain itself
        parts[name] = _object(record, parts)
    return {"$ref": f"#/$defs/{name}"}


def _either(forms: list[Json]) -> Json:
    """Of simple types, the types: rules about texts do not concern null."""
    if all(one.get("type") in _NAMES for one in forms):
        return {key: value for one in forms for key, value in one.items()} | {"type": [one["type"] for one in forms]}
    return {"anyOf": forms}
