"""The option `--context key=value`: values for the prompts of a run."""

import re
from typing import Any, Final

import click

from shiftwork.domain.workflow.template_values import BUILT_IN, MEMORY
from shiftwork.entrypoints.cli.options.free_text import is_blank
from shiftwork.errors import UsageError

_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,63}")
MOST_BYTES: Final = 16_000
"""What a prompt shows of a value at most: see `prompts.lengths`, which is slow to import for `--help`."""

type Pairs = tuple[tuple[str, str], ...]


def read_pairs(ctx: click.Context, param: click.Parameter, value: Any) -> Pairs:  # noqa: ARG001 - a callback of click
    """Raises UsageError for a pair that no prompt could use."""
    found: dict[str, str] = {}
    for text in value:
        name, pair_value = _pair(text)
        if name in found:
            raise UsageError(f"--context names {name} twice", hint="name each value once")
        found[name] = pair_value
    if sum(len(item.encode(errors="replace")) for item in found.values()) > MOST_BYTES:
        message = f"the values of --context are longer than {MOST_BYTES:,} bytes"
        raise UsageError(message, hint="write them into a file of the repository, and name the file")
    return tuple(found.items())


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    name, value = name.strip().lower(), value.strip().replace("\0", "\ufffd")
    example = "shiftwork run --context issue=1234 …"
    if not equals or not _NAME.fullmatch(name):
        message = f"--context {text[:80]!r} is not a pair of a name (letters, digits and _) and a value"
        raise UsageError(message, hint=example)
    if name in BUILT_IN | MEMORY:
        raise UsageError(f"--context {name}: the run sets this value itself", hint=f"choose another name: {example}")
    if is_blank(value):
        raise UsageError(f"--context {name} is empty", hint=example)
    return name, value


def contextual(command: Any) -> Any:
    """Adds the option to a command."""
    text = "A value for the prompts, {{KEY}} in those of a workflow; may be repeated."
    return click.option("--context", multiple=True, callback=read_pairs, metavar="KEY=VALUE", help=text)(command)
