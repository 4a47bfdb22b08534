"""What `shiftwork.toml` and the environment say about how work is done, checked whole before anything starts."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import BaseModel, Field, PrivateAttr, ValidationError, field_validator

from shiftwork.config.agreed import NOTHING_AGREED, Agreed
from shiftwork.config.mistakes import Tables, mistaken
from shiftwork.config.sandbox_settings import SandboxSettings
from shiftwork.config.site import SETTINGS_FILE, read_toml
from shiftwork.config.values import HostName, Positive, Strict, Tokens
from shiftwork.domain.model.budget import Amount, Budget
from shiftwork.domain.model.gate import Gate
from shiftwork.domain.model.hosts import Host, read_host
from shiftwork.domain.model.proof import ProofPolicy
from shiftwork.domain.model.queue import LandingPolicy, Proof
from shiftwork.domain.model.story import Limits
from shiftwork.domain.model.tampering import Protection, ProtectPolicy
from shiftwork.domain.model.waiting import Patience
from shiftwork.errors import SettingsError


class AgentSettings(Strict):
    """Which agent works, and within which bounds."""

    use: Literal["claude-code", "codex", "acp", "command"] = "claude-code"
    program: str = ""
    command: str = ""
    model: str = ""
    tools: bool = True
    silence_minutes: Positive = 10
    time_factor: Positive = 1.0
    max_output_mib: Positive = 32
    identical_calls: Annotated[int, Field(ge=2, le=1000)] = 12
    env: tuple[str, ...] = ()
    hosts: tuple[HostName, ...] = ()
    fallback: tuple[str, ...] = ()

    @property
    def host_list(self) -> tuple[Host, ...]:
        return tuple(map(read_host, self.hosts))


class OwnAgentSettings(AgentSettings):
    """The run's own agent; to `learn` is to choose among it and the profiles by what has landed."""

    choose: Literal["fixed", "learn"] = "fixed"


class GateSettings(Strict):
    """A gate with more to say than its command."""

    command: str
    minutes: Positive = 15
    kind: Literal["", "test", "other"] = ""
    blind: Literal["refuse", "allow"] = "refuse"


class WorkspaceSettings(Strict):
    """How a workspace is made ready."""

    setup: str = ""
    setup_minutes: Positive = 15
    keep: tuple[str, ...] = ()
    branch: str = ""
    env: tuple[str, ...] = ()


class RunSettings(Strict):
    """How a run goes about its stories: by which workflow, and how many of them are in progress at once."""

    workflow: str = ""
    parallel: Annotated[int, Field(ge=1, le=200)] = 3


class LandingSettings(Strict):
    """How finished stories land together, and whether each is held before that until a person approves it."""

    batch: Annotated[int, Field(ge=1, le=32)] = 16
    at_once: Annotated[int, Field(ge=1, le=32)] = 2
    proof: Literal["each", "tip"] = "each"
    review: bool = False
    later_files: Literal["leave_out", "hold", "land"] = "leave_out"

    @property
    def policy(self) -> LandingPolicy:
        return LandingPolicy(batch=self.batch, at_once=self.at_once, proof=Proof(self.proof))


class LimitSettings(Strict):
    """What a run, each story and each step may use, and what is set aside for an attempt of a kind not yet seen."""

    run_usd: Positive | None = None
    story_usd: Positive | None = None
    step_usd: Positive | None = None
    run_tokens: Tokens | None = None
    story_tokens: Tokens | None = None
    step_tokens: Tokens | None = None
    attempt_usd: Positive = 2.0
    attempt_tokens: Tokens = 2_000_000
    repairs: Annotated[int, Field(ge=0, le=10)] = 2
    conflicts: Annotated[int, Field(ge=0, le=10)] = 3
    wait_hours: Positive = 6
    waits: Annotated[int, Field(ge=0, le=1000)] = 20

    @property
    def limits(self) -> Limits:
        return Limits(
            run=Budget(usd=self.run_usd, tokens=self.run_tokens),
            story=Budget(usd=self.story_usd, tokens=self.story_tokens),
            step=Budget(usd=self.step_usd, tokens=self.step_tokens),
            attempt=Amount(usd=self.attempt_usd, tokens=self.attempt_tokens),
            repairs=self.repairs,
            conflicts=self.conflicts,
        )

    @property
    def patience(self) -> Patience:
        return Patience(longest_seconds=self.wait_hours * 3600, times=self.waits)


class ProofSettings(Strict):
    """What shows that a story is done, and what must not be changed to make it look so."""

    protect: tuple[str, ...] = ()
    protect_policy: Literal["restore", "report"] = "restore"
    escalate: str = ""
    policy: Literal["strict", "cited", "trusting"] = "trusting"
    hosts: tuple[str, ...] = ()

    @property
    def evidence(self) -> ProofPolicy:
        return ProofPolicy(self.policy)

    @property
    def protection(self) -> Protection:
        return Protection(policy=ProtectPolicy(self.protect_policy), patterns=self.protect)


class WebhookSettings(Strict):
    """Where signed notices are posted, and the variable that holds the secret."""

    url: str = ""
    secret_env: str = "SHIFTWORK_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable


class NotifySettings(Strict):
    """Who is told of what; as it is, nobody of anything."""

    urls: tuple[str, ...] = ()
    on: tuple[Literal["needs-you", "finished", "failed", "budget"], ...] = ("needs-you", "finished", "failed", "budget")
    webhook: WebhookSettings = WebhookSettings()

    @field_validator("urls", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        """The environment has them in one line."""
        return tuple(value.split()) if isinstance(value, str) else value


class StoreSettings(Strict):
    """Where the history is kept; empty is a file in the state folder."""

    url: str = ""


class Settings(Strict):
    """The whole of `shiftwork.toml`."""

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
        """What the user has agreed to beside this file."""
        return self._agreed

    def agreeing(self, agreed: Agreed) -> Self:
        """The same, with what the user has agreed to."""
        more = self.model_copy()
        more._agreed = agreed  # noqa: SLF001 - its own
        return more

    @field_validator("gates", mode="after")
    @classmethod
    def _not_blank(cls, gates: dict[str, str | GateSettings]) -> dict[str, str | GateSettings]:
        for name, gate in gates.items():
            if not (gate if isinstance(gate, str) else gate.command).strip():
                raise ValueError(f"{name} is blank: a blank command always passes and checks nothing; take it out")
        return gates

    @property
    def gate_list(self) -> tuple[Gate, ...]:
        return tuple(
            Gate(name=name, command=gate)
            if isinstance(gate, str)
            else Gate(
                name=name,
                command=gate.command,
                minutes=gate.minutes,
                kind=gate.kind,
                blind=gate.blind == "allow",
            )
            for name, gate in self.gates.items()
        )


AGENT_NAMES: Final = get_args(AgentSettings.model_fields["use"].annotation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What the user has named on the command line, or what a run keeps of that: it comes before the file and the
    environment. None where nothing was named.
    """

    agent: str | None = None
    model: str | None = None


NOTHING_NAMED: Final = Named()


def load_settings(root: Path, env: Mapping[str, str], named: Named = NOTHING_NAMED) -> Settings:
    """Defaults, then the file, then the environment, then what was named; the first mistake in each place is reported
    with its key.
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
    """Defaults and the environment alone: for what must be done though the file is not trusted."""
    return load_settings(Path(os.devnull), env)


def own_agent(root: Path, env: Mapping[str, str]) -> dict[str, str]:
    """What the file and the environment say of the agent and its model, whatever was named."""
    table = _read(root / SETTINGS_FILE, env)[0].get("agent")
    said = table if isinstance(table, dict) else {}
    usual = AgentSettings()
    return {"agent.use": str(said.get("use", usual.use)), "agent.model": str(said.get("model", usual.model))}


def _read(path: Path, env: Mapping[str, str]) -> tuple[dict[str, Any], dict[tuple[int | str, ...], str]]:
    """The file's values with those of the environment in their places, and which variable said which of them."""
    values, given = read_toml(path), dict[tuple[int | str, ...], str]()
    for name, section, key in _FROM_ENVIRONMENT:
        if env.get(name) and isinstance(table := values.setdefault(section, {}), dict):
            table[key] = env[name]
            given[section, key] = f"${name}"
    return values, given


def _check_escalation(path: Path, settings: Settings) -> None:
    wanted, known = settings.proof.escalate, sorted({settings.agent.use, *settings.profiles})
    if wanted and wanted not in known:
        hint = f"mend {path.name}; known are {', '.join(known)}: see [profiles.NAME]"
        raise SettingsError(f"{path.name}: proof.escalate names {wanted!r}, which is no profile", hint=hint)


def _check_hosts(path: Path, settings: Settings) -> None:
    tables = {"agent": settings.agent, **{f"profiles.{name}": one for name, one in settings.profiles.items()}}
    listed = next((table for table, one in tables.items() if one.hosts), None)
    if listed and settings.sandbox.agents.network is False:
        told = f"{listed}.hosts lists hosts, and network = false under [sandbox.agents] leaves none"
        raise SettingsError(f"{path.name}: {told}", hint=f"take out one of the two in {path.name}")


def _check_fallbacks(path: Path, settings: Settings) -> None:
    """Whoever is to go on in somebody's place is there, and is somebody else."""
    known = {settings.agent.use, *settings.profiles}
    chains: dict[str, tuple[str, tuple[str, ...]]] = {"agent": (settings.agent.use, settings.agent.fallback)}
    chains |= {f"profiles.{name}": (name, profile.fallback) for name, profile in settings.profiles.items()}
    for place, (own, fallback) in chains.items():
        for name in fallback:
            if name not in known - {own}:
                others = ", ".join(sorted(known - {own})) or "nobody yet"
                hint = f"mend {path.name}; others than {own} are {others}: see [profiles.NAME]"
                raise SettingsError(
                    f"{path.name}: {place}.fallback names {name!r}, which is no other profile", hint=hint
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
"""Those whose keys are not the user's own names."""


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
