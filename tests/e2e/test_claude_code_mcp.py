"""The real Claude Code hands work over with `shiftwork mcp`, follows it, and reports what landed."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Turn, call
from tests.e2e.cli_rig import SHIFTWORK, new_project
from tests.patience import SECONDS

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.slow, pytest.mark.timeout(600)]

TOOLS = [f"mcp__shiftwork__{name}" for name in ("plan", "start", "status", "wait", "answer", "cancel")]


def hands_over(request: ModelRequest) -> Turn:
    """Starts the work, waits until it is over, and repeats what it was shown."""
    assert set(TOOLS) <= {str(tool) for tool in request.conversation.tools}
    if request.turn == 0:
        return call("mcp__shiftwork__start", request="Add a greeting", workflow="ralph", max_sessions=9)
    seen = json.loads(request.last_tool_result)
    if request.turn == 1 or not seen["over"]:
        return call("mcp__shiftwork__wait", run=seen["run"], seconds=60)
    return Say(text=f"The run {seen['run']} is {seen['status']}.")


def test_claude_code_hands_work_over_and_sees_it_land(
    tmp_path: Path, claude_program: Path, scripted_model: ModelServer
) -> None:
    project = new_project(tmp_path)
    assert project.shiftwork("trust", SHIFTWORK_TRUST="").returncode == 0
    scripted_model.load("client", hands_over)
    server = {"type": "stdio", "command": str(SHIFTWORK), "args": ["mcp"], "alwaysLoad": True}
    options = ("--dangerously-skip-permissions", "--strict-mcp-config", "--mcp-config")
    env = {
        **project.environment(SHIFTWORK_TRUST=""),
        "HOME": str(tmp_path),
        "ANTHROPIC_BASE_URL": scripted_model.url("client"),
        "ANTHROPIC_API_KEY": "sk-ant-scripted",
        "IS_SANDBOX": "1" if os.geteuid() == 0 else "",
    }
    ended = subprocess.run(
        [claude_program, "-p", "Hand this over.", *options, json.dumps({"mcpServers": {"shiftwork": server}})],
        cwd=project.root,
        env=env,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert project.shiftwork("serve", "--stop").returncode == 0
    run = project.status()["run"]
    assert (ended.returncode, ended.stdout.strip()) == (0, f"The run {run} is completed."), ended
    assert project.git("show", "main:hello.txt") == "hello"
