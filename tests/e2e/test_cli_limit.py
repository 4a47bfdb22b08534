"""A run that has reached its limit stops, says so, and continues when a person raises the limit."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.e2e.cli_rig import Project, new_project, sleeping, written_pid
from tests.patience import SECONDS, eventually

pytestmark = pytest.mark.slow


WRITEBACK = """\
#!/bin/sh
case "$1" in --version|login) echo codex-cli 0.0.0; exit 0;; esac
cat > /dev/null
if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then echo hello > hello.txt; fi
cat <<'END'
{"type":"thread.started","thread_id":"1"}
{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"SUMMARY:\\ndid it\\n"}}
{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":2}}
END
"""


def writeback(project: Project) -> None:
    """By now the settings have an agent that reports its usage, and no other was named for the run."""
    program, path = project.agent.with_name("codex"), project.root / "shiftwork.toml"
    program.write_text(WRITEBACK, encoding="utf-8")
    program.chmod(0o755)
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace('use = "command"', f'use = "codex"\nprogram = "{program}"'), encoding="utf-8")


def test_a_limit_stops_the_run_and_a_higher_one_holds_for_what_comes_after_it_was_cancelled(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    # A command reports no cost, so an agent that does works on the first shift; then the command takes over.
    first = project.shift("costly")
    assert first.returncode == 2, first
    run = project.status()["run"]
    assert "limit reached: the story has spent 1.20 of 1.00 USD" in first.stdout
    assert first.stdout.splitlines()[-1] == f"next: shiftwork resume {run} --max-story-cost 3"
    assert_what_was_reached_is_shown_with_what_lifts_it(project, run)
    unchanged = project.shiftwork("resume")
    assert unchanged.returncode == 2, unchanged
    assert "limit reached: the story has spent 1.20 of 1.00 USD" in unchanged.stdout
    too_little = project.shiftwork("resume", "--max-story-cost", "1.1")
    assert too_little.returncode == 64
    assert "already spent: 1.20 USD" in too_little.stderr

    unwritten = project.shiftwork("resume", "--max-story-cost", "2")
    assert unwritten.returncode == 64
    assert "money is limited, but command (command) does not report what it costs" in unwritten.stderr

    uncounted = project.shiftwork("resume", "--max-story-cost", "2", "--max-step-tokens", "1000")
    assert uncounted.returncode == 64
    assert "tokens are limited, but command (command) does not report how many it uses" in uncounted.stderr

    assert project.shiftwork("cancel", run).returncode == 0
    writeback(project)
    kept = project.shiftwork("resume", run, "--max-story-cost", "2", "--max-step-tokens", "1000")
    assert (kept.returncode, kept.stderr) == (0, "")
    assert kept.stdout.splitlines()[0] == f"run {run} has ended: these limits apply when it continues"
    assert kept.stdout.splitlines()[-1] == f'next: shiftwork add "…" --run {run}    (adds more work)'
    too_little = project.shiftwork("retry", "US-001", "--max-cost", "1.1")
    assert (too_little.returncode, "already spent: 1.20 USD" in too_little.stderr) == (64, True)
    asked = project.outputs("intent/%")
    again = project.shiftwork("retry", "US-001", "--max-cost", "900")
    assert again.returncode == 0, again
    assert project.outputs("intent/%") == asked + 1, "one message: a killed process leaves no half of a request"
    assert f"run {run}: Greetings" in again.stdout.splitlines()
    assert "  cost    at least 1.20 USD, 7 attempts unknown" in again.stdout
    assert project.git("log", "-1", "--format=%s") == "feat: US-001 - Add a greeting"


def assert_what_was_reached_is_shown_with_what_lifts_it(project: Project, run: str) -> None:
    assert project.status()["activity"] == "waiting"
    (story,) = project.status()["stories"]
    assert {name: value for name, value in story.items() if value and name.startswith(("hold", "limit"))} == {
        "hold": "limit",
        "limit_of": "story",
        "limit_usd": 1.0,
        "limit_spent_usd": pytest.approx(1.2),
    }
    lifting = f"shiftwork resume {run} --max-story-cost 3"
    assert project.shiftwork("status").stdout.splitlines()[-1] == f"next: {lifting}"
    assert f"    {lifting}\n" in project.shiftwork("stories").stdout
    asked = project.shiftwork("approve", "US-001")
    assert (asked.returncode, asked.stderr.splitlines()[-1]) == (64, f"  try: {lifting}")
    still = project.shiftwork("pause").stdout.splitlines()
    assert still == [f"run {run} is already stopped: it needs you, and no process works on it", f"next: {lifting}"]


def test_anyone_who_works_on_the_run_is_reported_of_other_limits_paused_or_not(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    project.settle(agent=sleeping(project.shared))
    with project.started("run", "Say hello") as worker:
        eventually((project.shared / "pid").exists)
        writeback(project)
        completed = project.shiftwork("resume", "--max-story-tokens", "5000")
        assert (completed.returncode, completed.stderr) == (0, "")
        run = project.status()["run"]
        assert completed.stdout == f"run {run} has new limits\nnext: shiftwork status {run}\n"
        assert project.shiftwork("pause").returncode == 0
        both = project.shiftwork("resume", "--max-tokens", "90000000")
        assert both.stdout == f"run {run} has new limits and continues\nnext: shiftwork status {run}\n"
        busy = project.shiftwork("resume")
        assert (busy.returncode, "is being worked on" in busy.stderr) == (1, True)
        (project.shared / "go").touch()
        os.kill(written_pid(project.shared / "pid"), signal.SIGKILL)  # the attempt is made again
        assert worker.wait(timeout=SECONDS) == 0
    attempts = json.loads(project.shiftwork("export").stdout)["account"]["stories"]["US-001"]["attempts"]
    claimed = [attempt["reserved"] is not None for attempt in attempts]
    assert claimed == sorted(claimed), "the run's limit holds from when its story received it"
    assert {False, True} == set(claimed)
