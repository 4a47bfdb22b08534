"""The usage of a run and of each agent, in every view: reported, estimated or unknown, within eighty columns."""

import json
from pathlib import Path

import pytest

from shiftwork.entrypoints.cli.render.sanitize import cells
from tests.e2e.cli_rig import Project, new_project, on_a_terminal

pytestmark = pytest.mark.slow


def shown(project: Project, *words: str) -> list[str]:
    code, screen = on_a_terminal(project, *words, NO_COLOR="1")
    lines = screen.decode().replace("\r\n", "\n").splitlines()
    assert code == 0, lines
    assert b"\x1b" not in screen, "nothing depends on colour"
    return lines


def test_every_view_reports_what_was_used_by_step_profile_and_model(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    shift = project.shift("unequal")
    assert shift.returncode == 0, shift
    assert "  cost    at least ≈ 1.67 USD, 1 attempt unknown" in shift.stdout
    _status(project)
    _status_for_programs(project)
    _stories(project)
    _report_export_and_proof(project)


def _status(project: Project) -> None:
    lines = shown(project, "status")
    assert max(map(cells, lines)) <= 80
    assert "  cost      at least ≈ 1.67 USD, 1 attempt unknown" in lines
    assert "  tokens    at least 1,098,400 in (72,000 cached), 5,600 out, 1 attempt unknown" in lines
    assert "  estimate  0.20 to 0.30 USD (from 4 earlier stories)" in lines
    rows = [line.split() for line in lines]
    assert ["command", "8", "98.4k", "72.0k", "3.60k", "0.40", "USD", "opus"] in rows
    assert ["command", "1", "1.00M", "0", "2.00k", "≈", "1.27", "USD", "gpt-5-codex"] in rows
    assert ["command", "1", "unknown", "unknown", "unknown", "unknown", "unknown"] in rows
    steps = {row[0]: row[5:] for row in rows if row[1:2] == ["done"]}
    assert steps["planning"] == ["12.3k/450", "0.05", "USD"]
    assert steps["coding"] == ["1.00M/2.00k", "≈", "1.27", "USD"]
    assert steps["review"] == ["unknown", "unknown"]
    assert "  ≈ from the prices of its model: the agent reported no cost" in lines


def _status_for_programs(project: Project) -> None:
    document = project.status()
    assert (document["cost_usd"], document["estimated"], document["unpriced"]) == (pytest.approx(1.67), True, 1)
    assert [(item["agent"], item["tries"]) for item in document["agents"]] == [("command", 10)]
    models = {item["model"]: (item["cost_usd"], item["estimated"], item["input_tokens"]) for item in document["models"]}
    assert models == {
        None: (None, False, None),
        "gpt-5-codex": (pytest.approx(1.27, abs=0.005), True, 1_000_000),
        "opus": (pytest.approx(0.4), False, 98_400),
    }
    assert document["estimate"] == {"low_usd": 0.2, "high_usd": 0.3, "known_stories": 4, "verdict": "above"}
    (story,) = document["stories"]
    steps = {step["type"]: step for step in story["steps"]}
    assert (steps["review"]["cost_usd"], steps["review"]["input_tokens"], steps["review"]["unpriced"]) == (
        None,
        None,
        1,
    )
    assert (steps["coding"]["estimated"], steps["coding"]["model"]) == (True, "gpt-5-codex")
    assert story["cached_tokens"] == 72_000
    (listed,) = json.loads(project.shiftwork("status", "--all", "--json").stdout)["runs"]
    assert (listed["unpriced"], listed["estimated"]) == (1, True)


def _stories(project: Project) -> None:
    lines = shown(project, "stories")
    assert max(map(cells, lines)) <= 80
    assert "  0 of 1    ≥ ≈ 1.67 USD  Add a greeting" in lines[1], "the tokens leave their room to the title"
    assert lines[-1] == "  ≥ at least: cost or tokens of some attempts unknown"
    (row,) = json.loads(project.shiftwork("stories", "--json").stdout)["stories"]
    assert (row["tries"], row["unpriced"], row["input_tokens"], row["waits_for"]) == (10, 1, 1_098_400, [])


def _report_export_and_proof(project: Project) -> None:
    text = project.shiftwork("report").stdout
    assert "actual cost at least ≈ 1.67 USD, 1 attempt unknown: above the estimate |" in text
    assert "- step-005 attempt 1 used 0.77 USD more than the 0.50 USD reserved for it" in text
    assert "| AC-1 | it greets | missing | - | no evidence was reported |" in text
    assert "- gate test passed in " in text
    books = json.loads(project.shiftwork("export").stdout)["account"]
    made = {item["step_id"]: item for item in books["stories"]["US-001"]["attempts"]}
    assert made["step-005"]["overshoot"]["usd"] == pytest.approx(0.77, abs=0.005)
    assert made["step-008"]["cost_usd"] is None
    proof = project.shiftwork("proof", "US-001").stdout
    assert (
        "  step-005 coding: 1 attempt by command gpt-5-codex\n    cost ≈ 1.27 USD; tokens 1,000,000 in, 2,000" in proof
    )
    assert "\ncost at least ≈ 1.67 USD, 1 attempt unknown\n" in proof
