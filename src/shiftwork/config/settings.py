"""What `shiftwork.toml` and the environment say about how work is done, checked whole before anything starts."""

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shiftwork.config.site import SETTINGS_FILE, read_toml
from shiftwork.domain.model.gate import Gate
from shiftwork.domain.model.queue import LandingPolicy, Proof
from shiftwork.errors import SettingsError

type Positive = Annotated[float, Field(gt=0)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AgentSettings(_Strict):
    """Which agent works, and within which bounds."""

    use: Literal["claude-code", "codex", "acp", "command"] = "claude-code"
    program: str = ""
    command: str = ""
    model: str = ""
    tools: bool = True
    silence_minutes: Positive = 10
    time_factor: Positive = 1.0
    max_output_mib: Positive = 32
    env: tuple[str, ...] = ()


class GateSettings(_Strict):
    """A gate with more to say than its command."""

    command: str
    minutes: Positive = 15


class WorkspaceSettings(_Strict):
    """How a workspace is made ready."""

    setup: str = ""
    setup_minutes: Positive = 15
    branch: str = ""
    env: tuple[str, ...] = ()


class RunSettings(_Strict):
    """How a run goes about its stories: by which workflow, and how many of them are in progress at once."""

    workflow: str = ""
    parallel: Annotated[int, Field(ge=1, le=200)] = 3


class LandingSettings(_Strict):
    """How finished stories land together."""

    batch: Annotated[int, Field(ge=1, le=32)] = 16
    at_once: Annotated[int, Field(ge=1, le=32)] = 2
    proof: Literal["each", "tip"] = "each"

    @property
    def policy(self) -> LandingPolicy:
        return LandingPolicy(batch=self.batch, at_once=self.at_once, proof=Proof(self.proof))


class LimitSettings(_Strict):
    """What one story may use."""

    story_usd: Positive | None = None
    repairs: Annotated[int, Field(ge=0, le=10)] = 2
    conflicts: Annotated[int, Field(ge=0, le=10)] = 3


class StoreSettings(_Strict):
    """Where the history is kept; empty is a file in the state folder."""

    url: str = ""


class Settings(_Strict):
    """The whole of `shiftwork.toml`."""

    agent: AgentSettings = AgentSettings()
    profiles: dict[str, AgentSettings] = {}
    gates: dict[str, str | GateSettings] = {}
    run: RunSettings = RunSettings()
    workspace: WorkspaceSettings = WorkspaceSettings()
    landing: LandingSettings = LandingSettings()
    limits: LimitSettings = LimitSettings()
    store: StoreSettings = StoreSettings()

    @property
    def gate_list(self) -> tuple[Gate, ...]:
        return tuple(
            Gate(name=name, command=gate)
            if isinstance(gate, str)
            else Gate(name=name, command=gate.command, minutes=gate.minutes)
            for name, gate in self.gates.items()
        )


def load_settings(root: Path, env: Mapping[str, str]) -> Settings:
    """Defaults, then the file, then the environment; the first mistake in each place is told with its key."""
    path = root / SETTINGS_FILE
    values = read_toml(path)
    for name, section, key in _FROM_ENVIRONMENT:
        if env.get(name):
            values.setdefault(section, {})[key] = env[name]
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError(
            _told(path, error), hint=f"mend {path.name}; shiftwork init --print shows every key"
        ) from None


_FROM_ENVIRONMENT = (
    ("SHIFTWORK_AGENT", "agent", "use"),
    ("SHIFTWORK_AGENT_PROGRAM", "agent", "program"),
    ("SHIFTWORK_MODEL", "agent", "model"),
    ("SHIFTWORK_STORE_URL", "store", "url"),
)


def _told(path: Path, error: ValidationError) -> str:
    lines = [f"  {_place(item['loc'])}: {_message(item)}" for item in error.errors()]
    return f"{path.name} has {len(lines)} mistake{'s' if len(lines) > 1 else ''}:\n" + "\n".join(lines)


def _place(loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in loc if part not in {"str", "GateSettings"})


def _message(item: Any) -> str:
    if item["type"] != "extra_forbidden":
        return str(item["msg"])
    *section, key = item["loc"]
    known = _keys(section)
    close = difflib.get_close_matches(str(key), known, n=1)
    return "unknown key" + (f"; did you mean {close[0]}?" if close else f"; known are {', '.join(known)}")


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
