"""The scripted model separates scripts, sessions and side requests; as a program it is driven over HTTP."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shiftwork.testing.model_server import Fail, ModelRequest, ModelServer, Say, Script, Turn, call
from shiftwork.testing.model_server.model_client import ANTHROPIC, RESPONSES, Answer, ask, question, send

BOTH = pytest.mark.parametrize("path", [ANTHROPIC, RESPONSES])


@BOTH
def test_requests_on_the_side_advance_no_script(server: ModelServer, path: str) -> None:
    server.load("s", [Say(text="the first"), Say(text="the second")])
    assert "Scripted title" in ask(server, path, tools=False).text
    assert "the first" in ask(server, path, stream=False).text
    assert "Scripted title" in ask(server, path, prompt="Please generate a title for this").text
    assert "the second" in ask(server, path, stream=False).text
    seen = server.requests("s")
    assert [request.auxiliary for request in seen] == [True, False, True, False]
    assert [request.number for request in seen if not request.auxiliary] == [0, 1]


@BOTH
def test_a_script_that_is_over_or_missing_says_so_instead_of_answering(server: ModelServer, path: str) -> None:
    server.load("s", [])
    over = ask(server, path)
    assert (over.status, over.body["error"]["message"]) == (400, "the script has no more turns")
    missing = ask(server, path, script="other")
    assert (missing.status, "'other'" in missing.body["error"]["message"]) == (404, True)


def test_a_function_answers_by_what_was_asked(server: ModelServer) -> None:
    def answer(request: ModelRequest) -> Turn:
        if "review" in request.prompt:
            return Say(text="reviewed")
        if request.retry == 0:
            return Fail(status=529)
        return call("Write", file_path="a") if request.turn == 0 else Say(text=f"tool said {request.last_tool_result}")

    server.load("s", Script.by(answer))
    assert "reviewed" in ask(server, ANTHROPIC, prompt="Please review.", stream=False).text
    assert ask(server, ANTHROPIC).status == 529
    written = ask(server, ANTHROPIC, stream=False).body
    later = question(ANTHROPIC, stream=False)
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "fine"}]}
    later["messages"] += [{"role": "assistant", "content": written["content"]}, {"role": "user", "content": [result]}]
    assert send(server.url("s") + ANTHROPIC, "POST", later).status == 529
    assert "tool said fine" in send(server.url("s") + ANTHROPIC, "POST", later).text


def test_the_prompt_is_reported_without_what_agents_put_around_it(server: ModelServer) -> None:
    server.load("s", lambda _: Say(text="ok"))
    reminder = {"type": "text", "text": "<system-reminder>\nMind the gap.\n</system-reminder>"}
    body = question(ANTHROPIC, "The prompt.")
    body["messages"][0]["content"].insert(0, reminder)
    body["messages"].append({"role": "system", "content": "# Environment"})
    send(server.url("s") + ANTHROPIC, "POST", body)
    other = question(RESPONSES, "The prompt.")
    context = [{"type": "input_text", "text": "<environment_context>\n</environment_context>"}]
    other["input"].insert(0, {"role": "user", "content": context})
    other["input"] += [
        {"type": "reasoning"},
        {"type": "function_call", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": "said"},
        {"type": "message", "role": "assistant", "content": []},
        {"role": "user", "content": "Go on."},
    ]
    send(server.url("s") + RESPONSES, "POST", other)
    first, second = server.requests("s")
    assert (first.prompt, first.turn, first.tools) == ("The prompt.", 0, ("Write",))
    assert (second.prompt, second.turn, second.last_tool_result) == ("The prompt.", 2, "said")


def test_sessions_are_reported_apart_by_the_agents_own_header(server: ModelServer) -> None:
    server.load("s", lambda request: Say(text=f"retry {request.retry}"))
    for session in ("one", "two", "one"):
        headers = {"X-Claude-Code-Session-Id": session}
        send(server.url("s") + ANTHROPIC, "POST", question(ANTHROPIC), headers)
    assert [(request.session, request.retry) for request in server.requests("s")] == [
        ("one", 0),
        ("two", 0),
        ("one", 1),
    ]


def test_what_a_script_raises_is_raised_when_the_server_is_left() -> None:
    def answer(request: ModelRequest) -> Turn:
        raise AssertionError(f"nobody should ask: {request.prompt}")

    def serve() -> None:
        with ModelServer() as server:
            server.load("s", answer)
            received.append(ask(server, ANTHROPIC))

    received: list[Answer] = []
    with pytest.raises(ExceptionGroup) as caught:
        serve()
    assert (received[0].status, "nobody should ask" in received[0].text) == (400, True)
    assert "nobody should ask: Do it." in str(caught.value.exceptions[0])


def test_eight_clients_at_once_each_follow_their_own_script(server: ModelServer) -> None:
    turns = 20
    for client in range(8):
        server.load(f"c{client}", [Say(text=f"{client}/{turn}") for turn in range(turns)])

    def run(client: int) -> list[str]:
        answers = (ask(server, ANTHROPIC, script=f"c{client}", stream=False) for _ in range(turns))
        return [answer.body["content"][0]["text"] for answer in answers]

    with ThreadPoolExecutor(8) as pool:
        received = list(pool.map(run, range(8)))
    assert received == [[f"{client}/{turn}" for turn in range(turns)] for client in range(8)]


def test_eight_clients_of_one_script_get_every_turn_once(server: ModelServer) -> None:
    server.load("s", [Say(text=f"turn {number}") for number in range(80)])
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ask(server, RESPONSES, stream=False), range(80)))
    texts = [answer.body["output"][0]["content"][0]["text"] for answer in answers]
    assert sorted(texts) == sorted(f"turn {number}" for number in range(80))
    assert sorted(request.number for request in server.requests("s")) == list(range(80))


@pytest.fixture
def program(tmp_path: Path) -> Iterator[str]:
    file = tmp_path / "script.json"
    file.write_text(json.dumps({"default": [{"say": "by default"}], "s": [{"say": "from the file"}]}))
    command = [sys.executable, "-m", "shiftwork.testing.model_server", "--script", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield running.stdout.readline().strip()
        running.terminate()
        assert running.wait(60) == 0


def test_as_a_program_it_prints_its_address_and_is_driven_over_http(program: str) -> None:
    body = question(ANTHROPIC, stream=False)
    assert "from the file" in send(f"{program}/s/s{ANTHROPIC}", "POST", body).text
    assert "by default" in send(program + ANTHROPIC, "POST", body).text
    assert send(f"{program}/_scripts/t", "PUT", [{"say": "loaded later"}]).status == 200
    assert "loaded later" in send(f"{program}/s/t{ANTHROPIC}", "POST", body).text
    assert send(f"{program}/_scripts/t", "PUT", [{"shout": "a"}]).status == 400
    assert send(f"{program}/_nothing/t", "PUT", []).status == 404
    (asked,) = send(f"{program}/_requests/t", "GET").body
    assert (asked["prompt"], asked["number"], asked["wire"]) == ("Do it.", 0, "anthropic")


def test_as_a_program_it_refuses_a_file_that_is_no_script(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    file.write_text(json.dumps({"s": [{"shout": "a"}]}))
    command = [sys.executable, "-m", "shiftwork.testing.model_server", "--script", str(file)]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (refused.returncode, "shout" in refused.stderr) == (2, True)
