"""Serves the API of a project on this machine until it is asked to stop."""

import asyncio
import contextlib
import resource
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from shiftwork.bootstrap.state.read_only import now
from shiftwork.config.access.login_codes import LoginCodes
from shiftwork.config.access.tokens import Tokens
from shiftwork.config.site import Site
from shiftwork.entrypoints.api.access.attempt_limit import AttemptLimit
from shiftwork.entrypoints.api.access.browser_sessions import Sessions
from shiftwork.entrypoints.api.access.request_guard import Access
from shiftwork.entrypoints.api.application import create_app
from shiftwork.errors import UsageError

LOOPBACK: Final = "127.0.0.1"
_STOP_SECONDS: Final = 3
_WAITING: Final = 128
"""Connections that the system keeps until they are accepted."""

_ACCEPTED_AT_ONCE: Final = 16
"""Connections that are accepted before any is ended: more could use up the file descriptors, and then asyncio accepts
none for a second.
"""


class _Bounded(H11Protocol):
    """Leaves half of the file descriptors to the server itself: anybody on this machine can connect. When there are too
    many connections, one ends that has not sent its request or does not read its answer, so that they keep nobody out.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2:
            others = (each for each in self.connections if each is not self and isinstance(each, _Bounded))
            next((each for each in others if each.is_idle), self).transport.abort()

    @property
    def is_idle(self) -> bool:
        """Whether nobody waits for an answer: no request has come, its body has not come to its end, or more of the
        answer is unread than is kept for a client. One that closes keeps its descriptor until its answer is read.
        """
        if self.transport.is_closing():
            return self.transport.get_write_buffer_size() > 0
        cycle: RequestResponseCycle | None = self.cycle  # none before the first request
        waits = cycle is not None and not cycle.response_complete and not cycle.more_body
        return not waits or self.flow.write_paused


class _Server(uvicorn.Server):
    """Signals belong to the process that serves."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_WAITING)  # asyncio has set as many as it accepts at once

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_project(
    site: Site, env: Mapping[str, str], port: int, ready: Callable[[str], None], stop: asyncio.Event
) -> None:
    """Serves until `stop` is set. Calls `ready` with the address. Port 0 is any free port."""
    listening = _bound(port)
    port = listening.getsockname()[1]
    allowed = access(site, port)
    app, project = create_app(site, env, allowed)
    config = uvicorn.Config(
        app,
        http=_Bounded,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_STOP_SECONDS,
        backlog=_ACCEPTED_AT_ONCE,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        ready(f"http://{LOOPBACK}:{port}")
        asked = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, asked}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
    finally:
        project.window.close()
        server.should_exit = True
        try:
            await asyncio.gather(serving, project.commands.stop())
        finally:
            listening.close()


def access(site: Site, port: int) -> Access:
    """Who may use the server at this port, and by which names."""
    tokens = Tokens(site.state)
    return Access(
        hosts=frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"}),
        cookie=f"shiftwork_session_{port}",
        tokens=tokens,
        codes=LoginCodes(site.state, port),
        sessions=Sessions(site.state, tokens, now, port),
        limit=AttemptLimit(time.monotonic),
    )


def check_port(port: int) -> None:
    """Raises UsageError if this server could not listen at the port."""
    _bound(port).close()


def is_free(port: int) -> bool:
    try:
        check_port(port)
    except UsageError:
        return False
    return True


def _bound(port: int) -> socket.socket:
    """Listens at once, so that a client that was given the address can connect."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen(_WAITING)
    except OSError as error:
        listening.close()
        raise UsageError(f"port {port} cannot be used: {error.strerror}", hint="choose another: --port 0") from error
    return listening
