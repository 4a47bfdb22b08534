"""Which agent stands behind which name."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.claude_code import ClaudeCode, Endpoint
from shiftwork.adapters.agents.command import CommandAgent
from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.config.settings import Settings
from shiftwork.config.surroundings import visible_to_agent
from shiftwork.errors import SettingsError
from shiftwork.ports.agent import Agent

__all__ = ["AGENTS", "Turn", "build_agent", "scripted_agent"]


def build_agent(settings: Settings, env: Mapping[str, str]) -> Agent:
    """The agent that the settings name; whether its program exists is found out when it is asked to work."""
    return AGENTS[settings.agent.use](settings, env)


def scripted_agent(turns: Mapping[str, Sequence[Turn]]) -> Agent:
    """An agent that plays given turns by step type, for the demo: no program, no key, no network."""
    return ScriptedAgent(turns)


def _claude_code(settings: Settings, env: Mapping[str, str]) -> Agent:
    """With a key in the environment every attempt has a home of its own; otherwise the user's login simply works."""
    seen = visible_to_agent("claude-code", env, settings.agent.env)
    key = seen.get("ANTHROPIC_API_KEY")
    program = shutil.which(settings.agent.program, path=env.get("PATH")) or settings.agent.program
    return ProcessAgent(
        ClaudeCode(
            program=Path(program),
            env=seen,
            endpoint=Endpoint(api_key=key),
            private_home=key is not None,
            allow_root=os.geteuid() == 0,
        )
    )


def _command(settings: Settings, env: Mapping[str, str]) -> Agent:
    if not settings.agent.command:
        raise SettingsError(
            'agent.use is "command", and agent.command is empty',
            hint='set command = "…" under [agent] in shiftwork.toml',
        )
    return CommandAgent(settings.agent.command, env=visible_to_agent("command", env, settings.agent.env))


AGENTS: Final[dict[str, Callable[[Settings, Mapping[str, str]], Agent]]] = {
    "claude-code": _claude_code,
    "command": _command,
}
