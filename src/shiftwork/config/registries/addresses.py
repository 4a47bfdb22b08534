"""The address of a registry, as the sandbox allows it: a host, a port of this machine, or a folder."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from shiftwork.domain.network.hosts import Host, plain
from shiftwork.records import dataclass

_PORTS: Final = {"http": 80, "https": 443}
_TRANSPORTS: Final = ("sparse+", "git+")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Registries:
    """`ports` are those of registries on this machine, and `folders` contain packages as files."""

    hosts: tuple[Host, ...] = ()
    ports: tuple[int, ...] = ()
    folders: tuple[Path, ...] = ()


NO_REGISTRIES: Final = Registries()


def registries(addresses: Iterable[str]) -> Registries:
    """The registries of the user's own configuration: each host has its port, and may be in a private network. Anything
    that is not a registry address is skipped.
    """
    known = tuple(dict.fromkeys(addresses))
    hosts = dict.fromkeys(host for host in map(host_of, known) if host)
    remote = tuple(host for host in hosts if host.name not in _LOOPBACK)
    own = dict.fromkeys(host.port for host in hosts if host.name in _LOOPBACK and host.port)
    return Registries(hosts=remote, ports=tuple(own), folders=tuple(dict.fromkeys(_folders(known))))


def host_of(address: str) -> Host | None:
    """The host of a web address, with its port; None if it is no web address, or resolvers could read it
    differently.
    """
    try:
        parts = urlsplit(_bare(address))
        name, number = plain(parts.hostname or ""), parts.port
    except ValueError:
        return None
    if name is None or parts.scheme not in _PORTS:
        return None
    return Host(name=name, port=number or _PORTS[parts.scheme])


def is_local(host: Host) -> bool:
    return host.name in _LOOPBACK


def without_login(address: str) -> str:
    """The address without user name and password."""
    scheme, mark, rest = address.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{mark}{place.rpartition('@')[2]}{slash}{path}" if mark else address


def _bare(address: str) -> str:
    for transport in _TRANSPORTS:
        address = address.removeprefix(transport)
    return address


def _folders(addresses: Iterable[str]) -> Iterator[Path]:
    for address in addresses:
        path = Path(unquote(urlsplit(address).path)) if address.startswith("file://") else Path(address)
        if path.is_absolute() and path.is_dir():
            yield Path(os.path.normpath(path))
