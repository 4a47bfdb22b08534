"""How Claude Code is started: which login and which input it gets, and which environment it does not see."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shiftwork.adapters.agents._driver import Driver, HomeFiles
from shiftwork.adapters.agents.claude_code import ClaudeCode, Endpoint
from tests.unit.agents.launch_rig import task

PROGRAM = Path("/opt/claude")
LOGIN = {"PATH": os.defpath, "HOME": "/home/user", "CLAUDE_CONFIG_DIR": "/home/user/.config/claude"}
OURS = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "MCP_TIMEOUT": "60000",
    "TMPDIR": "/attempt/home/tmp",
    "PWD": "/attempt/work",
}


def test_where_it_is_confined_its_own_folder_is_all_it_has_of_the_home() -> None:
    usual = ClaudeCode(program=PROGRAM, env={"HOME": "/home/user"}).launch(task()).home_files.login
    assert usual is not None
    assert (usual.folder, usual.credentials) == (
        Path("/home/user/.claude"),
        Path("/home/user/.claude/.credentials.json"),
    )
    assert {*usual.lent} == {usual.credentials, Path("/home/user/.claude.json")}
    assert Path("/home/user/.claude/settings.json") in usual.readable
    named = ClaudeCode(program=PROGRAM, env=LOGIN).launch(task()).home_files.login
    assert named is not None
    assert {*named.lent} == {named.credentials, Path("/home/user/.config/claude/.claude.json")}
    assert ClaudeCode(program=PROGRAM, env=LOGIN, private_home=True).launch(task()).home_files == HomeFiles()


def test_the_users_login_simply_works() -> None:
    driver: Driver = ClaudeCode(program=PROGRAM, env=LOGIN)
    launch = driver.launch(task(EXTRA="yes"))
    assert launch.env == LOGIN | OURS | {"EXTRA": "yes"}
    assert launch.argv == (
        "/opt/claude", "-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions",
        "--strict-mcp-config",
    )  # fmt: skip
    assert (launch.stdin, dict(launch.files)) == (b"Do it.", {})


def test_a_private_home_with_a_key_knows_no_other_login() -> None:
    env = LOGIN | {"ANTHROPIC_AUTH_TOKEN": "t", "CLAUDE_CODE_OAUTH_TOKEN": "o"}
    endpoint = Endpoint(base_url="http://127.0.0.1:1", api_key="k")
    launch = ClaudeCode(program=PROGRAM, env=env, endpoint=endpoint, private_home=True).launch(task())
    own = {"HOME": "/attempt/home", "CLAUDE_CONFIG_DIR": "/attempt/home/claude"}
    asked = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_API_KEY": "k"}
    assert launch.env == {"PATH": os.defpath} | OURS | own | asked


@pytest.mark.parametrize("root", [True, False])
def test_the_sandbox_is_claimed_for_root_alone(*, root: bool) -> None:
    launch = ClaudeCode(program=PROGRAM, env={}, allow_root=root).launch(task())
    assert ("IS_SANDBOX" in launch.env) is root


def test_a_session_around_ours_is_not_inherited() -> None:
    outer = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "x", "CLAUDE_CODE_MESSAGING_SOCKET": "/s", "KEPT": "1"}
    launch = ClaudeCode(program=PROGRAM, env=outer).launch(task())
    assert launch.env == OURS | {"KEPT": "1"}


def test_how_long_it_waits_for_its_tools_is_the_user_s_to_say() -> None:
    launch = ClaudeCode(program=PROGRAM, env={"MCP_TIMEOUT": "90000"}).launch(task())
    assert launch.env["MCP_TIMEOUT"] == "90000"


def test_tools_and_model_are_named_on_the_command_line() -> None:
    launch = ClaudeCode(program=PROGRAM, env={}).launch(task(toolbox=("shiftwork", "mcp", "--step"), model="sonnet"))
    config = json.loads(launch.argv[launch.argv.index("--mcp-config") + 1])
    server = {"type": "stdio", "command": "shiftwork", "args": ["mcp", "--step"], "alwaysLoad": True}
    assert config == {"mcpServers": {"shiftwork": server}}
    assert launch.argv[-2:] == ("--model", "sonnet")


def test_the_pins_name_no_place_to_download_from(pytestconfig: pytest.Config) -> None:
    folder = pytestconfig.rootpath / "agents"
    assert '"resolved"' not in (folder / "package-lock.json").read_text()
    locked = json.loads((folder / "package-lock.json").read_text())["packages"]
    # The field `funding` is an address from which nothing is downloaded.
    assert "://" not in json.dumps([package | {"funding": ""} for package in locked.values()])
    pins = json.loads((folder / "package.json").read_text())["dependencies"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in pins} == pins


def test_an_agent_that_is_not_pinned_is_refused(pytestconfig: pytest.Config) -> None:
    script = pytestconfig.rootpath / "scripts" / "agents.py"
    refused = subprocess.run([sys.executable, script, "gpt"], capture_output=True, text=True, check=False)
    assert (refused.returncode, "claude" in refused.stderr) == (64, True)
