"""What people say in their own words: forgotten quotes are shown where they belong, and saying nothing is refused."""

import shlex
from typing import Any, Final

import click

from shiftwork.errors import UsageError


class SentenceCommand(click.Command):
    """Takes the words after its last argument for the rest of it, and refuses them with what was meant."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            names = [param.name for param in self.params if isinstance(param, click.Argument) and param.name]
            *before, begun = (str(ctx.params[name]) for name in names)
            typed = " ".join((ctx.command_path, *map(shlex.quote, before), _quoted(" ".join((begun, *rest)))))
            raise UsageError("a sentence needs quotes: only its first word was understood", hint=typed)
        return rest


_NOTHING: Final = frozenset({"", "…", "..."})
"""Beside no words at all, what stands for them where we show what to type."""


def is_blank(text: str) -> bool:
    """Whether nothing is said: a variable that is not set, or our own example copied as it stands."""
    return text.strip() in _NOTHING


def spoken(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """For arguments and options that somebody reads later: what was typed there must say something."""
    typed = ctx.get_parameter_source(str(param.name)) is not click.core.ParameterSource.DEFAULT
    if typed and any(map(is_blank, value if isinstance(value, tuple) else (value,))):
        option = [param.opts[0]] if isinstance(param, click.Option) else []
        others = (str(one.name) for one in ctx.command.params if isinstance(one, click.Argument) and one is not param)
        # Click looks at options first: what else was typed may not be known yet.
        before = [shlex.quote(ctx.params[name]) if name in ctx.params else name.upper() for name in others]
        hint = " ".join((ctx.command_path, *before, *option, '"your own words"'))
        raise UsageError(f"{param.opts[0] if option else f'the {param.name}'} is empty", hint=hint)
    return value


def _quoted(sentence: str) -> str:
    """As people write it, where the shell lets that be."""
    return shlex.quote(sentence) if set(sentence) & set('"$`\\!') else f'"{sentence}"'
