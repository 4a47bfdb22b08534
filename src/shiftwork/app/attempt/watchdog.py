"""Watches an attempt: shows its events, and detects identical tool calls in a row."""

import asyncio
from collections.abc import Callable

from shiftwork.domain.agents.repeat_detector import Repeats
from shiftwork.ports.agent import AgentEvent, AgentReport, Ending, EventKind


class Watch:
    """Receives every event of one attempt; `loops` returns after `limit` identical tool calls in a row. `said` is the
    last text of the agent.
    """

    def __init__(self, limit: int, show: Callable[[AgentEvent], None]) -> None:
        self.said = ""
        self._limit = limit
        self._show = show
        self._repeats = Repeats()
        self._loops = asyncio.Event()
        self._report = AgentReport(ending=Ending.LOOPING)

    def feed(self, event: AgentEvent) -> None:
        self._show(event)
        if event.kind is EventKind.TEXT and event.text.strip():
            self.said = event.text
        if event.kind is not EventKind.TOOL_START:
            return
        self._repeats = self._repeats.after(event.call)
        if self._repeats.times == self._limit:
            message = f"the same call of {event.tool} was made {self._limit} times in a row: {event.text[:500]}"
            self._report = AgentReport(ending=Ending.LOOPING, detail=message)
            self._loops.set()

    async def loops(self) -> AgentReport:
        await self._loops.wait()
        return self._report
