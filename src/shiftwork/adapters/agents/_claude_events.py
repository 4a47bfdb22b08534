"""Reads Claude Code's stream-json output: turns lines into events, and the whole session into a report."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from shiftwork.adapters.agents.json_lines import (
    SESSION_ID,
    Json,
    at_least,
    call_of,
    child,
    children,
    clean,
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

_OVERLOADED: Final = frozenset({503, 529})
_COST: Final = b'"total_cost_usd":'


class ClaudeTranscript:
    """One session. Usage comes from the final event, or from the most expensive if there are several. It is never less
    than the sum of the messages, whose events repeat the same counts once per block. The cost of a resumed session
    includes what it cost `earlier`.
    """

    def __init__(self, earlier: Usage = NOTHING_USED) -> None:
        self._earlier = earlier
        self._session = ""
        self._model = ""
        self._final: Json | None = None
        self._used = NOTHING_USED
        self._messages: dict[str, Usage] = {}
        self._garbled = False
        self._resets_at: float | None = None
        self._rejected = False
        self._lost_servers: tuple[str, ...] = ()
        self._tools: dict[str, str] = {}
        self._readers: dict[str, Callable[[Json], Iterable[AgentEvent]]] = {
            "system": self._system,
            "assistant": self._said,
            "user": self._done,
            "rate_limit_event": self._limited,
            "result": self._ended,
        }

    def feed(self, line: bytes) -> Iterable[AgentEvent]:
        event = parse(line)
        self._garbled |= garbled(line, event, _COST, over=self._final is not None)
        read = self._readers.get(text(event, "type"))
        return tuple(read(event)) if read else ()

    def verdict(self, exit_code: int, stderr: str) -> AgentReport:
        final = self._final
        if final is None:
            return self._report(Ending.CRASHED, detail=crash(exit_code, stderr))
        if final.get("is_error") is not False or text(final, "subtype") != "success":
            return self._report(self._failure(final), detail=_complaint(final, exit_code, stderr))
        if failed_after_all(exit_code):
            return self._report(Ending.CRASHED, detail=crash(exit_code, stderr))
        return self._report(Ending.FINISHED, detail=self._lost(), answer=text(final, "result"))

    def _failure(self, final: Json) -> Ending:
        status = final.get("api_error_status")
        # "success" with an error means that the model could not be reached; an interrupted session looks the same.
        interrupted = text(final, "terminal_reason").startswith("aborted")
        if text(final, "subtype") == "error_max_budget_usd":
            return Ending.SPENT
        if status is None and (interrupted or text(final, "subtype") != "success"):
            return Ending.CRASHED
        if status == 429 or self._rejected:
            return Ending.RATE_LIMITED
        return Ending.OVERLOADED if number(final, "api_error_status") in _OVERLOADED else Ending.API_ERROR

    def _report(self, ending: Ending, *, detail: str, answer: str = "") -> AgentReport:
        final = self._final or {}
        return AgentReport(
            ending=ending,
            answer=answer,
            detail=detail,
            usage=self._usage(),
            resets_at=self._resets_at if ending is Ending.RATE_LIMITED else None,
            model=self._model,
            denials=tuple(text(denial, "tool_name") for denial in children(final, "permission_denials")),
            session=self._session if SESSION_ID.fullmatch(self._session) else "",
        )

    def _usage(self) -> Usage:
        if self._garbled:
            return NOTHING_USED
        usage = sum(self._messages.values(), NOTHING_USED)
        return at_least(usage) if self._final is None else dearest(since(self._used, self._earlier), usage)

    def _lost(self) -> str:
        return f"tools that did not start: {', '.join(self._lost_servers)}" if self._lost_servers else ""

    def _system(self, event: Json) -> Iterator[AgentEvent]:
        match event.get("subtype"):
            case "init":
                self._model = text(event, "model")
                self._session = text(event, "session_id")
                servers = children(event, "mcp_servers")
                self._lost_servers = tuple(
                    text(server, "name") for server in servers if server.get("status") == "failed"
                )
                summary = ", ".join(filter(None, (self._model, self._lost())))
                yield AgentEvent(kind=EventKind.STARTED, text=summary)
            case "api_retry":
                yield AgentEvent(kind=EventKind.RETRY, text=_retry(event))
            case _:
                return

    def _said(self, event: Json) -> Iterator[AgentEvent]:
        message = child(event, "message")
        name = text(message, "id")
        self._messages[name] = dearest(self._messages.get(name, NOTHING_USED), _usage(message))
        for block in children(message, "content"):
            match block.get("type"):
                case "text":
                    yield AgentEvent(kind=EventKind.TEXT, text=text(block, "text"))
                case "tool_use":
                    tool = text(block, "name")
                    self._tools[text(block, "id")] = tool
                    given = block.get("input")
                    arguments, call = compact(given), call_of(tool, given)
                    yield AgentEvent(kind=EventKind.TOOL_START, tool=tool, text=arguments, call=call)
                case _:
                    continue

    def _done(self, event: Json) -> Iterator[AgentEvent]:
        for block in children(child(event, "message"), "content"):
            if block.get("type") == "tool_result":
                tool = self._tools.get(text(block, "tool_use_id"), "")
                yield AgentEvent(kind=EventKind.TOOL_END, tool=tool, text=_content(block))

    def _limited(self, event: Json) -> Iterator[AgentEvent]:
        limit = child(event, "rate_limit_info")
        status = text(limit, "status")
        self._rejected = self._rejected or status == "rejected"
        resets_at = number(limit, "resetsAt")
        if resets_at is not None:
            self._resets_at = resets_at
        yield AgentEvent(kind=EventKind.RATE_LIMIT, text=f"{text(limit, 'rateLimitType')} {status}".strip())

    def _ended(self, event: Json) -> Iterator[AgentEvent]:
        self._final = event
        used = _usage(event)
        self._used = dearest(self._used, used)
        yield AgentEvent(kind=EventKind.USAGE, text=f"{used.input_tokens} in, {used.output_tokens} out")
        yield AgentEvent(kind=EventKind.FINAL, text=text(event, "result"))


def _content(block: Json) -> str:
    whole = text(block, "content")
    return whole or "\n".join(text(part, "text") for part in children(block, "content"))


def _usage(final: Json) -> Usage:
    counts = child(final, "usage")
    kinds = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Usage(
        input_tokens=sum(count(counts, kind) for kind in kinds),
        output_tokens=count(counts, "output_tokens"),
        cost_usd=number(final, "total_cost_usd"),
        cached_tokens=count(counts, "cache_read_input_tokens"),
    )


def _retry(event: Json) -> str:
    status = number(event, "error_status")
    reason = " ".join(filter(None, (f"{status:.0f}" if status is not None else "", text(event, "error"))))
    return f"attempt {number(event, 'attempt') or 0:.0f} of {number(event, 'max_retries') or 0:.0f} after {reason}"


def _complaint(final: Json, exit_code: int, stderr: str) -> str:
    """Returns what the final event of a failed session says about the failure."""
    errors = final.get("errors")
    listed = [clean(error) for error in errors if isinstance(error, str)] if isinstance(errors, list) else []
    said = text(final, "result") or "; ".join(listed)
    reason = next(filter(None, (text(final, "terminal_reason"), text(final, "subtype"))), "")
    return f"{reason}: {said}" if said else f"{reason}: {crash(exit_code, stderr)}"
