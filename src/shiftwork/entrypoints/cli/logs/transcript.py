"""Makes the lines of an attempt's log readable: who said what.

A log contains what the agent printed, line by line, in the agent's own format. Supported are the harness's own notes,
the JSON messages of Claude Code, Codex and ACP agents, and plain text; other JSON is shown as it is.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from shiftwork.app.views.amounts import money
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """`who` is text, tool, result, final, note or stderr; `tool` names the tool of a call."""

    who: str
    text: str = ""
    tool: str = ""


def read(line: str) -> Iterator[Said]:
    """What a line says; empty if it does not matter to a reader."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        if line.strip():
            yield Said(who="text", text=line)
        return
    kind = value.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    yield from reader(value) if reader else _other(value, line)


def _other(value: dict[str, Any], line: str) -> Iterator[Said]:
    if "jsonrpc" in value:
        yield from _over_acp(value)
    elif "type" not in value:
        yield Said(who="text", text=line)


def _note(who: str) -> Callable[[dict[str, Any]], Iterator[Said]]:
    def reader(value: dict[str, Any]) -> Iterator[Said]:
        yield Said(who=who, text=_text(value, "text"), tool=_text(value, "tool"))

    return reader


def _messages(value: dict[str, Any]) -> Iterator[Said]:
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        match block.get("type"):
            case "text":
                yield Said(who="text", text=_text(block, "text"))
            case "tool_use":
                yield Said(who="tool", tool=_text(block, "name"), text=_arguments(block.get("input")))
            case "tool_result":
                yield Said(who="result", text=_result(block.get("content")))
            case _:
                continue


def _arguments(value: Any) -> str:
    """The most informative argument of a call, or all of them."""
    if isinstance(value, dict):
        for key in ("command", "file_path", "path", "pattern", "query", "url", "description"):
            if isinstance(value.get(key), str):
                return str(value[key])
    return json.dumps(value, ensure_ascii=False) if value else ""


def _result(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(_text(part, "text") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _final(value: dict[str, Any]) -> Iterator[Said]:
    cost = value.get("total_cost_usd")
    yield Said(who="final", text=_text(value, "result"))
    if isinstance(cost, int | float):
        yield Said(who="note", text=f"cost {money(cost)}")


def _init(value: dict[str, Any]) -> Iterator[Said]:
    if value.get("subtype") == "init":
        yield Said(who="note", text=f"session begins, model {_text(value, 'model') or 'unknown'}")


def _item_started(value: dict[str, Any]) -> Iterator[Said]:
    item = value.get("item")
    if isinstance(item, dict):
        tool = _text(item, "tool") or _text(item, "type")
        yield Said(who="tool", tool=tool, text=_text(item, "command") or _arguments(item.get("arguments")))


def _item_completed(value: dict[str, Any]) -> Iterator[Said]:
    item = value.get("item")
    if not isinstance(item, dict):
        return
    match item:
        case {"type": "agent_message"}:
            yield Said(who="text", text=_text(item, "text"))
        case {"type": "error"}:
            yield from _trouble(item)
        case {"type": "command_execution"}:
            yield Said(who="result", text=_text(item, "aggregated_output"))
        case {"type": "mcp_tool_call", "result": {"content": content}}:
            yield Said(who="result", text=_result(content))
        case {"type": "file_change", "changes": [*changes]}:
            paths = [_text(change, "path") for change in changes if isinstance(change, dict)]
            yield Said(who="result", text="\n".join(paths))
        case _:
            return


def _over_acp(value: dict[str, Any]) -> Iterator[Said]:
    match value:
        case {"params": {"update": {"sessionUpdate": "agent_message_chunk", "content": {"text": str(said)}}}}:
            yield Said(who="text", text=said)
        case {"params": {"update": {"sessionUpdate": "tool_call"} as call}}:
            yield Said(who="tool", tool=_text(call, "kind"), text=_text(call, "title"))
        case {"result": {"stopReason": str(reason)}}:
            yield Said(who="final", text=f"the session is over: {reason}")
        case {"error": {"message": str(trouble)}}:
            yield Said(who="note", text=trouble)
        case _:
            return


def _turn_ended(value: dict[str, Any]) -> Iterator[Said]:
    error = value.get("error")
    message = _text(error, "message") if isinstance(error, dict) else "the session is over"
    yield Said(who="final", text=message)


def _trouble(value: dict[str, Any]) -> Iterator[Said]:
    yield Said(who="note", text=_text(value, "message"))


def _text(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


_READERS: Final[dict[str, Callable[[dict[str, Any]], Iterator[Said]]]] = {
    "assistant": _messages,
    "user": _messages,
    "result": _final,
    "system": _init,
    "item.started": _item_started,
    "item.completed": _item_completed,
    "turn.completed": _turn_ended,
    "turn.failed": _turn_ended,
    "error": _trouble,
    "text": _note("text"),
    "tool_start": _note("tool"),
    "tool_end": _note("tool"),
    "final": _note("final"),
    "stderr": _note("stderr"),
    "remark": _note("note"),
    "dropped": _note("note"),
}
