"""The option that leaves out progress: only results and errors are printed."""

from collections.abc import Callable
from typing import Any, Final

import click

_KEY: Final = "shiftwork.quiet"


def quietable(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--quiet` to a command; `is_quiet` reads it wherever progress is printed."""
    about = "Print only the result and errors, no progress."
    return click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=_remember, help=about)(command)


def _remember(ctx: click.Context, _option: click.Parameter, value: Any) -> None:
    ctx.meta[_KEY] = bool(value)


def is_quiet() -> bool:
    """Whether the command that runs now prints no progress."""
    ctx = click.get_current_context(silent=True)
    return bool(ctx and ctx.meta.get(_KEY))
