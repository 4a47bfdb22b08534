"""The Anthropic Messages interface, as Claude Code uses it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from shiftwork.testing.model_server.model_request import Conversation, ToolResult
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

_ERROR_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


class AnthropicMessages:
    """`POST /v1/messages`."""

    def __init__(self) -> None:
        self.name = "anthropic"
        self.suffix = "/messages"
        self.session_headers: tuple[str, ...] = ("x-claude-code-session-id",)

    def read(self, body: Body) -> Conversation:
        messages = objects(body.get("messages"))
        user = [message.get("content") for message in messages if message.get("role") == "user"]
        tools = tuple(word(tool, "name") for tool in objects(body.get("tools")))
        return Conversation(
            model=word(body, "model") or "scripted",
            streamed=body.get("stream") is True,
            prompt=own_words(texts(user[0])) if user else "",
            system="\n".join(texts(body.get("system"))),
            turn=sum(message.get("role") == "assistant" for message in messages),
            tools=tools,
            tool_results=tuple(_results(user)),
            auxiliary=is_auxiliary(tools, texts(user[-1]) if user else []),
        )

    def whole(self, reply: Reply, conversation: Conversation, ids: Ids) -> Body:
        return _message(conversation, ids) | {
            "content": list(_blocks(reply, ids)),
            "stop_reason": _stop_reason(reply),
            "usage": _usage(reply),
        }

    def frames(self, reply: Reply, conversation: Conversation, ids: Ids) -> Iterator[Frame]:
        # Like the real interface: the first event has the input tokens, and only a first output token.
        opening = _message(conversation, ids) | {"usage": _usage(reply) | {"output_tokens": 1}}
        yield _frame("message_start", message=opening)
        for index, block in enumerate(_blocks(reply, ids)):
            empty, deltas = _unfold(block)
            yield _frame("content_block_start", index=index, content_block=empty)
            for delta in deltas:
                yield _frame("content_block_delta", index=index, delta=delta)
            yield _frame("content_block_stop", index=index)
        ending = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
        yield _frame("message_delta", delta=ending, usage=_usage(reply))
        yield _frame("message_stop")

    def error(self, status: int, message: str) -> Body:
        kind = _ERROR_TYPES.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}

    def broken(self, kind: str, message: str) -> Frame:
        return _frame("error", error={"type": kind, "message": message})


def _results(contents: list[Any]) -> Iterator[ToolResult]:
    for content in contents:
        for block in objects(content):
            if block.get("type") == "tool_result":
                text = "\n".join(texts(block.get("content")))
                failed = block.get("is_error") is True
                yield ToolResult(call_id=word(block, "tool_use_id"), text=text, failed=failed)


def _frame(name: str, **payload: Any) -> Frame:
    return Frame(name=name, payload={"type": name, **payload})


def _message(conversation: Conversation, ids: Ids) -> Body:
    return {
        "id": ids.fresh("msg"),
        "type": "message",
        "role": "assistant",
        "model": conversation.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _blocks(reply: Reply, ids: Ids) -> Iterator[Body]:
    if reply.thought:
        yield {"type": "thinking", "thinking": reply.thought, "signature": "c2lnbmVk"}
    if reply.text:
        yield {"type": "text", "text": reply.text}
    for call in reply.calls:
        # This interface has no free-form calls: their text becomes the parameter of a one-parameter tool.
        given: Mapping[str, Any] = {"input": call.input} if isinstance(call.input, str) else call.input
        yield {"type": "tool_use", "id": ids.fresh("toolu"), "name": call.name, "input": dict(given)}


def _unfold(block: Body) -> tuple[Body, list[Body]]:
    """A block at its start, and the pieces that complete it."""
    match block["type"]:
        case "text":
            return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
        case "thinking":
            thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])]
            signature = {"type": "signature_delta", "signature": block["signature"]}
            return {**block, "thinking": "", "signature": ""}, [*thoughts, signature]
        case _:
            written = pieces(json.dumps(block["input"]))
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in written]


def _stop_reason(reply: Reply) -> str:
    return "tool_use" if reply.calls else "end_turn"


def _usage(reply: Reply) -> Body:
    return {
        "input_tokens": reply.usage.input,
        "output_tokens": reply.usage.output,
        "cache_creation_input_tokens": reply.usage.cache_write,
        "cache_read_input_tokens": reply.usage.cache_read,
    }
