"""Making logs readable: every agent's format is understood, and no line makes it fail."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.entrypoints.cli.logs.transcript import Said, read

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["type", "message", "content", "text", "input"]), inner)
    ),
)
KINDS = st.sampled_from(
    [
        *("assistant", "user", "result", "system", "text", "tool_end", "final", "stderr", "dropped", "new"),
        *("item.started", "item.completed", "turn.completed", "turn.failed", "error"),
    ]
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
        (
            '{"type": "result", "result": "ok", "total_cost_usd": 0.5}',
            [Said(who="final", text="ok"), Said(who="note", text="cost 0.50 USD")],
        ),
        (
            '{"type": "result", "result": "", "total_cost_usd": 0.0016}',
            [Said(who="final"), Said(who="note", text="cost 0.0016 USD")],
        ),
    ],
)
def test_lines(line: str, said: list[Said]) -> None:
    assert list(read(line)) == said


CODEX = [
    (
        "item.started",
        {"type": "command_execution", "command": "ls"},
        Said(who="tool", tool="command_execution", text="ls"),
    ),
    ("item.started", {"type": "mcp_tool_call", "tool": "note", "arguments": {}}, Said(who="tool", tool="note")),
    ("item.completed", {"type": "agent_message", "text": "Done."}, Said(who="text", text="Done.")),
    ("item.completed", {"type": "error", "message": "oh"}, Said(who="note", text="oh")),
    ("item.completed", {"type": "command_execution", "aggregated_output": "a b"}, Said(who="result", text="a b")),
    ("item.completed", {"type": "file_change", "changes": [{"path": "a"}]}, Said(who="result", text="a")),
    (
        "item.completed",
        {"type": "mcp_tool_call", "result": {"content": [{"type": "text", "text": "noted"}]}},
        Said(who="result", text="noted"),
    ),
]


@pytest.mark.parametrize(("kind", "item", "said"), CODEX)
def test_the_items_of_codex(kind: str, item: dict[str, object], said: Said) -> None:
    assert list(read(json.dumps({"type": kind, "item": item}))) == [said]


ACP: list[tuple[dict[str, object], list[Said]]] = [
    (
        {"params": {"update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}}},
        [Said(who="text", text="Done.")],
    ),
    (
        {"params": {"update": {"sessionUpdate": "tool_call", "kind": "execute", "title": "ls"}}},
        [Said(who="tool", tool="execute", text="ls")],
    ),
    ({"result": {"stopReason": "end_turn"}}, [Said(who="final", text="the session is over: end_turn")]),
    ({"error": {"code": -32000, "message": "log in"}}, [Said(who="note", text="log in")]),
    ({"params": {"update": {"sessionUpdate": "usage_update"}}}, []),
]


@pytest.mark.parametrize(("message", "said"), ACP)
def test_the_messages_of_acp(message: dict[str, object], said: list[Said]) -> None:
    assert list(read(json.dumps({"jsonrpc": "2.0", **message}))) == said


def test_how_codex_ends() -> None:
    assert list(read('{"type": "turn.failed", "error": {"message": "gone"}}')) == [Said(who="final", text="gone")]
    assert list(read('{"type": "turn.completed"}')) == [Said(who="final", text="the session is over")]
    assert list(read('{"type": "error", "message": "again"}')) == [Said(who="note", text="again")]


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
