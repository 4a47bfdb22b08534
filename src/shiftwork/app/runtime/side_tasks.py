"""Work beside other work: started early, waited for later, and ended with its owner."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from shiftwork.ports.workspace import Begun


async def cancel_all(*tasks: asyncio.Task[Any]) -> None:
    """Cancel the tasks and wait until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class Beside[T]:
    """A run of gates beside another. The live view shows its gates from when its result is waited for."""

    def __init__(self, work: Callable[[Begun], Coroutine[Any, Any, T]], shown: Begun) -> None:
        self._work, self._shown = work, shown
        self._task: asyncio.Task[T] | None = None
        self._awaited, self._last = False, ""

    def start(self) -> asyncio.Task[T]:
        self._task = self._task or asyncio.ensure_future(self._work(self._begun))
        return self._task

    async def result(self) -> T:
        """Starts it if it has not been started."""
        task, self._awaited = self.start(), True
        if self._last:
            self._shown(self._last)
        return await task

    async def end(self) -> None:
        if self._task:
            await cancel_all(self._task)

    def _begun(self, gate: str) -> None:
        self._last = gate
        if self._awaited:
            self._shown(gate)
