"""The JSON Schema of a workflow file, generated from the reader's own tables; editors use it for completion."""

import json
from typing import Any, Final

from shiftwork.adapters.workflows._shapes import (
    Block,
    Blocks,
    Commands,
    Field,
    Flag,
    Named,
    Number,
    Pairs,
    Shape,
    Table,
    Text,
    Texts,
)
from shiftwork.adapters.workflows.workflow_fields import TABLES

SCHEMA_FILE: Final = "workflow.schema.json"
_SCALAR: Final = ["string", "number", "boolean"]


def schema() -> dict[str, Any]:
    root = TABLES["workflow"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A workflow of shiftwork",
        **_table(root),
        "$defs": {name: _table(table) for name, table in TABLES.items() if table is not root},
    }


def schema_text() -> str:
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _table(table: Table) -> dict[str, Any]:
    properties = {field_.name: _field(field_) for field_ in table.fields}
    spelt = {
        other: {**_shape(field_.shape), "description": f"The same as {field_.name}."}
        for field_ in table.fields
        for other in field_.also
    }
    required = [field_.name for field_ in table.fields if field_.required]
    needs = {"decision_key": ["on_decision"]} if "decision_key" in properties else {}
    return {
        "description": table.about,
        "type": "object",
        "properties": properties | spelt,
        **({"required": required} if required else {}),
        **({"dependentRequired": needs} if needs else {}),
        "additionalProperties": False,
    }


def _field(field_: Field) -> dict[str, Any]:
    about = f"{field_.about} Accepted, without effect: {field_.idle}." if field_.idle else field_.about
    default = (
        {"default": json.loads(field_.default) if field_.default.isdigit() else field_.default}
        if field_.default
        else {}
    )
    return {**_shape(field_.shape), "description": about, **default}


def _shape(shape: Shape) -> dict[str, Any]:
    match shape:
        case Text():
            made = _text(shape)
        case Number():
            kind = "integer" if shape.whole else "number"
            made = {"type": kind, "minimum": shape.least, "maximum": shape.most}
        case Flag():
            made = {"type": "boolean"}
        case Texts():
            made = {"type": "array", "items": _text(shape.of)}
        case Pairs():
            made = {"type": "object", "additionalProperties": {"type": [*_SCALAR, "null"]}}
        case Commands():
            several = {"type": "array", "items": {"type": "string"}, "minItems": 1}
            named = {"type": "object", "additionalProperties": {"type": "string"}}
            made = {"anyOf": [{"type": "string"}, several, named]}
        case _:
            made = _nested(shape)
    return made


def _nested(shape: Block | Blocks | Named) -> dict[str, Any]:
    inner = {"$ref": f"#/$defs/{shape.table}"}
    match shape:
        case Block():
            return inner
        case Blocks():
            return {"type": "array", "items": inner, "minItems": 1, "maxItems": shape.most}
        case Named():
            return {"type": "object", "additionalProperties": {"anyOf": [{"const": shape.word}, inner]}}


def _text(shape: Text) -> dict[str, Any]:
    if shape.one_of:
        return {"type": "string", "enum": list(shape.one_of)}
    if shape.pattern:
        return {"type": "string", "pattern": f"^(?:{shape.pattern})$"}
    return {"type": _SCALAR}
