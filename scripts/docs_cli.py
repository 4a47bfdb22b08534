"""Writes `docs/reference/cli.md` from the commands themselves; with `--check`, reports whether it is out of date."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from shiftwork.entrypoints.cli.group import group
from shiftwork.entrypoints.cli.registry import COMMANDS

DOCUMENT: Final = Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"

HEAD: Final = """\
# The command line

<!-- scripts/docs_cli.py writes this page from the commands: change the commands, not this page. -->

Every command takes `--json` and then prints one JSON document, or JSON lines if it runs for a while: see
[JSON](json.md). Errors go to standard error in two lines, what happened and what to try, or with `--json` to standard
output as a document. Commands that print progress take `--quiet` (`-q`): they print only their result and errors.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | failed |
| 2 | the run needs your answer, your approval or a higher limit |
| 64 | the command line, a settings file, a variable, a request or the repository is invalid; nothing was started |
| 130 | interrupted; `shiftwork resume` continues |
"""


def document() -> str:
    return "\n".join((HEAD, *_section("shiftwork", group), *_commands()))


def _commands() -> Iterator[str]:
    top = click.Context(group, info_name="shiftwork")
    for entry in COMMANDS:
        command = group.get_command(top, entry.name)
        if command is None:
            raise LookupError(f"{entry.name} is in the registry but has no command")
        yield from _section(f"shiftwork {entry.name}", command)
        if isinstance(command, click.Group):
            inner = click.Context(command, info_name=entry.name, parent=top)
            for name in command.list_commands(inner):
                below = command.get_command(inner, name)
                if below is None:
                    raise LookupError(f"{entry.name} {name} is in the registry but has no command")
                yield from _section(f"shiftwork {entry.name} {name}", below)


def _section(name: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=name)
    pieces = " ".join(command.collect_usage_pieces(context))
    yield f"## {name}\n"
    yield f"    {name} {pieces}\n"
    yield f"{_paragraphs(command.help or '')}\n"
    yield "| option | |\n|---|---|"
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if record:
            yield f"| `{record[0]}` | {record[1].strip()} |"
    yield ""


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def main(arguments: list[str]) -> int:
    text = document()
    if "--check" in arguments:
        fresh = DOCUMENT.exists() and DOCUMENT.read_text(encoding="utf-8") == text
        print(f"{DOCUMENT.name} is {'up to date' if fresh else 'out of date: run scripts/docs_cli.py'}")
        return 0 if fresh else 1
    DOCUMENT.parent.mkdir(parents=True, exist_ok=True)
    DOCUMENT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
