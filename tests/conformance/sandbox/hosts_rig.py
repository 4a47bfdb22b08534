"""A program in a sandbox with a list of hosts, which speaks to the proxy, and a server outside to reach through it."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from shiftwork.adapters.processes.supervisor.supervise import Exit, supervise
from shiftwork.adapters.sandbox.sandbox import Room
from tests.conformance.processes.programs import PYTHON, within
from tests.conformance.sandbox.sandbox_rig import Confined, reach


class _Answering(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = {"path": self.path, "headers": self.headers.items(), "body": self._body().decode()}
        self._answer(json.dumps(request).encode())

    def do_GET(self) -> None:
        size = int(self.path.removeprefix("/bytes/")) if self.path.startswith("/bytes/") else None
        self.do_POST() if size is None else self._answer(b"x" * size)

    def log_message(self, *_: object) -> None:
        pass

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        return body

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def answering() -> Iterator[int]:
    """The port of a server on this machine that answers with the request that it received."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


CALL = """
import os, socket, struct, sys

def called():
    host, port = os.environ["http_proxy"].removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), 60)

def said(text):
    return text.encode().decode("unicode_escape").encode("latin-1")
"""

ASK = (
    CALL
    + """
with called() as line:
    answer = b""
    for number, text in enumerate(sys.argv[1:], 2):
        line.sendall(said(text))
        while chunk := line.recv(65536):
            answer += chunk
            if number < len(sys.argv) and answer.endswith(b"\\r\\n\\r\\n"):
                break
    print(answer.decode("latin-1"))
"""
)
"""Says all that it is given, each after the head of an answer to what was said before."""


@dataclass(frozen=True, kw_only=True)
class Caller:
    """A program inside that speaks to the proxy, or bypasses it."""

    inside: Confined
    port: int

    def listing(self, *hosts: str) -> "Caller":
        return replace(self, inside=self.inside.allowing(reach=reach(host.format(port=self.port) for host in hosts)))

    def runs(self, script: str, *words: str) -> tuple[str, Exit]:
        """What a Python prints, and how it ended."""
        given = (word.format(port=self.port) for word in words)
        spawn = replace(self.inside.spawn(""), argv=(PYTHON, "-I", "-S", "-c", script, *given))
        lines: list[bytes] = []
        room = Room(tree=self.inside.tree, programs=(PYTHON,))
        over = within(120, supervise(self.inside.walls.enclosed(spawn, room), lines.append))
        return b"\n".join(lines).decode().replace("\r", "").rstrip("\n"), over

    def says(self, *words: str) -> str:
        """What the proxy answers to this, and then to that, sent word by word."""
        answer, over = self.runs(ASK, *words)
        assert over.code == 0, over
        return answer
