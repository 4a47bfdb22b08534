"""The settings for the work here, completed by what is found in the project."""

import asyncio
from collections.abc import Collection, Mapping

from shiftwork.app.runtime.context import WorkPolicy
from shiftwork.bootstrap.work.needed_extras import ensure_extras
from shiftwork.bootstrap.work.repository import current_branch, has_branch, is_branch_name
from shiftwork.bootstrap.workflows import Choice, choose
from shiftwork.config.detection.project_gates import detect
from shiftwork.config.registries.project_registries import addresses_of, registry_claim
from shiftwork.config.settings.recorded import recorded
from shiftwork.config.settings.sections import GateSettings
from shiftwork.config.settings.settings import NOTHING_NAMED, Named, Settings, load_settings, own_agent
from shiftwork.config.site import SETTINGS_FILE, Site
from shiftwork.config.trust.agreement import Agreed
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.config.trust.included_files import include_claim, patterns_of
from shiftwork.config.user import user_folder
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.workflow.workflow import AUTO, Workflow
from shiftwork.entrypoints.cli.env.trust import ensure, is_trusted
from shiftwork.entrypoints.cli.render.visible_text import marked
from shiftwork.errors import AgentMissingError, UnfitRepositoryError, UsageError
from shiftwork.ports.agent import Agent
from shiftwork.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """`note` says in one line where the gates come from; `read` is what a run records of the settings when it starts.
    `found` is whether gates were found in the project, if the settings name none.
    """

    settings: Settings
    note: str
    read: Mapping[str, str]
    found: bool = False
    setup: str = ""


def naming_gates(site: Site) -> str:
    """What to do if no gates are named and none were found."""
    named = f"name your checks under [gates] in {SETTINGS_FILE}"
    return named if (site.root / SETTINGS_FILE).exists() else f"shiftwork init, then {named}"


def trusted_conditions(site: Site, env: Mapping[str, str], named: Named = NOTHING_NAMED) -> Conditions:
    """The conditions, once the user has trusted what the settings would run."""
    found = conditions(site, env, named)
    ensure(settings_claim(site.root), env)
    return agreed(found, site, env)


def claimed(site: Site) -> tuple[str, ...]:
    """What is trusted for one run only, by its digests: the settings, the list of copied files, and the registries that
    the repository names.
    """
    return settings_claim(site.root).sha256, include_claim(site.root).sha256, registry_claim(site.root).sha256


def agreed(found: Conditions, site: Site, env: Mapping[str, str], trusted: Collection[str] = ()) -> Conditions:
    """Adds the files that are copied into every tree, once the user has agreed to the list. The user is not asked about
    registries: those without consent are not called. Raises MissingExtraError if the settings need an extra that is
    not installed.
    """
    ensure_extras(found.settings)
    claim = include_claim(site.root)
    ensure(claim, env, trusted)
    known = replace(_registries(site, env, trusted), included=patterns_of(claim), setup=not found.setup)
    return replace(found, settings=found.settings.agreeing(known))


def with_known_files(settings: Settings, site: Site, env: Mapping[str, str]) -> Settings:
    """Adds what the user has agreed to before, without asking."""
    claim = include_claim(site.root)
    included = patterns_of(claim) if is_trusted(claim, env) else ()
    return settings.agreeing(replace(_registries(site, env), included=included))


def _registries(site: Site, env: Mapping[str, str], trusted: Collection[str] = ()) -> Agreed:
    claim = registry_claim(site.root)
    named = addresses_of(claim)
    return Agreed(registries=named) if is_trusted(claim, env, trusted) else Agreed(unagreed=named)


def conditions(site: Site, env: Mapping[str, str], named: Named = NOTHING_NAMED) -> Conditions:
    """The settings, overridden by the given options; if they name no gates, with the gates found in the project."""
    given = load_settings(site.root, env, named)
    settings, note = _with_gates(site, given, env)
    settings = with_known_files(settings, site, env)
    own = "setup" in given.workspace.model_fields_set and is_trusted(settings_claim(site.root), env)
    settings = settings.agreeing(replace(settings.agreed, setup=own))
    return Conditions(
        settings=settings,
        note=note,
        read=recorded(settings, own_agent(site.root, env)),
        found=bool(settings.gates) and "gates" not in given.model_fields_set,
        setup=settings.workspace.setup if "setup" not in given.workspace.model_fields_set else "",
    )


def _with_gates(site: Site, settings: Settings, env: Mapping[str, str]) -> tuple[Settings, str]:
    unchecked = f"no gates: only the diff will be checked; {naming_gates(site)}"
    if "gates" in settings.model_fields_set:
        names = ", ".join(map(_named, settings.gate_list))
        note = f"gates from {SETTINGS_FILE}: {names}" if names else unchecked
        return settings, note
    found = detect(site.root, env)
    if not found.gates:
        return settings, unchecked
    workspace = settings.workspace
    if "setup" not in workspace.model_fields_set:
        workspace = workspace.model_copy(update={"setup": found.setup})
    gates = {gate.name: GateSettings.model_validate(gate.table) if gate.kind else gate.command for gate in found.gates}
    commands = ", ".join(f"{gate.name} ({gate.command})" for gate in found.gates)
    completed = settings.model_copy(update={"gates": gates, "workspace": workspace})
    return completed, f"gates found in this project: {commands}"


def _named(gate: Gate) -> str:
    """The gate with the folder in which it runs and the paths that it is about."""
    parts = (f"in {gate.cwd}" if gate.cwd else "", f"for {' '.join(gate.paths)}" if gate.paths else "")
    where = ", ".join(part for part in parts if part)
    return marked(f"{gate.name} ({where})" if where else gate.name)


def base_branch(site: Site, settings: Settings, env: Mapping[str, str], *, wanted: str = "") -> str:
    """The branch that work starts from: `wanted` if it exists, else the result of `find_base`."""

    async def found() -> str:
        there = wanted and await has_branch(site, env, wanted)
        return wanted if there else await find_base(site, settings, env)

    return asyncio.run(found())


def check_branch(site: Site, env: Mapping[str, str], wanted: str) -> None:
    """Raises UsageError if git does not allow the name for a branch."""
    if wanted and not asyncio.run(is_branch_name(site, env, wanted)):
        raise UsageError(f"{wanted!r} is not a valid branch name", hint="shiftwork run --branch NAME")


async def find_base(site: Site, settings: Settings, env: Mapping[str, str]) -> str:
    """The branch of the settings, else the one checked out; raises UnfitRepositoryError if there is none."""
    wanted = settings.workspace.branch
    if wanted and not await has_branch(site, env, wanted):
        raise UnfitRepositoryError(f"there is no branch {wanted!r} with a commit", hint="git branch --list")
    branch = wanted or await current_branch(site, env)
    if not branch:
        raise UnfitRepositoryError(
            "no branch is checked out (detached HEAD), so there is nothing to land on",
            hint="git switch BRANCH, or name an existing branch: shiftwork run --branch BRANCH",
        )
    return branch


def find_workflow(site: Site, settings: Settings, wanted: str, env: Mapping[str, str]) -> Choice:
    """The requested workflow, by name or path, else that of the settings; raises an error if one of its profiles is
    unknown.
    """
    chosen = choose(wanted or settings.run.workflow or AUTO.id, site.root, user_folder(env))
    known = {settings.agent.use, *settings.profiles}
    for agent in chosen.workflow.agents:
        if agent.profile and agent.profile not in known:
            raise UsageError(
                f"{chosen.workflow.id} assigns the profile {agent.profile!r} to {agent.id}, but the settings do "
                "not define it",
                hint=f"add [profiles.{agent.profile}] to {SETTINGS_FILE}; known are {', '.join(sorted(known))}",
            )
    return chosen


async def ensure_ready(agent: Agent, instead: str) -> str:
    """The agent's version and login, before anything is paid for; if it is not installed, `instead` says how to use
    another agent.
    """
    try:
        return await agent.probe()
    except AgentMissingError as error:
        if not instead:
            raise
        raise AgentMissingError(error.message, hint=f"{instead}; else: {error.hint}") from error


def profiles(agent: str, workflow: Workflow, work_policy: WorkPolicy) -> set[str]:
    """Every profile that may be used, and must be available before the work starts."""
    named = {agent, *(plan.profile for plan in workflow.agents if plan.profile), *work_policy.candidates}
    return named.union(*(work_policy.fallbacks.get(name, ()) for name in named))
