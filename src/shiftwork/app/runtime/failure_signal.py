"""Signals that a job has died of an unexpected error to code that waits for another job, which may wait forever."""

import asyncio


class FailureSignal:
    """Keeps the first error; every listener gets it, whether it listens before or after."""

    def __init__(self) -> None:
        self._failed = asyncio.Event()
        self._error: Exception | None = None

    def set(self, error: Exception) -> None:
        self._error = self._error or error
        self._failed.set()

    async def wait(self) -> Exception:
        await self._failed.wait()
        assert self._error is not None  # noqa: S101 - set before the event is
        return self._error
