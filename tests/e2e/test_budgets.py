"""The budget of a real agent: the usage of its scripted model is counted, priced and stopped at the limit."""

import subprocess
from pathlib import Path

import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Tokens, Turn, call
from tests.documented import ROOT, at_a_prompt, blocks
from tests.e2e.claude_rig import Handover

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = pytest.mark.real_agent

REQUEST = "Write a greeting into greeting.txt"
VERY_MUCH = Tokens(input=80_000, output=8_000)

BRIEF = """\
id: brief
agents:
  - id: worker
steps:
  - {id: look, agent: worker, input: "Look around. {{current_story}}"}
  - {id: write, type: coding, agent: worker, input: "Do it. {{current_story}}"}
  - {id: check, agent: worker, input: "Look at it. {{current_story}}"}
"""
"""Three sessions: enough to stop after the first and to continue with the others."""


def works_dearly(kind: str, request: ModelRequest) -> Turn | None:
    if kind == "coding" and request.turn == 0:
        return call("Write", file_path="greeting.txt", content="hello\n")
    return Say(text=f"SUMMARY:\n{kind} is done\n", usage=VERY_MUCH)


@pytest.fixture
def claude(tmp_path: Path, claude_program: Path, scripted_model: ModelServer) -> Handover:
    return Handover(root=tmp_path, program=claude_program, server=scripted_model)


@pytest.fixture
def brief(claude: Handover) -> Handover:
    """With a workflow of three steps."""
    claude.prepare(workflow="brief")
    folder = claude.repo / "shiftwork" / "workflows"
    folder.mkdir(parents=True)
    (folder / "brief.yml").write_text(BRIEF)
    claude.git("add", "--all")
    claude.git("commit", "--quiet", "-m", "a workflow")
    return claude


def test_a_run_stops_at_its_limit_and_finishes_after_it_is_raised_as_the_page_says(brief: Handover) -> None:
    start, look, more = blocks(ROOT / "docs" / "howto" / "budgets.md", "budget").splitlines()

    def typed(line: str) -> subprocess.CompletedProcess[str]:
        return at_a_prompt(line, brief.repo, brief.environment())

    brief.play(works_dearly)
    stopped = typed(start.removesuffix(" || test $? -eq 2"))
    assert stopped.returncode == 2, stopped.stdout + stopped.stderr
    status = brief.status()
    run, spent = status["run"], status["cost_usd"]
    assert "may need (2.00 USD): an attempt may pass it by about 0.50 USD" in stopped.stdout
    assert "limit reached: the run has spent 0." in stopped.stdout
    assert " of 0.50 USD" in stopped.stdout
    assert stopped.stdout.splitlines()[-1].startswith(f"next: shiftwork resume {run} --max-cost ")
    assert 0.25 < spent < 1.0, "near the limit, over it by one answer of the model at most"
    assert brief.log() == ["a workflow", "start"]
    assert typed(look).stdout.splitlines()[-1] == stopped.stdout.splitlines()[-1]

    again = brief.shiftwork("resume")
    assert again.returncode == 2, again.stdout + again.stderr
    assert brief.status()["cost_usd"] == spent, "without a higher limit nothing more is spent"
    too_little = brief.shiftwork("resume", "--max-cost", "0.01")
    assert too_little.returncode == 64
    assert "already spent: " in too_little.stderr

    resumed = typed(more)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert brief.log() == [f"feat: {REQUEST}", "a workflow", "start"]
    assert brief.status()["cost_usd"] > spent
