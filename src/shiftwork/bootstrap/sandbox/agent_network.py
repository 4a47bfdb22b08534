"""The network of each agent: its own with the hosts of its model, or this machine's if its hosts are unknown."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.network.proxy import Pass
from shiftwork.adapters.sandbox.network.upstream_proxy import read_upstream
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.config.agents.hosts import Endpoints, own_endpoints
from shiftwork.config.registries.addresses import NO_REGISTRIES, Registries
from shiftwork.config.settings.sandbox import RoomSettings
from shiftwork.config.settings.sections import AgentSettings
from shiftwork.config.settings.settings import Settings
from shiftwork.config.surroundings import visible_to_agent
from shiftwork.domain.network.hosts import Host
from shiftwork.records import dataclass, replace
from shiftwork.regexes import regex

OWN_AGENT: Final = "agent"
"""The settings table of the run's own agent."""

_BARE: Final = regex(r"[A-Za-z0-9_-]+")
_HTTPS: Final = 443


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSandbox:
    """The sandbox of agents: `base` has no network of its own; `of` adds one for each agent. `registries` are added to
    the hosts each agent may call. If this machine cannot create networks, `own_networks` is False, and all agents keep
    the machine's network.
    """

    base: Sandbox = OPEN
    room: RoomSettings = RoomSettings()
    registries: Registries = NO_REGISTRIES
    own_networks: bool = True

    def of(self, agent: AgentSettings, table: str, env: Mapping[str, str]) -> Sandbox:
        """The sandbox of an agent. `table` is the settings table that describes it."""
        if not isinstance(self.base, Bubblewrap):
            return self.base
        return replace(self.base, reach=self.reach(agent, table, env))

    def reach(self, agent: AgentSettings, table: str, env: Mapping[str, str]) -> Pass | None:
        """The hosts and ports the agent may call; None if it has no network of its own."""
        listed = (*agent.host_list, *self.room.host_list)
        own = own_endpoints(agent.use, visible_to_agent(agent.use, env, agent.env))
        unlimited = not listed and (own is None or self.room.network is True)
        if unlimited or self.room.network is False or not self.own_networks:
            return None
        known = own or Endpoints()
        ports = tuple(dict.fromkeys((*known.ports, *self.room.ports, *self.registries.ports)))
        # If the settings list this machine by name, requests to that name go to the proxy, with every port.
        local = {host.name for host in listed} & {"localhost", "127.0.0.1"}
        passed_on = (Host(name=name, port=port) for name in sorted(local) for port in ports)
        return Pass(
            hosts=tuple(dict.fromkeys((*known.hosts, *passed_on, *listed, *self.registries.hosts))),
            table="sandbox.agents" if self.room.hosts and not agent.hosts else table,
            ports=ports,
            upstream=read_upstream(env),
        )

    def keeps_network(self, agent: AgentSettings) -> bool:
        """Whether an agent keeps this machine's network although the settings do not ask for it, because its hosts are
        unknown.
        """
        confined = isinstance(self.base, Bubblewrap) and self.room.network == "auto"
        return confined and not (agent.hosts or self.room.hosts) and own_endpoints(agent.use, {}) is None


def agent_tables(settings: Settings) -> Iterator[tuple[str, str, AgentSettings]]:
    """Every agent that may work: its name, its settings table, and its settings."""
    yield settings.agent.use, OWN_AGENT, settings.agent
    for name, profile in settings.profiles.items():
        yield name, f"profiles.{name if _BARE.fullmatch(name) else json.dumps(name)}", profile


def unlimited(sandbox: AgentSandbox, settings: Settings) -> str:
    """A line that names the agents which keep this machine's network, and how to confine them; empty if none do."""
    found = [(name, table) for name, table, agent in agent_tables(settings) if sandbox.keeps_network(agent)]
    if not found:
        return ""
    names, tables = ", ".join(name for name, _ in found), ", ".join(f"[{table}]" for _, table in found)
    message = f"{names} can reach the whole network of this machine, with the services on it"
    return (
        f"{message}: an empty list of hosts under {tables} sets no limit. To set one, list what it may call: "
        'hosts = ["api.example.com"] in shiftwork.toml'
    )


def called_hosts(sandbox: AgentSandbox, settings: Settings, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The agents that have a network of their own, by name, each with the hosts it may call, as text."""
    for name, table, agent in agent_tables(settings):
        if reach := sandbox.reach(agent, table, env):
            hosts = (host.name if host.port == _HTTPS else str(host) for host in reach.hosts)
            ports = (f"port {port} of this machine" for port in reach.ports)
            yield name, ", ".join((*hosts, *ports))
