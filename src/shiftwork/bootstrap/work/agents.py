"""Builds the agent for each name."""

import shutil
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from shiftwork.adapters.agents.agent_options import AgentOptions
from shiftwork.adapters.agents.login.lender import Lender
from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.adapters.sandbox.sandbox import Sandbox
from shiftwork.bootstrap.sandbox.agent_network import OWN_AGENT, AgentSandbox, agent_tables
from shiftwork.bootstrap.secrets import learn_secrets
from shiftwork.bootstrap.work.needed_extras import ensure_agent_extra
from shiftwork.config.agents.kinds import AGENTS
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import state_home
from shiftwork.config.surroundings import visible_to_agent
from shiftwork.errors import SettingsError
from shiftwork.ports.agent import Agent, AgentTask
from shiftwork.records import dataclass, replace

__all__ = ["Place", "Turn", "build_agent", "build_agents", "installed_instead", "scripted_agent"]


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
    """The configured agent; whether its program exists is checked when it starts to work. Raises MissingExtraError."""
    kind = settings.agent.kind
    ensure_agent_extra(settings.agent, place.table)
    seen = visible_to_agent(settings.agent.use, place.env, settings.agent.env)
    given = AgentOptions(env=seen, sandbox=place.confined(settings), root=place.root)
    if kind.program:
        given = replace(given, program=_program(settings, place.env, kind.program), lender=_lender(place))
    else:
        given = replace(given, command=_given_command(settings))
    # Imported by its name, so that the table of the kinds is the only list of agents.
    agent: Agent = import_module(f"shiftwork.adapters.agents.{kind.adapter}").build(given)
    return agent


def build_agents(settings: Settings, place: Place) -> dict[str, Agent]:
    """The run's own agent and the agents that workflows may name, by profile name."""
    learn_secrets(settings, place.env)
    return {
        name: build_agent(settings.model_copy(update={"agent": agent}), replace(place, table=table))
        for name, table, agent in agent_tables(settings)
    }


def installed_instead(settings: Settings, env: Mapping[str, str]) -> str:
    """How to use another agent that is installed, if the configured agent is not; empty if there is none."""
    programs = {name: kind.program for name, kind in AGENTS.items() if kind.program and name != settings.agent.use}
    others = (name for name, program in programs.items() if _is_there(program, env))
    name = next(others, "")
    return f'{name} is installed: use = "{name}" under [agent] in shiftwork.toml, or --agent {name}' if name else ""


def _is_there(program: str, env: Mapping[str, str]) -> bool:
    return shutil.which(program, path=env.get("PATH")) is not None


def scripted_agent(script: Callable[[AgentTask], Turn]) -> Agent:
    """An agent that does what the script says, for the demo: no program, no key, no network."""
    return ScriptedAgent(script)


def _program(settings: Settings, env: Mapping[str, str], usual: str) -> Path:
    named = settings.agent.program or usual
    return Path(shutil.which(named, path=env.get("PATH")) or named)


def _lender(place: Place) -> Lender:
    """Processes of all repositories take turns to renew the user's login, because they share it."""
    return Lender(locks=state_home(place.env) / "logins")


def _given_command(settings: Settings) -> str:
    if not settings.agent.command.strip():
        raise SettingsError(
            f'agent.use is "{settings.agent.use}", and agent.command is empty',
            hint='set command = "…" under [agent] in shiftwork.toml',
        )
    return settings.agent.command
