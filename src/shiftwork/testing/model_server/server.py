"""A model on loopback that follows a script: what lets tests drive real agents without a network or a bill."""

import functools
import socket
import sys
from collections.abc import Callable, Iterable
from http.server import ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any, Self, override

from shiftwork.testing.model_server.http import Connection, cut
from shiftwork.testing.model_server.model_request import ModelRequest
from shiftwork.testing.model_server.script import Script
from shiftwork.testing.model_server.server_state import Desk
from shiftwork.testing.model_server.turns import Turn

LOOPBACK = "127.0.0.1"


class ModelServer:
    """Serves from entering it as a context until leaving, when every connection has been cut and every thread ended.

    An exception that a script raised is raised on leaving, unless another one is already on its way.
    """

    def __init__(self, *, port: int = 0) -> None:
        self._desk = Desk()
        self._sockets: set[socket.socket] = set()
        self._listener = _Listener(self._desk, self._sockets, port)
        self._thread = Thread(target=self._listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self._listener.server_port}"

    def url(self, script: str) -> str:
        """What an agent gets as the address of its model; its requests are answered by that script."""
        return f"{self.address}/s/{script}"

    def load(self, script: str, answers: Script | Iterable[Turn] | Callable[[ModelRequest], Turn]) -> None:
        """Answer by this from now on; turns of an earlier script of the same name are forgotten, its requests kept."""
        if isinstance(answers, Script):
            self._desk.load(script, answers)
        elif callable(answers):
            self._desk.load(script, Script.by(answers))
        else:
            self._desk.load(script, Script.of(answers))

    def requests(self, script: str) -> tuple[ModelRequest, ...]:
        """Everything asked of the script, in order, auxiliary requests too."""
        return self._desk.requests(script)

    def wait_for(self, script: str, count: int, seconds: float) -> bool:
        """Whether the script has been asked that often, within the time; auxiliary requests do not count."""
        return self._desk.wait_for(script, count, seconds)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._desk.closing.set()
        self._listener.shutdown()
        for connection in list(self._sockets):
            cut(connection)
        self._listener.server_close()
        self._thread.join()
        mistakes = self._desk.mistakes()
        if mistakes and error is None:
            raise ExceptionGroup("the scripted model failed", mistakes)


class _Listener(ThreadingHTTPServer):
    # Threads are joined when the server closes: none may outlive the test that it served.
    daemon_threads = False
    block_on_close = True
    request_queue_size = 128

    def __init__(self, desk: Desk, sockets: set[socket.socket], port: int) -> None:
        self._desk = desk
        super().__init__((LOOPBACK, port), functools.partial(Connection, desk, sockets))

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A defect of the server itself: it is not printed into some other test's output but raised at the end."""
        error = sys.exception()
        if isinstance(error, Exception):
            self._desk.mistake(error)
