"""The settings from `shiftwork.toml` and the environment, validated completely before anything starts."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self

from pydantic import BaseModel, Field, PrivateAttr, ValidationError, field_validator

from shiftwork.config.settings.mistakes import Tables, mistaken
from shiftwork.config.settings.sandbox import SandboxSettings
from shiftwork.config.settings.sections import (
    AgentSettings,
    CommitSettings,
    GateSettings,
    LandingSettings,
    LimitSettings,
    NotifySettings,
    OwnAgentSettings,
    ProofSettings,
    RunSettings,
    ServeSettings,
    StoreSettings,
    WorkspaceSettings,
)
from shiftwork.config.settings.values import Strict
from shiftwork.config.site import SETTINGS_FILE, read_toml
from shiftwork.config.trust.agreement import NOTHING_AGREED, Agreed
from shiftwork.domain.gates.folders import in_folder
from shiftwork.domain.gates.gate import Gate
from shiftwork.errors import SettingsError
from shiftwork.records import dataclass


class Settings(Strict):
    """The complete `shiftwork.toml`."""

    agent: OwnAgentSettings = OwnAgentSettings()
    profiles: dict[str, AgentSettings] = Field(default_factory=dict)
    gates: dict[str, str | GateSettings] = Field(default_factory=dict)
    run: RunSettings = RunSettings()
    workspace: WorkspaceSettings = WorkspaceSettings()
    landing: LandingSettings = LandingSettings()
    commit: CommitSettings = CommitSettings()
    limits: LimitSettings = LimitSettings()
    notify: NotifySettings = NotifySettings()
    proof: ProofSettings = ProofSettings()
    sandbox: SandboxSettings = SandboxSettings()
    serve: ServeSettings = ServeSettings()
    store: StoreSettings = StoreSettings()
    _agreed: Agreed = PrivateAttr(default=NOTHING_AGREED)

    @property
    def agreed(self) -> Agreed:
        """What the user has agreed to in addition to this file."""
        return self._agreed

    def agreeing(self, agreed: Agreed) -> Self:
        """A copy with what the user has agreed to."""
        more = self.model_copy()
        more._agreed = agreed  # noqa: SLF001 - its own
        return more

    @field_validator("gates", mode="after")
    @classmethod
    def _not_blank(cls, gates: dict[str, str | GateSettings]) -> dict[str, str | GateSettings]:
        for name, gate in gates.items():
            if not (gate if isinstance(gate, str) else gate.command).strip():
                raise ValueError(f"{name} is blank: a blank command always passes and checks nothing; remove it")
        return gates

    @property
    def gate_list(self) -> tuple[Gate, ...]:
        return tuple(
            Gate(name=name, command=gate)
            if isinstance(gate, str)
            else Gate(
                name=name,
                command=in_folder(gate.cwd, gate.command),
                minutes=gate.minutes,
                kind=gate.kind,
                blind=gate.blind == "allow",
                cwd=gate.cwd,
                paths=gate.paths,
                attach=gate.attach,
                namespaces=gate.namespaces,
            )
            for name, gate in self.gates.items()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What the user has named on the command line, or what a run recorded of that: it overrides the file and the
    environment. None means not named.
    """

    agent: str | None = None
    model: str | None = None


NOTHING_NAMED: Final = Named()


def load_settings(root: Path, env: Mapping[str, str], named: Named = NOTHING_NAMED) -> Settings:
    """Defaults, then the file, then the environment, then what was named; reports the first mistake in each place with
    its key.
    """
    path = root / SETTINGS_FILE
    values, given = read_values(path, env)
    for key, option, value in (("use", "--agent", named.agent), ("model", "--model", named.model)):
        if value is not None and isinstance(table := values.setdefault("agent", {}), dict):
            table[key] = value
            given["agent", key] = option
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise mistaken(path, error, given, TABLES) from None
    for _, contradiction in contradictions(settings, path.name):
        raise contradiction
    return settings


def settings_without_file(env: Mapping[str, str]) -> Settings:
    """Defaults and the environment only: for operations that must work although the file is not trusted."""
    return load_settings(Path(os.devnull), env)


def writes_parallel(settings: Settings) -> bool:
    """Whether somebody wrote how many stories are in progress at once; the default does not count."""
    return "parallel" in settings.run.model_fields_set


def own_agent(root: Path, env: Mapping[str, str]) -> dict[str, str]:
    """The agent and its model from the file and the environment, ignoring the command line."""
    table = read_values(root / SETTINGS_FILE, env)[0].get("agent")
    said = table if isinstance(table, dict) else {}
    usual = AgentSettings()
    return {"agent.use": str(said.get("use", usual.use)), "agent.model": str(said.get("model", usual.model))}


def read_values(path: Path, env: Mapping[str, str]) -> tuple[dict[str, Any], dict[tuple[int | str, ...], str]]:
    """The file's values overridden by the environment, and which variable set which value."""
    values, given = read_toml(path), dict[tuple[int | str, ...], str]()
    for name, section, key in FROM_ENVIRONMENT:
        if env.get(name) and isinstance(table := values.setdefault(section, {}), dict):
            table[key] = env[name]
            given[section, key] = f"${name}"
    return values, given


def contradictions(settings: Settings, file: str) -> Iterator[tuple[tuple[str, ...], SettingsError]]:
    """Settings that are valid alone and contradict each other, each with its place."""
    yield from _unknown_escalation(settings, file)
    yield from _unknown_fallbacks(settings, file)
    yield from _useless_hosts(settings, file)


def _unknown_fallbacks(settings: Settings, file: str) -> Iterator[tuple[tuple[str, ...], SettingsError]]:
    """Every fallback must be a known profile other than the profile itself."""
    known = {settings.agent.use, *settings.profiles}
    chains: dict[tuple[str, ...], tuple[str, tuple[str, ...]]]
    chains = {("agent",): (settings.agent.use, settings.agent.fallback)}
    chains |= {("profiles", name): (name, profile.fallback) for name, profile in settings.profiles.items()}
    for place, (own, fallback) in chains.items():
        for name in fallback:
            if name not in known - {own}:
                others = ", ".join(sorted(known - {own})) or "none yet"
                hint = f"fix {file}; profiles other than {own}: {others}; see [profiles.NAME]"
                message = f"{'.'.join(place)}.fallback names {name!r}, which is not another profile"
                yield (*place, "fallback"), SettingsError(f"{file}: {message}", hint=hint)


def _unknown_escalation(settings: Settings, file: str) -> Iterator[tuple[tuple[str, ...], SettingsError]]:
    wanted, known = settings.proof.escalate, sorted({settings.agent.use, *settings.profiles})
    if wanted and wanted not in known:
        hint = f"fix {file}; known profiles: {', '.join(known)}; see [profiles.NAME]"
        message = f"{file}: proof.escalate names {wanted!r}, which is not a profile"
        yield ("proof", "escalate"), SettingsError(message, hint=hint)


def _useless_hosts(settings: Settings, file: str) -> Iterator[tuple[tuple[str, ...], SettingsError]]:
    tables: dict[tuple[str, ...], AgentSettings] = {("agent",): settings.agent}
    tables |= {("profiles", name): profile for name, profile in settings.profiles.items()}
    listed = next((place for place, agent_settings in tables.items() if agent_settings.hosts), None)
    if listed and settings.sandbox.agents.network is False:
        message = f"{'.'.join(listed)}.hosts lists hosts, but network = false under [sandbox.agents] allows none"
        yield (*listed, "hosts"), SettingsError(f"{file}: {message}", hint=f"remove one of the two in {file}")


FROM_ENVIRONMENT = (
    ("SHIFTWORK_AGENT", "agent", "use"),
    ("SHIFTWORK_AGENT_PROGRAM", "agent", "program"),
    ("SHIFTWORK_MODEL", "agent", "model"),
    ("SHIFTWORK_SANDBOX", "sandbox", "tier"),
    ("SHIFTWORK_STORE_URL", "store", "url"),
    ("SHIFTWORK_NOTIFY_URLS", "notify", "urls"),
)
"""Variables that override the file: the name, the table and the key."""


def _keys(section: list[int | str]) -> list[str]:
    model: type[BaseModel] = Settings
    if section[:1] == ["profiles"]:
        return list(AgentSettings.model_fields)
    for part in section:
        annotation = model.model_fields[str(part)].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return list(GateSettings.model_fields)
        model = annotation
    return list(model.model_fields)


TABLES: Final = Tables(
    keys=_keys, names=tuple(name for name in Settings.model_fields if name not in {"profiles", "gates"})
)
"""The names are those of the tables whose keys are not chosen by the user."""
