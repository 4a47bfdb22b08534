"""A broken settings file prevents new work, but not commands that show or steer runs."""

import re

from tests.e2e.cli_rig import Project, sleeping
from tests.patience import eventually


def broken(project: Project) -> None:
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as file:
        file.write("[[[\n")


def test_a_broken_file_prevents_new_work_and_not_the_steering_of_a_run_in_progress(project: Project) -> None:
    broken(project)
    completed = project.shiftwork("status")
    assert completed.returncode == 64
    assert "it may name another database" in completed.stderr, "there is none of the repository's own"
    assert "try: correct the file; it is TOML" in completed.stderr
    asked = project.shiftwork("status", SHIFTWORK_STORE_URL=f"sqlite:///{project.root}/no-such.db")
    assert "continuing with $SHIFTWORK_STORE_URL" in asked.stderr
    assert "nothing has been run here yet" in asked.stderr

    project.settle(agent=sleeping(project.shared))
    with project.started("run", "Add a greeting") as running:
        eventually((project.shared / "pid").exists)
        broken(project)
        for words in (["status"], ["stories"], ["logs"], ["pause"], ["resume"], ["status", "--json"], ["cancel"]):
            completed = project.shiftwork(*words)
            assert completed.returncode == 0, completed
            (warning,) = completed.stderr.splitlines()
            assert re.fullmatch(
                r"shiftwork: .*shiftwork\.toml cannot be read: .*; continuing with .*state\.db", warning
            )
        assert running.wait(timeout=60) == 1
    for words in (["run", "Add another"], ["plan", "Add another"]):
        completed = project.shiftwork(*words)
        assert (completed.returncode, len(completed.stderr.splitlines())) == (64, 2), completed
