"""Clients that follow the events of a server, are cut off at any moment, and return with the last event they have."""

import asyncio
import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass
class EventClient:
    """A client that has received everything up to `last`. `state` is a digest of all that it has received; `faults` say
    which events it has missed or received twice.
    """

    last: int
    chance: random.Random
    state: "hashlib._Hash" = field(default_factory=hashlib.sha256)
    received: int = 0
    connections: int = 0
    faults: list[str] = field(default_factory=list)

    async def follow(self, url: str, word: str, until: Callable[[], int], *, seconds: float) -> None:
        """Connects again and again, each time for about so many seconds, until it has the last event of all. Twenty
        times without an event double the time: a busy machine may need longer to answer.
        """
        patience, received = 0, self.received
        while self.last < until() and not self.faults:
            self.connections += 1
            patience, received = (patience + 1 if self.received == received else 0), self.received
            try:
                async with asyncio.timeout(self.chance.expovariate(1 / seconds) * 2 ** (patience // 20)):
                    await self._connected(url, word, until)
            except (TimeoutError, ConnectionError):
                await asyncio.sleep(self.chance.random() * seconds / 4)

    async def _connected(self, url: str, word: str, until: Callable[[], int]) -> None:
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        head = f"GET {parts.path}/events HTTP/1.0\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {word}\r\n"
        writer.write(f"{head}Last-Event-ID: {self.last}\r\n\r\n".encode())
        try:
            status = await reader.readline()
            if b" 200 " not in status:
                self.faults.append(f"the server answered {status!r}")
            await reader.readuntil(b"\r\n\r\n")
            while self.last < until() and not self.faults:
                self._receive(await reader.readuntil(b"\n\n"))
        except asyncio.IncompleteReadError:  # the server has ended the connection
            await asyncio.sleep(0.1)
        finally:
            writer.transport.abort()

    def _receive(self, text: bytes) -> None:
        """One whole event: what was cut off within one has not been received."""
        fields = dict(line.split(b": ", 1) for line in text.splitlines() if b": " in line and not line.startswith(b":"))
        if b"data" not in fields:
            return
        position = int(fields[b"id"])
        if fields[b"event"] != b"change" or position != self.last + 1:
            self.faults.append(f"after event {self.last} came {fields[b'event'].decode()} {position}")
            return
        self.last = position
        self.received += 1
        self.state.update(text)
