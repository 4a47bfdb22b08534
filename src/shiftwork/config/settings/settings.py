"""The settings from `shiftwork.toml` and the environment, validated completely before anything starts."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self

from pydantic import BaseModel, Field, PrivateAttr, ValidationError, field_validator

from shiftwork.config.settings.mistakes import Tables, mistaken
from shiftwork.config.settings.sandbox import SandboxSettings
from shiftwork.config.settings.sections import (
    AgentSettings,
    GateSettings,
    LandingSettings,
    LimitSettings,
    NotifySettings,
    OwnAgentSettings,
    ProofSettings,
    RunSettings,
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
    limits: LimitSettings = LimitSettings()
    notify: NotifySettings = NotifySettings()
    proof: ProofSettings = ProofSettings()
    sandbox: SandboxSettings = SandboxSettings()
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
    values, given = _read(path, env)
    for key, option, value in (("use", "--agent", named.agent), ("model", "--model", named.model)):
        if value is not None and isinstance(table := values.setdefault("agent", {}), dict):
            table[key] = value
            given["agent", key] = option
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise mistaken(path, error, given, Tables(keys=_keys, names=_TABLES)) from None
    _check_fallbacks(path, settings)
    _check_escalation(path, settings)
    _check_hosts(path, settings)
    return settings


def settings_without_file(env: Mapping[str, str]) -> Settings:
    """Defaults and the environment only: for operations that must work although the file is not trusted."""
    return load_settings(Path(os.devnull), env)


def writes_parallel(settings: Settings) -> bool:
    """Whether somebody wrote how many stories are in progress at once; the default does not count."""
    return "parallel" in settings.run.model_fields_set


def own_agent(root: Path, env: Mapping[str, str]) -> dict[str, str]:
    """The agent and its model from the file and the environment, ignoring the command line."""
    table = _read(root / SETTINGS_FILE, env)[0].get("agent")
    said = table if isinstance(table, dict) else {}
    usual = AgentSettings()
    return {"agent.use": str(said.get("use", usual.use)), "agent.model": str(said.get("model", usual.model))}


def _read(path: Path, env: Mapping[str, str]) -> tuple[dict[str, Any], dict[tuple[int | str, ...], str]]:
    """The file's values overridden by the environment, and which variable set which value."""
    values, given = read_toml(path), dict[tuple[int | str, ...], str]()
    for name, section, key in _FROM_ENVIRONMENT:
        if env.get(name) and isinstance(table := values.setdefault(section, {}), dict):
            table[key] = env[name]
            given[section, key] = f"${name}"
    return values, given


def _check_escalation(path: Path, settings: Settings) -> None:
    wanted, known = settings.proof.escalate, sorted({settings.agent.use, *settings.profiles})
    if wanted and wanted not in known:
        hint = f"fix {path.name}; known profiles: {', '.join(known)}; see [profiles.NAME]"
        raise SettingsError(f"{path.name}: proof.escalate names {wanted!r}, which is not a profile", hint=hint)


def _check_hosts(path: Path, settings: Settings) -> None:
    tables = {
        "agent": settings.agent,
        **{f"profiles.{name}": agent_settings for name, agent_settings in settings.profiles.items()},
    }
    listed = next((table for table, agent_settings in tables.items() if agent_settings.hosts), None)
    if listed and settings.sandbox.agents.network is False:
        message = f"{listed}.hosts lists hosts, but network = false under [sandbox.agents] allows none"
        raise SettingsError(f"{path.name}: {message}", hint=f"remove one of the two in {path.name}")


def _check_fallbacks(path: Path, settings: Settings) -> None:
    """Every fallback must be a known profile other than the profile itself."""
    known = {settings.agent.use, *settings.profiles}
    chains: dict[str, tuple[str, tuple[str, ...]]] = {"agent": (settings.agent.use, settings.agent.fallback)}
    chains |= {f"profiles.{name}": (name, profile.fallback) for name, profile in settings.profiles.items()}
    for place, (own, fallback) in chains.items():
        for name in fallback:
            if name not in known - {own}:
                others = ", ".join(sorted(known - {own})) or "none yet"
                hint = f"fix {path.name}; profiles other than {own}: {others}; see [profiles.NAME]"
                raise SettingsError(
                    f"{path.name}: {place}.fallback names {name!r}, which is not another profile", hint=hint
                )


_FROM_ENVIRONMENT = (
    ("SHIFTWORK_AGENT", "agent", "use"),
    ("SHIFTWORK_AGENT_PROGRAM", "agent", "program"),
    ("SHIFTWORK_MODEL", "agent", "model"),
    ("SHIFTWORK_SANDBOX", "sandbox", "tier"),
    ("SHIFTWORK_STORE_URL", "store", "url"),
    ("SHIFTWORK_NOTIFY_URLS", "notify", "urls"),
)


_TABLES = tuple(name for name in Settings.model_fields if name not in {"profiles", "gates"})
"""The tables whose keys are not chosen by the user."""


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
