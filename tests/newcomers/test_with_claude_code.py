"""The real Claude Code does what three newcomers bring; only its model is scripted."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Turn, call
from tests.e2e.cli_rig import Project, new_project
from tests.newcomers.agent import WORKING, answer
from tests.newcomers.rig import GATE, Row, tried
from tests.newcomers.rows import ROWS

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.timeout(600)]

DRIVEN = ("ralph: prd.json", "OpenSpec: first of two changes", "antfarm: feature-dev")
SETTINGS = """\
[agent]
use = "claude-code"
program = "{program}"

[gates]
test = "{gate}"
"""
_STORY = re.compile(r"^## Story (?P<id>\S+):", re.MULTILINE)
_STEP = re.compile(r"^- Step: \S+ \((?P<name>\S+)\), attempt", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Driven(Project):
    server: ModelServer

    def environment(self, **more: str) -> dict[str, str]:
        own = {"ANTHROPIC_BASE_URL": self.server.url("model"), "ANTHROPIC_API_KEY": "sk-ant-scripted"}
        return super().environment(**own, HOME=str(self.shared), **more)


def model(request: ModelRequest) -> Turn:
    """As the script of the other newcomers: its work with a tool first, then its answer."""
    step, story = _STEP.search(request.prompt), _STORY.search(request.prompt)
    name, story_id = step["name"] if step else "", story["id"] if story else "_run"
    if name in WORKING and request.turn == 0:
        return call("Bash", command=f"ls | grep txt$ > .listed; mv .listed {story_id}.txt")
    return Say(text=answer(request.prompt, name, story_id))


@pytest.mark.parametrize("row", [row for row in ROWS if row.name in DRIVEN], ids=lambda row: row.name)
def test_claude_code_does_what_a_newcomer_brings(
    row: Row, tmp_path: Path, claude_program: Path, scripted_model: ModelServer
) -> None:
    made = new_project(tmp_path)
    project = Driven(root=made.root, agent=made.agent, server=scripted_model)
    text = SETTINGS.format(program=claude_program, gate=GATE)
    (project.root / "shiftwork.toml").write_text(text, encoding="utf-8")
    scripted_model.load("model", model)
    assert tried(row, project).wrong == ()
    sessions = [request for request in scripted_model.requests("model") if not request.auxiliary and not request.turn]
    assert len(sessions) >= len(row.landed)
