"""The settings files of Claude Code and Codex in the user's own folders. Files of a repository are never read."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from shiftwork.bounded import read_text
from shiftwork.records import dataclass, field

_LARGEST: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexProvider:
    """The active model provider: its name (empty if the file names none), its table, and the whole file."""

    name: str = ""
    table: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


def claude_variables(env: Mapping[str, str]) -> dict[str, str]:
    """The `env` table of the user's `settings.json`, which overrides Claude Code's environment."""
    folder = Path(env.get("CLAUDE_CONFIG_DIR") or f"{env.get('HOME', '')}/.claude")
    try:
        found = json.loads(read_text(folder / "settings.json", _LARGEST))
    except (OSError, ValueError, RecursionError):  # an unreadable file sets nothing
        return {}
    variables = table(found, "env") if isinstance(found, Mapping) else {}
    return {name: value for name, value in variables.items() if isinstance(value, str)}


def codex_provider(env: Mapping[str, str]) -> CodexProvider:
    """From the user's `config.toml`, with the profile that it selects."""
    settings = _codex_settings(env)
    profile = table(table(settings, "profiles"), str(settings.get("profile", "")))
    name = str(profile.get("model_provider") or settings.get("model_provider") or "")
    return CodexProvider(name=name, table=table(table(settings, "model_providers"), name), settings=settings)


def table(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The table with this name, or an empty table."""
    found = settings.get(name)
    return found if isinstance(found, Mapping) else {}


def _codex_settings(env: Mapping[str, str]) -> Mapping[str, Any]:
    import tomllib  # noqa: PLC0415 - `run --help` does not need it

    folder = Path(env.get("CODEX_HOME") or f"{env.get('HOME', '')}/.codex")
    try:
        return tomllib.loads(read_text(folder / "config.toml", _LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
