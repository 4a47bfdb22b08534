"""Asks before commands of a repository are run for the first time, and again when they, or its guards and limits, have
changed.
"""

import sys
from collections.abc import Collection, Iterator, Mapping
from itertools import takewhile
from shlex import quote
from typing import Final

import click

from shiftwork.config.registries.project_registries import REGISTRIES
from shiftwork.config.site import SETTINGS_FILE
from shiftwork.config.trust.consent_claims import Claim, Command, TrustBook
from shiftwork.config.trust.included_files import INCLUDE_FILE
from shiftwork.config.user import user_folder
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.visible_text import in_lines, marked
from shiftwork.errors import TrustError

GIT_SETTINGS: Final = "config"
"""What git calls the file of a repository's own settings."""

SETUP_COMMAND: Final = "the setup command"
"""What a claim about a setup command that was found is called in the place of a file."""

AGENT_SETTINGS: Final = "the agent's own settings"
"""The same for settings of an agent that the repository brings."""

_MOST_LINES: Final = 200
"""Of what is asked about at a terminal. What has scrolled away was not seen."""

_WIDEST_PLACE: Final = 40
"""Letters. One long name must not move all commands out of sight."""

TRUST: Final = "SHIFTWORK_TRUST"
"""Set to anything, nobody is asked: for scripts and for machines that only ever see repositories of their own."""


def book(env: Mapping[str, str]) -> TrustBook:
    return TrustBook(user_folder(env))


def ensure(claim: Claim, env: Mapping[str, str], trusted: Collection[str] = ()) -> None:
    """Return if the user has trusted, or trusts now, what the file says; raises TrustError otherwise. What was
    `trusted` for a run alone is known by its digest: the same file is not asked about again, another one is.
    """
    if is_trusted(claim, env, trusted):
        return
    known = book(env)
    before = known.before(claim)
    runs = claim.file.name != INCLUDE_FILE and claim.runs_more_than(before)
    new = "would run what you have not trusted" if runs else "says what you have not agreed to"
    if claim.file.name == INCLUDE_FILE:
        new = "has files of yours that are in no commit copied for agents and gates, which you have not agreed to"
    told = "\n".join(changes(before, claim.commands, ordered=claim.ordered))
    message = f"{claim.file.name} is the repository's, and {new}:\n{told}"
    if not at_a_terminal():
        raise TrustError(message, hint=f"look at it, then: {next_command(claim)}")
    if (lines := told.count("\n") + 1) > _MOST_LINES:
        reason = f"{claim.file.name} is the repository's, and {new}, in {lines} lines: more than a screen shows at once"
        raise TrustError(reason, hint=f"look at all of it: {_shown(claim)} | less; then: {next_command(claim)}")
    click.echo(message)
    if not click.confirm("run these on this machine?" if runs else "do you agree to that?"):
        raise TrustError("nothing was run", hint=f"change {claim.file.name}, or: {next_command(claim)}")
    known.trust(claim)


def is_trusted(claim: Claim, env: Mapping[str, str], trusted: Collection[str] = ()) -> bool:
    """Whether the user need not be asked. That no files are copied any more is nothing to agree to."""
    harmless = claim.file.name == INCLUDE_FILE and not claim.commands
    return bool(env.get(TRUST)) or harmless or claim.sha256 in trusted or book(env).trusts(claim)


def next_command(claim: Claim) -> str:
    if claim.file.name == SETUP_COMMAND:
        return "shiftwork trust setup"
    if claim.file.name == AGENT_SETTINGS:
        return "shiftwork trust agent"
    return (
        "shiftwork trust"
        if claim.file.name in {SETTINGS_FILE, INCLUDE_FILE, GIT_SETTINGS, REGISTRIES}
        else f"shiftwork trust {quote(str(claim.file))}"
    )


def _shown(claim: Claim) -> str:
    return next_command(claim).replace("shiftwork trust", "shiftwork trust --show", 1)


def changes(before: tuple[Command, ...], now: tuple[Command, ...], *, ordered: bool = False) -> Iterator[str]:
    """Everything where nothing was trusted before, else only what is different; whole, and so that it can be told from
    anything else: what is shown comes with the repository, and may have been written to be overlooked. Where the lines
    are `ordered`, one that has moved is different.
    """
    old, new = set(before), set(now)
    if ordered and before:
        shown = list(_moved(before, now))
    else:
        shown = [("-", one) for one in before if one not in new] + [("+", one) for one in now if one not in old]
    rows = [("" if not before else f"{sign} ", marked(one.where), one.text) for sign, one in shown]
    room = min(max((len(where) for _, where, _ in rows), default=0), _WIDEST_PLACE)
    for sign, where, text in rows:
        head = f"  {sign}{where:<{room}}  "
        yield from phrases.labelled(head, in_lines(text, phrases.width() - len(head) if sys.stdout.isatty() else None))


def _moved(before: tuple[Command, ...], now: tuple[Command, ...]) -> Iterator[tuple[str, Command]]:
    """The lines between what both begin with and what both end with."""
    first = _alike(before, now)
    last = _alike(before[first:][::-1], now[first:][::-1])
    yield from (("-", one) for one in before[first : len(before) - last])
    yield from (("+", one) for one in now[first : len(now) - last])


def _alike(one: tuple[Command, ...], other: tuple[Command, ...]) -> int:
    """How many lines both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def at_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and "--json" not in sys.argv
