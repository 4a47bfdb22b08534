"""Free text from people: missing quotes are shown where they belong, and empty text is refused."""

import shlex
import sys
from typing import Any, Final

import click

from shiftwork.errors import UsageError


class SentenceCommand(click.Command):
    """Counts further words as part of the last argument, and refuses them with a correctly quoted command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            names = [param.name for param in self.params if isinstance(param, click.Argument) and param.name]
            *before, begun = (str(ctx.params[name]) for name in names)
            typed = " ".join((ctx.command_path, *map(shlex.quote, before), _quoted(" ".join((begun, *rest)))))
            raise UsageError("a sentence needs quotes: only its first word was understood", hint=typed)
        return rest


_NOTHING: Final = frozenset({"", "…", "...", "-"})
"""Counts as empty: no text, the placeholders in our own examples, and the name of standard input."""

STANDARD_INPUT: Final = "-"
_LARGEST: Final = 1024 * 1024


def is_blank(text: str) -> bool:
    """Whether the text is empty: an unset variable, or our own example copied."""
    return text.strip() in _NOTHING


def request_of(typed: str) -> str:
    """The request as typed; for `-`, the text on standard input. That is never a path: it ends with a line break."""
    if typed != STANDARD_INPUT:
        return typed
    if sys.stdin.isatty():
        raise UsageError("- reads standard input, which is the terminal", hint='shiftwork run "what you want done"')
    content = sys.stdin.buffer.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise UsageError("standard input has more than 1 MiB", hint="write it to a file: shiftwork run plan.md")
    try:
        return f"{content.decode().strip()}\n"
    except UnicodeDecodeError as error:
        raise UsageError(
            f"standard input is not UTF-8: {error.reason}", hint="convert it, for instance: iconv"
        ) from None


def spoken(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """For arguments and options that people or agents read later: they must not be empty."""
    typed = ctx.get_parameter_source(str(param.name)) is not click.core.ParameterSource.DEFAULT
    if typed and any(map(is_blank, value if isinstance(value, tuple) else (value,))):
        option = [param.opts[0]] if isinstance(param, click.Option) else []
        others = (
            str(parameter.name)
            for parameter in ctx.command.params
            if isinstance(parameter, click.Argument) and parameter is not param
        )
        # Click parses options first: other arguments may not be known yet.
        before = [shlex.quote(ctx.params[name]) if name in ctx.params else name.upper() for name in others]
        hint = " ".join((ctx.command_path, *before, *option, '"your own words"'))
        raise UsageError(f"{param.opts[0] if option else f'the {param.name}'} is empty", hint=hint)
    return value


def _quoted(sentence: str) -> str:
    """In double quotes, unless the shell would interpret something in it."""
    return shlex.quote(sentence) if set(sentence) & set('"$`\\!') else f'"{sentence}"'
