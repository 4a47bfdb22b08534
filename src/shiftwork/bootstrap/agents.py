"""Which agent stands behind which name."""

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.acp import AcpAgent
from shiftwork.adapters.agents.claude_code import ClaudeCode, Endpoint
from shiftwork.adapters.agents.codex import Codex, CodexEndpoint
from shiftwork.adapters.agents.command import CommandAgent
from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.adapters.sandbox.walls import OPEN, Sandbox
from shiftwork.config.settings import Settings
from shiftwork.config.surroundings import visible_to_agent
from shiftwork.errors import SettingsError
from shiftwork.ports.agent import Agent

__all__ = ["AGENTS", "Turn", "build_agent", "build_agents", "scripted_agent"]


def build_agent(settings: Settings, env: Mapping[str, str], sandbox: Sandbox = OPEN) -> Agent:
    """The agent that the settings name; whether its program exists is found out when it is asked to work."""
    return AGENTS[settings.agent.use](settings, env, sandbox)


def build_agents(settings: Settings, env: Mapping[str, str], sandbox: Sandbox = OPEN) -> dict[str, Agent]:
    """The run's own agent and those that workflows may name, by the names of their profiles."""
    profiles = {
        name: build_agent(settings.model_copy(update={"agent": profile}), env, sandbox)
        for name, profile in settings.profiles.items()
    }
    return {settings.agent.use: build_agent(settings, env, sandbox), **profiles}


def scripted_agent(turns: Mapping[str, Sequence[Turn]]) -> Agent:
    """An agent that plays given turns by step type, for the demo: no program, no key, no network."""
    return ScriptedAgent(turns)


def _claude_code(settings: Settings, env: Mapping[str, str], sandbox: Sandbox) -> Agent:
    """With a key in the environment every attempt has a home of its own; otherwise the user's login simply works."""
    seen = visible_to_agent("claude-code", env, settings.agent.env)
    key = seen.get("ANTHROPIC_API_KEY")
    return ProcessAgent(
        ClaudeCode(
            program=_program(settings, env, "claude"),
            env=seen,
            endpoint=Endpoint(api_key=key),
            private_home=key is not None,
            allow_root=os.geteuid() == 0,
        ),
        sandbox,
    )


def _codex(settings: Settings, env: Mapping[str, str], sandbox: Sandbox) -> Agent:
    """Codex itself reads CODEX_API_KEY alone: a key that is there for something else must not go before a login."""
    seen = visible_to_agent("codex", env, settings.agent.env)
    endpoint = CodexEndpoint(base_url=seen.get("OPENAI_BASE_URL", ""), api_key=seen.get("CODEX_API_KEY"))
    return ProcessAgent(Codex(program=_program(settings, env, "codex"), env=seen, endpoint=endpoint), sandbox)


def _program(settings: Settings, env: Mapping[str, str], usual: str) -> Path:
    named = settings.agent.program or usual
    return Path(shutil.which(named, path=env.get("PATH")) or named)


def _acp(settings: Settings, env: Mapping[str, str], sandbox: Sandbox) -> Agent:
    given = _given_command(settings)
    try:
        words = shlex.split(given)
    except ValueError as error:
        raise SettingsError(f"agent.command cannot be read: {error}", hint=f"mend its quotes: {given}") from error
    return AcpAgent(tuple(words), env=visible_to_agent("acp", env, settings.agent.env), sandbox=sandbox)


def _given_command(settings: Settings) -> str:
    if not settings.agent.command.strip():
        raise SettingsError(
            f'agent.use is "{settings.agent.use}", and agent.command is empty',
            hint='set command = "…" under [agent] in shiftwork.toml',
        )
    return settings.agent.command


def _command(settings: Settings, env: Mapping[str, str], sandbox: Sandbox) -> Agent:
    seen = visible_to_agent("command", env, settings.agent.env)
    return CommandAgent(_given_command(settings), env=seen, sandbox=sandbox)


AGENTS: Final[dict[str, Callable[[Settings, Mapping[str, str], Sandbox], Agent]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "acp": _acp,
    "command": _command,
}
