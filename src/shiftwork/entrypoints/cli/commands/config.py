"""`shiftwork config`: the commands about settings, each imported when it is called."""

import click

from shiftwork.entrypoints.cli.group import LazyGroup
from shiftwork.entrypoints.cli.registry import CONFIG_COMMANDS


@click.group(
    "config",
    cls=LazyGroup,
    groups={"Commands": CONFIG_COMMANDS},
    short_help="List, explain, change and check the settings.",
)
def command() -> None:
    """List, explain, change and check the settings.

    A value comes from an environment variable, else from shiftwork.toml, else it is the default. Gates and the setup
    command that no file names are those found in the project. Names are as in the file, with dots: limits.run_usd.
    """
