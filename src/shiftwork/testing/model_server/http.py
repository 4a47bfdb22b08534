"""An agent's connection to the server: reads requests, and answers each according to its turn."""

import gzip
import json
import socket
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, override

from shiftwork.regexes import regex
from shiftwork.testing.model_server.anthropic import AnthropicMessages
from shiftwork.testing.model_server.control import requests_body, script_of
from shiftwork.testing.model_server.model_request import ModelRequest
from shiftwork.testing.model_server.responses import OpenAIResponses
from shiftwork.testing.model_server.server_state import ServerState
from shiftwork.testing.model_server.turns import Call, Drop, DropMid, Fail, Hang, Say, StreamError, Think, Turn
from shiftwork.testing.model_server.wire import Body, Frame, Reply, Wire

WIRES: Final[tuple[Wire, ...]] = (AnthropicMessages(), OpenAIResponses())
DEFAULT_SCRIPT: Final = "default"

_ADDRESS = regex(r"(?:/s/(?P<script>[^/?]+))?(?P<path>/[^?]*)")
_CONTROL = regex(r"/_(?P<what>scripts|requests)/(?P<script>[^/?]+)")
_MODELS: Final[Body] = {
    "object": "list",
    "data": [{"id": "scripted", "type": "model", "object": "model", "display_name": "Scripted"}],
    "models": [],
    "has_more": False,
}


class Connection(BaseHTTPRequestHandler):
    """Keeps connections alive between requests, except after a stream or a cut."""

    protocol_version = "HTTP/1.1"
    server_version = "scripted-model"
    disable_nagle_algorithm = True

    def __init__(self, state: ServerState, sockets: set[socket.socket], *connection: Any) -> None:
        # Set first: the parent's constructor serves the whole connection.
        self._state = state
        self._sockets = sockets
        super().__init__(*connection)

    def setup(self) -> None:
        super().setup()
        self._sockets.add(self.connection)
        if self._state.closing.is_set():
            self._cut()

    def finish(self) -> None:
        self._sockets.discard(self.connection)
        super().finish()

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True  # The agent was stopped or stopped waiting: there is no client to answer.

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Silent, because requests are recorded."""

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        control = _CONTROL.fullmatch(self.path)
        if control and control["what"] == "requests":
            self._json(200, requests_body(self._state.requests(control["script"])))
        elif self.path.partition("?")[0].endswith("/models"):
            self._json(200, _MODELS)
        else:
            self._unknown()

    def do_PUT(self) -> None:
        control = _CONTROL.fullmatch(self.path)
        raw = self._body()
        if not control or control["what"] != "scripts":
            self._unknown()
            return
        try:
            self._state.load(control["script"], script_of(json.loads(raw)))
        except ValueError as error:
            self._json(400, {"error": {"type": "invalid_script", "message": str(error)}})
        else:
            self._json(200, {"loaded": control["script"]})

    def do_POST(self) -> None:
        raw = self._body()
        address = _ADDRESS.match(self.path)
        path = address["path"] if address else self.path
        if path.endswith("/messages/count_tokens"):
            self._json(200, {"input_tokens": max(1, len(raw) // 4)})
            return
        wire = next((wire for wire in WIRES if path.endswith(wire.suffix)), None)
        if wire is None or address is None:
            self._unknown()
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        script = address["script"] or DEFAULT_SCRIPT
        request = self._state.record(script, wire, path, (headers, _parsed(raw)))
        self._perform(self._state.answer(request), wire, request)

    def _perform(self, turn: Turn, wire: Wire, request: ModelRequest) -> None:
        match turn:
            case Hang(seconds=seconds, then=then):
                self._state.closing.wait(seconds)
                self._perform(then, wire, request)
            case Fail(status=status):
                message = turn.message or f"scripted {status}"
                body = wire.error(status, message) if turn.body is None else turn.body
                self._json(status, body, turn.headers)
            case Drop():
                self._cut()
            case DropMid(text=text):
                self._begin(Reply(text=text), wire, request)
                self._cut()
            case StreamError() if request.conversation.streamed:
                self._begin(Reply(text=turn.text), wire, request)
                self.wfile.write(wire.broken(turn.kind, turn.message).encode())
            case StreamError():
                self._json(529, wire.error(529, turn.message))
            case Say() | Call() | Think():
                self._answer(Reply.to(turn), wire, request)

    def _answer(self, reply: Reply, wire: Wire, request: ModelRequest) -> None:
        if request.conversation.streamed:
            self._stream(wire.frames(reply, request.conversation, self._state.ids))
        else:
            self._json(200, wire.whole(reply, request.conversation, self._state.ids))

    def _begin(self, reply: Reply, wire: Wire, request: ModelRequest) -> None:
        """The beginning of an answer, up to and including its first piece of text."""
        conversation = request.conversation
        if conversation.streamed:
            self._stream(_beginning(wire.frames(reply, conversation, self._state.ids)))
            return
        whole = json.dumps(wire.whole(reply, conversation, self._state.ids)).encode()
        self._headers(200, {"content-type": "application/json", "content-length": str(len(whole))})
        self.wfile.write(whole[: len(whole) // 2])

    def _stream(self, frames: Iterable[Frame]) -> None:
        self._headers(200, {"content-type": "text/event-stream", "cache-control": "no-cache", "connection": "close"})
        for frame in frames:
            self.wfile.write(frame.encode())

    def _unknown(self) -> None:
        self._json(404, {"error": {"type": "not_found_error", "message": f"nothing is served at {self.path}"}})

    def _json(self, status: int, body: Mapping[str, Any] | list[Any], headers: Mapping[str, str] | None = None) -> None:
        written = json.dumps(body if isinstance(body, list) else dict(body)).encode()
        self._send(status, written, {"content-type": "application/json", **(headers or {})})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self._headers(status, {**(headers or {}), "content-length": str(len(body))})
        self.wfile.write(body)

    def _headers(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("request-id", self._state.ids.fresh("req"))
        for name, value in headers.items():
            self.send_header(name, value)  # The parent also handles "connection: close".
        self.end_headers()

    def _cut(self) -> None:
        self.close_connection = True
        cut(self.connection)

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b"".join(_chunks(self.rfile.readline, self.rfile.read))
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        return gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw


def cut(connection: socket.socket) -> None:
    """Close a connection in both directions; does nothing if it is already closed."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


def _beginning(frames: Iterable[Frame]) -> Iterable[Frame]:
    for frame in frames:
        yield frame
        if frame.name.endswith("delta"):
            return


def _chunks(read_line: Callable[[], bytes], read: Callable[[int], bytes]) -> Iterable[bytes]:
    while size := int(read_line().partition(b";")[0] or b"0", 16):
        yield read(size)
        read_line()
    read_line()


def _parsed(raw: bytes) -> Body:
    try:
        body = json.loads(raw)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
