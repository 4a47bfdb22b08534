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
    said = project.git("log", "-1", "--format=%(trailers:key=Shiftwork-Without-Gate,valueonly)", "main")
    return said.split()


def events(project: Project) -> list[dict[str, Any]]:
    """What a run that stops at the base says, but for the order and the network of its agent in a sandbox."""
    message = [json.loads(line) for line in project.shiftwork(*RUN, "--json").stdout.splitlines()]
    return [item for item in message if item.get("kind") not in {"network", "order"}]


def test_a_red_base_stops_the_run_with_the_choices(project: Project) -> None:
    completed = project.shiftwork(*RUN)
    assert (completed.returncode, sessions(project)) == (1, [])
    confined = [line for line in completed.stderr.splitlines() if line.startswith("  lint ran in the sandbox")]
    assert bool(confined) == (project.tier == "auto")
    assert [line for line in completed.stderr.splitlines() if line not in confined][:4] == [
        "shiftwork: the gate lint is red on main: nothing was started, and nothing was spent",
        "  lint: looking",
        "        error: it is not clean",
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


def test_each_choice_can_be_typed_as_it_is_shown(project: Project) -> None:
    _, base, _ = events(project)
    choices = base["choices"]
    assert project.types(choices[1]).returncode == 0
    assert project.types(choices[-1]).returncode == 1, "doctor says that the gate is red"
    assert project.types(choices[0]).returncode == 0
    assert sessions(project) == ["US-001", "BASE-1", "US-001"]


def test_the_howto_can_be_typed(project: Project) -> None:
    doctor, without, repaired = blocks(ROOT / "docs" / "howto" / "gates.md", "gates").splitlines()
    assert [project.types(line).returncode for line in (doctor, without, repaired)] == [1, 0, 0]
    assert project.types(doctor).returncode == 0, "the base is repaired"


def test_a_run_without_a_gate_says_so_everywhere(project: Project) -> None:
    ran = project.shiftwork(*RUN, "--without-gate", "lint")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "this run continues without the gate lint, as you asked" in ran.stdout
    said = "without the gate lint"
    assert [line.split(maxsplit=1) for line in ran.stdout.splitlines() if line.startswith("  gates ")] == [
        ["gates", said]
    ]
    assert trailers(project) == ["lint"]
    for words in (("status",), ("report",)):
        assert said in project.shiftwork(*words).stdout
    assert project.status()["without_gates"] == ["lint"]
    assert json.loads(project.shiftwork("status", "--all", "--json").stdout)["runs"][0]["without_gates"] == ["lint"]
    assert json.loads(project.shiftwork("export").stdout)["account"]["without_gates"] == ["lint"]
    assert (
        "lint was not run: the user has let the run continue without it" in project.shiftwork("proof", "US-001").stdout
    )
    verified = project.shiftwork("proof", "--verify")
    assert verified.returncode == 0, verified.stdout
    assert "US-001 gate lint: not checked: not run on this commit" in verified.stdout
    undone = project.shiftwork("undo", "US-001")
    assert (undone.returncode, trailers(project)) == (0, ["lint"]), "a revert lands without it too"


def test_a_run_that_is_resumed_continues_without_the_gate(project: Project) -> None:
    project.settle(agent=f"cat > /dev/null; exit 3 # {project.agent}", gates=GATES)
    assert project.shiftwork(*RUN, "--without-gate", "lint").returncode == 1
    project.settle(agent=AGENT.format(sessions=project.shared / "sessions"), gates=GATES)
    again = project.shiftwork("retry", "US-001")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "without the gate lint" in again.stdout
    assert trailers(project) == ["lint"]


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


def test_a_gate_that_is_not_there_is_refused(project: Project) -> None:
    completed = project.shiftwork(*RUN, "--without-gate", "lnt")
    assert (completed.returncode, sessions(project)) == (64, [])
    assert "there is no gate 'lnt'; did you mean lint?" in completed.stderr
    assert "the gates here are test, lint" in completed.stderr


def test_a_sentence_waits_for_the_base_to_be_repaired(project: Project) -> None:
    ran = project.shiftwork(*RUN, "--repair-base")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert sessions(project) == ["BASE-1", "US-001"]
    assert project.git("log", "--format=%s", "main").splitlines() == [
        "feat: US-001 - Add a greeting",
        "feat: BASE-1 - Make the gate lint green on main",
        "start",
    ]
    assert trailers(project) == [], "all gates have judged it"
    green = project.shiftwork("run", "Add more", "--repair-base")
    assert "main is green: there is nothing to repair first" in green.stdout
    assert sessions(project)[2:3] == ["US-001"]


def test_a_spec_waits_for_it_too_and_its_file_does_not_know(project: Project) -> None:
    stories = [{"id": f"US-00{n}", "title": f"Do {n}", "acceptanceCriteria": ["done"], "passes": False} for n in (1, 2)]
    file = project.root / "prd.json"
    file.write_text(json.dumps({"project": "demo", "userStories": stories}), encoding="utf-8")
    ran = project.shiftwork("run", "prd.json", "--parallel", "3", "--repair-base")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert sessions(project)[0] == "BASE-1"
    assert sorted(sessions(project)[1:]) == ["US-001", "US-002"]
    message = json.loads(file.read_text(encoding="utf-8"))["userStories"]
    assert [(item["id"], item["passes"]) for item in message] == [("US-001", True), ("US-002", True)]


@pytest.mark.parametrize(("typed", "code"), [("cancel", 1), ("", 1), ("without", 0), ("repair", 0)])
def test_at_a_terminal_one_is_asked(project: Project, typed: str, code: int) -> None:
    ended, data = on_a_terminal(project, *RUN, typed=f"{typed}\n".encode())
    assert ended == code, data
    wanted = {"without": ["US-001"], "repair": ["BASE-1", "US-001"]}
    assert sessions(project) == wanted.get(typed, [])
    assert b"the gate lint is red on main" in data
    if typed == "without":
        assert trailers(project) == ["lint"]
        assert b"without the gate lint" in data
