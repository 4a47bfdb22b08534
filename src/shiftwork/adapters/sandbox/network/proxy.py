"""The proxy of a sandbox with listed hosts: answers one program's calls, and forwards only those to listed hosts.

Names are resolved here, once, and only checked addresses are connected to. No content is stored.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import h11

from shiftwork.adapters.sandbox.network.proxy_request import by_proxy, called, is_tunnel, renewed
from shiftwork.adapters.sandbox.network.upstream_proxy import Upstream, UpstreamProxy, connected, tunnelled
from shiftwork.domain.network.allowlist import listed, may_lead_to
from shiftwork.domain.network.hosts import WEB_PORTS, Host, is_address
from shiftwork.records import dataclass

MOST_CALLS: Final = 100
"""The most calls at once for one program: each takes two of the files that this process may have open."""

_LOOKUPS: Final = 4
_HEAD_BYTES: Final = 64 * 1024
_CHUNK: Final = 64 * 1024
_HEAD_SECONDS: Final = 30.0
_CONNECT_SECONDS: Final = 20.0
_FAREWELL_SECONDS: Final = 2.0

_HUNG_UP: Final = (OSError, h11.ProtocolError)
"""Either side has hung up, or has broken the protocol half-way, which has the same effect."""

type _Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Which hosts may be called, and the table of the settings that lists them. `ports` of this machine are reached as
    if they were the program's own. Hosts are called through the user's own proxies, if there are any: `upstream`.
    """

    hosts: tuple[Host, ...]
    table: str
    ports: tuple[int, ...] = ()
    upstream: Upstream = Upstream()


class _RefusedError(Exception):
    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


def look_up(name: str) -> Sequence[str]:
    """The addresses of a name."""
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


class Proxy:
    """Calls `on_refusal` for every call to a host that is not allowed."""

    def __init__(
        self, given: Pass, on_refusal: Callable[[str], None], lookup: Callable[[str], Sequence[str]] = look_up
    ) -> None:
        self._given = given
        self._on_refusal = on_refusal
        self._lookup = lookup
        self._calls: set[asyncio.Task[None]] = set()
        self._closed = False
        # Its own threads, because a slow name server must not block those of the event loop.
        self._lookups = ThreadPoolExecutor(max_workers=_LOOKUPS)

    def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> asyncio.Task[None] | None:
        """Answers a call, beside the others, until either side hangs up. Returns None after `close`."""
        if self._closed:
            writer.transport.abort()
            return None
        call = asyncio.create_task(self._answered((reader, writer)))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        return call

    async def close(self) -> None:
        """Ends all calls, and accepts no more."""
        self._closed = True
        self._lookups.shutdown(wait=False, cancel_futures=True)
        ending = list(self._calls)
        for call in ending:
            call.cancel()
        await asyncio.gather(*ending, return_exceptions=True)

    async def _answered(self, client: _Line) -> None:
        with contextlib.suppress(OSError), _closing(client):
            try:
                await self._served(client)
            except _RefusedError as refused:
                await _turned_away(client, refused.code, str(refused))

    async def _served(self, client: _Line) -> None:
        if len(self._calls) > MOST_CALLS:
            raise _RefusedError(503, f"{MOST_CALLS} calls are in progress, and no more are allowed at once")
        asked = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_BYTES)
        try:
            async with asyncio.timeout(_HEAD_SECONDS):
                request = await _next_event(asked, client[0])
            if not isinstance(request, h11.Request):
                return  # it has hung up
            name, number, _ = called(request)
            ahead = None if is_tunnel(request) else renewed(request)
        except h11.RemoteProtocolError as error:
            raise _RefusedError(error.error_status_hint, str(error)) from None
        except ValueError as error:
            self._on_refusal(str(error))
            raise _RefusedError(403, str(error)) from None
        server, door = await self._reached(name, number, tunnel=ahead is None)
        if ahead and door:
            ahead = by_proxy(ahead, name, number, door.authorization)
        with _closing(server):
            await (_asked(client, server, asked, ahead) if ahead else _joined(client, server, asked.trailing_data[0]))

    async def _reached(self, name: str, number: int, *, tunnel: bool) -> tuple[_Line, UpstreamProxy | None]:
        """Returns a connection to the host, or to the user's own proxy for it."""
        meant = listed(self._given.hosts, name, number)
        if not meant:
            raise self._refused(Host(name=name, port=None if number in WEB_PORTS else number), "is not listed")
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                door = self._given.upstream.door(name, number, tunnel=tunnel)
                addresses = [name] if is_address(name) else await self._addresses(name, unknown=door is not None)
                allowed = [address for address in addresses if may_lead_to(meant, address)]
                if addresses and not allowed:
                    why = "resolves to an address that is not public, and is not listed with its port"
                    raise self._refused(Host(name=name, port=number), why)
                if door is None:
                    return await _connected(allowed, number), None
                return await (tunnelled(door, name, number) if tunnel else connected(door)), door
        except ValueError as error:
            self._on_refusal(str(error))
            raise _RefusedError(502, str(error)) from None
        except OSError as failure:  # including a timeout
            why = failure.strerror or str(failure) or "no answer"
            raise _RefusedError(502, f"{name}:{number} cannot be reached: {why}") from None

    async def _addresses(self, name: str, *, unknown: bool) -> Sequence[str]:
        """Behind the user's own proxy a name may be `unknown` here, because only that proxy resolves it."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._lookups, self._lookup, name)
        except socket.gaierror:
            if unknown:
                return []
            raise

    def _refused(self, host: Host, why: str) -> _RefusedError:
        message = f"{host} {why} under hosts of [{self._given.table}]"
        self._on_refusal(message)
        return _RefusedError(403, f'{message}; the user can allow it there, in shiftwork.toml: hosts = ["{host}"]')


@contextlib.contextmanager
def _closing(line: _Line) -> Iterator[None]:
    """Closes a connection at once; all data is sent by then, because `_sent` waits for it."""
    line[1].transport.set_write_buffer_limits(0)
    try:
        yield
    finally:
        line[1].transport.abort()


async def _sent(writer: asyncio.StreamWriter, content: bytes) -> None:
    writer.write(content)
    await writer.drain()


async def _connected(addresses: Sequence[str], number: int) -> _Line:
    """Connects to the first address that answers."""
    for address in addresses[:-1]:
        with contextlib.suppress(OSError):
            async with asyncio.timeout(_CONNECT_SECONDS / 4):
                return await asyncio.open_connection(address, number)
    return await asyncio.open_connection(addresses[-1], number)


async def _next_event(asked: h11.Connection, reader: asyncio.StreamReader) -> object:
    while (event := asked.next_event()) is h11.NEED_DATA:
        asked.receive_data(await reader.read(_CHUNK))
    return event


async def _joined(client: _Line, server: _Line, begun: bytes) -> None:
    """Runs a tunnel until both sides have sent everything."""
    await _sent(client[1], b"HTTP/1.1 200 Connection established\r\n\r\n")
    await _sent(server[1], begun)
    with contextlib.suppress(*_HUNG_UP):
        async with asyncio.TaskGroup() as both:
            both.create_task(_copied(client[0], server[1]))
            both.create_task(_copied(server[0], client[1]))


async def _asked(client: _Line, server: _Line, asked: h11.Connection, request: h11.Request) -> None:
    """Forwards one request and its answer, which may arrive before the whole request is sent."""
    with contextlib.suppress(*_HUNG_UP):
        async with asyncio.TaskGroup() as both:
            sending = both.create_task(_passed_on(request, asked, client[0], server[1]))
            await _copied(server[0], client[1])
            sending.cancel()


async def _passed_on(
    request: h11.Request, asked: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    ahead = h11.Connection(h11.CLIENT)
    event: object = request
    while isinstance(event, h11.Request | h11.Data | h11.EndOfMessage):
        await _sent(writer, ahead.send(event) or b"")
        if isinstance(event, h11.EndOfMessage):
            break
        event = await _next_event(asked, reader)
    if await reader.read(1):
        # Another request, which may be for another host; a client that sends it before the answer must send it again.
        raise ConnectionAbortedError


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(_CHUNK):
        await _sent(writer, chunk)
    writer.write_eof()


async def _turned_away(client: _Line, code: int, why: str) -> None:
    body = f"shiftwork: {why}\n".encode()
    head = (
        f"HTTP/1.1 {code} Refused by Shiftwork\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    await _sent(client[1], head.encode() + body)
    client[1].write_eof()
    # Reads what the client is still sending, or the answer would be lost with the connection.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_FAREWELL_SECONDS):
            while await client[0].read(_CHUNK):
                pass
