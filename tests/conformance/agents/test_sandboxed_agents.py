"""Real agents in a sandbox: the suite for agents, their tools, and the user's own login."""

import base64
import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import shiftwork
from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.claude_code import ClaudeCode, Endpoint
from shiftwork.adapters.agents.codex import Codex
from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.ports.agent import AgentLimits, AgentTask, Ending
from shiftwork.testing.conformance.agent import Stage
from shiftwork.testing.model_server import Call, ModelServer, Say, ToolCall, Turn, call
from tests.conformance.agents import test_acp, test_claude_code, test_codex
from tests.conformance.agents.agent_rig import SCRIPT, attempted
from tests.conformance.agents.test_acp import AcpStage
from tests.conformance.agents.test_claude_code import ClaudeStage
from tests.conformance.agents.test_codex import CodexStage
from tests.conformance.sandbox.sandbox_rig import BWRAP, NEEDS_BUBBLEWRAP, SECRET

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.timeout(180), NEEDS_BUBBLEWRAP]

PACKAGE = Path(shiftwork.__file__).parent
TOOLS = (sys.executable, "-I", "-S", str(PACKAGE / "entrypoints" / "mcp" / "__main__.py"))


def walls(root: Path) -> Bubblewrap:
    """Around everything that a test has, but for what an attempt is given."""
    home = root / "user"
    home.mkdir(exist_ok=True)
    (home / ".netrc").write_text(SECRET)
    return Bubblewrap(program=BWRAP, home=home, repository=root, readable=(PACKAGE,))


class TestClaudeCodeWithinWalls(test_claude_code.TestClaudeCode):
    @pytest.fixture
    def stage(self, claude_program: Path, scripted_model: ModelServer, tmp_path: Path) -> Stage:
        return ClaudeStage(claude_program, scripted_model, walls(tmp_path))


class TestCodexWithinWalls(test_codex.TestCodex):
    @pytest.fixture
    def stage(self, codex_program: Path, scripted_model: ModelServer, tmp_path: Path) -> Stage:
        return CodexStage(codex_program, scripted_model, walls(tmp_path))


class TestAcpWithinWalls(test_acp.TestAcp):
    @pytest.fixture
    def stage(self, acp_program: Path, scripted_model: ModelServer, tmp_path: Path) -> Stage:
        # What such an agent keeps in the home is not known: the user says it in the settings.
        homes = tmp_path / "homes"
        homes.mkdir()
        return AcpStage(acp_program, scripted_model, homes, replace(walls(tmp_path), writable=(homes,)))


@pytest.fixture
def task(tmp_path: Path) -> AgentTask:
    return task_at(tmp_path)


def task_at(root: Path) -> AgentTask:
    """With an attempt folder in which the harness's own tools find their task."""
    workdir, attempt_folder = root / "workdir", root / "desk"
    for folder in (workdir, attempt_folder / "home", attempt_folder / "outputs"):
        folder.mkdir(parents=True)
    story = {"id": "US-001", "title": "t", "description": "d"}
    sheet = {"step": "step-001", "story": story, "requirements": [], "pipeline": {"steps": []}}
    (attempt_folder / "task.json").write_text(json.dumps(sheet))
    return AgentTask(
        prompt="Do it, please.",
        workdir=workdir,
        home=attempt_folder / "home",
        log=root / "log.jsonl",
        marker=f"walls{root}",
        limits=AgentLimits(wall_seconds=150, silence_seconds=150),
        toolbox=(*TOOLS, str(attempt_folder)),
        readable=(attempt_folder,),
        writable=(attempt_folder / "outputs",),
    )


def notes(task: AgentTask) -> list[str]:
    return [file.read_text() for file in sorted(task.writable[0].glob("note-*.json"))]


def look(task: AgentTask) -> str:
    """A command that tries what it should not be able to do, and then does its work."""
    root = task.workdir.parent
    return f"cat {root}/user/.netrc; ls {root}; touch {root}/x {root}/desk/x; git --version; echo hello > hello.txt"


def check(task: AgentTask, message: str) -> None:
    assert SECRET not in message
    assert "git version" in message
    assert "log.jsonl" not in message
    assert (task.workdir / "hello.txt").read_text() == "hello\n"
    assert not (task.workdir.parent / "x").exists()
    assert not (task.workdir.parent / "desk" / "x").exists()
    assert notes(task) == ["remember"]


def test_claude_code_works_with_its_tools_and_sees_nothing_else(
    claude_program: Path, scripted_model: ModelServer, task: AgentTask
) -> None:
    stage = ClaudeStage(claude_program, scripted_model, walls(task.workdir.parent))
    turns: list[Turn] = [
        call("mcp__shiftwork__write_note", text="remember"),
        call("Bash", command=look(task)),
        Say(text="Done."),
    ]
    report, _ = attempted(stage.plays(turns, SCRIPT), task)
    assert (report.ending, report.answer) == (Ending.FINISHED, "Done."), report.detail
    check(task, scripted_model.last_tool_result(SCRIPT))


def test_codex_works_with_its_tools_and_sees_nothing_else(
    codex_program: Path, scripted_model: ModelServer, task: AgentTask
) -> None:
    stage = CodexStage(codex_program, scripted_model, walls(task.workdir.parent))
    note = ToolCall(name="write_note", namespace="mcp__shiftwork", input={"text": "remember"})
    turns: list[Turn] = [Call(calls=(note,)), call("exec_command", cmd=look(task)), Say(text="Done.")]
    report, _ = attempted(stage.plays(turns, SCRIPT), replace(task, model="gpt-5.5"))
    assert (report.ending, report.answer) == (Ending.FINISHED, "Done."), report.detail
    assert report.model == "gpt-5.5", "its session file is found"
    check(task, scripted_model.last_tool_result(SCRIPT))


# The user's own login


def tampering(folder: Path, names: Sequence[str]) -> str:
    """Writes what the user's own sessions would follow; what it may write there, it does."""
    tries = " ".join(f"(echo x > {folder}/{name}) ;" for name in names)
    return (
        f"{{ {tries} }} 2>/dev/null; echo own > {folder}/own-note && cat {folder}/own-note; cat {folder.parent}/.netrc"
    )


def test_the_users_login_of_claude_code_simply_works(
    claude_program: Path, scripted_model: ModelServer, task: AgentTask
) -> None:
    around = walls(task.workdir.parent)
    folder = around.home / ".claude"
    folder.mkdir()
    login = {"accessToken": "sk-ant-oat01-scripted", "refreshToken": "r", "expiresAt": 4_000_000_000_000}
    (folder / ".credentials.json").write_text(json.dumps({"claudeAiOauth": {**login, "scopes": ["user:inference"]}}))
    (folder / "settings.json").write_text("{}")
    (around.home / ".claude.json").write_text('{"hasCompletedOnboarding": true}')
    scripted_model.load(SCRIPT, [call("Bash", command=tampering(folder, ["settings.json"])), Say(text="Done.")])
    driver = ClaudeCode(
        program=claude_program,
        env={"PATH": os.defpath, "HOME": str(around.home), "CLAUDE_CODE_MAX_RETRIES": "1"},
        endpoint=Endpoint(base_url=scripted_model.url(SCRIPT)),
        allow_root=os.geteuid() == 0,
    )
    report, _ = attempted(ProcessAgent(driver, around), task)
    assert (report.ending, report.answer) == (Ending.FINISHED, "Done."), report.detail
    message = scripted_model.last_tool_result(SCRIPT)
    assert (SECRET in message, "own" in message) == (False, True)
    assert scripted_model.requests(SCRIPT)[0].headers["authorization"] == "Bearer sk-ant-oat01-scripted"
    assert {file.name for file in folder.iterdir()} == {".credentials.json", "settings.json"}, "nothing was left there"
    assert (folder / "settings.json").read_text() == "{}"
    assert (around.home / ".claude.json").read_text() == '{"hasCompletedOnboarding": true}'


def test_the_users_login_of_codex_simply_works(
    codex_program: Path, scripted_model: ModelServer, task: AgentTask
) -> None:
    around = walls(task.workdir.parent)
    folder = around.home / ".codex"
    folder.mkdir()
    settings = (
        'model = "gpt-5.5"\nmodel_provider = "own"\n[model_providers.own]\nname = "own"\nwire_api = "responses"\n'
        f'base_url = "{scripted_model.url(SCRIPT)}/v1"\nexperimental_bearer_token = "sk-scripted"\n'
    )
    (folder / "config.toml").write_text(settings)
    command = tampering(folder, ["config.toml"])
    scripted_model.load(SCRIPT, [call("exec_command", cmd=command), Say(text="Done.")])
    driver = Codex(program=codex_program, env={"PATH": os.defpath, "HOME": str(around.home)})
    report, _ = attempted(ProcessAgent(driver, around), task)
    assert (report.ending, report.answer, report.model) == (Ending.FINISHED, "Done.", "gpt-5.5"), report.detail
    message = scripted_model.last_tool_result(SCRIPT)
    assert (SECRET in message, "own" in message) == (False, True)
    assert [file.name for file in folder.iterdir()] == ["config.toml"], "nothing was left there"
    assert (folder / "config.toml").read_text() == settings


def test_a_login_of_codex_without_what_renews_it_works(
    codex_program: Path, scripted_model: ModelServer, task: AgentTask
) -> None:
    around = walls(task.workdir.parent)
    folder = around.home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(
        'model = "gpt-5.5"\nmodel_provider = "own"\n[model_providers.own]\nname = "own"\nwire_api = "responses"\n'
        f'base_url = "{scripted_model.url(SCRIPT)}/v1"\nrequires_openai_auth = true\n'
    )
    access = codex_token(exp=4_000_000_000)
    tokens = {"id_token": access, "access_token": access, "refresh_token": SECRET, "account_id": "acc"}
    stored = json.dumps({"OPENAI_API_KEY": None, "tokens": tokens, "last_refresh": "2099-01-01T00:00:00Z"})
    (folder / "auth.json").write_text(stored)
    scripted_model.load(SCRIPT, [call("exec_command", cmd=f"cat {folder}/auth.json"), Say(text="Done.")])
    driver = Codex(program=codex_program, env={"PATH": os.defpath, "HOME": str(around.home)})
    report, _ = attempted(ProcessAgent(driver, around), task)
    assert (report.ending, report.answer) == (Ending.FINISHED, "Done."), report.detail
    assert scripted_model.requests(SCRIPT)[0].headers["authorization"] == f"Bearer {access}"
    message = scripted_model.last_tool_result(SCRIPT)
    assert ("refresh_token" in message, SECRET in message) == (True, False)
    assert (folder / "auth.json").read_text() == stored


def codex_token(**claims: object) -> str:
    auth = {"chatgpt_account_id": "acc", "chatgpt_plan_type": "pro"}
    table = {"email": "a@example.org", "https://api.openai.com/auth": auth, **claims}
    parts: tuple[dict[str, object], ...] = ({"alg": "none"}, table, {})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts)


def test_a_program_in_the_home_is_found_with_what_it_needs(
    codex_program: Path, scripted_model: ModelServer, task: AgentTask
) -> None:
    around = walls(task.workdir.parent)
    package = around.home / ".npm-global" / "lib" / "node_modules" / "codex" / "bin"
    package.mkdir(parents=True)
    shutil.copy2(codex_program, package / "codex")
    program = around.home / ".npm-global" / "bin" / "codex"
    program.parent.mkdir()
    program.symlink_to("../lib/node_modules/codex/bin/codex")
    stage = CodexStage(program, scripted_model, around)
    report, _ = attempted(stage.plays([Say(text="Done.")], SCRIPT), replace(task, model="gpt-5.5"))
    assert (report.ending, report.answer) == (Ending.FINISHED, "Done."), report.detail
