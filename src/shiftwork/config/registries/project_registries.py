"""The registries that a repository names in its own configuration: a claim, in force once the user has agreed to it.

A package manager inside the sandbox reads these files by itself. Whether it can reach the hosts in them is the user's
decision, because a story can land such a file too. They are read from the checkout, before anything runs.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from shiftwork.bounded import first_link, read_bytes
from shiftwork.config.registries.addresses import host_of, is_local, without_login
from shiftwork.config.registries.registry_files import (
    Named,
    in_cargo_config,
    in_npmrc,
    in_pipfile,
    in_pyproject,
    in_uv_toml,
    in_yarnrc,
)
from shiftwork.config.trust.consent_claims import Claim, Command
from shiftwork.domain.network.hosts import WEB_PORTS, Host

REGISTRIES: Final = "package registries"
"""The name of the claim, in place of a file name."""

_LARGEST: Final = 1 << 18
_MOST: Final = 50

_FILES: Final[tuple[tuple[str, Callable[[str], Named]], ...]] = (
    ("pyproject.toml", in_pyproject),
    ("uv.toml", in_uv_toml),
    ("Pipfile", in_pipfile),
    (".npmrc", in_npmrc),
    (".yarnrc.yml", in_yarnrc),
    (".yarnrc", in_yarnrc),
    (".cargo/config.toml", in_cargo_config),
)


def registry_claim(root: Path) -> Claim:
    """Each address, with the file that names it. An unreadable file names none, so it puts nothing in force."""
    found = dict.fromkeys((name, address) for name, read in _FILES for address in _addresses(root, name, read))
    commands = tuple(Command(where=name, text=address) for name, address in found)
    return Claim(file=root / REGISTRIES, commands=commands[:_MOST])


def addresses_of(claim: Claim) -> tuple[str, ...]:
    return tuple(command.text for command in claim.commands)


def project_hosts(addresses: Iterable[str]) -> Iterator[Host]:
    """Without their ports: the owner of such a name must not be able to point it into the user's own network."""
    found = (host_of(address) for address in addresses)
    yield from (Host(name=host.name) for host in found if host)


def _addresses(root: Path, name: str, read: Callable[[str], Named]) -> Iterator[str]:
    """Only web ports on other machines: for anything else the user sets `hosts` or `ports`."""
    for address in read(_text(root, name)).addresses:
        host = host_of(address)
        if host and host.port in WEB_PORTS and not is_local(host):
            yield without_login(address)


def _text(root: Path, name: str) -> str:
    if first_link(root, root / name):
        return ""
    try:
        return read_bytes(root / name, _LARGEST, links=False).decode()
    except (OSError, ValueError):
        return ""
