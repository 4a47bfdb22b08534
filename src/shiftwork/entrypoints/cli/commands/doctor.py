"""`shiftwork doctor`: tells before a run what a run would find missing."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from typing import Final

import click

from shiftwork.bootstrap.sandbox.agent_network import called_hosts
from shiftwork.bootstrap.sandbox.registries import registries_in_force
from shiftwork.bootstrap.sandbox.sandboxes import Sandboxes, kernel_guards, open_sandboxes
from shiftwork.bootstrap.work.agents import Place, build_agents, installed_instead
from shiftwork.bootstrap.work.notifications import channel_names, notify_problems
from shiftwork.bootstrap.work.ports import conduct_of, open_inbox
from shiftwork.bootstrap.work.repository import repository_problems
from shiftwork.config.project import Standing
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site, environment
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.domain.workflow.workflow import DYNAMIC, Workflow
from shiftwork.entrypoints.cli.env.conditions import (
    Conditions,
    conditions,
    ensure_ready,
    find_workflow,
    naming_gates,
    players,
)
from shiftwork.entrypoints.cli.env.repository import around
from shiftwork.entrypoints.cli.env.repository_checks import (
    branch_check,
    commit_checks,
    git_check,
    git_settings_checks,
    included_checks,
    registry_checks,
    search_path_checks,
    state_checks,
    trust_check,
)
from shiftwork.entrypoints.cli.env.trust import TRUST
from shiftwork.entrypoints.cli.gates.gate_checks import in_both_places, may_run_with_rights
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.check_line import FAIL, OK, WARN, Check, failed
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.visible_text import marked
from shiftwork.entrypoints.cli.work import limit_rules
from shiftwork.errors import EXIT_DONE, EXIT_FAILED, SettingsError, ShiftworkError
from shiftwork.ports.agent import Agent

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
    width = phrases.width()
    room = max(width - len(label), 40)
    parts = text.splitlines() or [""]
    return phrases.labelled(label, [line for part in parts for line in phrases.wrapped(part, room, most=_MOST_LINES)])


async def _examine(*, try_gates: bool, unconfined: bool) -> Sequence[Check]:
    checks = [git_check(), *search_path_checks()]
    try:
        site = around()
    except ShiftworkError as error:
        return [*checks, failed("settings" if isinstance(error, SettingsError) else "repository", error)]
    problems = await repository_problems(site, environment())
    unfit = [Check(name="repository", state=FAIL, detail=told, hint=hint) for told, hint in problems]
    checks += unfit or [Check(name="repository", state=OK, detail=str(site.root))]
    checks += state_checks(site)
    try:
        found = conditions(site, environment())
    except ShiftworkError as error:
        return [*checks, failed("settings", error)]
    if not unfit:
        checks += [await branch_check(site, found.settings), *await commit_checks(site), *git_settings_checks(site)]
    trust = trust_check(settings_claim(site.root))
    included = [*included_checks(site), *registry_checks(site)]
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


def _workflow(site: Site, settings: Settings) -> tuple[Workflow | None, list[Check]]:
    """The one that a run would follow, where nobody names another, and whether it could be kept within its limits."""
    try:
        chosen = find_workflow(site, settings, "", environment())
        limit_rules.check(settings, chosen.workflow, settings.limits.limits)
    except ShiftworkError as error:
        return None, [failed("workflow", error)]
    told = f"{chosen.name} from {chosen.path}" if chosen.claim else chosen.name
    trust = [trust_check(chosen.claim)] if chosen.claim else []
    return chosen.workflow, [
        Check(name="workflow", state=OK, detail=told),
        *(one for one in trust if one.state != OK),
    ]


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
