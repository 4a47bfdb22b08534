"""Help for a first day: a command with many options lists the usual ones, and `shiftwork help --all` lists the rest."""

from typing import Any, Final

import click

from shiftwork.entrypoints.cli.options.free_text import SentenceCommand

_EVERYTHING: Final = "shiftwork.everything"


def show_everything(ctx: click.Context) -> None:
    """Lets the help of this context, and of those below it, leave nothing out."""
    ctx.meta[_EVERYTHING] = True


def shows_everything(ctx: click.Context) -> bool:
    return bool(ctx.meta.get(_EVERYTHING))


class FirstDayCommand(SentenceCommand):
    """A command whose help lists the options in `usual` (separated by spaces), unless everything is asked for."""

    def __init__(self, *words: Any, usual: str, **more: Any) -> None:
        super().__init__(*words, **more)
        self.usual = frozenset(usual.split())

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if shows_everything(ctx):
            super().format_options(ctx, formatter)
            return
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        usual = [option for option in options if self.usual & {*option.opts}]
        with formatter.section("Options"):
            formatter.write_dl([record for option in usual if (record := option.get_help_record(ctx))])
        formatter.write_paragraph()
        formatter.write_text(f"{len(options) - len(usual)} more options: shiftwork help {ctx.info_name} --all")
