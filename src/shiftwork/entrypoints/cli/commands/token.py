"""`shiftwork token`: the tokens for the HTTP API; each command is imported when it is called."""

import click

from shiftwork.entrypoints.cli.group import LazyGroup
from shiftwork.entrypoints.cli.registry import TOKEN_COMMANDS


@click.group(
    "token",
    cls=LazyGroup,
    groups={"Commands": TOKEN_COMMANDS},
    short_help="Create, list and revoke tokens for the HTTP API.",
)
def command() -> None:
    """Create, list and revoke the tokens with which programs use the HTTP API of this project.

    A viewer reads, an operator also answers, approves and steers runs, an admin also manages tokens. Only a hash of
    each token is stored, in the state folder of the project.
    """
