"""Asks before the command of a new criterion runs on this machine whenever the story is to land."""

import shlex
import sys
from collections.abc import Iterator, Mapping

import click

from shiftwork.config.site import environment
from shiftwork.entrypoints.cli.env.trust import TRUST, can_ask_a_person
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.visible_text import in_lines
from shiftwork.errors import TrustError


def ensure_commands(story: str, commands: Mapping[str, str], *, trusted: bool) -> None:
    """Returns if there is no new command, or if the user agrees to those of these criteria; raises TrustError
    otherwise.
    """
    if not commands or trusted or environment().get(TRUST):
        return
    message = "\n".join((f"{story} would run what you have not trusted, each time it is to land:", *_lines(commands)))
    if not can_ask_a_person():
        raise TrustError(message, hint=f"look at it, then: {shlex.join(['shiftwork', *sys.argv[1:], '--trust'])}")
    click.echo(message)
    if not click.confirm("run these on this machine?"):
        raise TrustError("nothing was changed", hint="a criterion without a command runs nothing")


def _lines(commands: Mapping[str, str]) -> Iterator[str]:
    room = max(map(len, commands))
    for criterion, command in commands.items():
        yield from phrases.labelled(f"  {criterion:<{room}}  ", in_lines(command, None))
