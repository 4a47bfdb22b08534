"""A running agent's standard input and output as a connection for JSON-RPC messages."""

import asyncio
import json
from typing import Any

from shiftwork.adapters.agents.json_lines import Json, parse
from shiftwork.adapters.processes.supervisor.pipes import Feed


class Line:
    """Messages sent before the agent has started wait for it; output that is not a message is ignored."""

    def __init__(self) -> None:
        self._received: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._unsaid: list[bytes] = []
        self._feed: Feed | None = None

    def connect(self, feed: Feed) -> None:
        self._feed = feed
        feed.say(b"".join(self._unsaid))

    @property
    def unread(self) -> int:
        """How many sent bytes the agent has not read yet."""
        return self._feed.unread if self._feed else sum(map(len, self._unsaid))

    def feed(self, line: bytes) -> None:
        message = parse(line)
        if _is_message(message):
            self._received.put_nowait(dict(message))

    def cut(self) -> None:
        """Makes `receive` return None, because the agent is gone and will not answer."""
        self._received.put_nowait(None)

    async def send(self, message: dict[str, Any]) -> None:
        said = json.dumps(message).encode() + b"\n"
        if self._feed:
            self._feed.say(said)
        else:
            self._unsaid.append(said)

    async def receive(self) -> dict[str, Any] | None:
        return await self._received.get()

    async def close(self) -> None:
        if self._feed:
            self._feed.hang_up()


def _is_message(message: Json) -> bool:
    """Whether the library can process it: the library expects its peer to follow the protocol."""
    return (
        isinstance(message.get("id", 0), int | str)
        and isinstance(message.get("method", ""), str)
        and isinstance(message.get("error", {}), dict)
        and ("method" in message or "id" in message)
    )
