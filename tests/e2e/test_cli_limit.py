"""A run that has reached its limit: it stops, says so, and goes on when a person allows more."""

from pathlib import Path

import pytest

from tests.e2e.cli_rig import new_project

pytestmark = pytest.mark.slow


def test_a_limit_stops_the_run_until_it_is_raised(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    # A command tells no cost, so the first shift is worked by an agent that does; the command takes over afterwards.
    first = project.shift("costly")
    assert first.returncode == 2, first
    run = project.status()["run"]
    assert "limit reached: the story has spent 1.20 of 1.00 USD" in first.stdout
    assert first.stdout.splitlines()[-1] == f"next: shiftwork resume {run} --max-story-cost 2"

    assert project.status()["pulse"] == "waiting"
    assert f"next: shiftwork resume {run} --max-story-cost" in project.shiftwork("status").stdout
    unchanged = project.shiftwork("resume")
    assert unchanged.returncode == 2, unchanged
    assert "limit reached: the story has spent 1.20 of 1.00 USD" in unchanged.stdout
    too_little = project.shiftwork("resume", "--max-story-cost", "1.1")
    assert too_little.returncode == 64
    assert "1.20 USD are spent already" in too_little.stderr

    resumed = project.shiftwork("resume", "--max-story-cost", "2")
    assert resumed.returncode == 0, resumed
    assert "  cost  at least 1.20 USD, 7 attempts unknown" in resumed.stdout
    assert project.git("log", "-1", "--format=%s") == "feat: US-001 - Add a greeting"
