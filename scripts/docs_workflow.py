"""Writes the reference and the JSON Schema of workflow files from their tables; `--check` lists what is out of date."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from shiftwork.adapters.workflows._shapes import Field
from shiftwork.adapters.workflows.json_schema import SCHEMA_FILE, schema_text
from shiftwork.adapters.workflows.workflow_fields import TABLES

ROOT: Final = Path(__file__).resolve().parent.parent
HEAD: Final = """\
# Workflow files

<!-- scripts/docs_workflow.py writes this page from adapters/workflows/workflow_fields.py: change the tables there. -->

[How to write a workflow](../howto/write-a-workflow.md) starts with an example. Editors complete and check with
[`workflow.schema.json`](workflow.schema.json), which `shiftwork workflow schema` prints.
[What an agent answers](answers.md) says which keys are read from its last message, and in which forms.

YAML 1.2; at most 256 KiB. Keys that are not listed here are errors. Fields of antfarm that have no effect here are
accepted, and `shiftwork workflow validate` says so.
"""


def document() -> str:
    return "\n".join((HEAD, *(line for table in TABLES.values() for line in _table(table.name))))


def _table(name: str) -> Iterator[str]:
    table = TABLES[name]
    yield f"## {name}\n"
    yield f"{table.about}\n"
    yield "| field | value | |\n|---|---|---|"
    for item in table.fields:
        yield f"| `{item.name}`{' (required)' if item.required else ''} | {item.shape.description} | {_about(item)} |"
    yield ""


def _about(field_: Field) -> str:
    message = f"Accepted, without effect: {field_.idle}." if field_.idle else field_.about
    default = f" Default: `{field_.default}`." if field_.default else ""
    also = f" Also spelt {', '.join(f'`{other}`' for other in field_.also)}." if field_.also else ""
    return f"{message}{default}{also}"


def files() -> dict[Path, str]:
    return {
        ROOT / "docs/reference/workflow.md": document(),
        ROOT / "docs/reference" / SCHEMA_FILE: schema_text(),
        ROOT / "src/shiftwork/workflows" / SCHEMA_FILE: schema_text(),
    }


def main(arguments: list[str]) -> int:
    stale = [path for path, text in files().items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)} is out of date")
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files()[path], encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
