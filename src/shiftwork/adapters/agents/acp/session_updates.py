"""Reads the updates of an ACP session: turns notifications into events, and the whole prompt into a report."""

from collections.abc import Callable, Iterable, Iterator

from shiftwork.adapters.agents.json_lines import Json, call_of, child, children, compact, count, crash, number, text
from shiftwork.domain.usage.usage import Usage
from shiftwork.ports.agent import AgentEvent, AgentReport, Ending, EventKind


class AcpTranscript:
    """One session. A message arrives in pieces and becomes an event when it is complete; the last is the answer."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._message = ""
        self._answer = ""
        self._tools: dict[str, str] = {}
        self._cost: float | None = None
        self._result: Json | None = None
        self._trouble = ""
        self._readers: dict[str, Callable[[Json], Iterable[AgentEvent]]] = {
            "agent_message_chunk": self._said,
            "tool_call": self._called,
            "tool_call_update": self._went_on,
            "usage_update": self._spent,
        }

    def update(self, params: Json) -> Iterable[AgentEvent]:
        """Returns the events of one `session/update`; none for an unknown type."""
        update = child(params, "update")
        read = self._readers.get(text(update, "sessionUpdate"))
        return tuple(read(update)) if read else ()

    def ended(self, result: Json) -> Iterable[AgentEvent]:
        """Records the result of the prompt, and returns the last events."""
        self._result = result
        return (*self._whole(), AgentEvent(kind=EventKind.FINAL, text=self._answer))

    def failed(self, trouble: str) -> None:
        """Records that the agent answered with an error."""
        self._trouble = trouble

    def verdict(self, exit_code: int, stderr: str) -> AgentReport:
        if self._trouble:
            return self._report(Ending.API_ERROR, detail=self._trouble)
        if self._result is None:
            return self._report(Ending.CRASHED, detail=crash(exit_code, stderr))
        reason = text(self._result, "stopReason")
        if reason != "end_turn":
            return self._report(Ending.CRASHED, detail=f"the agent stopped early: {reason or 'no reason given'}")
        return self._report(Ending.FINISHED, answer=self._answer)

    def _report(self, ending: Ending, *, detail: str = "", answer: str = "") -> AgentReport:
        used = child(self._result or {}, "usage")
        usage = Usage(
            input_tokens=count(used, "inputTokens"),
            output_tokens=count(used, "outputTokens"),
            cost_usd=self._cost,
            cached_tokens=count(used, "cachedReadTokens"),
        )
        return AgentReport(ending=ending, answer=answer, detail=detail, usage=usage)

    def _said(self, update: Json) -> Iterator[AgentEvent]:
        message = text(update, "messageId")
        if message != self._message:
            yield from self._whole()
        self._message = message
        self._pieces.append(text(child(update, "content"), "text"))

    def _whole(self) -> Iterator[AgentEvent]:
        if self._pieces:
            self._answer = "".join(self._pieces)
            self._pieces.clear()
            yield AgentEvent(kind=EventKind.TEXT, text=self._answer)

    def _called(self, update: Json) -> Iterator[AgentEvent]:
        yield from self._whole()
        tool = text(update, "kind") or "other"
        self._tools[text(update, "toolCallId")] = tool
        given = update.get("rawInput")
        title, call = text(update, "title") or compact(given), call_of(tool, given or None)
        yield AgentEvent(kind=EventKind.TOOL_START, tool=tool, text=title, call=call)
        yield from self._went_on(update)

    def _went_on(self, update: Json) -> Iterator[AgentEvent]:
        if text(update, "status") in {"completed", "failed"}:
            tool = self._tools.pop(text(update, "toolCallId"), "other")
            shown = [text(child(part, "content"), "text") or text(part, "path") for part in children(update, "content")]
            output = "\n".join(filter(None, shown)) or text(update, "status")
            yield AgentEvent(kind=EventKind.TOOL_END, tool=tool, text=output)

    def _spent(self, update: Json) -> Iterator[AgentEvent]:
        """Records the cost of the session so far, if the agent reports it in USD; it never decreases."""
        cost = child(update, "cost")
        amount = number(cost, "amount") if text(cost, "currency") == "USD" else None
        self._cost = max((known for known in (self._cost, amount) if known is not None), default=None)
        yield AgentEvent(kind=EventKind.USAGE, text=f"{count(update, 'used')} of {count(update, 'size')} in use")
