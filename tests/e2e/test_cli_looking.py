"""Commands that show state: status, logs, doctor, init; and their messages when something is wrong."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.e2e.cli_rig import SHIFTWORK, WORKING, Project, git, on_a_terminal
from tests.patience import SECONDS, eventually

SPEAKING = "printf 'I am thinking\\033[31m about it\\n'\n" + WORKING


def test_a_finished_run_can_be_looked_at(project: Project) -> None:
    project.settle(agent=SPEAKING)
    assert project.shiftwork("run", "Add a greeting").returncode == 0
    document = project.status()
    run = document["run"]
    assert (document["activity"], document["completed_count"]) == ("over", 1)
    assert project.status(run[:6])["run"] == run

    completed = project.shiftwork("status")
    assert completed.stdout.splitlines()[0] == f"Add a greeting (run {run}) on main: done"
    assert completed.stdout.splitlines()[-1] == f"next: git show --text {project.git('rev-parse', 'main')[:10]}"
    head, row = project.shiftwork("status", "--all").stdout.splitlines()
    assert head.split() == ["run", "state", "landed", "took", "title"]
    assert row.startswith(f"{run}  done ")
    assert json.loads(project.shiftwork("status", "--all", "--json").stdout)["runs"][0]["run"] == run

    _look_at_logs(project)


def _look_at_logs(project: Project) -> None:
    completed = project.shiftwork("logs", "--step", "coding")
    assert completed.returncode == 0, completed
    assert completed.stdout.startswith("US-001 sizing, attempt 1 of 1 ")
    assert "I am thinking about it" in completed.stdout
    assert "\x1b" not in completed.stdout
    assert "\x1b[31m" in project.shiftwork("logs", "--step", "coding", "--raw").stdout
    document = json.loads(project.shiftwork("logs", "--json").stdout)
    assert (document["type"], document["attempt"]) == ("final_review", 1)
    assert document["entries"][0]["text"] == "I am thinking\x1b[31m about it"
    followed = project.shiftwork("logs", "-f", "--step", "coding")
    assert (followed.returncode, followed.stdout) == (0, completed.stdout)
    missing = project.shiftwork("logs", "--step", "coding", "--attempt", "2")
    assert (missing.returncode, missing.stdout) == (64, "")
    assert project.shiftwork("logs", "--story", "US-002").returncode == 64


def test_who_follows_a_run_sees_the_end_of_every_step(project: Project) -> None:
    at, proceed = project.shared / "at", project.shared / "go"
    waits = f"echo $SHIFTWORK_STEP_TYPE begins; touch {at}; while [ ! -f {proceed} ]; do sleep 0.02; done\n"
    project.settle(agent=f"{waits}{WORKING}echo $SHIFTWORK_STEP_TYPE ends\n")
    with project.started("run", "Add a greeting") as running:
        eventually(at.exists)
        with project.started("logs", "-f") as following:
            shown = [next(following.stdout) for _ in range(3)]  # it is there, and follows
            proceed.touch()
            shown += following.communicate(timeout=SECONDS)[0].splitlines()
        assert running.wait(timeout=SECONDS) == 0
    steps = [step["type"] for step in project.status()["stories"][0]["steps"] if step["attempts"]]
    words = [line.split() for line in shown]
    assert len(steps) == 2
    assert [word[0] for word in words if word[1:] == ["begins"]] == steps
    assert [word[0] for word in words if word[1:] == ["ends"]] == steps


def test_where_nothing_was_run_that_is_said(project: Project) -> None:
    completed = project.shiftwork("status")
    assert (completed.returncode, completed.stdout) == (64, "")
    assert completed.stderr == 'shiftwork: nothing has been run here yet\n  try: shiftwork run "what you want done"\n'
    error = json.loads(project.shiftwork("status", "--json").stdout)
    assert (error["kind"], error["exit_code"]) == ("unknown-run", 64)
    assert not project.state.exists(), "looking leaves no trace"


def test_outside_a_repository_that_is_said(project: Project, tmp_path: Path) -> None:
    completed = project.shiftwork("-C", str(tmp_path), "status")
    assert completed.returncode == 64, "as is all that is typed wrongly"
    assert "is not inside a git repository" in completed.stderr
    assert project.shiftwork("-C", "no/such/folder", "status").returncode == 64
    (project.root / "deeper").mkdir()
    assert project.shiftwork("-C", "deeper", "status").returncode == 64


def test_an_empty_folder_becomes_a_repository_by_what_is_reported(project: Project, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    completed = project.shiftwork("-C", str(empty), "run", "Add a greeting")
    initial, *rest = completed.stderr.strip().partition("make one here: ")[2].split(" && ")
    git(empty, *shlex.split(initial)[1:])
    git(empty, "config", "user.name", "Test")
    git(empty, "config", "user.email", "test@localhost")
    hint = f"try: {' && '.join(rest)}\n"
    assert project.shiftwork("-C", str(empty), "run", "Add a greeting").stderr.endswith(hint)
    assert hint in project.shiftwork("-C", str(empty), "doctor").stdout
    for command in rest:
        git(empty, *shlex.split(command)[1:])
    looked = project.shiftwork("-C", str(empty), "doctor").stdout
    assert "repository" in looked
    assert hint not in looked
    assert "try: shiftwork init, then name your checks under [gates] in shiftwork.toml\n" in looked
    assert "found no checks" in project.shiftwork("-C", str(empty), "init").stdout
    looked = project.shiftwork("-C", str(empty), "doctor").stdout
    assert "try: name your checks under [gates] in shiftwork.toml\n" in looked


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["frobnicate"], "--help"),
        (["status", "--frobnicate"], "--help"),
        (["run"], 'run "what you want done"'),
        (["run", "x", "--max-cost", "0"], "--help"),
        (["run", "Fix", "the", "bug", "--trust"], 'run "Fix the bug"'),
        (["answer", "US-001", "costs", "$5"], "answer US-001 'costs $5'"),
    ],
)
def test_a_mistake_on_the_command_line_is_reported_in_two_lines(project: Project, words: list[str], hint: str) -> None:
    completed = project.shiftwork(*words)
    assert (completed.returncode, completed.stdout) == (64, "")
    first, second = completed.stderr.splitlines()
    assert first.startswith("shiftwork: ")
    assert second.startswith("  try: shiftwork")
    assert second.endswith(hint)
    as_json = project.shiftwork(*words, "--json")
    assert as_json.returncode == 64
    assert json.loads(as_json.stdout)["kind"] == "usage"


@pytest.mark.parametrize("words", [[], ["workflow"]])
def test_a_group_alone_says_what_there_is_in_it(project: Project, words: list[str]) -> None:
    completed = project.shiftwork(*words)
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout == project.shiftwork(*words, "--help").stdout


def test_a_mistyped_variable_is_reported_aside(project: Project) -> None:
    completed = project.shiftwork("status", "--all", "--json", SHIFTWORK_SANDBX="bubblewrap", SHIFTWORK_STEP="step-001")
    (line,) = completed.stderr.splitlines()
    assert line.startswith("shiftwork: warning: SHIFTWORK_SANDBX has no effect")
    assert line.endswith("did you mean SHIFTWORK_SANDBOX?")
    assert isinstance(json.loads(completed.stdout), list | dict)
    assert "SHIFTWORK_HOOK has no effect" in project.shiftwork("status", "--all", SHIFTWORK_HOOK="x").stderr
    with (project.root / "shiftwork.toml").open("a") as settings:
        settings.write('[workspace]\nenv = ["SHIFTWORK_HOOK"]\n')
    assert project.shiftwork("status", "--all", SHIFTWORK_HOOK="x").stderr == ""


def test_settings_with_a_mistake_are_reported(project: Project) -> None:
    (project.root / "shiftwork.toml").write_text("[agent]\nmodle = 'x'\n", encoding="utf-8")
    completed = project.shiftwork("run", "Add a greeting")
    assert completed.returncode == 64
    assert "did you mean model?" in completed.stderr


def test_what_should_not_happen_leaves_its_traceback_in_a_file(project: Project, tmp_path: Path) -> None:
    (project.root / "prd.json").mkdir()
    completed = project.shiftwork("init", "--prd", "--force", TMPDIR=str(tmp_path))
    assert completed.returncode == 1
    assert completed.stderr.startswith("shiftwork: this should not have happened: IsADirectoryError")
    assert "Traceback" not in completed.stderr
    (kept,) = tmp_path.glob("crash-*.txt")
    assert str(kept) in completed.stderr
    assert "Traceback" in kept.read_text(encoding="utf-8")


def test_a_traceback_that_no_file_takes_is_not_on_the_screen_either(project: Project, tmp_path: Path) -> None:
    """As on a full disk: the file can be made, and nothing be written into it."""
    (project.root / "prd.json").mkdir()
    completed = subprocess.run(
        ["sh", "-c", f"ulimit -f 0; exec {SHIFTWORK} init --prd --force"],
        cwd=project.root,
        env=project.environment(TMPDIR=str(tmp_path), PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 1
    first, second = completed.stderr.splitlines()
    assert first.startswith("shiftwork: this should not have happened: IsADirectoryError")
    assert second.startswith("  try: it came from ")
    assert not list(tmp_path.glob("crash-*"))


def test_the_doctor_is_content(project: Project) -> None:
    completed = project.shiftwork("doctor")
    assert completed.returncode == 0, completed
    states = {name: state for state, name, *_ in map(str.split, filter(None, completed.stdout.splitlines()))}
    wanted = ("git", "repository", "branch", "gates", "agent", "database")
    assert [states[name] for name in wanted] == ["ok"] * len(wanted)
    assert completed.stdout.splitlines()[-1] == 'ready: shiftwork run "what you want done"'


def test_the_doctor_reports_what_one_may_not_expect_of_commits(project: Project) -> None:
    project.git("config", "commit.gpgsign", "yes")
    project.git("config", "--unset", "user.email")
    completed = project.shiftwork("doctor")
    assert completed.returncode == 0, "that is no failure"
    ignore, signing = [line for line in completed.stdout.splitlines() if line.startswith("warn  commits ")]
    assert ignore.endswith("commits that land are by Shiftwork <shiftwork@localhost>")
    assert "commit.gpgsign is set, but commits that land are not signed" in signing


def test_the_doctor_keeps_within_a_terminal(project: Project) -> None:
    code, screen = on_a_terminal(project, "doctor", TERM="dumb")
    lines = screen.decode().splitlines()
    assert code == 0
    assert ("try: SHIFTWORK_SANDBOX=auto" in screen.decode()) == (project.tier == "none")
    assert max(map(len, lines)) <= 80
    assert all(line[:5].strip() or line.startswith(" " * 18) for line in lines if line.strip())


def test_the_doctor_reports_what_is_missing_and_what_to_do(project: Project) -> None:
    (project.root / "shiftwork.toml").write_text('[agent]\nprogram = "no-such-agent"\n[gates]\n', encoding="utf-8")
    project.git("checkout", "-q", "--detach")
    completed = project.shiftwork("doctor", "--json")
    assert completed.returncode == 1, completed
    document = json.loads(completed.stdout)
    checks = {check["name"]: check for check in document["checks"]}
    assert document["ok"] is False
    assert checks["agent"]["result"] == "fail"
    assert checks["agent"]["hint"]
    assert (checks["gates"]["result"], checks["branch"]["result"]) == ("warn", "fail")


def test_the_doctor_outside_a_repository(project: Project, tmp_path: Path) -> None:
    completed = project.shiftwork("-C", str(tmp_path), "doctor")
    assert completed.returncode == 1
    assert "fail  repository" in completed.stdout


def test_init_writes_what_it_finds_and_never_over_a_file(project: Project) -> None:
    refused = project.shiftwork("init")
    assert refused.returncode == 64
    (project.root / "Makefile").write_text("lint:\n\ttrue\ntest: lint\n\ttrue\n", encoding="utf-8")
    printed = project.shiftwork("init", "--print")
    assert printed.returncode == 0
    assert 'test = "make test"' in printed.stdout
    assert "use =" in (project.root / "shiftwork.toml").read_text(encoding="utf-8")
    forced = project.shiftwork("init", "--force", "--no-check", "--json")
    assert forced.returncode == 0
    assert [gate["name"] for gate in json.loads(forced.stdout)["gates"]] == ["lint", "test"]
    assert (project.root / "shiftwork.toml").read_text(encoding="utf-8") == printed.stdout


def test_in_a_folder_that_cannot_be_written_to_it_is_reported_and_what_is_there_can_be_looked_at(
    project: Project,
) -> None:
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    assert project.shiftwork("run", "--workflow", "ralph", "Add a greeting").returncode == 0
    state = project.state

    def typed(*words: str) -> subprocess.CompletedProcess[str]:
        command = [*bound, str(SHIFTWORK), *words]
        env = project.environment()
        return subprocess.run(command, cwd=project.root, env=env, capture_output=True, text=True, check=False)

    (project.root / "shiftwork.toml").chmod(0o400)
    for folder in (state, project.root):
        folder.chmod(0o500)
    try:
        assert "done" in typed("status").stdout
        assert "US-001" in typed("stories").stdout
        for words, why, what in (
            (("init", "--force"), ": permission denied", "see who may write there"),
            (("gc",), "readonly database", "check that its folder is writable"),
        ):
            refused = typed(*words)
            assert refused.returncode == 1
            message, hint = refused.stderr.splitlines()
            assert message.endswith(why)
            assert hint.startswith(f"  try: {what}")
    finally:
        for folder in (project.root, state):
            folder.chmod(0o700)
