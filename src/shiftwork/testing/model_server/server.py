"""A model on loopback that follows a script: tests can run real agents without a network or costs."""

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
from shiftwork.testing.model_server.server_state import ServerState
from shiftwork.testing.model_server.turns import Turn

LOOPBACK = "127.0.0.1"


class ModelServer:
    """Serves while its context is open; on exit every connection is cut and every thread has ended.

    An exception in a script is raised on exit, unless another exception is already propagating.
    """

    def __init__(self, *, port: int = 0) -> None:
        self._state = ServerState()
        self._sockets: set[socket.socket] = set()
        self._listener = _Listener(self._state, self._sockets, port)
        self._thread = Thread(target=self._listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self._listener.server_port}"

    def url(self, script: str) -> str:
        """The address of the model for an agent; the script answers its requests."""
        return f"{self.address}/s/{script}"

    def load(self, script: str, answers: Script | Iterable[Turn] | Callable[[ModelRequest], Turn]) -> None:
        """Use these answers from now on; remaining turns of an earlier script with this name are dropped, its requests
        kept.
        """
        if isinstance(answers, Script):
            self._state.load(script, answers)
        elif callable(answers):
            self._state.load(script, Script.by(answers))
        else:
            self._state.load(script, Script.of(answers))

    def requests(self, script: str) -> tuple[ModelRequest, ...]:
        """All requests to the script, in order, auxiliary requests too."""
        return self._state.requests(script)

    def last_tool_result(self, script: str) -> str:
        """What the last tool returned; agents send requests of their own after that now and then, without a result."""
        results = (request.last_tool_result for request in reversed(self.requests(script)))
        return next((result for result in results if result), "")

    def wait_for(self, script: str, count: int, seconds: float) -> bool:
        """Whether the script gets that many requests within the time; auxiliary requests do not count."""
        return self._state.wait_for(script, count, seconds)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._state.closing.set()
        self._listener.shutdown()
        for connection in list(self._sockets):
            cut(connection)
        self._listener.server_close()
        self._thread.join()
        mistakes = self._state.mistakes()
        if mistakes and error is None:
            raise ExceptionGroup("the scripted model failed", mistakes)


class _Listener(ThreadingHTTPServer):
    # Threads are joined when the server closes: none may outlive its test.
    daemon_threads = False
    block_on_close = True
    request_queue_size = 128

    def __init__(self, state: ServerState, sockets: set[socket.socket], port: int) -> None:
        self._state = state
        super().__init__((LOOPBACK, port), functools.partial(Connection, state, sockets))

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        """An error in the server itself: raised at the end instead of printed into another test's output."""
        error = sys.exception()
        if isinstance(error, Exception):
            self._state.mistake(error)
