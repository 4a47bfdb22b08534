"""Hosts that a program may call: how they are written down, and the one spelling in which they are compared."""

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from typing import Final

WEB_PORTS: Final = frozenset({80, 443})

_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PORT: Final = re.compile(r"[1-9][0-9]{0,4}")
_LONGEST: Final = 253
_LAST_PORT: Final = 65535
_BELOW: Final = "*."


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A name or an IPv4 address. Where it is `below`, every name that ends in it is meant, and not itself. Without a
    port those of the web are meant.
    """

    name: str
    port: int | None = None
    below: bool = False

    def __str__(self) -> str:
        return f"{_BELOW if self.below else ''}{self.name}{f':{self.port}' if self.port else ''}"

    @property
    def ports(self) -> frozenset[int]:
        return frozenset({self.port}) if self.port else WEB_PORTS

    @property
    def is_wished(self) -> bool:
        """Whether nobody can have meant anything else: an address, or a name with its port."""
        return not self.below and (self.port is not None or is_address(self.name))


def read_host(text: str) -> Host:
    """As it stands in the settings; raises ValueError with what is wrong."""
    place, colon, given = text.removeprefix(_BELOW).partition(":")
    name, number, below = plain(place), port(given), text.startswith(_BELOW)
    if name is None or (colon and number is None) or (below and is_address(name)):
        told = "give a name, '*.' and a name, or an IPv4 address, with or without ':' and a port; no scheme, no path"
        raise ValueError(f"{text!r} is not a host: {told}")
    return Host(name=name, port=number, below=below)


def port(text: str) -> int | None:
    """The number, if it is one; plain digits alone."""
    return int(text) if _PORT.fullmatch(text) and int(text) <= _LAST_PORT else None


def plain(name: str) -> str | None:
    """The name in lower case, or None if it is not spelt as every resolver reads it alike.

    So there are no IPv6 addresses, no dot at the end, nothing beyond ASCII; and of the dozen ways to write an IPv4
    address (`127.1`, `0x7f000001`, `0177.0.0.1`) there is one.
    """
    folded = name.lower() if name.isascii() else ""
    labels = folded.split(".")
    if len(folded) > _LONGEST or not all(map(_LABEL.fullmatch, labels)):
        return None
    return None if _NUMBER.fullmatch(labels[-1]) and not is_address(folded) else folded


def is_address(name: str) -> bool:
    try:
        IPv4Address(name)
    except AddressValueError:
        return False
    return True
