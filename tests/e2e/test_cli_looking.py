"""Commands that show state: status and logs; and their messages when something is wrong."""

import json
import os
import shlex
import subprocess
from pathlib import Path

from tests.e2e.cli_rig import SHIFTWORK, WORKING, Project, git
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
    assert completed.stdout.splitlines()[0] == f"Add a greeting (run {run}) on main: landed"
    assert completed.stdout.splitlines()[-1] == f"next: git show --text {project.git('rev-parse', 'main')[:10]}"
    head, row = project.shiftwork("status", "--all").stdout.splitlines()
    assert head.split() == ["run", "state", "landed", "lasted", "title"]
    assert row.startswith(f"{run}  landed ")
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


def test_where_there_is_nothing_to_look_at_that_is_said(project: Project, tmp_path: Path) -> None:
    completed = project.shiftwork("status")
    assert (completed.returncode, completed.stdout) == (64, "")
    assert completed.stderr == 'shiftwork: nothing has been run here yet\n  try: shiftwork run "what you want done"\n'
    error = json.loads(project.shiftwork("status", "--json").stdout)
    assert (error["kind"], error["exit_code"]) == ("unknown-run", 64)
    mistyped = project.shiftwork("status", "--frobnicate", "--json")
    assert (mistyped.returncode, json.loads(mistyped.stdout)["kind"]) == (64, "usage")
    assert not project.state.exists(), "looking leaves no trace"

    completed = project.shiftwork("-C", str(tmp_path), "status")
    assert completed.returncode == 64, "as is all that is typed wrongly"
    assert "is not inside a git repository" in completed.stderr
    examined = project.shiftwork("-C", str(tmp_path), "doctor")
    assert (examined.returncode, "fail  repository" in examined.stdout) == (1, True)
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
    assert "you have no gates now" in project.shiftwork("-C", str(empty), "init").stdout
    looked = project.shiftwork("-C", str(empty), "doctor").stdout
    assert "try: name your checks under [gates] in shiftwork.toml\n" in looked


def test_what_should_not_happen_leaves_its_traceback_in_a_file_and_never_on_the_screen(
    project: Project, tmp_path: Path
) -> None:
    (project.root / "prd.json").mkdir()
    completed = project.shiftwork("init", "--prd", "--force", TMPDIR=str(tmp_path))
    assert completed.returncode == 1
    assert completed.stderr.startswith("shiftwork: this should not have happened: IsADirectoryError")
    assert "Traceback" not in completed.stderr
    (kept,) = tmp_path.glob("crash-*.txt")
    assert str(kept) in completed.stderr
    assert "Traceback" in kept.read_text(encoding="utf-8")
    kept.unlink()

    # As on a full disk: the file can be made, and nothing be written into it.
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
        assert "landed" in typed("status").stdout
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
