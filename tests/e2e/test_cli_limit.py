"""A run that has reached its limit: it stops, says so, and goes on when a person allows more."""

from pathlib import Path

import pytest

from shiftwork.app.commands import Order
from shiftwork.bootstrap.agents import Turn, scripted_agent
from shiftwork.config.settings import load_settings
from shiftwork.config.site import find_site
from shiftwork.domain.model.catalogue import DYNAMIC_STEPS
from shiftwork.domain.model.ids import landing_stream
from shiftwork.domain.model.spec import one_shot
from shiftwork.domain.model.story import Limits
from shiftwork.domain.model.usage import Usage
from shiftwork.domain.model.workflow import DYNAMIC
from shiftwork.entrypoints.cli.ordering import starting, work
from shiftwork.entrypoints.cli.session import Shift
from tests.e2e.cli_rig import new_project

COSTLY = Turn(answer="SUMMARY:\nexpensive thoughts", usage=Usage(cost_usd=0.4))


def test_a_limit_stops_the_run_until_it_is_raised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = new_project(tmp_path)
    site = find_site(project.root, {})
    order = Order(
        spec=one_shot("Add a greeting"),
        workflow=DYNAMIC,
        branch="main",
        landing=landing_stream(site.repository, "main"),
        agent="command",
        limits=Limits(story_usd=1.0),
    )
    # A command tells no cost, so the first shift is worked by an agent that does; the command takes over afterwards.
    shift = Shift(
        site=site,
        settings=load_settings(project.root, {}),
        begin=starting(order),
        agents={"command": scripted_agent({name: (COSTLY,) for name in DYNAMIC_STEPS})},
    )
    assert work(site, shift, "", as_json=False) == 2
    told = capsys.readouterr().out
    run = project.status()["run"]
    assert "limit reached: spent 1.20 of 1.00 USD" in told
    assert told.splitlines()[-1] == f"next: shiftwork resume {run} --max-cost 2"

    assert project.status()["pulse"] == "waiting"
    assert f"next: shiftwork resume {run} --max-cost" in project.shiftwork("status").stdout
    unchanged = project.shiftwork("resume")
    assert unchanged.returncode == 2, unchanged
    assert "limit reached: spent 1.20 of 1.00 USD" in unchanged.stdout
    too_little = project.shiftwork("resume", "--max-cost", "1.1")
    assert too_little.returncode == 64
    assert "1.20 USD are spent already" in too_little.stderr

    resumed = project.shiftwork("resume", "--max-cost", "2")
    assert resumed.returncode == 0, resumed
    assert "  cost  1.20 USD" in resumed.stdout
    assert project.git("log", "-1", "--format=%s") == "feat: US-001 - Add a greeting"
