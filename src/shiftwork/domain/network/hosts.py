"""Hosts that a program may call: how they are written, and the normalised spelling in which they are compared."""

from ipaddress import AddressValueError, IPv4Address
from typing import Final

from shiftwork.records import dataclass
from shiftwork.regexes import regex

WEB_PORTS: Final = frozenset({80, 443})

_LABEL: Final = regex(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = regex(r"[0-9]+|0x[0-9a-f]*")
_PORT: Final = regex(r"[1-9][0-9]{0,4}")
_LONGEST: Final = 253
_LAST_PORT: Final = 65535
_BELOW: Final = "*."


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A name or an IPv4 address. With `below`, every name that ends in it matches, but not the name itself. Without a
    port, the web ports match.
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
        """Whether the entry is unambiguous: an address, or a name with its port."""
        return not self.below and (self.port is not None or is_address(self.name))


def read_host(text: str) -> Host:
    """Reads one entry of a `hosts` setting: a network host that may be called. Raises ValueError with the reason."""
    place, colon, given = text.removeprefix(_BELOW).partition(":")
    name, number, below = plain(place), port(given), text.startswith(_BELOW)
    if name is None or (colon and number is None) or (below and is_address(name)):
        message = "give a name, '*.' and a name, or an IPv4 address, with or without ':' and a port; no scheme, no path"
        raise ValueError(f"{text!r} is not a host: {message}")
    return Host(name=name, port=number, below=below)


def port(text: str) -> int | None:
    """The port number, or None; only plain digits count."""
    return int(text) if _PORT.fullmatch(text) and int(text) <= _LAST_PORT else None


def plain(name: str) -> str | None:
    """The name in lower case, or None if resolvers might read its spelling differently.

    So IPv6 addresses, a trailing dot and non-ASCII characters are refused; of the many spellings of an IPv4 address
    (`127.1`, `0x7f000001`, `0177.0.0.1`) only the usual one is accepted.
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
