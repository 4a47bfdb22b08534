"""Builds the agent for each name."""

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.acp.agent import AcpAgent
from shiftwork.adapters.agents.claude_code import ClaudeCode, Endpoint
from shiftwork.adapters.agents.codex import Codex, CodexEndpoint
from shiftwork.adapters.agents.command import CommandAgent
from shiftwork.adapters.agents.login.lender import Lender
from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.adapters.sandbox.sandbox import Sandbox
from shiftwork.bootstrap.sandbox.agent_network import OWN_AGENT, AgentSandbox, agent_tables
from shiftwork.bootstrap.secrets import learn_secrets
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import state_home
from shiftwork.config.surroundings import visible_to_agent
from shiftwork.errors import SettingsError
from shiftwork.ports.agent import Agent

__all__ = ["AGENTS", "Place", "Turn", "build_agent", "build_agents", "installed_instead", "scripted_agent"]

_PROGRAMS: Final = {"claude-code": "claude", "codex": "codex"}
"""The program names of the agents that have their own program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where agents work: the environment they start with, their sandbox, and the root of the repository."""

    env: Mapping[str, str]
    sandbox: AgentSandbox = AgentSandbox()
    root: Path | None = None
    table: str = OWN_AGENT

    def confined(self, settings: Settings) -> Sandbox:
        """The sandbox of the configured agent; `table` is its settings table."""
        return self.sandbox.of(settings.agent, self.table, self.env)


def build_agent(settings: Settings, place: Place) -> Agent:
    """The configured agent; whether its program exists is checked when it starts to work."""
    return AGENTS[settings.agent.use](settings, place)


def build_agents(settings: Settings, place: Place) -> dict[str, Agent]:
    """The run's own agent and the agents that workflows may name, by profile name."""
    learn_secrets(settings, place.env)
    return {
        name: build_agent(settings.model_copy(update={"agent": agent}), replace(place, table=table))
        for name, table, agent in agent_tables(settings)
    }


def installed_instead(settings: Settings, env: Mapping[str, str]) -> str:
    """How to use another agent that is installed, if the configured agent is not; empty if there is none."""
    others = (name for name, program in _PROGRAMS.items() if name != settings.agent.use and _is_there(program, env))
    name = next(others, "")
    return f'{name} is installed: use = "{name}" under [agent] in shiftwork.toml, or --agent {name}' if name else ""


def _is_there(program: str, env: Mapping[str, str]) -> bool:
    return shutil.which(program, path=env.get("PATH")) is not None


def scripted_agent(turns: Mapping[str, Sequence[Turn]]) -> Agent:
    """An agent that replays the given turns by step type, for the demo: no program, no key, no network."""
    return ScriptedAgent(turns)


def _claude_code(settings: Settings, place: Place) -> Agent:
    """With a key in the environment every attempt has a home of its own; otherwise the user's login is used."""
    seen = visible_to_agent("claude-code", place.env, settings.agent.env)
    key = seen.get("ANTHROPIC_API_KEY") or None  # an empty variable is no key
    return ProcessAgent(
        ClaudeCode(
            program=_program(settings, place.env, _PROGRAMS["claude-code"]),
            env=seen,
            endpoint=Endpoint(api_key=key),
            private_home=key is not None,
            allow_root=os.geteuid() == 0,
        ),
        place.confined(settings),
        lender=_lender(place),
    )


def _codex(settings: Settings, place: Place) -> Agent:
    """Codex itself only reads CODEX_API_KEY: a key for another purpose must not take precedence over a login."""
    seen = visible_to_agent("codex", place.env, settings.agent.env)
    endpoint = CodexEndpoint(base_url=seen.get("OPENAI_BASE_URL", ""), api_key=seen.get("CODEX_API_KEY") or None)
    program, sandbox = _program(settings, place.env, _PROGRAMS["codex"]), place.confined(settings)
    return ProcessAgent(Codex(program=program, env=seen, endpoint=endpoint), sandbox, lender=_lender(place))


def _lender(place: Place) -> Lender:
    """Processes of all repositories take turns to renew the user's login, because they share it."""
    return Lender(locks=state_home(place.env) / "logins")


def _program(settings: Settings, env: Mapping[str, str], usual: str) -> Path:
    named = settings.agent.program or usual
    return Path(shutil.which(named, path=env.get("PATH")) or named)


def _acp(settings: Settings, place: Place) -> Agent:
    given = _given_command(settings)
    try:
        words = shlex.split(given)
    except ValueError as error:
        raise SettingsError(f"agent.command cannot be read: {error}", hint=f"fix its quotes: {given}") from error
    seen = visible_to_agent("acp", place.env, settings.agent.env)
    return AcpAgent(tuple(words), env=seen, sandbox=place.confined(settings))


def _given_command(settings: Settings) -> str:
    if not settings.agent.command.strip():
        raise SettingsError(
            f'agent.use is "{settings.agent.use}", and agent.command is empty',
            hint='set command = "…" under [agent] in shiftwork.toml',
        )
    return settings.agent.command


def _command(settings: Settings, place: Place) -> Agent:
    seen = visible_to_agent("command", place.env, settings.agent.env)
    return CommandAgent(_given_command(settings), env=seen, root=place.root, sandbox=place.confined(settings))


AGENTS: Final[dict[str, Callable[[Settings, Place], Agent]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "acp": _acp,
    "command": _command,
}
