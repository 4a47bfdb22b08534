"""Commands confirm what they will act on: which run is meant, and that a story is undone."""

import json
import subprocess
from typing import Any

from tests import warm
from tests.e2e.cli_rig import Project, on_a_terminal

SPEC = {"project": "p", "userStories": [{"id": "US-001", "title": "Greet", "acceptanceCriteria": ["it greets"]}]}


def typed(project: Project, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return warm.run(words, cwd=project.root, env=project.environment(**env))


def killed(project: Project, title: str) -> str:
    """A run whose process was killed when it had just been recorded."""
    typed(project, "run", title, "--workflow", "ralph", SHIFTWORK_FAILPOINT="run.recorded")
    return str(state(project)["run"])


def state(project: Project, run: str = "") -> dict[str, Any]:
    document: dict[str, Any] = json.loads(typed(project, "status", "--json", *([run] if run else [])).stdout)
    return document


TYPED = {
    ("resume",): "shiftwork resume {run}",
    ("cancel",): "shiftwork cancel {run}",
    ("cancel", "--story", "US-001"): "shiftwork cancel {run} --story US-001",
    ("retry", "US-001"): "shiftwork retry US-001 --run {run}",
    ("retry", "US-001", "--from-scratch"): "shiftwork retry US-001 --from-scratch --run {run}",
}


def test_of_two_unfinished_runs_the_user_chooses_one_by_a_command_or_at_a_terminal(project: Project) -> None:
    first, second = killed(project, "Greet the world"), killed(project, "Greet once more")
    for words, command in TYPED.items():
        result = typed(project, *words)
        assert result.returncode == 64
        head, columns, newest, oldest, *commands = result.stderr.splitlines()
        assert head == "shiftwork: 2 runs are unfinished, and none is named:"
        assert columns.split() == ["run", "state", "landed", "lasted", "title"]
        assert newest.split()[:3] == [second, "interrupted", "0/1"]
        assert newest.endswith("Greet once more")
        assert oldest.split()[:3] == [first, "interrupted", "0/1"]
        assert commands == [f"  try: {command.format(run=second)}", f"       {command.format(run=first)}"]
    error = json.loads(typed(project, "resume", "--json").stdout)
    assert (error["kind"], error["exit_code"]) == ("several-runs", 64)
    assert error["hint"].split("\n       ") == [f"shiftwork resume {second}", f"shiftwork resume {first}"]
    assert {state(project, run)["activity"] for run in (first, second)} == {"interrupted"}, "nothing was done"
    code, screen = on_a_terminal(project, "cancel", typed=b"2\n")
    assert (code, b"which run" in screen) == (0, True), screen
    assert state(project, first)["status"] == "cancelled"
    result = typed(project, "cancel")
    assert (result.returncode, result.stdout) == (0, f"run {second} is cancelled\n"), "the only unfinished one"


def test_what_is_undone_is_so_in_every_view_and_in_the_spec(project: Project) -> None:
    spec = project.root / "prd.json"
    spec.write_text(json.dumps(SPEC), encoding="utf-8")
    assert typed(project, "run", "prd.json", "--workflow", "ralph").returncode == 0
    undone = typed(project, "undo")
    assert "US-001 was undone: this is the work that was reverted by " in project.shiftwork("diff", "US-001").stderr
    assert undone.returncode == 0, undone
    view = state(project)
    run = view["run"]
    assert (view["status"], [item["status"] for item in view["stories"]]) == ("undone", ["undone"])
    revert = project.git("rev-parse", "main")[:12]
    status = typed(project, "status").stdout
    assert f"    undone: reverted by {revert}\n" in status
    assert "failed" not in status
    assert "next: shiftwork retry US-001 --from-scratch" in status
    assert " undone " in typed(project, "status", "--all").stdout
    assert "undone" in typed(project, "stories").stdout
    report = typed(project, "report").stdout
    assert "undone" in report
    exported = json.loads(typed(project, "export").stdout)
    assert exported["stories"]["US-001"]["status"] == "undone"
    again = typed(project, "resume", run)
    assert (again.returncode, again.stdout.splitlines()[1]) == (0, "undone: what had landed is reverted"), again
    story = json.loads(spec.read_text())["userStories"][0]
    assert story["passes"] is False
    assert story["notes"].splitlines()[-1] == f"Undone: reverted by {revert} in shiftwork run {run}"
    edited = typed(project, "edit", "US-001", "--title", "Greet all")
    assert "prd.json is not changed: edit it too if later runs should use the change" in edited.stdout
    result = json.loads(typed(project, "edit", "US-001", "--title", "Greet them", "--json").stdout)
    assert (result["spec_file"], result["spec_file_changed"]) == ("prd.json", False)
    assert json.loads(spec.read_text())["userStories"][0]["title"] == "Greet"
    assert typed(project, "retry").returncode == 0
    assert state(project)["status"] == "completed"
