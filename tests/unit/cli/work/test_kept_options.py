"""What is printed about settings that have changed since a run began, and about options named for the run."""

import json
from dataclasses import replace

import pytest

from shiftwork.config.settings.settings import Settings
from shiftwork.entrypoints.cli.env.conditions import Conditions
from shiftwork.entrypoints.cli.options.run_options import Changes
from shiftwork.entrypoints.cli.work.kept_options import report_differences
from shiftwork.testing.builders import run_plan

THEN = (("agent.model", '"cheap"'), ("gates.old", '"make old"'))
PLAN = replace(run_plan(), model="cheap", named=("model",), settings=THEN)
NOW = Conditions(settings=Settings(), note="", read={"agent.model": '"de ar"', "gates.new": '"make new"'})


def test_each_setting_is_reported_with_both_values_and_the_one_in_force(capsys: pytest.CaptureFixture[str]) -> None:
    report_differences(PLAN, NOW, as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "the settings have changed since this run began:",
        '  agent.model  "cheap" -> "de ar"; in force: "cheap"',
        '  gates.new    not set -> "make new"; in force: "make new"',
        '  gates.old    "make old" -> not set; in force: not set',
        "  the run keeps its own agent.model; to change it: shiftwork resume r1 --model 'de ar'",
    ]


def test_programs_get_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    report_differences(PLAN, NOW, as_json=True)
    result = json.loads(capsys.readouterr().out)
    assert (result["kind"], result["run"]) == ("settings_changed", "r1")
    assert result["settings"][1:] == [
        {"setting": "gates.new", "before": None, "after": "make new", "in_force": "make new", "kept": False},
        {"setting": "gates.old", "before": "make old", "after": None, "in_force": None, "kept": False},
    ]


def test_nothing_is_said_where_nothing_differs(capsys: pytest.CaptureFixture[str]) -> None:
    report_differences(PLAN, replace(NOW, read=dict(PLAN.settings)), as_json=False)
    assert capsys.readouterr().out == ""


def test_what_a_process_reads_at_its_start_is_reported_as_it_was_typed() -> None:
    assert Changes(agent="codex", model="", trust=True).at_start == ("--agent codex", "--model ''", "--trust")
    assert Changes(parallel=2).said
    assert not Changes(parallel=2).at_start
    assert not Changes().said
