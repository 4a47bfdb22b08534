"""Real agents with the default settings: each reaches its own model and no other host."""

import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from shiftwork.bootstrap.sandbox.agent_network import AgentSandbox
from shiftwork.bootstrap.work.agents import Place, build_agent
from shiftwork.config.settings.settings import load_settings
from shiftwork.ports.agent import Agent, AgentTask, Ending
from shiftwork.testing.model_server import Call, ModelServer, Say, ToolCall, Turn, call
from tests.conformance.agents.agent_rig import SCRIPT, attempted
from tests.conformance.agents.test_sandboxed_agents import notes, task_at, walls
from tests.conformance.sandbox.hosts_rig import answering
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.timeout(180), NEEDS_BUBBLEWRAP]

type Built = Callable[[str, dict[str, str]], Agent]


@pytest.fixture(params=["claude-code", "codex"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def task(tmp_path: Path) -> AgentTask:
    return replace(task_at(tmp_path), model="")


@pytest.fixture
def built(request: pytest.FixtureRequest, kind: str, tmp_path: Path) -> Built:
    """An agent of the settings, in the sandbox that it has by default, with a model at an address."""
    program: Path = request.getfixturevalue("claude_program" if kind == "claude-code" else "codex_program")

    def build(address: str, more: dict[str, str]) -> Agent:
        (tmp_path / "shiftwork.toml").write_text(f'[agent]\nuse = "{kind}"\nprogram = "{program}"\n')
        settings = load_settings(tmp_path, {})
        base = walls(tmp_path)
        own = (
            {"ANTHROPIC_API_KEY": "sk-ant-scripted", "ANTHROPIC_BASE_URL": address, "CLAUDE_CODE_MAX_RETRIES": "1"}
            if kind == "claude-code"
            else {"CODEX_API_KEY": "sk-scripted", "OPENAI_BASE_URL": f"{address}/v1"}
        )
        env = {"PATH": os.defpath, "HOME": str(base.home), **own, **more}
        return build_agent(settings, Place(env=env, sandbox=AgentSandbox(base=base), root=tmp_path))

    return build


def shell(kind: str, command: str) -> Turn:
    return call("Bash", command=command) if kind == "claude-code" else call("exec_command", cmd=command)


def noting(kind: str) -> Turn:
    if kind == "claude-code":
        return call("mcp__shiftwork__write_note", text="remember")
    return Call(calls=(ToolCall(name="write_note", namespace="mcp__shiftwork", input={"text": "remember"}),))


def test_it_works_and_reaches_neither_other_hosts_nor_this_machine(
    built: Built, kind: str, scripted_model: ModelServer, task: AgentTask
) -> None:
    with answering() as service:
        look = (
            "curl -sS -m 20 https://evil.example/ 2>&1; "
            f"curl -sS -m 5 http://127.0.0.1:{service}/ 2>&1 || echo closed; "
            "echo hello > hello.txt"
        )
        scripted_model.load(SCRIPT, [noting(kind), shell(kind, look), Say(text="Done.")])
        report, _ = attempted(built(scripted_model.url(SCRIPT), {}), task)
    assert (report.ending, report.answer) == (Ending.FINISHED, "Done."), report.detail
    assert (task.workdir / "hello.txt").read_text() == "hello\n"
    assert notes(task) == ["remember"], "the harness's own tools work"
    message = scripted_model.last_tool_result(SCRIPT)
    assert "response 403" in message
    assert "closed" in message
    refused = re.findall(r"refused by the sandbox: ([^\"\\]+)", task.log.read_text())
    assert refused == ["evil.example is not listed under hosts of [agent]"], "and it has called nobody else"


MODEL = "models.example"


@contextmanager
def users_proxy(server: int) -> Iterator[tuple[int, list[str]]]:
    """A proxy that takes every host for one server of this machine, and the first lines that it was sent."""
    heads: list[str] = []

    def joined(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65536):
                target.sendall(chunk)
            target.shutdown(socket.SHUT_WR)

    def passed(line: socket.socket) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n") and (more := line.recv(1)):
            head += more
        heads.append(head.decode().partition("\r\n")[0])
        with line, socket.create_connection(("127.0.0.1", server)) as far:
            far.sendall(re.sub(rb"http://[^/ ]+", b"", head, count=1))
            threading.Thread(target=joined, args=(line, far), daemon=True).start()
            joined(far, line)

    def serve(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=passed, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield listener.getsockname()[1], heads


def test_its_model_is_reached_by_the_users_own_proxy(
    built: Built, kind: str, scripted_model: ModelServer, task: AgentTask
) -> None:
    address = urlsplit(scripted_model.url(SCRIPT))
    scripted_model.load(SCRIPT, [shell(kind, "env | rev | grep terc3s | rev"), Say(text="Done.")])
    with users_proxy(address.port or 0) as (port, heads):
        proxy = f"http://ada:s3cret@127.0.0.1:{port}"
        agent = built(f"http://{MODEL}{address.path}", {"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy})
        report, _ = attempted(agent, task)
    assert (report.ending, report.answer) == (Ending.FINISHED, "Done."), report.detail
    assert heads
    assert all(f"http://{MODEL}/" in head for head in heads), heads
    assert "ada" not in scripted_model.last_tool_result(SCRIPT)
