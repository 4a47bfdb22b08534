"""A settings file that somebody is just writing stands in the way of new work, not of looking and steering."""

import re

from tests.e2e.cli_rig import Project, sleeping
from tests.patience import eventually


def broken(project: Project) -> None:
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as file:
        file.write("[[[\n")


def test_a_run_under_way_is_looked_at_and_steered(project: Project) -> None:
    project.settle(agent=sleeping(project.shared))
    with project.started("run", "Add a greeting") as running:
        eventually((project.shared / "pid").exists)
        broken(project)
        for words in (["status"], ["stories"], ["logs"], ["pause"], ["resume"], ["status", "--json"], ["cancel"]):
            told = project.shiftwork(*words)
            assert told.returncode == 0, told
            (warning,) = told.stderr.splitlines()
            assert re.fullmatch(r"shiftwork: .*shiftwork\.toml cannot be read: .*; going on with .*state\.db", warning)
        assert running.wait(timeout=60) == 1
    for words in (["run", "Add another"], ["plan", "Add another"]):
        told = project.shiftwork(*words)
        assert (told.returncode, len(told.stderr.splitlines())) == (64, 2), told


def test_where_there_is_no_database_of_the_repositorys_own_it_may_name_another(project: Project) -> None:
    broken(project)
    told = project.shiftwork("status")
    assert told.returncode == 64
    assert "so nobody knows whether it names a database" in told.stderr
    assert "try: correct the file; it is TOML" in told.stderr
    asked = project.shiftwork("status", SHIFTWORK_STORE_URL=f"sqlite:///{project.root}/no-such.db")
    assert "going on with $SHIFTWORK_STORE_URL" in asked.stderr
    assert "nothing has been run here yet" in asked.stderr
