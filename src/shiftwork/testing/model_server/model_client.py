"""Calls the scripted model without an agent, for its own tests."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from shiftwork.testing.model_server.server import ModelServer

ANTHROPIC = "/v1/messages"
RESPONSES = "/v1/responses"

_SECONDS = 240


class Answer:
    """A complete HTTP answer, and its events if it was a stream."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.text = response.read().decode()

    @property
    def body(self) -> Any:
        return json.loads(self.text)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The payloads; raises ValueError if an event's name differs from the name in its payload."""
        events = []
        for frame in self.text.strip().split("\n\n"):
            name, data = frame.split("\n")
            events.append(json.loads(data.removeprefix("data: ")))
            if name != f"event: {events[-1]['type']}":
                raise ValueError(f"{name!r} announces {events[-1]['type']!r}")
        return events


def connect(url: str) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    return http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=_SECONDS)


def send(url: str, method: str, body: object = None, headers: dict[str, str] | None = None) -> Answer:
    """Send bytes as they are and anything else as JSON."""
    connection = connect(url)
    try:
        written = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        connection.request(method, urlsplit(url).path, written, headers or {})
        return Answer(connection.getresponse())
    finally:
        connection.close()


def question(path: str, prompt: str = "Do it.", *, stream: bool = True, tools: bool = True) -> dict[str, Any]:
    """The body of the simplest request to the interface at that path."""
    said = {"role": "user", "content": [{"type": "text", "text": prompt}]}
    body = {"model": "m-1", "stream": stream, "messages" if path == ANTHROPIC else "input": [said]}
    return body | ({"tools": [{"name": "Write"}]} if tools else {})


def ask(server: ModelServer, path: str, script: str = "s", **options: Any) -> Answer:
    return send(server.url(script) + path, "POST", question(path, **options))
