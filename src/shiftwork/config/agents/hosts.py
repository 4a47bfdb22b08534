"""Which hosts an agent calls to reach its model: from its kind, its environment and the user's own settings for it.

A repository's settings are ignored; otherwise a repository could have the user's code and login sent to its own host. A
model on this machine is a port instead of a host, so that the agent's own servers stay on its loopback.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from shiftwork.config.agents.kinds import AGENTS
from shiftwork.domain.network.hosts import Host, plain
from shiftwork.records import dataclass

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})
_PORTS: Final = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Hosts, each with its port, so a name may resolve to the user's own network. `ports` are of this machine."""

    hosts: tuple[Host, ...] = ()
    ports: tuple[int, ...] = ()


def own_endpoints(agent: str, env: Mapping[str, str]) -> Endpoints | None:
    """None for an agent whose hosts are unknown. `env` is the environment that the agent gets."""
    addresses = AGENTS[agent].addresses
    if addresses is None:
        return None
    places = [place for address in addresses(env) if (place := _place(address))]
    return Endpoints(
        hosts=tuple(dict.fromkeys(Host(name=name, port=port) for name, port in places if name not in _LOOPBACK)),
        ports=tuple(dict.fromkeys(port for name, port in places if name in _LOOPBACK)),
    )


def _place(address: str) -> tuple[str, int] | None:
    """Host and port of an address; None if it has no valid host and port."""
    try:
        parts = urlsplit(address if "://" in address else f"https://{address}")
        name, port = plain(parts.hostname or ""), parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (name, port) if name and port else None
