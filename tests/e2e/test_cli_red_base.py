"""Gates that are red before any work: nothing is spent, and the user chooses what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project, new_project, on_a_terminal

AGENT = """\
cat > /dev/null
echo "$SHIFTWORK_STORY" >> {sessions}
if [ "$SHIFTWORK_STORY" = BASE-1 ]; then echo clean > clean.txt; else echo hello >> "$SHIFTWORK_STORY.txt"; fi
echo SUMMARY:
echo "did it"
"""
GATES = """\
test = "! grep -l wrong US-*.txt"
lint = "echo looking; test -f clean.txt || { echo error: it is not clean; exit 1; }"

[run]
workflow = "ralph"
"""
RUN = ("run", "Add a greeting")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = new_project(tmp_path)
    project.settle(agent=AGENT.format(sessions=project.shared / "sessions"), gates=GATES)
    return project


def sessions(project: Project) -> list[str]:
    """Whose sessions were paid for."""
    file = project.shared / "sessions"
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def trailers(project: Project) -> list[str]:
    said = project.git("log", "-1", "--format=%(trailers:key=Shiftwork-Unproved,valueonly)", "main")
    return [line.removeprefix("the gate ").removesuffix(" was left out") for line in said.split("\n") if line]


def events(project: Project) -> list[dict[str, Any]]:
    """What a run that stops at the base says, but for the order and the network of its agent in a sandbox."""
    message = [json.loads(line) for line in project.shiftwork(*RUN, "--json").stdout.splitlines()]
    return [item for item in message if item.get("kind") not in {"network", "order"}]


def test_a_red_base_stops_the_run_and_each_choice_can_be_typed_as_it_is_shown_and_as_the_howto_says(
    project: Project,
) -> None:
    completed = project.shiftwork(*RUN)
    assert (completed.returncode, sessions(project)) == (1, [])
    confined = [line for line in completed.stderr.splitlines() if line.startswith("  lint ran in the sandbox")]
    assert bool(confined) == (project.tier == "auto")
    assert [line for line in completed.stderr.splitlines() if line not in confined][:5] == [
        "shiftwork: the gate lint is red on main: nothing was started, and nothing was spent",
        "  lint: looking",
        "        error: it is not clean",
        "        whole log: .git/shiftwork/logs/base/gates/lint.log",
        "  try: shiftwork run --repair-base 'Add a greeting'    (a separate story repairs it first)",
    ]
    assert "       shiftwork run --without-gate lint 'Add a greeting'" in completed.stderr
    assert "       shiftwork doctor --gates " in completed.stderr
    assert "nothing has been run here yet" in project.shiftwork("status", "--all").stdout
    sessions_first, base, error = events(project)
    assert (sessions_first["kind"], sessions_first["at_least"]) == ("sessions", 1)
    assert (base["kind"], base["branch"], base["passed"]) == ("base", "main", False)
    assert [(gate["name"], gate["passed"]) for gate in base["gate_results"]] == [("test", True), ("lint", False)]
    assert base["choices"][1] == "shiftwork run --without-gate lint 'Add a greeting' --json"
    assert (error["kind"], error["exit_code"]) == ("red-base", 1)
    choices = base["choices"]
    assert project.types(choices[-1]).returncode == 1, "doctor says that the gate is red"
    assert project.types(choices[1]).returncode == 0
    assert trailers(project) == ["lint"]
    assert project.types(choices[0]).returncode == 0
    assert sessions(project) == ["US-001", "BASE-1", "US-001"]
    assert project.git("log", "--format=%s", "main").splitlines()[:2] == [
        "feat: Add a greeting",
        "feat: Make the gate lint green on main",
    ]
    assert trailers(project) == [], "all gates have judged it"
    doctor, without, repaired = blocks(ROOT / "docs" / "howto" / "gates.md", "gates").splitlines()
    assert [project.types(line).returncode for line in (doctor, without)] == [0, 0], "the base is repaired"
    green = project.types(repaired)
    assert (green.returncode, "main is green: there is nothing to repair first" in green.stdout) == (0, True)


def test_a_branch_that_is_red_by_itself_stops_a_later_run_and_one_that_is_resumed_before_a_session(
    project: Project,
) -> None:
    assert project.shiftwork(*RUN, "--repair-base").returncode == 0
    project.settle(agent=f"cat > /dev/null; exit 3 # {project.agent}", gates=GATES)
    assert project.shiftwork("run", "Add more").returncode == 1, "its agent fails"
    run = project.status()["run"]
    project.settle(agent=AGENT.format(sessions=project.shared / "sessions"), gates=GATES)
    paid = sessions(project)
    project.git("reset", "-q", "--hard")
    project.git("rm", "-q", "clean.txt")
    project.git("commit", "-q", "-m", "not clean")
    later = project.shiftwork("run", "Add even more")
    assert (later.returncode, sessions(project)) == (1, paid), later.stdout
    assert "the gate lint is red on main: nothing was started, and nothing was spent" in later.stderr
    refused = project.shiftwork("retry", "US-001")
    assert (refused.returncode, sessions(project)) == (1, paid), refused.stdout
    assert f"the gate lint is red on main: run {run} does not continue" in refused.stderr
    assert "  try: shiftwork retry US-001 " in refused.stderr
    assert "       shiftwork retry --without-gate lint US-001\n" in refused.stderr
    assert "! refused to continue at " in project.shiftwork("status", run).stdout
    assert project.status()["refused"].startswith(f"the gate lint is red on main: run {run} does not continue")
    continued = project.shiftwork("retry", "--without-gate", "lint", "US-001")
    assert continued.returncode == 0, continued.stdout + continued.stderr
    status = project.status()
    assert (trailers(project), status["without_gates"], status["refused"]) == (["lint"], ["lint"], "")


def test_at_a_terminal_one_is_asked(project: Project) -> None:
    wanted = {"cancel": [], "": [], "without": ["US-001"], "repair": ["US-001", "BASE-1", "US-001"]}
    for typed, paid in wanted.items():
        ended, data = on_a_terminal(project, *RUN, typed=f"{typed}\n".encode())
        assert (ended, sessions(project)) == (0 if paid else 1, paid), data
        assert b"the gate lint is red on main" in data
        if typed == "without":
            assert trailers(project) == ["lint"]
            assert b"without the gate lint" in data
