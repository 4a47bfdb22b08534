"""`shiftwork trust`: shows what a file of the repository would run and which guards it sets, and remembers consent."""

import asyncio
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from shiftwork.app.commands.explain_gate import gates_for
from shiftwork.app.views.documents.commands import setup_documents as documents
from shiftwork.bootstrap.git_consent import git_claim, is_agreed
from shiftwork.bootstrap.state.open_git import files_to_copy
from shiftwork.bootstrap.workflows import choose
from shiftwork.config.registries.project_registries import registry_claim
from shiftwork.config.settings.settings import load_settings
from shiftwork.config.site import SETTINGS_FILE, Site, environment
from shiftwork.config.trust.consent_claims import Claim, settings_claim
from shiftwork.config.trust.gate_consents import GateConsents
from shiftwork.config.trust.included_files import INCLUDE_FILE, include_claim, patterns_of
from shiftwork.config.user import user_folder
from shiftwork.domain.gates.rung import Rung, rung_of
from shiftwork.entrypoints.cli.env.agent_trust import agent_claim
from shiftwork.entrypoints.cli.env.conditions import conditions
from shiftwork.entrypoints.cli.env.repository import around
from shiftwork.entrypoints.cli.env.run_choices import base_branch
from shiftwork.entrypoints.cli.env.setup_trust import setup_claim
from shiftwork.entrypoints.cli.env.trust import TRUST, book, changes, check_no_agent, is_trusted
from shiftwork.entrypoints.cli.gates import rung_consent
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.visible_text import marked
from shiftwork.entrypoints.cli.work.spec_source import asked_for, claim_of, protection_of
from shiftwork.errors import UsageError
from shiftwork.records import dataclass

_AGENT: Final = "agent"
_SETUP: Final = "setup"
_SPECS: Final = frozenset({".json", ".md", ".markdown"})
_NAMED: Final = 20
_BACK: Final = "sandbox"
_ACCESS: Final = (*(rung.word for rung in Rung if rung.needs_consent), _BACK)


@click.command("trust", short_help="Trust the shell commands of this repository's settings or of a workflow.")
@click.argument("what", default="", metavar="[WORKFLOW|SPEC|setup|agent]")
@click.option("--gate", default="", metavar="NAME", help="Set what this gate, or `setup`, may use outside the sandbox.")
@click.option(
    "--access",
    type=click.Choice(_ACCESS),
    help="Its access level: host is this machine's network; sandbox withdraws your consent.",
)
@click.option("--show", is_flag=True, help="Only show it.")
@click.option("--revoke", is_flag=True, help="Withdraw your consent: you are asked again before anything runs.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(what: str, *, gate: str, access: str | None, as_json: bool, **form: bool) -> None:
    """Allow the commands of shiftwork.toml, of WORKFLOW (a name or a path) or of the checks and verification steps of
    SPEC (a .json or .md file) to run on this machine.

    For shiftwork.toml you agree to everything that is not known to be harmless: guards, limits, the branch, the agent;
    to the patterns of .worktreeinclude, by which agents and gates get copies of files that are in no commit (the files
    that match now are shown); to package registries that the repository names (.npmrc, pyproject.toml and the like),
    which the setup command and gates may then call; and to filters that the repository's own git settings (.git/config)
    make git run, and to folders that it borrows objects from. For WORKFLOW you agree to its steps and decisions, and
    that it replaces another workflow of its name; for SPEC, to the tests that it lets stories change. These lists are
    remembered, for these files at this place, in your own configuration folder: you are asked again only when something
    in the lists changes.

    With the word setup you agree to the setup command that was found here and runs without a sandbox, as long as the
    dependency files stay as they are. With the word agent you agree to the agent's settings in the repository
    (.claude/settings.json, .codex/config.toml), which name hooks that run without a sandbox; look at them with git show
    BRANCH:FILE.

    With --gate and --access you agree that one gate runs with this machine's network, or without a sandbox. You are
    asked for this when a gate is red in the sandbox, and nothing else grants it: neither trust in the settings, nor
    --trust. For a check that a spec names, name the SPEC as well.

    --revoke withdraws what you have agreed to in a file, in all its earlier versions too.
    """
    site = around()
    if form["revoke"]:
        if gate or access or form["show"]:
            raise UsageError(
                "--revoke is about a file", hint="for a gate: shiftwork trust --gate NAME --access sandbox"
            )
        _revoke(site, what, as_json=as_json)
    elif gate or access:
        _let(site, _Let(what=what, gate=gate, access=access, show=form["show"]), as_json=as_json)
    else:
        _agree(site, what, show=form["show"], as_json=as_json)


def _agree(site: Site, what: str, *, show: bool, as_json: bool) -> None:
    env = environment()
    if not show:
        check_no_agent(shlex.join(("shiftwork", "trust", *([what] if what else []))))
    claims = _claims(site, what)
    known = book(env)
    trusted = [is_trusted(claim, {**env, TRUST: ""}) for claim in claims]
    for claim, already in zip(claims, trusted, strict=True):
        if not show and (claim.commands or not already):
            known.trust(claim)
    if as_json:
        shown = [
            _document(site, claim, trusted=already or not show) for claim, already in zip(claims, trusted, strict=True)
        ]
        git = git_claim(site, env)
        say(documents.Trust(claims=shown, git=_document(site, git, trusted=is_agreed(git, {**env, TRUST: ""}))))
        return
    for claim, already in zip(claims, trusted, strict=True):
        if already and not claim.commands:
            click.echo(f"{claim.file.name} runs nothing: there is nothing to trust")
            continue
        click.echo("\n".join(changes((), claim.commands)) or "  it runs nothing, and sets no guards or limits")
        if claim.file.name == INCLUDE_FILE:
            click.echo(_matching(copied(site, claim)))
        click.echo(_output(claim, trusted=already, show=show))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Let:
    """How far one gate may leave the sandbox: a gate of the settings, or of the spec `what`."""

    what: str
    gate: str
    access: str | None
    show: bool


def _revoke(site: Site, what: str, *, as_json: bool) -> None:
    """A file that runs nothing needs no consent: it counts as trusted afterwards too."""
    env = environment()
    known, claims = book(env), _claims(site, what)
    withdrawn = [known.revoke(claim) for claim in claims]
    if as_json:
        shown = [_document(site, claim, trusted=is_trusted(claim, {**env, TRUST: ""})) for claim in claims]
        git = git_claim(site, env)
        say(documents.Trust(claims=shown, git=_document(site, git, trusted=is_agreed(git, {**env, TRUST: ""}))))
        return
    for claim, was in zip(claims, withdrawn, strict=True):
        click.echo(f"{'no longer trusted' if was else 'was not trusted'}: {claim.file}")


def _let(site: Site, asked: _Let, *, as_json: bool) -> None:
    gate, access = asked.gate, asked.access
    if not gate or (access is None) is not asked.show:
        raise UsageError("--gate and --access go together", hint="shiftwork trust --gate NAME --access host")
    settings = conditions(site, environment()).settings
    gates = gates_for(settings.gate_list, asked_for(site, asked.what).spec) if asked.what else settings.gate_list
    line = rung_consent.named(settings, gates, gate)
    book = GateConsents(site.root, environment())
    if access is not None:
        if access != _BACK:
            check_no_agent(shlex.join(("shiftwork", "trust", "--gate", gate, "--access", access)))
        book.give(line, rung_of(access) or Rung.CUT)
    now = book.rungs().get(line, Rung.CUT)
    if as_json:
        say(documents.GateTrust(gate=gate, command=line, access=now.word if now.needs_consent else _BACK))
    else:
        rung_consent.announce(gate, line, now)


def _document(site: Site, claim: Claim, *, trusted: bool) -> documents.TrustClaim:
    return documents.TrustClaim(
        file=str(claim.file),
        sha256=claim.sha256,
        trusted=trusted,
        commands=[
            documents.TrustedCommand(where=item.where, text=item.text, execute=item.runs) for item in claim.commands
        ],
        files=copied(site, claim) if claim.file.name == INCLUDE_FILE else (),
    )


def copied(site: Site, claim: Claim) -> tuple[str, ...]:
    return asyncio.run(files_to_copy(site, environment(), patterns_of(claim)))


def _matching(files: Sequence[str]) -> str:
    """The names match the repository's patterns, and may be crafted to be overlooked."""
    shown = ", ".join(map(marked, files[:_NAMED])) + (f" and {len(files) - _NAMED} more" if len(files) > _NAMED else "")
    count = "1 file" if len(files) == 1 else f"{len(files)} files"
    return f"  agents and gates get a copy of {count} now: {shown}" if files else "  no file matches now"


def _output(claim: Claim, *, trusted: bool, show: bool) -> str:
    if show:
        return f"{'trusted' if trusted else 'not trusted'}: {claim.file}"
    return f"trusted: {claim.file}"


def _setup(site: Site) -> Claim:
    found = conditions(site, environment())
    if not found.setup:
        raise UsageError("no setup command was found here that is not in the settings", hint="shiftwork trust")
    return setup_claim(site, found.setup, environment(), base_branch(site, found.settings, environment()))


def _claims(site: Site, what: str) -> list[Claim]:
    if what == _SETUP:
        return [_setup(site)]
    if what == _AGENT:
        found = conditions(site, environment()).settings
        return [agent_claim(site, found, environment(), base_branch(site, found, environment()))]
    if what == INCLUDE_FILE:
        return [include_claim(site.root)]
    if what in {"", SETTINGS_FILE}:
        load_settings(site.root, {})  # reports mistakes in the file before it is trusted
        included = include_claim(site.root) if not what else None
        git = git_claim(site, environment()) if not what else None
        named = registry_claim(site.root) if not what else None
        return [settings_claim(site.root), *(claim for claim in (included, git, named) if claim and claim.commands)]
    if Path(what).suffix.lower() in _SPECS:
        protection = protection_of(conditions(site, {}).settings)
        return [claim_of(site, asked_for(site, what), protection) or Claim(file=Path(what), commands=())]
    chosen = choose(what, site.root, user_folder(environment()))
    return [chosen.claim or Claim(file=chosen.path or site.root, commands=())]
