"""The options that all commands share that edit the steps of a story."""

from collections.abc import Callable
from typing import Any

import click

from shiftwork.entrypoints.cli.options.free_text import spoken

type _Command = Callable[..., Any]


def reasoned(*, required: bool) -> Callable[[_Command], _Command]:
    """Adds `--reason`, which agents of later steps and readers of the report see."""
    names, about = ("--reason", "--because"), "Why; recorded with the edit."
    if required:
        return click.option(*names, required=True, callback=spoken, metavar="TEXT", help=about)
    optional = f"{about} Default: that you asked."
    return click.option(*names, default="", callback=spoken, metavar="TEXT", help=optional)


def addressed(command: _Command) -> _Command:
    """Adds `--run` and `--json`."""
    run = click.option(
        "--run", default="", metavar="RUN", help="Run id, or its first characters; default: the newest run."
    )
    return run(click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command))
