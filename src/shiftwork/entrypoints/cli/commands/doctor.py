"""`shiftwork doctor`: tells before a run what a run would find missing."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from shiftwork.bootstrap.agent_network import called_hosts
from shiftwork.bootstrap.agents import Place, build_agents, installed_instead
from shiftwork.bootstrap.git_consent import git_claim, is_agreed
from shiftwork.bootstrap.notifying import channel_names, notify_problems
from shiftwork.bootstrap.registries import registries_in_force
from shiftwork.bootstrap.sandboxing import Sandboxes, kernel_guards, open_sandboxes
from shiftwork.bootstrap.working import commit_remarks, conduct_of, open_inbox, repository_problems
from shiftwork.config.includes import include_claim
from shiftwork.config.project import Standing, unregistered
from shiftwork.config.registries.project import registry_claim
from shiftwork.config.settings import Settings
from shiftwork.config.site import LEFTOVER, Site, environment, left_out
from shiftwork.config.trust import Claim, settings_claim
from shiftwork.domain.model.workflow import DYNAMIC, Workflow
from shiftwork.entrypoints.cli import limiting, words
from shiftwork.entrypoints.cli.checkup import FAIL, OK, WARN, Check, failed
from shiftwork.entrypoints.cli.conditions import (
    Conditions,
    conditions,
    ensure_ready,
    find_base,
    find_workflow,
    naming_gates,
    players,
)
from shiftwork.entrypoints.cli.documents import say
from shiftwork.entrypoints.cli.exactly import marked
from shiftwork.entrypoints.cli.gate_checks import in_both_places, may_run_with_rights
from shiftwork.entrypoints.cli.here import around
from shiftwork.entrypoints.cli.trusting import TRUST, book, is_trusted, next_command
from shiftwork.errors import EXIT_DONE, EXIT_FAILED, SettingsError, ShiftworkError
from shiftwork.ports.agent import Agent
from shiftwork.search_paths import tool

_MOST_LINES: Final = 4
_CONFINE: Final = 'SHIFTWORK_SANDBOX=auto shiftwork doctor, then tier = "auto" under [sandbox]'


@click.command("doctor", short_help="Tell whether everything that a run needs is there.")
@click.option(
    "--gates", "try_gates", is_flag=True, help="Run the gates too: on the branch as it is now, and in your checkout."
)
@click.option(
    "--unconfined", is_flag=True, help="With --gates: where one is red in the sandbox, run it in your checkout, too."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, try_gates: bool, unconfined: bool, as_json: bool) -> int:
    """Tell whether everything that a run needs is there, and what to do where it is not.

    Nothing is spent: the agent is only asked for its version and login. With --gates the gates run in a gate tree of
    the branch, as for any work. Where there is a sandbox, each gate gets as little of the machine as it needs to be
    green there; one that stays red runs in your checkout, without a sandbox, if you agree to that (--unconfined, or
    when you are asked). Without a sandbox all run in your checkout, too. A gate that is red in the gate tree alone is
    explained. The exit code is 1 if anything has failed.
    """
    checks = asyncio.run(_examine(try_gates=try_gates, unconfined=unconfined))
    failed = any(check.state == FAIL for check in checks)
    if as_json:
        say({"ok": not failed, "checks": [check.document for check in checks]})
    else:
        for check in checks:
            click.echo(_told(check))
        click.echo("")
        click.echo("fix the items marked fail" if failed else 'ready: shiftwork run "what you want done"')
    return EXIT_FAILED if failed else EXIT_DONE


def _told(check: Check) -> str:
    detail = _beside(f"{check.state:<5} {check.name:<11} ", check.detail)
    hint = _beside(f"{'':<5} {'':<11} try: ", check.hint)
    return "\n".join((*detail, *hint))


def _beside(label: str, text: str) -> Iterator[str]:
    """In lines that end between words, one below the other; whoever reads from a pipe gets them as they were."""
    width = words.width()
    room = max(width - len(label), 40)
    parts = text.splitlines() or [""]
    return words.labelled(label, [line for part in parts for line in words.wrapped(part, room, most=_MOST_LINES)])


async def _examine(*, try_gates: bool, unconfined: bool) -> Sequence[Check]:
    checks = [_git(), *_search_paths()]
    try:
        site = around()
    except ShiftworkError as error:
        return [*checks, failed("settings" if isinstance(error, SettingsError) else "repository", error)]
    problems = await repository_problems(site, environment())
    unfit = [Check(name="repository", state=FAIL, detail=told, hint=hint) for told, hint in problems]
    checks += unfit or [Check(name="repository", state=OK, detail=str(site.root))]
    checks += _state(site)
    try:
        found = conditions(site, environment())
    except ShiftworkError as error:
        return [*checks, failed("settings", error)]
    if not unfit:
        checks += [await _branch(site, found.settings), *await _commits(site), *_git_settings(site)]
    trust = _trust(settings_claim(site.root))
    included = [*_included(site), *_registries(site)]
    choice, workflow = _workflow(site, found.settings)
    # A program that the repository names is not even asked for its version before it is trusted, nor a database opened.
    trusted = trust.state == OK
    sandboxes, sandbox = await _sandbox(site, found.settings)
    agents = await _agents(site, found.settings, choice, sandboxes) if trusted and sandboxes else [_unasked(trusted)]
    closed = Check(name="database", state=WARN, detail="not opened: the file that names it is not trusted yet")
    if site.standing is Standing.UNREGISTERED:
        closed = Check(name="database", state=WARN, detail="not opened: the state is not yours yet")
        database = closed
    else:
        database = await _database(site) if trusted or not site.claimed else closed
    rest = [*_notify(found.settings), database, _processes(sys.platform), sandbox, *_network(sandboxes)]
    own = (
        not found.found or bool(environment().get(TRUST)) or unconfined or bool(sandboxes and sandboxes.tier != "none")
    )
    tried = await _tried(site, found.settings, trusted=trusted, own=own, unconfined=unconfined) if try_gates else ()
    gates = [_gates(site, found), *tried]
    return [*checks, *gates, trust, *included, *workflow, *agents, *rest]


def _state(site: Site) -> list[Check]:
    """What an archive, a copied folder or a clone may have brought."""
    if site.standing is Standing.UNREGISTERED:
        return [failed("state", unregistered(site.whereabouts)), *_leftover(site)]
    return _leftover(site)


def _leftover(site: Site) -> list[Check]:
    if not os.path.lexists(site.root / LEFTOVER):
        return []
    found = f"{LEFTOVER} lies in the checkout and is not read: the state of runs is in {site.state}"
    return [Check(name="state", state=WARN, detail=found, hint=f"look at it, then: rm -r {LEFTOVER}")]


def _trust(claim: Claim) -> Check:
    if environment().get(TRUST) or book(environment()).trusts(claim):
        told = f"you have trusted {claim.file.name}" if claim.commands else "the repository's settings run nothing"
        return Check(name="trust", state=OK, detail=told)
    told = f"{claim.file.name} has commands, guards or limits that you have not trusted"
    return Check(name="trust", state=FAIL, detail=told, hint=f"look at them, then: {next_command(claim)}")


def _included(site: Site) -> list[Check]:
    """Until the list is agreed to, nothing is copied: gates may be red for want of a file, and should not be so
    unexplained.
    """
    claim = include_claim(site.root)
    if not claim.commands or is_trusted(claim, environment()):
        return []
    told = f"{claim.file.name} names files of yours to copy for agents and gates; until you agree, none is copied"
    return [Check(name="trust", state=FAIL, detail=told, hint=f"look at it, then: {next_command(claim)}")]


def _registries(site: Site) -> list[Check]:
    """Said only where there is something to agree to."""
    claim = registry_claim(site.root)
    if not claim.commands or is_trusted(claim, environment()):
        return []
    named = ", ".join(dict.fromkeys(one.text for one in claim.commands))
    told = f"this repository names package registries; until you agree, none is called for that: {named}"
    return [Check(name="trust", state=WARN, detail=marked(told), hint=f"look at them, then: {next_command(claim)}")]


def _git_settings(site: Site) -> list[Check]:
    """Said only where there is something to agree to."""
    claim = git_claim(site, environment())
    if is_agreed(claim, environment()):
        return []
    told = f".git/config names programs or folders that you have not agreed to: {claim.commands[0].where}"
    return [Check(name="trust", state=WARN, detail=marked(told), hint=f"look at them, then: {next_command(claim)}")]


def _git() -> Check:
    env = environment()
    asked = (tool("git", env, (Path.cwd(),)) or "git", "--version")
    try:
        told = subprocess.run(asked, cwd="/", env=env, capture_output=True, text=True, check=True)  # noqa: S603 - fixed words
    except (OSError, subprocess.CalledProcessError):
        return Check(name="git", state=FAIL, detail="git cannot be started", hint="install git 2.38 or newer")
    return Check(name="git", state=OK, detail=told.stdout.strip())


def _search_paths() -> list[Check]:
    """An element that means the working directory would have programs of an agent's tree run."""
    rows = ((name, ", ".join(one or '""' for one in parts)) for name, parts in left_out().items())
    told = "; ".join(f"{name} has {parts}" for name, parts in rows)
    if not told:
        return []
    detail = f"relative and empty elements of search paths are left out for every program that is started: {told}"
    return [Check(name="environment", state=WARN, detail=detail, hint="use absolute folders there")]


async def _branch(site: Site, settings: Settings) -> Check:
    try:
        return Check(name="branch", state=OK, detail=await find_base(site, settings, environment()))
    except ShiftworkError as error:
        return failed("branch", error)


def _workflow(site: Site, settings: Settings) -> tuple[Workflow | None, list[Check]]:
    """The one that a run would follow, where nobody names another, and whether it could be kept within its limits."""
    try:
        chosen = find_workflow(site, settings, "", environment())
        limiting.check(settings, chosen.workflow, settings.limits.limits)
    except ShiftworkError as error:
        return None, [failed("workflow", error)]
    told = f"{chosen.name} from {chosen.path}" if chosen.claim else chosen.name
    trust = [_trust(chosen.claim)] if chosen.claim else []
    return chosen.workflow, [
        Check(name="workflow", state=OK, detail=told),
        *(one for one in trust if one.state != OK),
    ]


async def _commits(site: Site) -> list[Check]:
    """Nothing that a run would stumble over: it is as well to know of it before the first commit is there."""
    remarks = await commit_remarks(site, environment())
    return [Check(name="commits", state=WARN, detail=told, hint=hint) for told, hint in remarks]


def _gates(site: Site, found: Conditions) -> Check:
    if found.settings.gates:
        setup = f"\nsetup found in this project: {marked(found.setup)}" if found.setup else ""
        return Check(name="gates", state=OK, detail=f"{found.note}{setup}")
    return Check(
        name="gates",
        state=WARN,
        detail="none: nothing but the diff would be checked",
        hint=naming_gates(site),
    )


async def _tried(site: Site, settings: Settings, *, trusted: bool, own: bool, unconfined: bool) -> list[Check]:
    """`own` is whether nobody need be asked: there is a sandbox, or the user has agreed to these commands."""
    if not trusted:
        return [Check(name="gates", state=WARN, detail="not run: the settings that name them are not trusted yet")]
    if not own and not may_run_with_rights(settings):
        told = "not run: they were found in this repository, there is no sandbox, and nobody has agreed to them"
        hint = "look at them, then: shiftwork doctor --gates --unconfined"
        return [Check(name="gates", state=WARN, detail=told, hint=hint)]
    return await in_both_places(site, settings, unconfined=unconfined)


async def _agents(site: Site, settings: Settings, workflow: Workflow | None, sandboxes: Sandboxes) -> list[Check]:
    """All that a run would ask first: its own, those of the workflow, and whoever may go on in their place."""
    place = Place(env=environment(), sandbox=sandboxes.agents, root=site.root)
    try:
        agents = build_agents(settings, place)
    except ShiftworkError as error:
        return [failed("agent", error)]
    needed = players(settings.agent.use, workflow or DYNAMIC, conduct_of(settings))
    instead: dict[str, str] = {settings.agent.use: installed_instead(settings, environment())}
    names = sorted(needed, key=lambda name: name != settings.agent.use)
    return [await _agent(name, agents[name], instead.get(name, "")) for name in names]


async def _agent(name: str, agent: Agent, instead: str) -> Check:
    try:
        return Check(name="agent", state=OK, detail=f"{name}: {await ensure_ready(agent, instead)}")
    except ShiftworkError as error:
        return failed("agent", error)


def _unasked(trusted: bool) -> Check:  # noqa: FBT001 - one fact, and the only one
    why = "there is no sandbox to start it in" if trusted else "the settings that name it are not trusted yet"
    return Check(name="agent", state=WARN, detail=f"not asked for its version: {why}")


def _notify(settings: Settings) -> list[Check]:
    """Quiet is how it is meant to be, and no matter for a warning."""
    channels = channel_names(settings)
    if not channels:
        return [Check(name="notify", state=OK, detail="nobody is told of anything")]
    if problems := notify_problems(settings, environment()):
        return [failed("notify", error) for error in problems]
    told = f"{', '.join(channels)} on {', '.join(settings.notify.on)}"
    return [Check(name="notify", state=OK, detail=told)]


async def _database(site: Site) -> Check:
    """Opened for writing, as a run would open it; that the state folder can be written to is part of it."""
    try:
        async with open_inbox(site):
            kind, _, place = site.store_url.partition("://")
            told = place.removeprefix("/") if kind == "sqlite" else kind
            return Check(name="database", state=OK, detail=f"{kind}: {told}" if kind == "sqlite" else kind)
    except ShiftworkError as error:
        return failed("database", error)
    except OSError as error:
        told = f"{site.state} cannot be written to: {error.strerror}"
        return Check(name="database", state=FAIL, detail=told, hint=f"see who owns it: ls -ld {site.root}")


def _processes(platform: str) -> Check:
    if platform == "linux":
        return Check(name="processes", state=OK, detail="what an agent leaves behind is adopted and ended (subreaper)")
    told = "found by their environment: a process that clears it and leaves its group may outlive its attempt"
    return Check(name="processes", state=WARN, detail=told)


async def _sandbox(site: Site, settings: Settings) -> tuple[Sandboxes | None, Check]:
    """One is run: that it is installed does not say that the kernel lets it be."""
    try:
        registries = await registries_in_force(site, settings, environment())
        sandboxes = await open_sandboxes(site, settings, environment(), registries=registries)
    except ShiftworkError as error:
        return None, failed("sandbox", error)
    asked = settings.sandbox.tier
    more = {"asked": asked, "tier": sandboxes.tier, "reason": sandboxes.missing.message if sandboxes.missing else ""}
    if missing := sandboxes.missing:
        told = f"none: agents and gates run with your rights, because {missing.message}"
        return sandboxes, Check(name="sandbox", state=WARN, detail=told, hint=missing.hint, more=more)
    if asked == "none":
        told = "none, as the settings ask: agents and gates run with your rights, in folders of their own"
        hint = _CONFINE if sys.platform == "linux" else ""
        return sandboxes, Check(name="sandbox", state=WARN, detail=told, hint=hint, more=more)
    told = f"{sandboxes.tier}: agents and gates see their own tree, the system and your tools"
    gates = settings.sandbox.gates.hosts
    calls = (
        *(f"{name} calls {hosts} alone" for name, hosts in called_hosts(sandboxes.agents, settings, environment())),
        *((f"gates call {', '.join(gates)} alone",) if gates else ()),
    )
    return sandboxes, Check(name="sandbox", state=OK, detail="; ".join((told, *calls, *kernel_guards())), more=more)


def _network(sandboxes: Sandboxes | None) -> list[Check]:
    """Only where it is more than agents need."""
    return [Check(name="network", state=WARN, detail=sandboxes.network)] if sandboxes and sandboxes.network else []
