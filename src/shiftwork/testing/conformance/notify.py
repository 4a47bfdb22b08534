"""What every notification channel must do, tested with a receiver on this machine."""

# ruff: noqa: S101 - suites use assert

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from shiftwork.errors import NotifyError
from shiftwork.ports.notify import Notice, Notifier
from shiftwork.records import dataclass, field


@dataclass(slots=True)
class Receiver:
    """An HTTP server on loopback that records requests, and answers with the configured status."""

    port: int = 0
    status: int = 204
    location: str = ""
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}/hook"


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.requests.append((dict(self.headers), body))
            self.send_response(receiver.status)
            if receiver.location:
                self.send_header("location", receiver.location)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep tests quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver.port = server.server_address[1]
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        serving.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            serving.join()


def notice(at: float, key: str = "run/US-001/1") -> Notice:
    return Notice(
        key=key,
        at=at,
        occasion="needs-you",
        run="run",
        story="US-001",
        title="US-001: a question",
        text="Which?\n[1] a",
    )


class NotifierConformance:
    """Subclasses define the fixture `notifier_at`, which creates the channel to a receiver."""

    def test_a_notice_arrives_once_with_its_words(
        self, notifier_at: Callable[[Receiver], Notifier], now: float
    ) -> None:
        with receiving() as receiver:
            asyncio.run(notifier_at(receiver).send(notice(now)))
        ((_, body),) = receiver.requests
        assert b"US-001: a question" in body
        assert b"Which?" in body

    @pytest.mark.parametrize("status", [400, 500])
    def test_a_refusal_is_an_error_without_the_address(
        self, notifier_at: Callable[[Receiver], Notifier], now: float, status: int
    ) -> None:
        with receiving() as receiver:
            receiver.status = status
            with pytest.raises(NotifyError) as caught:
                asyncio.run(notifier_at(receiver).send(notice(now)))
        assert "127.0.0.1" not in caught.value.message

    def test_no_one_there_is_an_error_too(self, notifier_at: Callable[[Receiver], Notifier], now: float) -> None:
        with socket.socket() as mute:
            mute.bind(("127.0.0.1", 0))  # bound but not listening, so no other process gets the port
            receiver = Receiver(port=mute.getsockname()[1])
            with pytest.raises(NotifyError):
                asyncio.run(notifier_at(receiver).send(notice(now)))
