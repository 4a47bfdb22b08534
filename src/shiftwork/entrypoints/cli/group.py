"""The group of all commands: lists them from the registry, and imports a command only when it is called."""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click

from shiftwork.entrypoints.cli.options.first_day import shows_everything
from shiftwork.entrypoints.cli.registry import COMMANDS, FIRST_DAY, GROUPS, Entry
from shiftwork.errors import ShiftworkError

_NAMES: Final = max(len(entry.name) for entries in GROUPS.values() for entry in entries)
"""All groups have their help in one column."""


class LazyGroup(click.Group):
    """Lists commands in groups, in the order in which a new user needs them."""

    def __init__(self, *words: Any, groups: Mapping[str, tuple[Entry, ...]] = GROUPS, **more: Any) -> None:
        super().__init__(*words, **more)
        self.groups = groups
        self.entries = tuple(entry for entries in groups.values() for entry in entries)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # A group without a command shows its help.
        return super().parse_args(ctx, args or ([] if ctx.resilient_parsing else ["--help"]))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's shape
        return [entry.name for entry in self.entries]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's shape
        entry = next((entry for entry in self.entries if entry.name == cmd_name), None)
        if entry is None:
            return None
        command: click.Command = import_module(f"shiftwork.entrypoints.cli.commands.{entry.module}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = [entry.name for entry in self.entries]
        if args and args[0] not in known and not args[0].startswith("-"):
            meant = nearest(args[0], known)
            ctx.fail(f"there is no command {args[0]!r}{f'; did you mean {meant}?' if meant else ''}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        first_day = self.groups is GROUPS and not shows_everything(ctx)
        groups = {"Commands for a first day": FIRST_DAY} if first_day else self.groups
        for title, entries in groups.items():
            with formatter.section(title):
                formatter.write_dl([(entry.name.ljust(_NAMES), entry.help) for entry in entries])
        if first_day:
            formatter.write_paragraph()
            formatter.write_text(
                f"All {len(COMMANDS)} commands: shiftwork help --all. One of them: shiftwork help run."
            )


def nearest(name: str, known: list[str]) -> str:
    """The known name that a mistyped one is most like; empty if it is like none."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake pays for it

    return next(iter(get_close_matches(name, known, n=1)), "")


def _version(ctx: click.Context, _option: click.Parameter, wanted: Any) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version  # noqa: PLC0415 - reads the package's files: only when asked

        click.echo(f"shiftwork {version('shiftwork')}")
        ctx.exit()


def _warn() -> None:
    """Warns before anything is done, because a mistyped variable name would leave a guard without effect."""
    from shiftwork.config.site import environment  # noqa: PLC0415 - help does not need it
    from shiftwork.config.variables import without_effect  # noqa: PLC0415 - as above

    for name, meant in without_effect(environment()):
        if not meant and _is_named(name):
            continue
        near = f"; did you mean {meant}?" if meant else ""
        click.echo(f"shiftwork: warning: {name} has no effect: there is no such variable{near}", err=True)


def _is_named(name: str) -> bool:
    """Whether the settings name the variable, for agents or as a secret."""
    from shiftwork.bounded import read_text  # noqa: PLC0415 - as above
    from shiftwork.config.site import LARGEST, SETTINGS_FILE  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.env.repository import root_or_folder  # noqa: PLC0415 - as above

    try:
        return name in read_text(root_or_folder() / SETTINGS_FILE, LARGEST)
    except (OSError, ValueError, ShiftworkError):
        return False


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 failed, 2 needs your answer, approval or a higher limit, 64 wrong usage,"
    " 130 interrupted.",
)
@click.option("-C", "--cwd", metavar="DIR", default="", help="Work as if started in DIR.")
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def group(cwd: str) -> None:
    """Hand a whole feature to the coding agents you already have; get back finished, proven, landed work."""
    if cwd:
        try:
            os.chdir(cwd)
        except OSError as error:
            raise click.BadParameter(f"{cwd}: {error.strerror}", param_hint="-C") from None
    _warn()
