"""Budgets of real agents: the usage of their scripted models is counted, priced and stopped at the limit."""

from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Tokens, Turn, call
from tests.documented import ROOT, at_a_prompt, blocks
from tests.e2e.claude_rig import Handover
from tests.patience import STATUS_EVERY, eventually

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = pytest.mark.real_agent

REQUEST = "Write a greeting into greeting.txt"
MUCH = Tokens(input=20_000, output=2_000)
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


def works(kind: str, request: ModelRequest) -> Turn | None:
    if kind == "coding" and request.turn == 0:
        return call("Write", file_path="greeting.txt", content="hello\n")
    return Say(text=f"SUMMARY:\n{kind} is done\n", usage=MUCH)


def works_dearly(kind: str, request: ModelRequest) -> Turn | None:
    """As `works` would in more sessions."""
    turn = works(kind, request)
    return replace(turn, usage=VERY_MUCH) if isinstance(turn, Say) else turn


@pytest.fixture
def claude(tmp_path: Path, claude_program: Path, scripted_model: ModelServer) -> Handover:
    return Handover(root=tmp_path, program=claude_program, server=scripted_model)


@pytest.fixture
def brief(claude: Handover) -> Handover:
    """With a workflow of three steps."""
    claude.prepare()
    folder = claude.repo / "shiftwork" / "workflows"
    folder.mkdir(parents=True)
    (folder / "brief.yml").write_text(BRIEF)
    claude.git("add", "--all")
    claude.git("commit", "--quiet", "-m", "a workflow")
    return claude


def test_a_run_stops_at_its_limit_and_finishes_after_it_is_raised(brief: Handover) -> None:
    brief.play(works_dearly)
    stopped = brief.shiftwork("run", REQUEST, "--workflow", "brief", "--max-cost", "0.5")
    assert stopped.returncode == 2, stopped.stdout + stopped.stderr
    status = brief.status()
    run, spent = status["run"], status["cost_usd"]
    assert "limit reached: the run has spent 0." in stopped.stdout
    assert " of 0.50 USD" in stopped.stdout
    assert stopped.stdout.splitlines()[-1].startswith(f"next: shiftwork resume {run} --max-cost ")
    assert 0.25 < spent < 1.0, "near the limit, over it by one answer of the model at most"
    assert brief.log() == ["a workflow", "start"]

    again = brief.shiftwork("resume")
    assert again.returncode == 2, again.stdout + again.stderr
    assert brief.status()["cost_usd"] == spent, "without a higher limit nothing more is spent"
    too_little = brief.shiftwork("resume", "--max-cost", "0.01")
    assert too_little.returncode == 64
    assert "already spent: " in too_little.stderr

    resumed = brief.shiftwork("resume", "--max-cost", "50")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert brief.log() == [f"feat: US-001 - {REQUEST}", "a workflow", "start"]
    assert brief.status()["cost_usd"] > spent


def test_a_first_limit_on_resume_holds_and_counts_what_was_spent_before(brief: Handover) -> None:
    def works_up_to_the_coding(kind: str, request: ModelRequest) -> Turn | None:
        if kind == "coding" and request.turn == 0:
            return call("Bash", command="sleep 600", timeout=600_000)
        return works_dearly(kind, request)

    brief.play(works_up_to_the_coding)
    with brief.started("run", REQUEST, "--workflow", "brief") as first:
        eventually(lambda: (brief.status().get("cost_usd") or 0.0) > 0.2, every=STATUS_EVERY)
        first.kill()
    brief.play(works_dearly)
    spent = brief.status()["cost_usd"]
    limit = f"{spent + 0.05:.2f}"
    stopped = brief.shiftwork("resume", "--max-cost", limit)
    assert stopped.returncode == 2, stopped.stdout + stopped.stderr
    assert f" of {limit} USD" in stopped.stdout
    assert brief.status()["cost_usd"] < spent + 0.5, "over it by one answer of the model at most"
    assert brief.log() == ["a workflow", "start"]
    finished = brief.shiftwork("resume", "--max-cost", "50")
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_the_documented_way_works_as_it_is_typed(claude: Handover) -> None:
    claude.prepare()
    claude.play(works)
    typed = at_a_prompt(blocks(ROOT / "docs" / "howto" / "budgets.md", "budget"), claude.repo, claude.environment())
    assert typed.returncode == 0, typed.stdout + typed.stderr
    assert "limit reached: the run has spent" in typed.stdout
    assert claude.log() == [f"feat: US-001 - {REQUEST}", "start"]


@pytest.fixture
def codex(tmp_path: Path, codex_program: Path, scripted_model: ModelServer) -> Handover:
    return Handover(root=tmp_path, program=codex_program, server=scripted_model, agent="codex")


def test_money_is_not_limited_where_no_one_could_report_what_it_costs(codex: Handover) -> None:
    codex.prepare()
    refused = codex.shiftwork("run", REQUEST, "--max-cost", "1")
    assert refused.returncode == 64
    assert "codex (codex) does not report what it costs, and no model is named" in refused.stderr
    assert "--max-tokens N, or name its model in shiftwork.toml" in refused.stderr
    unknown = codex.shiftwork("run", REQUEST, "--max-story-cost", "1", "--model", "homemade-1")
    assert "the price of its model homemade-1 is not known" in unknown.stderr


def test_tokens_are_limited_where_money_cannot_be(codex: Handover) -> None:
    codex.prepare()
    codex.play(lambda kind, _: Say(text=f"SUMMARY:\n{kind} is done\n", usage=MUCH))
    stopped = codex.shiftwork("run", REQUEST, "--max-tokens", "30000", "--model", "gpt-5.5")
    assert stopped.returncode == 2, stopped.stdout + stopped.stderr
    status = codex.status()
    assert " of 30000 tokens" in stopped.stdout
    assert stopped.stdout.splitlines()[-1].startswith(f"next: shiftwork resume {status['run']} --max-tokens ")
    assert status["cost_usd"] > 0, "by its tokens and the price of its model"
