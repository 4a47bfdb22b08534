"""Commands whose last argument is a sentence: who forgets its quotes is shown where they belong."""

import shlex

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


def _quoted(sentence: str) -> str:
    """As people write it, where the shell lets that be."""
    return shlex.quote(sentence) if set(sentence) & set('"$`\\!') else f'"{sentence}"'
