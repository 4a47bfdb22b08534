"""Reading Codex's JSON events and its session file: lines in, events out, and at the end what the session came to."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from shiftwork.adapters.agents.json_lines import (
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
    text,
)
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.ports.agent import AgentEvent, AgentReport, Ending, EventKind

_LIMITED: Final = re.compile(
    r"(Reconnecting\.\.\. \d+/\d+ \()?"
    r"(exceeded retry limit, last status: 429\b|You.ve hit your usage limit\b|rate limit exceeded: )"
)
"""How Codex itself begins to tell of a limit. Matched at the beginning alone: what a server says comes after that."""

_RETRY: Final = "Reconnecting..."
_TOLD: Final = (b'"token_count"', b'"task_complete"', b'"thread_settings_applied"', b"Rejected(")
_DENIED: Final = re.compile(
    r"""exec_command failed: CreateProcess \{ message: "Rejected\(\\?"(.+?)\\?"\)" \}""", re.DOTALL
)
"""How a command is refused that the user's own rules forbid: the whole of what the tool gives back."""

_LAST_WORD: Final = b'"turn.completed"'
_FULL: Final = 100.0
_TOO_MANY_REQUESTS: Final = 429
_OVERLOADED: Final = frozenset({503, 529})


class CodexTranscript:
    """One session. The events tell what happened; the session file, where there is one, why and on which model."""

    def __init__(self) -> None:
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
            self._limit = ""  # whatever it does now, it is not waiting for a limit to end
        read = self._readers.get(kind)
        return tuple(read(event)) if read else ()

    def feed_session(self, lines: Iterable[bytes]) -> None:
        """Learn from the session file what the events leave out: the model, when which limit ends, what was refused."""
        for line in lines:
            if any(name in line for name in _TOLD):
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
        )

    def _usage(self, ending: Ending) -> Usage:
        if self._garbled:
            return NOTHING_USED
        if ending is Ending.RATE_LIMITED and not self._used.input_tokens:
            return Usage(cost_usd=0.0)  # refused before anything was asked: the session file counts as it goes
        return at_least(self._used) if self._final is None else self._used

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
        """Passing trouble and the last word share one type; only the former says that it tries again."""
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
                told = child(payload, "error").get("codex_error_info")
                self._rejected = told == "usage_limit_exceeded" or _TOO_MANY_REQUESTS in _statuses(told)
                self._overloaded = told == "server_overloaded" or not _OVERLOADED.isdisjoint(_statuses(told))
            case "function_call_output":
                if refused := _DENIED.fullmatch(text(payload, "output")):
                    self._denials.append(refused[1])
            case _:
                return


def _tool(item: Json) -> str:
    """The name of the tool that an item is a call of; empty for what is none."""
    kind = text(item, "type")
    if kind == "mcp_tool_call":
        return f"mcp__{text(item, 'server')}__{text(item, 'tool')}"
    return kind if kind not in {"agent_message", "reasoning", "error", "todo_list"} else ""


def _begun(tool: str, item: Json) -> AgentEvent:
    """What a change of files writes into them is not told: two of the same file need not be the same."""
    given = item.get({"command_execution": "command", "mcp_tool_call": "arguments"}.get(text(item, "type"), ""))
    return AgentEvent(kind=EventKind.TOOL_START, tool=tool, text=_arguments(item), call=call_of(tool, given))


def _arguments(item: Json) -> str:
    match item.get("type"):
        case "command_execution":
            return text(item, "command")
        case "file_change":
            return ", ".join(f"{text(one, 'kind')} {text(one, 'path')}" for one in children(item, "changes"))
        case "mcp_tool_call":
            return compact(item.get("arguments"))
        case _:
            return text(item, "query")


def _outcome(item: Json) -> str:
    if output := text(item, "aggregated_output"):
        return output
    told = [text(part, "text") for part in children(child(item, "result"), "content")]
    return "\n".join(filter(None, (*told, text(child(item, "error"), "message")))) or text(item, "status")


def _usage(used: Json) -> Usage:
    """Cached tokens are among the input ones, and reasoning among the output; a price is not told."""
    return Usage(
        input_tokens=count(used, "input_tokens"),
        output_tokens=count(used, "output_tokens"),
        cached_tokens=count(used, "cached_input_tokens"),
    )


def _reset(limits: Json) -> float | None:
    """When work can go on: once every window that is used up has begun anew."""
    windows = [child(limits, name) for name in ("primary", "secondary")]
    full = [window for window in windows if (number(window, "used_percent") or 0) >= _FULL]
    return max(filter(None, (number(window, "resets_at") for window in full)), default=None)


def _statuses(told: object) -> frozenset[float | None]:
    """The HTTP statuses that an error of a kind with details names."""
    kinds = told if isinstance(told, dict) else {}
    return frozenset(number(child(kinds, kind), "http_status_code") for kind in kinds)
