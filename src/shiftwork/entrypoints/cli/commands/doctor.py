"""`shiftwork doctor`: checks before a run what the run needs."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import Final

import click

from shiftwork.app.commands.explain_gate import gates_for
from shiftwork.app.views.documents.commands.setup_documents import Doctor
from shiftwork.bootstrap.sandbox.agent_network import called_hosts
from shiftwork.bootstrap.sandbox.registries import registries_in_force
from shiftwork.bootstrap.sandbox.sandboxes import Sandboxes, kernel_guards, open_sandboxes
from shiftwork.bootstrap.state.open_inbox import open_leases
from shiftwork.bootstrap.work.agents import Place, build_agents, installed_instead
from shiftwork.bootstrap.work.hook_trial import HookTrial, SampleResult, try_sample
from shiftwork.bootstrap.work.notifications import channel_names, notify_problems
from shiftwork.bootstrap.work.ports import work_policy_of
from shiftwork.bootstrap.work.repository import repository_problems
from shiftwork.config.project import Ownership
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import SETTINGS_FILE, Site, environment, open_state
from shiftwork.config.templates.prd import PRD_FILE
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.workflow.workflow import AUTO, Workflow
from shiftwork.entrypoints.cli.env.conditions import Conditions, conditions, naming_gates
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
from shiftwork.entrypoints.cli.env.run_choices import ensure_ready, find_base, find_workflow, profiles
from shiftwork.entrypoints.cli.env.trust import TRUST, is_trusted, next_command
from shiftwork.entrypoints.cli.gates.gate_checks import in_both_places, may_run_with_rights
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.check_line import FAIL, OK, WARN, Check, failed
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.visible_text import marked
from shiftwork.entrypoints.cli.terminal.style import Line, Style, has_colors, joined
from shiftwork.entrypoints.cli.work import limit_rules
from shiftwork.entrypoints.cli.work.spec_source import asked_for, claim_of, protection_of
from shiftwork.errors import EXIT_DONE, EXIT_FAILED, SettingsError, ShiftworkError, UsageError
from shiftwork.ports.agent import Agent
from shiftwork.records import dataclass

_MOST_LINES: Final = 4
_STYLES: Final = {WARN: Style.YELLOW, FAIL: Style.RED}
_CONFINE: Final = 'SHIFTWORK_SANDBOX=auto shiftwork doctor, then tier = "auto" under [sandbox]'


@click.command("doctor", short_help="Check whether everything that a run needs is available.")
@click.argument("spec", default="", metavar="[SPEC]")
@click.option(
    "--gates",
    "try_gates",
    is_flag=True,
    help="Also run the gates: in a clean tree of the branch, and in your checkout.",
)
@click.option(
    "--unconfined", is_flag=True, help="With --gates: run a gate that is red in the sandbox in your checkout, too."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(spec: str, *, try_gates: bool, unconfined: bool, as_json: bool) -> int:
    """Check whether everything that a run needs is available, and say what to do if not.

    This costs nothing: the agent is only asked for its version and login. With --gates the gates run in a gate tree of
    the branch, as for any work. In a sandbox, each gate gets as little of the machine as it needs to be green; a gate
    that stays red runs in your checkout, without a sandbox, if you agree (--unconfined, or when you are asked). Without
    a sandbox all gates run in your checkout, too. If a gate is red only in the gate tree, the reason is shown. The
    checks that SPEC names for all of its work are gates as well, if you have trusted them; without SPEC, those of
    prd.json, if it is there. The exit code is 1 if any check fails.
    """
    if spec and not try_gates:
        raise UsageError("the checks of a spec are gates", hint=f"shiftwork doctor --gates {quote(spec)}")
    checks = asyncio.run(_examine(spec, try_gates=try_gates, unconfined=unconfined))
    failed = any(check.state == FAIL for check in checks)
    if as_json:
        say(Doctor(ok=not failed, checks=[check.document for check in checks]))
    else:
        colors = has_colors(environment())
        for check in checks:
            lines = (Line(line, _STYLES.get(check.state, Style.PLAIN)) for line in _output(check).split("\n"))
            click.echo(joined(lines, colors=colors), color=True)
        click.echo("")
        click.echo("fix the items marked fail" if failed else 'ready: shiftwork run "what you want done"')
    return EXIT_FAILED if failed else EXIT_DONE


def _output(check: Check) -> str:
    detail = _beside(f"{check.state:<5} {check.name:<11} ", "\n".join((check.detail, *check.lines)))
    hint = _beside(f"{'':<5} {'':<11} try: ", check.hint)
    return "\n".join((*detail, *hint))


def _beside(label: str, text: str) -> Iterator[str]:
    """Wraps the text between words, each line below the first; in a pipe the text stays as it is."""
    width = phrases.width()
    room = max(width - len(label), 40)
    parts = text.splitlines() or [""]
    return phrases.labelled(label, [line for part in parts for line in phrases.wrapped(part, room, most=_MOST_LINES)])


async def _examine(spec: str, *, try_gates: bool, unconfined: bool) -> Sequence[Check]:
    checks = [git_check(), *search_path_checks()]
    try:
        site = around()
    except ShiftworkError as error:
        return [*checks, failed("settings" if isinstance(error, SettingsError) else "repository", error)]
    problems = await repository_problems(site, environment())
    unfit = [Check(name="repository", state=FAIL, detail=message, hint=hint) for message, hint in problems]
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
    # Before the repository is trusted, no program that it names is started, not even for its version, and no database
    # is opened.
    trusted = trust.state == OK
    sandboxes, sandbox = await _sandbox(site, found.settings)
    agents = await _agents(site, found.settings, choice, sandboxes) if trusted and sandboxes else [_unasked(trusted)]
    closed = Check(name="database", state=WARN, detail="not opened: the file that names it is not trusted yet")
    if site.ownership is Ownership.UNREGISTERED:
        closed = Check(name="database", state=WARN, detail="not opened: the state is not adopted yet")
        database = closed
    else:
        database = await _database(site) if trusted or not site.claimed else closed
    rest = [*_notify(found.settings), database, _processes(sys.platform), sandbox, *_network(sandboxes)]
    own = (
        not found.found or bool(environment().get(TRUST)) or unconfined or bool(sandboxes and sandboxes.tier != "none")
    )
    asked = _Tried(spec=spec, trusted=trusted, own=own, unconfined=unconfined)
    tried = await _tried(site, found.settings, asked) if try_gates else ()
    gates = [_gates(site, found), *tried]
    message = await _message(site, found.settings, trusted=trusted, try_gates=try_gates) if not unfit else []
    return [*checks, *gates, *message, trust, *included, *workflow, *agents, *rest]


async def _message(site: Site, settings: Settings, *, trusted: bool, try_gates: bool) -> list[Check]:
    """Which hook judges the messages of landed commits, and whether it accepts a sample. Without --gates it is not
    tried where a setup command would have to run first.
    """
    if site.ownership is Ownership.UNREGISTERED:
        return []
    run = trusted and (try_gates or not settings.workspace.setup)
    try:
        branch = await find_base(site, settings, environment())
        tried = await try_sample(site, settings, environment(), branch, run=run)
    except ShiftworkError as error:
        return [failed("message", error)]
    return [_hook_check(tried)] if tried else []


_HOOKS: Final[dict[SampleResult, tuple[str, str, str]]] = {
    SampleResult.PASSED: (OK, "accepts a sample", ""),
    SampleResult.REFUSED: (
        WARN,
        "refuses a sample",
        f"change message under [commit] in {SETTINGS_FILE}, or: shiftwork config set commit.hook off",
    ),
    SampleResult.NOT_INSTALLED: (WARN, "is not asked: its program is not installed where gates run", ""),
    SampleResult.NOT_TRIED: (OK, "must accept the messages of commits that land; not tried without --gates", ""),
    SampleResult.TURNED_OFF: (OK, "is not asked: commit.hook is off", ""),
    SampleResult.UNCONFINED: (
        WARN,
        "is not asked: without a sandbox it would run with your rights",
        "shiftwork config set commit.hook always",
    ),
    SampleResult.OF_THE_CLONE: (OK, "is not asked: it is in no commit", ""),
}
"""The state, the words and what to type for each result."""


def _hook_check(tried: HookTrial) -> Check:
    state, text, hint = _HOOKS[tried.result]
    lines = [marked(line) for line in tried.text.split("\n") if line.strip()]
    more = f": {lines[0]}" if len(lines) == 1 else ""
    shown = () if len(lines) == 1 else tuple(lines)
    return Check(name="message", state=state, detail=f"{marked(tried.hook)} {text}{more}", lines=shown, hint=hint)


def _workflow(site: Site, settings: Settings) -> tuple[Workflow | None, list[Check]]:
    """The workflow that a run follows by default, and whether its limits can be enforced."""
    try:
        chosen = find_workflow(site, settings, "", environment())
        limit_rules.check(settings, chosen.workflow, settings.limits.limits)
    except ShiftworkError as error:
        return None, [failed("workflow", error)]
    message = f"{chosen.name} from {chosen.path}" if chosen.claim else chosen.name
    trust = [trust_check(chosen.claim)] if chosen.claim else []
    return chosen.workflow, [
        Check(name="workflow", state=OK, detail=message),
        *(check for check in trust if check.state != OK),
    ]


def _gates(site: Site, found: Conditions) -> Check:
    if found.settings.gates:
        setup = f"\nsetup found in this project: {marked(found.setup)}" if found.setup else ""
        return Check(name="gates", state=OK, detail=f"{found.note}{setup}")
    return Check(
        name="gates",
        state=WARN,
        detail="none: only the diff would be checked",
        hint=naming_gates(site),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """Which gates to run: those of the settings, and those that the `spec` names for all of its work. `own` is whether
    the gates may run without asking: in a sandbox, or because the user has agreed to them.
    """

    spec: str
    trusted: bool
    own: bool
    unconfined: bool


async def _tried(site: Site, settings: Settings, asked: _Tried) -> list[Check]:
    if not asked.trusted:
        return [Check(name="gates", state=WARN, detail="not run: the settings that name them are not trusted yet")]
    if not asked.own and not may_run_with_rights(settings):
        message = "not run: they were found in this repository, there is no sandbox, and you have not agreed to them"
        hint = "look at them, then: shiftwork doctor --gates --unconfined"
        return [Check(name="gates", state=WARN, detail=message, hint=hint)]
    try:
        gates, untrusted = _with_spec(site, settings, asked.spec)
    except ShiftworkError as error:
        return [failed("spec", error)]
    return [*untrusted, *await in_both_places(site, settings, gates, unconfined=asked.unconfined)]


def _with_spec(site: Site, settings: Settings, spec: str) -> tuple[tuple[Gate, ...], list[Check]]:
    """The gates of the settings and of the spec; a warning if the user has not trusted the latter, which then do not
    run.
    """
    file = spec or (PRD_FILE if Path(PRD_FILE).exists() else "")
    if not file:
        return settings.gate_list, []
    sheet = asked_for(site, file)
    claim = claim_of(site, sheet, protection_of(settings))
    if not sheet.spec.gates or claim is None or is_trusted(claim, environment()):
        return gates_for(settings.gate_list, sheet.spec), []
    names = ", ".join(marked(gate.name) for gate in sheet.spec.gates)
    message = f"{names} of {file}: not run, because you have not trusted them yet"
    hint = f"look at them, then: {next_command(claim)}"
    return settings.gate_list, [Check(name="gates", state=WARN, detail=message, hint=hint)]


async def _agents(site: Site, settings: Settings, workflow: Workflow | None, sandboxes: Sandboxes) -> list[Check]:
    """All agents that a run may use: its own, those of the workflow, and their fallbacks."""
    place = Place(env=environment(), sandbox=sandboxes.agents, root=site.root)
    try:
        agents = build_agents(settings, place)
    except ShiftworkError as error:
        return [failed("agent", error)]
    needed = profiles(settings.agent.use, workflow or AUTO, work_policy_of(settings))
    instead: dict[str, str] = {settings.agent.use: installed_instead(settings, environment())}
    names = sorted(needed, key=lambda name: name != settings.agent.use)
    return [await _agent(name, agents[name], instead.get(name, "")) for name in names]


async def _agent(name: str, agent: Agent, instead: str) -> Check:
    try:
        return Check(name="agent", state=OK, detail=f"{name}: {await ensure_ready(agent, instead)}")
    except ShiftworkError as error:
        return failed("agent", error)


def _unasked(trusted: bool) -> Check:  # noqa: FBT001 - one fact, and the only one
    why = "there is no sandbox in which to start it" if trusted else "the settings that name it are not trusted yet"
    return Check(name="agent", state=WARN, detail=f"not asked for its version: {why}")


def _notify(settings: Settings) -> list[Check]:
    """Without channels notifications are off, which is no reason for a warning."""
    channels = channel_names(settings)
    if not channels:
        return [Check(name="notify", state=OK, detail="notifications are off")]
    if problems := notify_problems(settings, environment()):
        return [failed("notify", error) for error in problems]
    message = f"{', '.join(channels)} on {', '.join(settings.notify.on)}"
    return [Check(name="notify", state=OK, detail=message)]


async def _database(site: Site) -> Check:
    """Opened for writing, as a run would open it; this includes write access to the state folder."""
    try:
        open_state(site)
        with open_leases(site):
            kind, _, place = site.store_url.partition("://")
            message = place.removeprefix("/") if kind == "sqlite" else kind
            return Check(name="database", state=OK, detail=f"{kind}: {message}" if kind == "sqlite" else kind)
    except ShiftworkError as error:
        return failed("database", error)
    except OSError as error:
        message = f"{site.state} cannot be written to: {error.strerror}"
        return Check(name="database", state=FAIL, detail=message, hint=f"see who owns it: ls -ld {site.root}")


def _processes(platform: str) -> Check:
    if platform == "linux":
        return Check(
            name="processes",
            state=OK,
            detail="processes that an agent leaves running are adopted and ended (subreaper)",
        )
    message = "found by their environment: a process that clears it and leaves its group may outlive its attempt"
    return Check(name="processes", state=WARN, detail=message)


_FORGEABLE: Final = "what a gate runs can forge the gate's result: it can reach the processes that judge it"


async def _sandbox(site: Site, settings: Settings) -> tuple[Sandboxes | None, Check]:
    """A sandbox is started as a test: even if it is installed, the kernel may not allow it."""
    try:
        registries = await registries_in_force(site, settings, environment())
        sandboxes = await open_sandboxes(site, settings, environment(), registries=registries)
    except ShiftworkError as error:
        return None, failed("sandbox", error)
    asked = settings.sandbox.tier
    more = {"asked": asked, "tier": sandboxes.tier, "reason": sandboxes.missing.message if sandboxes.missing else ""}
    if missing := sandboxes.missing:
        message = f"none: agents and gates run with your rights, because {missing.message}"
        return sandboxes, Check(
            name="sandbox", state=WARN, detail=message, lines=(_FORGEABLE,), hint=missing.hint, more=more
        )
    if asked == "none":
        message = "none, as the settings ask: agents and gates run with your rights, in folders of their own"
        hint = _CONFINE if sys.platform == "linux" else ""
        return sandboxes, Check(name="sandbox", state=WARN, detail=message, lines=(_FORGEABLE,), hint=hint, more=more)
    gates = settings.sandbox.gates.hosts
    lines = (
        "agents and gates see their own tree, the system and your tools",
        *(f"{name} calls {hosts} alone" for name, hosts in called_hosts(sandboxes.agents, settings, environment())),
        *((f"gates call {', '.join(gates)} alone",) if gates else ()),
        *(f"{gate.name} has {gate.forgeable}: {_FORGEABLE}" for gate in settings.gate_list if gate.forgeable),
        *kernel_guards(),
    )
    return sandboxes, Check(name="sandbox", state=OK, detail=sandboxes.tier, lines=lines, more=more)


def _network(sandboxes: Sandboxes | None) -> list[Check]:
    """Only if agents have more network access than they need."""
    return [Check(name="network", state=WARN, detail=sandboxes.network)] if sandboxes and sandboxes.network else []
