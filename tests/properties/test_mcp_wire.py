"""Any message to the tools' server is answered as JSON-RPC requires, or ignored; nothing is raised."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.entrypoints.mcp.mcp_server import Server
from shiftwork.entrypoints.mcp.tools import TOOLS

METHODS = ("initialize", "ping", "tools/list", "tools/call", "notifications/initialized", "server/discover")

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
calls = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from([tool["name"] for tool in TOOLS]) | anything,
        "arguments": st.dictionaries(st.sampled_from(("text", "operations", "criterion", "x")), anything) | anything,
        "protocolVersion": anything,
    },
)
messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={"id": anything, "method": st.sampled_from(METHODS) | anything, "params": calls | anything},
)


def refusing(name: str, arguments: dict[str, Any]) -> str:
    """A tool that fails whenever it is called."""
    raise OSError(name)


def outcome_of(line: bytes) -> Any:
    """The answer to a line, if any; at most one line, and ASCII, so that no encoding can break it."""
    answer = Server(refusing).answer(line)
    if not answer:
        return None
    assert answer.endswith(b"\n")
    assert answer.count(b"\n") == 1
    return json.loads(answer.decode("ascii"))


def check(answer: Any) -> None:
    assert answer["jsonrpc"] == "2.0"
    assert isinstance(answer["id"], str | int | None)
    assert ("result" in answer) != ("error" in answer)
    if "error" in answer:
        assert isinstance(answer["error"]["code"], int)
        assert answer["error"]["message"]


@given(st.binary())
def test_any_bytes_are_survived(line: bytes) -> None:
    answer = outcome_of(line)
    if answer is not None:
        for item in answer if isinstance(answer, list) else [answer]:
            check(item)


@given(anything | st.lists(messages, max_size=4))
def test_any_json_is_survived(message: Any) -> None:
    answer = outcome_of(json.dumps(message).encode())
    if answer is not None:
        for item in answer if isinstance(answer, list) else [answer]:
            check(item)


@given(messages)
def test_a_request_is_answered_under_its_id_and_a_notification_never(message: dict[str, Any]) -> None:
    answer = outcome_of(json.dumps(message).encode())
    identified = isinstance(message.get("id"), str | int) and not isinstance(message["id"], bool)
    if identified:
        check(answer)
        assert answer["id"] == message["id"]
    elif "id" not in message and isinstance(message.get("method"), str):
        assert answer is None
    else:
        assert answer["id"] is None
        assert answer["error"]["code"] == -32600


@given(st.integers(min_value=0, max_value=100_000))
def test_nesting_of_any_depth_is_survived(depth: int) -> None:
    answer = outcome_of(b"[" * depth + b"]" * depth)
    assert answer is None or "error" in (answer if isinstance(answer, dict) else answer[0])
