"""Reading agents' requests and scripts in JSON: everything legal is understood, invalid input raises clear errors."""

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.testing.model_server import (
    Call,
    Drop,
    DropMid,
    Fail,
    Hang,
    Say,
    StreamError,
    Think,
    Tokens,
    ToolCall,
    Turn,
)
from shiftwork.testing.model_server.control import turn_of
from shiftwork.testing.model_server.http import WIRES

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["role", "type", "content", "text", "messages", "input", "tools", "name", "output"]), inner
        )
    ),
    max_leaves=25,
)


@settings(deadline=None)  # machines under load are slow now and then
@given(body=st.dictionaries(st.sampled_from(["messages", "input", "tools", "system", "model", "stream"]), JSON))
def test_no_body_is_too_strange_to_be_read(body: dict[str, Any]) -> None:
    for wire in WIRES:
        assert wire.read(body).turn >= 0


@settings(deadline=None)  # machines under load are slow now and then
@given(spec=JSON | st.dictionaries(st.sampled_from(["say", "call", "calls", "fail", "hang", "then", "usage"]), JSON))
def test_a_script_in_json_is_a_turn_or_a_value_error(spec: object) -> None:
    with contextlib.suppress(ValueError):
        assert isinstance(turn_of(spec), Turn.__value__)


A, B = ToolCall(name="A"), ToolCall(name="B", input="x")

TURNS: list[tuple[dict[str, Any], Turn]] = [
    ({"say": "a", "usage": {"input": 1, "output": 2}}, Say(text="a", usage=Tokens(input=1, output=2))),
    ({"call": "W", "input": {"a": 1}, "text": "t"}, Call(calls=(ToolCall(name="W", input={"a": 1}),), text="t")),
    ({"calls": [{"name": "A"}, {"name": "B", "input": "x"}]}, Call(calls=(A, B))),
    ({"think": "Hm.", "then": {"say": "a"}}, Think(thought="Hm.", then=Say(text="a"))),
    ({"fail": 429, "headers": {"a": "1"}, "repeat": 2}, Fail(status=429, headers={"a": "1"}, repeat=2)),
    ({"drop": True}, Drop()),
    ({"drop_mid": "text"}, DropMid(text="text")),
    ({"stream_error": "api_error", "message": "m"}, StreamError(kind="api_error", message="m")),
    ({"hang": 2, "then": {"fail": 500}}, Hang(seconds=2, then=Fail(status=500))),
    ({"hang": 2}, Hang(seconds=2)),
]


@pytest.mark.parametrize(("spec", "turn"), TURNS)
def test_turns_can_be_written_as_json(spec: dict[str, Any], turn: Turn) -> None:
    assert turn_of(spec) == turn


@pytest.mark.parametrize(
    "spec",
    [
        {},
        [],
        {"say": "a", "headers": {}},
        {"calls": 3},
        {"calls": [{}]},
        {"think": "a", "then": {"fail": 500}},
        {"think": "a"},
        {"say": "a", "usage": {"tokens": 1}},
        {"shout": "a"},
    ],
)
def test_what_is_no_turn_is_refused(spec: object) -> None:
    with pytest.raises(ValueError, match=r"turn|thought"):
        turn_of(spec)
