"""Budgets of real agents: what their scripted models use is counted, priced, and stopped at its limit."""

from pathlib import Path

import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Tokens, Turn, call
from tests.documented import ROOT, at_a_prompt, blocks
from tests.e2e.claude_rig import Handover
from tests.patience import eventually

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = pytest.mark.real_agent

REQUEST = "Write a greeting into greeting.txt"
MUCH = Tokens(input=20_000, output=2_000)


def works(kind: str, request: ModelRequest) -> Turn | None:
    if kind == "coding" and request.turn == 0:
        return call("Write", file_path="greeting.txt", content="hello\n")
    return Say(text=f"SUMMARY:\n{kind} is done\n", usage=MUCH)


@pytest.fixture
def claude(tmp_path: Path, claude_program: Path, scripted_model: ModelServer) -> Handover:
    return Handover(root=tmp_path, program=claude_program, server=scripted_model)


def test_a_run_stops_at_its_limit_and_finishes_after_it_is_raised(claude: Handover) -> None:
    claude.prepare()
    claude.play(works)
    stopped = claude.shiftwork("run", REQUEST, "--max-cost", "0.5")
    assert stopped.returncode == 2, stopped.stdout + stopped.stderr
    status = claude.status()
    run, spent = status["run"], status["cost_usd"]
    assert "limit reached: the run has spent 0." in stopped.stdout
    assert " of 0.50 USD" in stopped.stdout
    assert stopped.stdout.splitlines()[-1].startswith(f"next: shiftwork resume {run} --max-cost ")
    assert 0.25 < spent < 1.0, "near the limit, over it by one answer of the model at most"
    assert claude.log() == ["start"]

    again = claude.shiftwork("resume")
    assert again.returncode == 2, again.stdout + again.stderr
    assert claude.status()["cost_usd"] == spent, "without a higher limit nothing more is spent"
    too_little = claude.shiftwork("resume", "--max-cost", "0.01")
    assert too_little.returncode == 64
    assert "are spent already" in too_little.stderr

    resumed = claude.shiftwork("resume", "--max-cost", "50")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert claude.log() == [f"feat: US-001 - {REQUEST}", "start"]
    assert claude.status()["cost_usd"] > spent


def test_a_first_limit_on_resume_holds_and_counts_what_was_spent_before(claude: Handover) -> None:
    claude.prepare()

    def works_up_to_the_tests(kind: str, request: ModelRequest) -> Turn | None:
        if kind == "test_architecture" and request.turn == 0:
            return call("Bash", command="sleep 600", timeout=600_000)
        return works(kind, request)

    claude.play(works_up_to_the_tests)
    with claude.started("run", REQUEST) as first:
        eventually(lambda: (claude.status().get("cost_usd") or 0.0) > 0.2)
        first.kill()
    claude.play(works)
    spent = claude.status()["cost_usd"]
    limit = f"{spent + 0.05:.2f}"
    stopped = claude.shiftwork("resume", "--max-cost", limit)
    assert stopped.returncode == 2, stopped.stdout + stopped.stderr
    assert f" of {limit} USD" in stopped.stdout
    assert claude.status()["cost_usd"] < spent + 0.5, "over it by one answer of the model at most"
    assert claude.log() == ["start"]
    finished = claude.shiftwork("resume", "--max-cost", "50")
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


def test_money_is_not_limited_where_nobody_could_tell_what_it_costs(codex: Handover) -> None:
    codex.prepare()
    refused = codex.shiftwork("run", REQUEST, "--max-cost", "1")
    assert refused.returncode == 64
    assert "codex (codex) does not tell what it costs, and no model is named" in refused.stderr
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
