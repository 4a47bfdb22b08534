"""The user's own proxies (HTTPS_PROXY and similar): calls from a sandbox go through them, as the user's tools do.

A program inside never sees them: neither their address nor a password in it is in its environment.
"""

import asyncio
import contextlib
from base64 import b64encode
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import Final
from urllib.parse import unquote, urlsplit

from shiftwork.domain.network.hosts import is_address
from shiftwork.records import dataclass

_PORTS: Final = {"http": 80, "https": 443}
_FINE: Final = 200
_OTHERS: Final = 300
VARIABLES: Final = frozenset({"http_proxy", "https_proxy", "all_proxy"})
"""In lower case; each may be in upper case too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamProxy:
    """One proxy. `authorization` is sent to it with every request; empty if it needs none."""

    host: str
    port: int
    tls: bool = False
    authorization: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The values of the variables; empty if not set."""

    tunnels: str = ""
    plain: str = ""
    beside: str = ""

    def door(self, name: str, port: int, *, tunnel: bool) -> UpstreamProxy | None:
        """Returns the proxy for a host; None for a direct call. Raises ValueError for an unsupported proxy."""
        address = self.tunnels if tunnel else self.plain
        own = name == "localhost" or name.startswith("127.")
        if not address or own or any(_means(word, name, port) for word in self.beside.split(",")):
            return None
        return _read(address)


def _means(word: str, name: str, port: int) -> bool:
    """Whether an entry of NO_PROXY matches a host: `*`, a name with its subdomains and perhaps a port, or a network."""
    entry = word.strip().lower()
    if is_address(name) and "/" in entry:
        with contextlib.suppress(ValueError):
            return IPv4Address(name) in IPv4Network(entry, strict=False)
        return False
    place, _, number = entry.partition(":")
    bare = place.removeprefix("*").removeprefix(".")
    if not bare or (number and number != str(port)):
        return entry == "*"
    return name == bare or name.endswith(f".{bare}")


def read_upstream(env: Mapping[str, str]) -> Upstream:
    """Names in lower case take precedence, as in most tools."""

    def value(name: str) -> str:
        return env.get(name) or env.get(name.upper(), "")

    every = value("all_proxy")
    return Upstream(tunnels=value("https_proxy") or every, plain=value("http_proxy") or every, beside=value("no_proxy"))


def _read(address: str) -> UpstreamProxy:
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError(f"your proxy has the scheme {parts.scheme!r}, but only http and https are supported")
    password = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return UpstreamProxy(
        host=parts.hostname,
        port=parts.port or _PORTS[parts.scheme],
        tls=parts.scheme == "https",
        authorization=f"Basic {b64encode(password.encode()).decode()}" if parts.username else "",
    )


async def connected(door: UpstreamProxy) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(door.host, door.port, ssl=True if door.tls else None)


async def tunnelled(door: UpstreamProxy, name: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connects to a host through the proxy; raises OSError if the proxy refuses."""
    reader, writer = await connected(door)
    try:
        said = f"Proxy-Authorization: {door.authorization}\r\n" if door.authorization else ""
        writer.write(f"CONNECT {name}:{port} HTTP/1.1\r\nHost: {name}:{port}\r\n{said}\r\n".encode())
        await writer.drain()
        _check(await reader.readuntil(b"\r\n\r\n"))
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as failure:
        writer.transport.abort()
        raise ConnectionAbortedError("your own proxy sent an invalid answer") from failure
    except BaseException:
        writer.transport.abort()
        raise
    return reader, writer


def _check(head: bytes) -> None:
    words = head.split(b"\r\n")[0].decode("latin-1").split(" ", 2)
    code = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
    if not _FINE <= code < _OTHERS:
        raise ConnectionRefusedError(f"your own proxy answers {' '.join(words[1:]) or 'nothing'}")
