"""Checks documents against the shipped JSON Schemas, and more strictly: a schema must name all fields."""

from datetime import datetime
from functools import cache
from json import loads
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

import shiftwork

SCHEMAS = Path(shiftwork.__file__).parent / "schemas"


def check(document: Any) -> None:
    """Fails if the document is not exactly what the schema that it names describes."""
    name, kind, version = document["schema"].split("/")
    assert (name, version) == ("shiftwork", "1"), document["schema"]
    errors = [f"{error.json_path}: {error.message[:300]}" for error in _validator(kind).iter_errors(document)]
    assert not errors, errors


def seconds_between(start: str, end: str) -> float:
    """Between two times of documents."""
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def check_lines(printed: str) -> None:
    """Each line that a command prints with `--json` is a document."""
    for line in printed.splitlines():
        check(loads(line))


@cache
def _validator(kind: str) -> Draft202012Validator:
    schema = loads((SCHEMAS / f"{kind}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(_strict(schema))


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: _strict(value) for name, value in schema.items()}
    closed = isinstance(schema.get("properties"), dict) and "required" in schema
    return inner | ({"additionalProperties": False} if closed else {})
