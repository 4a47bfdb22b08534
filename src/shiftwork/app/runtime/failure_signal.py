"""Says that a job has died of something nobody foresaw, to whoever waits for another job that would wait for it."""

import asyncio


class Alarm:
    """Rung once; whoever listens, before or after, gets the error."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()
        self._error: Exception | None = None

    def ring(self, error: Exception) -> None:
        self._error = self._error or error
        self._rung.set()

    async def listen(self) -> Exception:
        await self._rung.wait()
        assert self._error is not None  # noqa: S101 - set before the event is
        return self._error
