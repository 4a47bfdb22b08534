"""Reading logs for people: every agent's format, and no line that makes it fail."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.entrypoints.cli.transcript import Said, read

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["type", "message", "content", "text", "input"]), inner)
    ),
)
KINDS = st.sampled_from(
    ["assistant", "user", "result", "system", "text", "tool_end", "final", "stderr", "dropped", "new"]
)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("plain words", [Said(who="text", text="plain words")]),
        ("", []),
        ('{"no": "type"}', [Said(who="text", text='{"no": "type"}')]),
        ('{"type": "of tomorrow"}', []),
        ('{"type": "stderr", "text": "oh"}', [Said(who="stderr", text="oh")]),
        ('{"type": "tool_end", "tool": "write", "text": "a.py"}', [Said(who="tool", tool="write", text="a.py")]),
        ('{"type": "system", "subtype": "init", "model": "m"}', [Said(who="note", text="session begins, model m")]),
        ('{"type": "result", "result": "ok", "total_cost_usd": 0.5}', [Said(who="final", text="ok\ncost 0.50 USD")]),
    ],
)
def test_lines(line: str, said: list[Said]) -> None:
    assert list(read(line)) == said


def test_the_blocks_of_a_message() -> None:
    blocks = [
        {"type": "text", "text": "I look"},
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "name": "Bash", "input": {"command": "ls", "description": "list"}},
        {"type": "tool_use", "name": "Odd", "input": {"n": 1}},
        {"type": "tool_result", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"type": "tool_result", "content": "c"},
    ]
    assert list(read(json.dumps({"type": "assistant", "message": {"content": blocks}}))) == [
        Said(who="text", text="I look"),
        Said(who="tool", tool="Bash", text="ls"),
        Said(who="tool", tool="Odd", text='{"n": 1}'),
        Said(who="result", text="a\nb"),
        Said(who="result", text="c"),
    ]


@given(st.one_of(st.text(), JSON.map(json.dumps)))
def test_no_line_makes_it_fail(line: str) -> None:
    list(read(line))


@given(KINDS, JSON, JSON)
def test_no_shape_of_a_known_kind_makes_it_fail(kind: str, message: object, text: object) -> None:
    for said in read(json.dumps({"type": kind, "message": message, "text": text, "tool": text, "result": text})):
        assert isinstance(said.text, str)
