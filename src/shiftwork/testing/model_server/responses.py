"""The OpenAI Responses interface, as Codex uses it."""

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from shiftwork.testing.model_server.model_request import Conversation, ToolResult
from shiftwork.testing.model_server.turns import ToolCall
from shiftwork.testing.model_server.wire import (
    Body,
    Frame,
    Ids,
    Reply,
    is_auxiliary,
    objects,
    own_words,
    pieces,
    texts,
    word,
)

_MADE: Final = frozenset({"reasoning", "function_call", "custom_tool_call", "local_shell_call"})
"""What a model produces besides messages."""
_RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_CREATED: Final = 1_700_000_000
"""A constant: no agent reads it, and two runs of the same script should look the same."""


class OpenAIResponses:
    """`POST /v1/responses`."""

    def __init__(self) -> None:
        self.name = "responses"
        self.suffix = "/responses"
        self.session_headers: tuple[str, ...] = ("session_id", "session-id", "conversation_id")

    def read(self, body: Body) -> Conversation:
        given = body.get("input")
        items = objects([{"role": "user", "content": given}] if isinstance(given, str) else given)
        # The prompt is what the user said before the model's first answer; later messages are reminders or replies.
        before = itertools.takewhile(lambda item: not _by_model(item), items)
        said = [text for item in before if item.get("role") == "user" for text in texts(item.get("content"))]
        offered = [*objects(body.get("tools"))]
        for item in items:
            if item.get("type") == "additional_tools":
                offered.extend(objects(item.get("tools")) or [item])
        tools = tuple(word(tool, "name") or word(tool, "type") for tool in offered)
        last = texts(items[-1].get("content")) if items and items[-1].get("role") == "user" else []
        return Conversation(
            model=word(body, "model") or "scripted",
            streamed=body.get("stream") is True,
            prompt=own_words(said),
            system=word(body, "instructions"),
            turn=sum(made for made, _ in itertools.groupby(items, key=_by_model)),
            tools=tools,
            tool_results=tuple(_result(item) for item in items if word(item, "type") in _RESULTS),
            auxiliary=is_auxiliary(tools, last),
        )

    def whole(self, reply: Reply, conversation: Conversation, ids: Ids) -> Body:
        return _response(conversation, ids) | {
            "status": "completed",
            "output": list(_items(reply, ids)),
            "usage": _usage(reply),
        }

    def frames(self, reply: Reply, conversation: Conversation, ids: Ids) -> Iterator[Frame]:
        for number, frame in enumerate(_unnumbered(reply, conversation, ids)):
            yield Frame(name=frame.name, payload=frame.payload | {"sequence_number": number})

    def error(self, status: int, message: str) -> Body:
        kind = "rate_limit_exceeded" if status == 429 else "server_error" if status >= 500 else "invalid_request_error"
        return {"error": {"type": kind, "code": kind, "message": message, "param": None}}

    def broken(self, kind: str, message: str) -> Frame:
        failed = {"object": "response", "status": "failed", "error": {"code": kind, "message": message}, "output": []}
        return _frame("response.failed", response=failed)


def _by_model(item: Mapping[str, Any]) -> bool:
    return item.get("role") == "assistant" or word(item, "type") in _MADE


def _result(item: Mapping[str, Any]) -> ToolResult:
    output = item.get("output")
    text = "\n".join(texts(output)) if isinstance(output, str | list) else json.dumps(output)
    return ToolResult(call_id=word(item, "call_id"), text=text)


def _unnumbered(reply: Reply, conversation: Conversation, ids: Ids) -> Iterator[Frame]:
    response = _response(conversation, ids)
    yield _frame("response.created", response=response)
    yield _frame("response.in_progress", response=response)
    items = list(_items(reply, ids))
    for index, item in enumerate(items):
        yield from _unfold(index, item)
        yield _frame("response.output_item.done", output_index=index, item=item)
    whole = response | {"status": "completed", "output": items, "usage": _usage(reply)}
    yield _frame("response.completed", response=whole)


def _unfold(index: int, item: Body) -> Iterator[Frame]:
    """All events of an output item except its end."""
    place: Body = {"item_id": item["id"], "output_index": index}
    match item["type"]:
        case "message":
            part = item["content"][0]
            inner = place | {"content_index": 0}
            begun = {**item, "status": "in_progress", "content": []}
            yield _frame("response.output_item.added", output_index=index, item=begun)
            yield _frame("response.content_part.added", **inner, part={**part, "text": ""})
            for piece in pieces(part["text"]):
                yield _frame("response.output_text.delta", **inner, delta=piece)
            yield _frame("response.output_text.done", **inner, text=part["text"])
            yield _frame("response.content_part.done", **inner, part=part)
        case "function_call":
            begun = {**item, "status": "in_progress", "arguments": ""}
            yield _frame("response.output_item.added", output_index=index, item=begun)
            for piece in pieces(item["arguments"]):
                yield _frame("response.function_call_arguments.delta", **place, delta=piece)
            yield _frame("response.function_call_arguments.done", **place, arguments=item["arguments"])
        case _:
            yield _frame("response.output_item.added", output_index=index, item=item)


def _frame(name: str, **payload: Any) -> Frame:
    return Frame(name=name, payload={"type": name, **payload})


def _response(conversation: Conversation, ids: Ids) -> Body:
    return {
        "id": ids.fresh("resp"),
        "object": "response",
        "created_at": _CREATED,
        "status": "in_progress",
        "model": conversation.model,
        "output": [],
        "usage": None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
    }


def _items(reply: Reply, ids: Ids) -> Iterator[Body]:
    if reply.thought:
        summary = [{"type": "summary_text", "text": reply.thought}]
        yield {"type": "reasoning", "id": ids.fresh("rs"), "summary": summary}
    if reply.text:
        part = {"type": "output_text", "text": reply.text, "annotations": []}
        message = {"type": "message", "role": "assistant", "status": "completed", "content": [part]}
        yield message | {"id": ids.fresh("msg")}
    for call in reply.calls:
        yield _call(call, ids)


def _call(call: ToolCall, ids: Ids) -> Body:
    item: Body = {"call_id": ids.fresh("call"), "name": call.name, "status": "completed"}
    if call.namespace:
        item["namespace"] = call.namespace
    if isinstance(call.input, str):
        return item | {"type": "custom_tool_call", "id": ids.fresh("ctc"), "input": call.input}
    return item | {"type": "function_call", "id": ids.fresh("fc"), "arguments": json.dumps(dict(call.input))}


def _usage(reply: Reply) -> Body:
    # This interface includes cached tokens in the input; `Tokens` counts them separately.
    entire = reply.usage.input + reply.usage.cache_read + reply.usage.cache_write
    return {
        "input_tokens": entire,
        "input_tokens_details": {"cached_tokens": reply.usage.cache_read},
        "output_tokens": reply.usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": entire + reply.usage.output,
    }
