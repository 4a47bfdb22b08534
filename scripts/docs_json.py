"""Writes the JSON Schemas of all documents and their reference; `--check` lists what is out of date."""

import sys
from collections.abc import Callable, Iterator
from json import dumps
from pathlib import Path
from typing import Any, Final

from shiftwork.app.views.documents.catalogue import DOCUMENTS
from shiftwork.app.views.documents.document_schema import schema
from shiftwork.entrypoints.cli.registry import PRINTS

ROOT: Final = Path(__file__).resolve().parent.parent
SCHEMAS: Final = ROOT / "src/shiftwork/schemas"
REFERENCE: Final = ROOT / "docs/reference/json.md"
HEAD: Final = """\
# JSON

<!-- scripts/docs_json.py writes this page from app/views/documents: change the records there. -->

Every command has `--json`: it prints one document on one line. Commands that work on a run print a stream: one
[event](#event) a line, and a [result](#result) as the last line. If a command fails, its last line is an
[error](#error). The documents are described by JSON Schema, which is part of the package:
`shiftwork schema` lists the kinds, and `shiftwork schema run` prints one.

- `schema` says what a document is: `shiftwork/<kind>/<version>`. Within a version fields are only added: ignore those
  that you do not know. A field that changes or goes makes a new version.
- Every field is always there. `null` means that it is unknown or does not apply; a text that does not apply is empty.
- Times are ISO 8601 in UTC: `2026-01-31T12:00:00.000Z`. Durations end in `_seconds`, amounts of money in `_usd`.
- `run`, `story`, `step` and `attempt` identify the work: the ids of a run, of a story in it and of a step of the story,
  and the number of the attempt at that step. Every event has all four, and its time.
- `state` is one of `{states}`; `status` is what is recorded.
- A field has the same meaning and form in all documents.
- Characters outside ASCII are escaped, so that no text in a document can affect a terminal.
"""


def files() -> dict[Path, str]:
    schemas = {SCHEMAS / f"{kind}.json": f"{dumps(schema(kind), indent=1)}\n" for kind in DOCUMENTS}
    return {REFERENCE: reference(), **schemas}


def reference() -> str:
    parts: dict[str, Any] = {}
    lines: list[str] = []
    for kind in DOCUMENTS:
        described = schema(kind)
        parts |= described.get("$defs", {})
        lines += [f"## {kind}\n", *_commands(kind), *_forms(described)]
    lines.append("# Parts of documents\n")
    for name, part in sorted(parts.items()):
        lines += [f"## {name}\n", *_form(part)]
    states = "`, `".join(schema("run")["properties"]["state"]["enum"])
    return "\n".join((HEAD.replace("{states}", states), *lines))


def _commands(kind: str) -> Iterator[str]:
    if printing := [name for name, kinds in PRINTS.items() if kind in kinds]:
        yield f"Printed by {', '.join(f'`{name}`' for name in printing)}.\n"


def _forms(described: Any) -> Iterator[str]:
    for form in described.get("anyOf", [described]):
        yield from _form(form)


def _form(form: Any) -> Iterator[str]:
    yield f"{form['description']}\n"
    yield "| field | value | |\n|---|---|---|"
    for name, field in form["properties"].items():
        yield f"| `{name}` | {_value(field)} | {field['description']} |"
    yield ""


def _value(field: Any) -> str:
    return next((_SAID[key](field) for key in _SAID if key in field), "any value")


def _typed(field: Any) -> str:
    kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
    match kinds:
        case ["array"]:
            return f"list of {_value(field['items'])}"
        case ["object"]:
            return f"object of {_value(field['additionalProperties'])}"
        case _:
            return " or ".join("time" if kind == "string" and "format" in field else kind for kind in kinds)


def _part(field: Any) -> str:
    name = field["$ref"].rpartition("/")[2]
    return f"[{name}](#{name.lower()})"


_SAID: Final[dict[str, Callable[[Any], str]]] = {
    "const": lambda field: f"`{field['const']}`",
    "enum": lambda field: ", ".join(f"`{value}`" for value in field["enum"]),
    "$ref": _part,
    "anyOf": lambda field: " or ".join(map(_value, field["anyOf"])),
    "type": _typed,
}
"""How a form is described, by the word of JSON Schema that says what it is."""


def main(arguments: list[str]) -> int:
    wanted = files()
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    stale += [path for path in SCHEMAS.glob("*.json") if path not in wanted]
    for path in stale:
        print(f"{path.relative_to(ROOT)} is out of date")
        if "--check" in arguments:
            continue
        if path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
        else:
            path.unlink()
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
