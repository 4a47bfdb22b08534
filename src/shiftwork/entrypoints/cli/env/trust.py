"""Asks for consent before commands of a repository run for the first time, and again when they, or its guards and
limits, have changed.
"""

import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import takewhile
from shlex import quote
from typing import Final

import click

from shiftwork.bootstrap.outer_agent import agent_session_sign
from shiftwork.config.registries.project_registries import REGISTRIES
from shiftwork.config.site import SETTINGS_FILE, environment
from shiftwork.config.trust.consent_claims import Claim, Command, TrustedFiles
from shiftwork.config.trust.included_files import INCLUDE_FILE
from shiftwork.config.user import user_folder
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.visible_text import in_lines, marked
from shiftwork.errors import TrustError

GIT_SETTINGS: Final = "config"
"""The name of git's settings file of a repository."""

SETUP_COMMAND: Final = "the setup command"
"""In a claim about a found setup command, used in place of a file name."""

AGENT_SETTINGS: Final = "the agent's own settings"
"""The same for agent settings from the repository."""

_MOST_LINES: Final = 200
"""At most so many lines are shown at a terminal: the user has not seen what has scrolled away."""

_WIDEST_PLACE: Final = 40
"""In characters. One long name must not move all commands out of sight."""

TRUST: Final = "SHIFTWORK_TRUST"
"""If set to anything, the user is not asked: for scripts and for machines that only see their own repositories."""


def book(env: Mapping[str, str]) -> TrustedFiles:
    return TrustedFiles(user_folder(env))


def ensure(claim: Claim, env: Mapping[str, str], trusted: Collection[str] = ()) -> None:
    """Returns if the user has trusted, or now trusts, what the file says; raises TrustError otherwise. What was
    `trusted` for one run is identified by its digest: the user is not asked again about the same file.
    """
    known = book(env)
    if is_trusted(claim, env, trusted):
        if known.tightens(claim):  # from now on the tighter value is what a later one is compared with
            with suppress(TrustError):
                known.trust(claim)
        return
    before = known.before(claim)
    runs = claim.file.name != INCLUDE_FILE and claim.runs_more_than(before)
    new = "would run what you have not trusted" if runs else "says what you have not agreed to"
    if claim.file.name == INCLUDE_FILE:
        new = "copies uncommitted files of yours for agents and gates, which you have not agreed to"
    text = "\n".join(changes(before, claim.commands, ordered=claim.ordered))
    message = f"{claim.file.name} is the repository's, and {new}:\n{text}"
    if not can_ask_a_person():
        raise TrustError(message, hint=f"look at it, then: {next_command(claim)}")
    if (lines := text.count("\n") + 1) > _MOST_LINES:
        reason = f"{claim.file.name} is the repository's, and {new}, in {lines} lines: more than a screen shows at once"
        raise TrustError(reason, hint=f"look at all of it: {_shown(claim)} | less; then: {next_command(claim)}")
    click.echo(message)
    if not click.confirm("run these on this machine?" if runs else "do you agree to that?"):
        raise TrustError("nothing was run", hint=f"change {claim.file.name}, or: {next_command(claim)}")
    known.trust(claim)


def is_trusted(claim: Claim, env: Mapping[str, str], trusted: Collection[str] = ()) -> bool:
    """Whether no consent is needed. Copying no files any more needs no consent."""
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
    """All commands if nothing was trusted before, else only the differences. Texts are complete and unambiguous,
    because they come from the repository and may be crafted to be overlooked. With `ordered`, a moved line is a
    difference.
    """
    old, new = set(before), set(now)
    if ordered and before:
        shown = list(_moved(before, now))
    else:
        shown = [("-", command) for command in before if command not in new] + [
            ("+", command) for command in now if command not in old
        ]
    rows = [("" if not before else f"{sign} ", marked(command.where), command.text) for sign, command in shown]
    room = min(max((len(where) for _, where, _ in rows), default=0), _WIDEST_PLACE)
    for sign, where, text in rows:
        head = f"  {sign}{where:<{room}}  "
        yield from phrases.labelled(head, in_lines(text, phrases.width() - len(head) if sys.stdout.isatty() else None))


def _moved(before: tuple[Command, ...], now: tuple[Command, ...]) -> Iterator[tuple[str, Command]]:
    """The lines between the common beginning and the common end."""
    first = _alike(before, now)
    last = _alike(before[first:][::-1], now[first:][::-1])
    yield from (("-", command) for command in before[first : len(before) - last])
    yield from (("+", command) for command in now[first : len(now) - last])


def _alike(commands: tuple[Command, ...], other: tuple[Command, ...]) -> int:
    """How many lines both have in common at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(commands, other, strict=False)))


def can_ask_a_person() -> bool:
    """Whether a question reaches a person: at a terminal, and not in the session of an agent, which has them too."""
    here = sys.stdin.isatty() and sys.stdout.isatty() and "--json" not in sys.argv
    return here and not agent_session_sign(environment())


def check_no_agent(next_step: str) -> None:
    """Raises TrustError in the session of an agent: consent that is remembered is a person's."""
    if sign := agent_session_sign(environment()):
        message = f"only a person can agree to that, and this is the session of an agent: {sign}"
        raise TrustError(message, hint=f"a person types it, in a terminal of their own: {next_step}")


def offer_consent(claim: Claim, env: Mapping[str, str]) -> bool:
    """Shows everything in the file that the user has not agreed to, and asks; returns whether they agree. Without a
    person, or with more lines than a screen shows at once, nobody is asked.
    """
    known = book(env)
    lines = list(changes(known.before(claim), claim.commands, ordered=claim.ordered))
    if not can_ask_a_person() or sum(line.count("\n") + 1 for line in lines) > _MOST_LINES:
        return False
    click.echo("\n".join((f"{claim.file.name} now says what you have not agreed to:", *lines)))
    agreed = click.confirm("do you agree to that on this machine?")
    if agreed:
        known.trust(claim)
    return agreed
