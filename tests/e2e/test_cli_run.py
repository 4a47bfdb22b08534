"""`shiftwork run`: its effects on the repository, its output and its exit codes."""

import json
import re

import pytest

from tests.e2e.cli_rig import WORKING, Project, on_a_terminal

pytestmark = pytest.mark.slow


def test_work_is_done_checked_and_landed(project: Project) -> None:
    before = project.git("rev-parse", "main")
    completed = project.shiftwork("run", "Add a greeting")
    assert completed.returncode == 0, completed
    landed = project.git("rev-parse", "main")
    assert project.git("rev-parse", "main^") == before
    assert project.git("log", "-1", "--format=%s") == "feat: Add a greeting"
    assert (project.root / "hello.txt").read_text(encoding="utf-8") == "hello\n"
    assert "\x1b" not in completed.stdout + completed.stderr
    lines = completed.stdout.splitlines()
    assert lines[0] == "gates from shiftwork.toml: test"
    assert f"landed: {landed[:10]} on main" in lines
    assert "  cost    unknown" in lines
    assert "  landed  1 story, gates passed" in lines
    assert any(line.endswith("landed on main, gates passed") for line in lines)
    assert "evidence" not in completed.stdout, "the policy asks for none"
    assert "its criterion has no evidence beside the gates" in project.shiftwork("status").stdout
    assert "its criterion has no evidence beside the gates" in project.shiftwork("proof", "US-001").stdout
    assert lines[-1] == f"next: git show --text {landed[:10]}"
    for step in ("sizing", "final_review"):
        assert any(f"{step} " in line and "done: did the" in line for line in lines)

    _reported_as_json(project)


def _reported_as_json(project: Project) -> None:
    """The same for programs, and of a quiet run its result alone."""
    project.settle(agent=WORKING.replace("> hello.txt", ">> hello.txt"))
    message = project.shiftwork("run", "Add a greeting", "--json")
    assert message.returncode == 0, message
    lines = [json.loads(line) for line in message.stdout.splitlines()]
    result = lines[-1]
    assert (result["kind"], result["status"], result["exit_code"]) == ("result", "completed", 0)
    assert result["stories"][0]["commit"] == project.git("rev-parse", "main")
    assert result["cost_usd"] is None
    completed = [line["type"] for line in lines if line["kind"] == "step_completed"]
    assert completed == ["coding", "final_review"]
    assert any(line["kind"] == "agent" and "did the coding" in line["text"] for line in lines)
    quiet = project.shiftwork("run", "--quiet", "--workflow", "ralph", "Add it")
    assert quiet.stdout.strip().splitlines()[0].startswith("landed: "), quiet.stdout
    lines = project.shiftwork("run", "-q", "--workflow", "ralph", "Add it again", "--json").stdout.splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["result"]


def test_red_work_never_lands(project: Project) -> None:
    before = project.git("rev-parse", "main")
    project.settle(gates='test = "test ! -e hello.txt || { seq -f line%g. 400; echo the answer is wrong; exit 1; }"')
    completed = project.shiftwork("run", "Add a greeting")
    assert completed.returncode == 1, completed
    assert project.git("rev-parse", "main") == before
    assert "failed: nothing was landed" in completed.stdout
    assert "the answer is wrong" in completed.stdout
    look, again = completed.stdout.splitlines()[-2:]
    run = project.status()["run"]
    assert look == f"next: shiftwork logs {run} --story US-001 --gates    (what the gates printed)"
    gates = project.shiftwork(*look.split()[2:7]).stdout
    assert "    line200.\n" in gates
    assert "  test: red, " in gates
    assert gates.count("line200.") == 1, "what is printed again is not shown again"
    assert "    (the same output as before)\n" in gates
    document = json.loads(project.shiftwork("logs", "--gates", "--json").stdout)
    assert {check["story"] for check in document["gate_runs"]} == {"US-001"}
    assert {"line200." in check["gate_results"][0]["output"] for check in document["gate_runs"]} == {True}
    assert again == "      shiftwork retry US-001    (with the reason: --because …)"


def test_a_branch_that_cannot_be_moved_is_reported_with_the_command_to_merge(project: Project) -> None:
    (project.root / "hello.txt").write_text("the user's own\n", encoding="utf-8")
    completed = project.shiftwork("run", "Add a greeting")
    assert completed.returncode == 0, completed
    said = " ".join(completed.stdout.split())
    assert "on shiftwork/landed/main and not on main, because you have edits in hello.txt" in said
    assert (project.root / "hello.txt").read_text(encoding="utf-8") == "the user's own\n"
    steps = ["next: git stash push -u -- hello.txt    (or commit these edits)", "      git merge shiftwork/landed/main"]
    assert completed.stdout.splitlines()[-2:] == steps
    assert project.shiftwork("status").stdout.splitlines()[-2:] == steps
    for typed in steps:
        project.git(*typed[len("next: git ") :].partition("  ")[0].split())
    assert "next: git show " in project.shiftwork("status").stdout, "there is nothing left to stash or to merge"
    assert (project.root / "hello.txt").read_text(encoding="utf-8") == "hello\n"


HOSTILE = r"""
printf '[/markup][bold red]loud[/]\n'
printf '\033]0;a new title\007\033]52;c;c3RvbGVu\007'
printf '\033[2J\033[31mred\033[0m\033[?1049h\n'
printf '\302\2332J\r\b\b\b\033P1$r\033\\ end\n'
head -c 300000 /dev/zero | tr '\0' 'x'
echo
"""


def test_a_terminal_stays_intact_whatever_an_agent_prints(project: Project) -> None:
    project.settle(agent=HOSTILE + WORKING.replace("did the", "[/oops] $(printf '\\033[35m') did the"))
    code, screen = on_a_terminal(project, "run", "Add a [/greeting]\x1b[31m", NO_COLOR="1")
    assert code == 0, screen[-2000:]
    for escape in (
        b"\x1b]",
        b"\x1b[2J",
        b"\x1b[31mred",
        b"\x1b[35m",
        b"\x1b[?1049h",
        b"\x1bP",
        b"\x9b",
        b"\x07",
        b"\x08",
    ):
        assert escape not in screen, escape
    assert not re.search(rb"\x1b\[[\d;]*3[1-7]m", screen), "there is no colour where none is wanted"
    assert b"[/oops]" in screen
    assert b"x" * 100 not in screen
    assert screen.rstrip().split(b"\n")[-1].startswith(b"next: git show ")
    assert screen.count(b"\x1b[?25l") == screen.count(b"\x1b[?25h"), "the cursor must be shown again"


def test_what_cannot_be_run_is_refused_before_anything_starts(project: Project) -> None:
    for name in ("bad name", "HEAD", "a..b", "-x"):
        refused = project.shiftwork("run", f"--branch={name}", "Add a greeting")
        assert (refused.returncode, refused.stdout) == (64, "")
        assert refused.stderr.startswith(f"shiftwork: {name!r} is not a valid branch name")
    missing = project.shiftwork(
        "run", "Add a greeting", "--agent", "claude-code", SHIFTWORK_AGENT_PROGRAM="no-such-agent"
    )
    assert (missing.returncode, "no-such-agent" in missing.stderr) == (1, True), missing
    project.git("checkout", "-q", "--detach")
    detached = project.shiftwork("run", "Add a greeting")
    assert detached.returncode == 64
    assert detached.stderr.splitlines()[0].startswith("shiftwork: no branch is checked out")
    assert "--branch" in detached.stderr
    assert "nothing has been run here yet" in project.shiftwork("status", "--all").stdout
    assert project.shiftwork("run", "Add a greeting", "--branch", "main", "--workflow", "ralph").returncode == 0
    project.git("checkout", "-q", "main")
    moved = project.root.rename(project.root.with_name("a\nb"))
    refused = Project(root=moved, agent=project.agent).shiftwork("run", "Add a greeting")
    assert refused.returncode == 64, refused
    assert "contains a line break" in refused.stderr
    assert "give the folder another name" in refused.stderr


def test_a_branch_that_is_not_there_is_created_and_what_will_be_paid_is_said_before(project: Project) -> None:
    """No one wrote its gates down: they are found."""
    (project.root / "Makefile").write_text("test:\n\ttest ! -e hello.txt || test -s hello.txt\n", encoding="utf-8")
    project.git("add", "Makefile")
    project.git("commit", "-q", "-m", "a check")
    settings = f'[agent]\nuse = "command"\ncommand = "sh {project.agent}"\n'
    (project.root / "shiftwork.toml").write_text(settings, encoding="utf-8")
    (project.root / "notes.txt").write_text("mine\n", encoding="utf-8")
    (project.root / "README").write_text("changed\n", encoding="utf-8")
    completed = project.shiftwork("run", "--branch", "feature/greeting", "Add a greeting")
    assert completed.returncode == 0, completed.stderr
    lines = completed.stdout.splitlines()
    assert lines[0] == "gates found in this project: test (make test)"
    assert "gates: test passed" in completed.stdout
    assert "branch feature/greeting does not exist yet: it is created from main" in lines
    assert "auto takes at least 2 sessions; a story takes 6 if it is medium or 9 if it is large" in lines
    assert "agents do not see what is not committed: README, notes.txt" in lines
    assert project.git("log", "-1", "--format=%s", "feature/greeting") == "feat: Add a greeting"
    assert project.git("log", "-1", "--format=%s", "main") != "feat: Add a greeting"
    again = project.shiftwork("run", "--branch", "feature/greeting", "--workflow", "ralph", "--json", "Add more")
    events = [json.loads(line) for line in again.stdout.splitlines()]
    assert ["README", "notes.txt"] in [event["files"] for event in events if event["kind"] == "uncommitted"]
    assert [(event["workflow"], event["at_least"]) for event in events if event.get("kind") == "sessions"] == [
        ("ralph", 1)
    ]
    assert not [event for event in events if event.get("kind") == "branch"]
