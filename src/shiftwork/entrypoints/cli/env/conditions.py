"""The settings for the work here, completed by what is found in the project."""

from collections.abc import Collection, Mapping

from shiftwork.config.detection.project_gates import detect
from shiftwork.config.registries.project_registries import addresses_of, registry_claim
from shiftwork.config.settings.recorded import recorded
from shiftwork.config.settings.sections import GateSettings
from shiftwork.config.settings.settings import NOTHING_NAMED, Named, Settings, load_settings, own_agent
from shiftwork.config.site import SETTINGS_FILE, Site
from shiftwork.config.trust.agreement import Agreed
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.config.trust.included_files import include_claim, patterns_of
from shiftwork.domain.gates.gate import Gate
from shiftwork.entrypoints.cli.env.trust import ensure, is_trusted
from shiftwork.entrypoints.cli.render.visible_text import marked
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
    from shiftwork.bootstrap.work.needed_extras import ensure_extras  # noqa: PLC0415 - loads the sandbox, a plan needs none

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
