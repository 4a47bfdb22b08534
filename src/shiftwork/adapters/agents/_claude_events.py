"""Reading Claude Code's stream-json: lines in, events out, and at the end what the session came to."""

import json
import math
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from shiftwork.domain.model.usage import Usage
from shiftwork.ports.agent import AgentEvent, AgentReport, Ending, EventKind

type Json = Mapping[str, Any]

_DETAIL: Final = 2000
"""Characters of standard error that a report keeps: its end, where the reason stands."""

_SHELL_SIGNAL: Final = 128
"""Programs that end in order on a signal exit with this plus its number."""


class ClaudeTranscript:
    """One session. Usage is taken from the final event alone: other events repeat the same counts once per block."""

    def __init__(self) -> None:
        self._model = ""
        self._final: Json | None = None
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
        event = _parse(line)
        read = self._readers.get(_text(event, "type"))
        return tuple(read(event)) if read else ()

    def verdict(self, exit_code: int, stderr: str) -> AgentReport:
        final = self._final
        if final is None:
            return self._report(Ending.CRASHED, detail=_crash(exit_code, stderr))
        if final.get("is_error") is not False or _text(final, "subtype") != "success":
            return self._report(self._failure(final), detail=_complaint(final, exit_code, stderr))
        if exit_code != 0 and not _by_signal(exit_code):
            # A signal after the final event is somebody tidying up; any other code is news from the agent itself.
            return self._report(Ending.CRASHED, detail=_crash(exit_code, stderr))
        return self._report(Ending.FINISHED, detail=self._lost(), answer=_text(final, "result"))

    def _failure(self, final: Json) -> Ending:
        status = final.get("api_error_status")
        # "success" with an error is how it says that the model could not be asked; an interrupted session looks alike.
        interrupted = _text(final, "terminal_reason").startswith("aborted")
        if status is None and (interrupted or _text(final, "subtype") != "success"):
            return Ending.CRASHED
        return Ending.RATE_LIMITED if status == 429 or self._rejected else Ending.API_ERROR

    def _report(self, ending: Ending, *, detail: str, answer: str = "") -> AgentReport:
        final = self._final or {}
        return AgentReport(
            ending=ending,
            answer=answer,
            detail=detail,
            usage=_usage(final),
            resets_at=self._resets_at if ending is Ending.RATE_LIMITED else None,
            model=self._model,
            denials=tuple(_text(denial, "tool_name") for denial in _objects(final, "permission_denials")),
        )

    def _lost(self) -> str:
        return f"tools that did not start: {', '.join(self._lost_servers)}" if self._lost_servers else ""

    def _system(self, event: Json) -> Iterator[AgentEvent]:
        match event.get("subtype"):
            case "init":
                self._model = _text(event, "model")
                servers = _objects(event, "mcp_servers")
                self._lost_servers = tuple(_text(one, "name") for one in servers if one.get("status") == "failed")
                told = ", ".join(filter(None, (self._model, self._lost())))
                yield AgentEvent(kind=EventKind.STARTED, text=told)
            case "api_retry":
                yield AgentEvent(kind=EventKind.RETRY, text=_retry(event))
            case _:
                return

    def _said(self, event: Json) -> Iterator[AgentEvent]:
        for block in _objects(_object(event, "message"), "content"):
            match block.get("type"):
                case "text":
                    yield AgentEvent(kind=EventKind.TEXT, text=_text(block, "text"))
                case "tool_use":
                    tool = _text(block, "name")
                    self._tools[_text(block, "id")] = tool
                    yield AgentEvent(kind=EventKind.TOOL_START, tool=tool, text=_compact(block.get("input")))
                case _:
                    continue

    def _done(self, event: Json) -> Iterator[AgentEvent]:
        for block in _objects(_object(event, "message"), "content"):
            if block.get("type") == "tool_result":
                tool = self._tools.get(_text(block, "tool_use_id"), "")
                yield AgentEvent(kind=EventKind.TOOL_END, tool=tool, text=_content(block))

    def _limited(self, event: Json) -> Iterator[AgentEvent]:
        limit = _object(event, "rate_limit_info")
        status = _text(limit, "status")
        self._rejected = self._rejected or status == "rejected"
        resets_at = _number(limit, "resetsAt")
        if resets_at is not None:
            self._resets_at = resets_at
        yield AgentEvent(kind=EventKind.RATE_LIMIT, text=f"{_text(limit, 'rateLimitType')} {status}".strip())

    def _ended(self, event: Json) -> Iterator[AgentEvent]:
        self._final = event
        used = _usage(event)
        yield AgentEvent(kind=EventKind.USAGE, text=f"{used.input_tokens} in, {used.output_tokens} out")
        yield AgentEvent(kind=EventKind.FINAL, text=_text(event, "result"))


def _parse(line: bytes) -> Json:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(event: Json, key: str) -> str:
    value = event.get(key)
    return _clean(value) if isinstance(value, str) else ""


def _compact(value: object) -> str:
    """JSON on one line, sorted: the same call twice is the same text twice."""
    try:
        return _clean(json.dumps(value, sort_keys=True, ensure_ascii=False))
    except RecursionError:
        return ""


def _clean(text: str) -> str:
    """Without what JSON may spell and neither UTF-8 nor a database can hold: lone surrogates and NUL."""
    return text.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def _object(event: Json, key: str) -> Json:
    value = event.get(key)
    return value if isinstance(value, dict) else {}


def _objects(event: Json, key: str) -> list[Json]:
    value = event.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _number(event: Json, key: str) -> float | None:
    value = event.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # The bound keeps integers of a thousand digits from overflowing, and NaN is within no bound.
    return float(value) if 0 <= value < 1e15 and math.isfinite(value) else None


def _content(block: Json) -> str:
    whole = _text(block, "content")
    return whole or "\n".join(_text(part, "text") for part in _objects(block, "content"))


def _usage(final: Json) -> Usage:
    counts = _object(final, "usage")
    kinds = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Usage(
        input_tokens=sum(int(_number(counts, kind) or 0) for kind in kinds),
        output_tokens=int(_number(counts, "output_tokens") or 0),
        cost_usd=_number(final, "total_cost_usd"),
    )


def _retry(event: Json) -> str:
    status = _number(event, "error_status")
    reason = " ".join(filter(None, (f"{status:.0f}" if status is not None else "", _text(event, "error"))))
    return f"attempt {_number(event, 'attempt') or 0:.0f} of {_number(event, 'max_retries') or 0:.0f} after {reason}"


def _complaint(final: Json, exit_code: int, stderr: str) -> str:
    """What a final event that tells of a failure says about it."""
    errors = final.get("errors")
    listed = [_clean(error) for error in errors if isinstance(error, str)] if isinstance(errors, list) else []
    said = _text(final, "result") or "; ".join(listed)
    reason = next(filter(None, (_text(final, "terminal_reason"), _text(final, "subtype"))), "")
    return f"{reason}: {said}" if said else f"{reason}: {_crash(exit_code, stderr)}"


def _crash(exit_code: int, stderr: str) -> str:
    said = _clean(stderr).strip()[-_DETAIL:]
    return f"ended {_manner(exit_code)}" + (f": {said}" if said else " and said nothing")


def _manner(exit_code: int) -> str:
    number = -exit_code if exit_code < 0 else exit_code - _SHELL_SIGNAL
    try:
        return f"by {signal.Signals(number).name}"
    except ValueError:
        return f"with exit code {exit_code}"


def _by_signal(exit_code: int) -> bool:
    return _manner(exit_code).startswith("by ")
