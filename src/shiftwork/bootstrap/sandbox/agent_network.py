"""The network of each agent: its own with the hosts of its model, or this machine's where nothing is known of it."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
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

OWN_AGENT: Final = "agent"
"""The table of the settings for the run's own agent."""

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_HTTPS: Final = 443


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSandbox:
    """The sandbox of agents: `base` without a network of its own, and how each agent gets one. `registries` are added
    to what each may call. Where this machine makes no networks, `own_networks` is False, and all keep the machine's.
    """

    base: Sandbox = OPEN
    room: RoomSettings = RoomSettings()
    registries: Registries = NO_REGISTRIES
    own_networks: bool = True

    def of(self, agent: AgentSettings, table: str, env: Mapping[str, str]) -> Sandbox:
        """The sandbox of one agent. `table` is that of the settings which describes it."""
        if not isinstance(self.base, Bubblewrap):
            return self.base
        return replace(self.base, reach=self.reach(agent, table, env))

    def reach(self, agent: AgentSettings, table: str, env: Mapping[str, str]) -> Pass | None:
        """What the agent may call; None where it has no network of its own."""
        listed = (*agent.host_list, *self.room.host_list)
        own = own_endpoints(agent.use, visible_to_agent(agent.use, env, agent.env))
        unlimited = not listed and (own is None or self.room.network is True)
        if unlimited or self.room.network is False or not self.own_networks:
            return None
        known = own or Endpoints()
        ports = tuple(dict.fromkeys((*known.ports, *self.room.ports, *self.registries.ports)))
        # The name under which this machine is listed goes to the proxy, with every port.
        local = {host.name for host in listed} & {"localhost", "127.0.0.1"}
        passed_on = (Host(name=name, port=port) for name in sorted(local) for port in ports)
        return Pass(
            hosts=tuple(dict.fromkeys((*known.hosts, *passed_on, *listed, *self.registries.hosts))),
            table="sandbox.agents" if self.room.hosts and not agent.hosts else table,
            ports=ports,
            upstream=read_upstream(env),
        )

    def keeps_network(self, agent: AgentSettings) -> bool:
        """Whether an agent has this machine's network though nobody asked for that: nothing is known of its hosts."""
        confined = isinstance(self.base, Bubblewrap) and self.room.network == "auto"
        return confined and not (agent.hosts or self.room.hosts) and own_endpoints(agent.use, {}) is None


def agent_tables(settings: Settings) -> Iterator[tuple[str, str, AgentSettings]]:
    """Every agent that may work: its name, its table in the settings, and what that says."""
    yield settings.agent.use, OWN_AGENT, settings.agent
    for name, profile in settings.profiles.items():
        yield name, f"profiles.{name if _BARE.fullmatch(name) else json.dumps(name)}", profile


def unlimited(sandbox: AgentSandbox, settings: Settings) -> str:
    """One line that names the agents which keep this machine's network, and how to confine them; empty if none do."""
    found = [(name, table) for name, table, agent in agent_tables(settings) if sandbox.keeps_network(agent)]
    if not found:
        return ""
    names, tables = ", ".join(name for name, _ in found), ", ".join(f"[{table}]" for _, table in found)
    keep = "keeps" if len(found) == 1 else "keep"
    told = f"{names} {keep} this machine's network, with the services on it, because the settings name no hosts for it"
    return f'{told}: list them, hosts = ["api.example.com"] under {tables} in shiftwork.toml'


def called_hosts(sandbox: AgentSandbox, settings: Settings, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The agents that have a network of their own, by name, each with whom it may call, in words."""
    for name, table, agent in agent_tables(settings):
        if reach := sandbox.reach(agent, table, env):
            hosts = (host.name if host.port == _HTTPS else str(host) for host in reach.hosts)
            ports = (f"port {port} of this machine" for port in reach.ports)
            yield name, ", ".join((*hosts, *ports))
