"""The harness's tools as a process: called by the protocol's own client, and sent malformed input."""

import asyncio
import inspect
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

import shiftwork
from shiftwork.domain.core.plain import to_plain
from shiftwork.entrypoints.mcp.mcp_server import VERSIONS
from shiftwork.entrypoints.mcp.toolbox import Toolbox
from shiftwork.entrypoints.mcp.tools import TOOLS
from shiftwork.testing.builders import asked, began, fold_story, started_story

PROGRAM = (sys.executable, "-I", "-S", str(Path(shiftwork.__file__).parent / "entrypoints" / "mcp" / "__main__.py"))


@pytest.fixture
def attempt_folder(tmp_path: Path) -> Path:
    """As an attempt at a coding step finds it."""
    story = started_story("coding", "review")
    story = fold_story(story, began(story))
    sheet = {
        "step": "step-001",
        "story": to_plain(asked()),
        "requirements": ["Nothing is rounded"],
        "pipeline": to_plain(story.pipeline),
    }
    (tmp_path / "task.json").write_text(json.dumps(sheet))
    (tmp_path / "outputs").mkdir()
    return tmp_path


def spoken(attempt_folder: Path, *calls: tuple[str, dict[str, Any]]) -> list[tuple[bool, str]]:
    """Whether each call failed, and what it was answered, through the official client."""

    async def talk() -> list[tuple[bool, str]]:
        parameters = StdioServerParameters(command=PROGRAM[0], args=[*PROGRAM[1:], str(attempt_folder)])
        async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
            met = await session.initialize()
            assert met.server_info.name == "shiftwork"
            await session.send_ping()
            listed = await session.list_tools()
            assert [tool.name for tool in listed.tools] == [tool["name"] for tool in TOOLS]
            answers = [await session.call_tool(name, arguments) for name, arguments in calls]
            return [(bool(answer.is_error), answer.content[0].text) for answer in answers]  # type: ignore[union-attr]

    return asyncio.run(talk())


def test_the_official_client_uses_every_tool(attempt_folder: Path) -> None:
    skip = {"operation": "skip", "target_step_id": "step-002", "reason": "tiny"}
    task, edited, noted, shown = spoken(
        attempt_folder,
        ("read_task", {}),
        ("edit_workflow", {"operations": [skip]}),
        ("write_note", {"text": "greetings are in lower case: äöü"}),
        ("report_evidence", {"criterion": "AC-1", "kind": "test", "reference": "test_it"}),
    )
    assert not any(failed for failed, _ in (task, edited, noted, shown))
    assert json.loads(task[1])["requirements"] == ["Nothing is rounded"]
    assert edited[1].startswith("ACCEPTED")
    left = {path.name.partition("-")[0]: path.read_text() for path in (attempt_folder / "outputs").iterdir()}
    assert left.keys() == {"edit", "note", "evidence"}
    assert left["note"] == "greetings are in lower case: äöü"


def test_what_an_agent_gets_wrong_is_reported_as_the_tools_answer(attempt_folder: Path) -> None:
    answers = spoken(
        attempt_folder,
        ("write_note", {}),
        ("write_note", {"text": 3, "colour": "red"}),
        ("read_task", {}),
    )
    assert [failed for failed, _ in answers] == [True, True, False]
    assert answers[0][1] == "REJECTED: text is missing"
    assert answers[1][1] == "REJECTED: there is no argument colour; text must be of the type string"


def test_every_version_with_a_handshake_is_spoken() -> None:
    assert set(VERSIONS) == set(HANDSHAKE_PROTOCOL_VERSIONS)
    assert VERSIONS[0] == max(VERSIONS)


def test_each_tool_is_a_method_of_the_toolbox_with_the_same_arguments() -> None:
    for tool in TOOLS:
        parameters = dict(inspect.signature(getattr(Toolbox, tool["name"])).parameters)
        del parameters["self"]
        assert list(parameters) == list(tool["inputSchema"]["properties"]), tool["name"]
        needed = [name for name, parameter in parameters.items() if parameter.default is inspect.Parameter.empty]
        assert needed == tool["inputSchema"]["required"], tool["name"]


# Without the client ----------------------------------------------------------------------------------------------


def said(attempt_folder: Path, lines: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    program = (PROGRAM[0], *options, *PROGRAM[1:], str(attempt_folder))
    return subprocess.run(program, input=lines, capture_output=True, timeout=60, check=False, cwd=attempt_folder)


def request(number: int, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


@pytest.mark.parametrize(
    ("offered", "agreed"), [*((version, version) for version in VERSIONS), ("1999-01-01", VERSIONS[0])]
)
def test_a_version_is_agreed_on(attempt_folder: Path, offered: str, agreed: str) -> None:
    ran = said(attempt_folder, request(1, "initialize", protocolVersion=offered))
    assert json.loads(ran.stdout)["result"]["protocolVersion"] == agreed


def garbage() -> Iterator[bytes]:
    chance = random.Random(7)  # noqa: S311 - no secret
    for length in (0, 1, 20, 3_000, 200_000):
        yield chance.randbytes(length).replace(b"\n", b"")
    yield from (b"[" * 100_000, b"9" * 10_000, b'"\\ud800"', b"\xff\xfe[]", b"{}", b"[]", b"null", b'{"id": NaN}')
    yield b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["read_task"]}}'
    yield b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__init__","arguments":{"desk":"/"}}}'
    yield b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_task","arguments":[1]}}'


def test_garbage_is_survived(attempt_folder: Path) -> None:
    ran = said(attempt_folder, b"\n".join(garbage()) + b"\n" + request(99, "ping"))
    *errors, last = [json.loads(line) for line in ran.stdout.splitlines()]
    assert last == {"jsonrpc": "2.0", "id": 99, "result": {}}
    assert {error["error"]["code"] for error in errors} == {-32700, -32600, -32602}
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_tool_that_fails_takes_no_other_with_it(attempt_folder: Path) -> None:
    half = request(1, "tools/call", name="write_note", arguments={"text": "half a character: \ud800"})
    failed, fine = said(attempt_folder, half + request(2, "tools/call", name="read_task")).stdout.splitlines()
    assert json.loads(failed)["result"]["isError"]
    assert not json.loads(fine)["result"]["isError"]
    assert not [path for path in (attempt_folder / "outputs").iterdir() if path.suffix == ".json"]


def test_a_attempt_folder_without_a_task_is_reported_to_anyone_who_calls(tmp_path: Path) -> None:
    ran = said(tmp_path, request(1, "tools/list") + request(2, "tools/call", name="read_task"))
    listed, called = (json.loads(line)["result"] for line in ran.stdout.splitlines())
    assert listed["tools"]
    assert called["isError"]
    assert "task.json" in called["content"][0]["text"]


def test_an_agent_that_is_gone_ends_it_quietly(attempt_folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = subprocess.run(
            (*PROGRAM, str(attempt_folder)),
            input=request(1, "ping") * 3,
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)
    assert b"Traceback" not in ran.stderr


def test_an_agent_that_starts_waits_for_next_to_nothing(attempt_folder: Path) -> None:
    """What the tools themselves need comes with the first call."""
    greeted = request(1, "initialize") + request(2, "tools/list")
    before = imported(said(attempt_folder, greeted, "-X", "importtime"))
    after = imported(said(attempt_folder, greeted + request(3, "tools/call", name="read_task"), "-X", "importtime"))
    assert not before & {"asyncio", "dataclasses", "inspect", "pathlib", "site", "shiftwork.entrypoints.mcp.toolbox"}
    assert "shiftwork.entrypoints.mcp.toolbox" in after
    assert not after & {"asyncio", "dataclasses", "inspect", "mcp", "pydantic", "site", "sqlalchemy", "subprocess"}


def imported(ran: subprocess.CompletedProcess[bytes]) -> set[str]:
    lines = ran.stderr.decode().splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}
