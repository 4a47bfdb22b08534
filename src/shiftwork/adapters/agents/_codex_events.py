"""Reads Codex's JSON events and its session file: turns lines into events, and the whole session into a report."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from shiftwork.adapters.agents.json_lines import (
    SESSION_ID,
    Json,
    at_least,
    call_of,
    child,
    children,
    compact,
    count,
    crash,
    dearest,
    failed_after_all,
    garbled,
    number,
    parse,
    since,
    text,
)
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.ports.agent import AgentEvent, AgentReport, Ending, EventKind
from shiftwork.regexes import regex

_LIMITED: Final = regex(
    r"(Reconnecting\.\.\. \d+/\d+ \()?"
    r"(exceeded retry limit, last status: 429\b|You.ve hit your usage limit\b|rate limit exceeded: )"
)
"""How Codex begins a message about a limit. Matched only at the start, because text from a server may follow."""

_RETRY: Final = "Reconnecting..."
_WANTED: Final = (b'"token_count"', b'"task_complete"', b'"thread_settings_applied"', b"Rejected(")
_DENIED: Final = regex(r"""exec_command failed: CreateProcess \{ message: "Rejected\(\\?"(.+?)\\?"\)" \}""", re.DOTALL)
"""The whole output of the tool when the user's own rules forbid a command."""

_LAST_WORD: Final = b'"turn.completed"'
_FULL: Final = 100.0
_TOO_MANY_REQUESTS: Final = 429
_OVERLOADED: Final = frozenset({503, 529})


class CodexTranscript:
    """One session. The events say what happened; the session file, if it exists, says why and on which model. The
    tokens of a resumed session include those that it used `earlier`.
    """

    def __init__(self, earlier: Usage = NOTHING_USED) -> None:
        self._earlier = earlier
        self.thread = ""
        self._model = ""
        self._answer = ""
        self._final: Json | None = None
        self._used = NOTHING_USED
        self._garbled = False
        self._limit = ""
        self._rejected = False
        self._overloaded = False
        self._resets_at: float | None = None
        self._denials: list[str] = []
        self._open: set[str] = set()
        self._readers: dict[str, Callable[[Json], Iterable[AgentEvent]]] = {
            "thread.started": self._started,
            "item.started": self._item_started,
            "item.completed": self._item_completed,
            "error": self._complained,
            "turn.completed": self._ended,
            "turn.failed": self._ended,
        }

    def feed(self, line: bytes) -> Iterable[AgentEvent]:
        event = parse(line)
        self._garbled |= garbled(line, event, _LAST_WORD, over=self._final is not None)
        kind = text(event, "type")
        if kind != "error":
            self._limit = ""  # any other event means that it is not waiting for a limit to end
        read = self._readers.get(kind)
        return tuple(read(event)) if read else ()

    def feed_session(self, lines: Iterable[bytes]) -> None:
        """Reads from the session file what the events omit: the model, when limits end, which commands were refused."""
        for line in lines:
            if any(name in line for name in _WANTED):
                self._learn(child(parse(line), "payload"))

    def verdict(self, exit_code: int, stderr: str) -> AgentReport:
        final = self._final
        if final is None and self._limit:
            return self._report(Ending.RATE_LIMITED, detail=self._limit)
        if final is None:
            return self._report(Ending.CRASHED, detail=crash(exit_code, stderr))
        if text(final, "type") == "turn.failed":
            said = text(child(final, "error"), "message") or crash(exit_code, stderr)
            return self._report(self._failure(said), detail=said)
        if failed_after_all(exit_code):
            return self._report(Ending.CRASHED, detail=crash(exit_code, stderr))
        return self._report(Ending.FINISHED, answer=self._answer)

    def _failure(self, said: str) -> Ending:
        if self._rejected or _LIMITED.match(said):
            return Ending.RATE_LIMITED
        return Ending.OVERLOADED if self._overloaded else Ending.API_ERROR

    def _report(self, ending: Ending, *, detail: str = "", answer: str = "") -> AgentReport:
        return AgentReport(
            ending=ending,
            answer=answer,
            detail=detail,
            usage=self._usage(ending),
            resets_at=self._resets_at if ending is Ending.RATE_LIMITED else None,
            model=self._model,
            denials=tuple(self._denials),
            session=self.thread if SESSION_ID.fullmatch(self.thread) else "",
        )

    def _usage(self, ending: Ending) -> Usage:
        if self._garbled:
            return NOTHING_USED
        if ending is Ending.RATE_LIMITED and not self._used.input_tokens:
            return Usage(cost_usd=0.0)  # refused before the first request: the session file counts during the session
        used = since(self._used, self._earlier)
        return at_least(used) if self._final is None else used

    def _started(self, event: Json) -> Iterator[AgentEvent]:
        self.thread = self.thread or text(event, "thread_id")
        yield AgentEvent(kind=EventKind.STARTED, text=f"session {self.thread}")

    def _item_started(self, event: Json) -> Iterator[AgentEvent]:
        item = child(event, "item")
        if tool := _tool(item):
            self._open.add(text(item, "id"))
            yield _begun(tool, item)

    def _item_completed(self, event: Json) -> Iterator[AgentEvent]:
        item = child(event, "item")
        if text(item, "type") == "agent_message":
            self._answer = text(item, "text")
            yield AgentEvent(kind=EventKind.TEXT, text=self._answer)
        elif tool := _tool(item):
            if text(item, "id") not in self._open:
                yield _begun(tool, item)
            self._open.discard(text(item, "id"))
            yield AgentEvent(kind=EventKind.TOOL_END, tool=tool, text=_outcome(item))

    def _complained(self, event: Json) -> Iterator[AgentEvent]:
        """Handles an error event. Temporary and final errors share this type; only temporary errors mention a retry."""
        said = text(event, "message")
        self._limit = said if _LIMITED.match(said) else ""
        if self._limit:
            yield AgentEvent(kind=EventKind.RATE_LIMIT, text=said)
        elif said.startswith(_RETRY):
            yield AgentEvent(kind=EventKind.RETRY, text=said)

    def _ended(self, event: Json) -> Iterator[AgentEvent]:
        self._final = event
        used = _usage(child(event, "usage"))
        self._used = dearest(self._used, used)
        yield AgentEvent(kind=EventKind.USAGE, text=f"{used.input_tokens} in, {used.output_tokens} out")
        yield AgentEvent(kind=EventKind.FINAL, text=text(child(event, "error"), "message") or self._answer)

    def _learn(self, payload: Json) -> None:
        match payload.get("type"):
            case "thread_settings_applied":
                self._model = text(child(payload, "thread_settings"), "model") or self._model
            case "token_count":
                self._resets_at = _reset(child(payload, "rate_limits"))
                self._used = dearest(self._used, _usage(child(child(payload, "info"), "total_token_usage")))
            case "task_complete":
                error = child(payload, "error").get("codex_error_info")
                self._rejected = error == "usage_limit_exceeded" or _TOO_MANY_REQUESTS in _statuses(error)
                self._overloaded = error == "server_overloaded" or not _OVERLOADED.isdisjoint(_statuses(error))
            case "function_call_output":
                if refused := _DENIED.fullmatch(text(payload, "output")):
                    self._denials.append(refused[1])
            case _:
                return


def _tool(item: Json) -> str:
    """Returns the name of the tool that an item calls; empty if the item is no tool call."""
    kind = text(item, "type")
    if kind == "mcp_tool_call":
        return f"mcp__{text(item, 'server')}__{text(item, 'tool')}"
    return kind if kind not in {"agent_message", "reasoning", "error", "todo_list"} else ""


def _begun(tool: str, item: Json) -> AgentEvent:
    """Codex does not report what a file change writes, so two changes of the same file may differ."""
    given = item.get({"command_execution": "command", "mcp_tool_call": "arguments"}.get(text(item, "type"), ""))
    return AgentEvent(kind=EventKind.TOOL_START, tool=tool, text=_arguments(item), call=call_of(tool, given))


def _arguments(item: Json) -> str:
    match item.get("type"):
        case "command_execution":
            return text(item, "command")
        case "file_change":
            return ", ".join(f"{text(change, 'kind')} {text(change, 'path')}" for change in children(item, "changes"))
        case "mcp_tool_call":
            return compact(item.get("arguments"))
        case _:
            return text(item, "query")


def _outcome(item: Json) -> str:
    if output := text(item, "aggregated_output"):
        return output
    texts = [text(part, "text") for part in children(child(item, "result"), "content")]
    return "\n".join(filter(None, (*texts, text(child(item, "error"), "message")))) or text(item, "status")


def _usage(used: Json) -> Usage:
    """Cached tokens are part of the input, and reasoning is part of the output; Codex reports no price."""
    return Usage(
        input_tokens=count(used, "input_tokens"),
        output_tokens=count(used, "output_tokens"),
        cached_tokens=count(used, "cached_input_tokens"),
    )


def _reset(limits: Json) -> float | None:
    """Returns when work can continue: once every window that is used up has been reset."""
    windows = [child(limits, name) for name in ("primary", "secondary")]
    full = [window for window in windows if (number(window, "used_percent") or 0) >= _FULL]
    return max(filter(None, (number(window, "resets_at") for window in full)), default=None)


def _statuses(error: object) -> frozenset[float | None]:
    """Returns the HTTP statuses in an error that has details."""
    kinds = error if isinstance(error, dict) else {}
    return frozenset(number(child(kinds, kind), "http_status_code") for kind in kinds)
