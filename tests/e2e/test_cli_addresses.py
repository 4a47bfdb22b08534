"""An address of a database that cannot be one is a mistake of whoever wrote it, and told with where that was."""

import json

import pytest

from tests.e2e.cli_rig import Project

WRONG = {
    "mysql://ann:secret@host/name": "it begins with neither sqlite:/// nor postgresql://",
    "postgresql://ann:secret@127.0.0.1:port/name": "its port is no number from 1 to 65535",
}
UNREACHABLE = "postgresql://ann:secret@127.0.0.1:1/name"


@pytest.mark.parametrize("url", WRONG)
def test_a_mistyped_variable_is_a_mistake_of_usage(project: Project, url: str) -> None:
    for words in (["status"], ["run", "Add a greeting"], ["resume"]):
        told = project.shiftwork(*words, SHIFTWORK_STORE_URL=url)
        assert (told.returncode, told.stdout) == (64, ""), told
        assert told.stderr.splitlines() == [
            f"shiftwork: SHIFTWORK_STORE_URL is no address of a database: {WRONG[url]}",
            "  try: SHIFTWORK_STORE_URL=postgresql://user@host:5432/name or sqlite:////absolute/path.db, or unset it",
        ]
    assert not (project.state / "state.db").exists()


def test_every_command_that_opens_it_says_so(project: Project) -> None:
    for words in (["stories"], ["logs"], ["pause"], ["report"], ["add", "More"], ["run", "More", "--trust"]):
        told = project.shiftwork(*words, "--json", SHIFTWORK_STORE_URL="nonsense")
        assert (told.returncode, told.stderr) == (64, ""), told
        error = json.loads(told.stdout)["error"]
        assert (error["kind"], error["exit_code"]) == ("settings", 64)
        assert error["message"].startswith("SHIFTWORK_STORE_URL is no address of a database")


def test_a_wrong_address_in_the_settings_is_told_with_its_place(project: Project) -> None:
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as file:
        file.write('\n[store]\nurl = "mysql://host/name"\n')
    for words in (["status"], ["run", "Add a greeting"]):
        told = project.shiftwork(*words)
        assert told.returncode == 64, told
        first, hint = told.stderr.splitlines()
        assert first.startswith("shiftwork: url under [store] in shiftwork.toml is no address of a database: it begins")
        assert hint == '  try: mend shiftwork.toml: url = "postgresql://user@host:5432/name" under [store]'


def test_so_it_is_with_the_engines(project: Project) -> None:
    told = project.shiftwork("run", "Add a greeting", SHIFTWORK_ENGINE_URL="nonsense")
    assert told.returncode == 64, told
    assert "SHIFTWORK_ENGINE_URL is no address of a database: it begins with neither" in told.stderr


def test_the_doctor_says_the_same_among_all_else(project: Project) -> None:
    for url, wrong in WRONG.items():
        told = project.shiftwork("doctor", "--json", SHIFTWORK_STORE_URL=url)
        assert (told.returncode, told.stderr) == (1, ""), told
        (check,) = [one for one in json.loads(told.stdout)["checks"] if one["name"] == "database"]
        assert check["state"] == "fail"
        assert check["detail"] == f"SHIFTWORK_STORE_URL is no address of a database: {wrong}"


def test_a_server_that_is_not_there_is_no_mistake_of_usage(project: Project) -> None:
    for words in (["status"], ["run", "Add a greeting"], ["doctor"]):
        told = project.shiftwork(*words, SHIFTWORK_STORE_URL=UNREACHABLE)
        assert told.returncode == 1, told
        said = told.stdout + told.stderr
        assert "127.0.0.1" in said
        assert "try: see that the server runs and the address is right" in said
        assert "secret" not in said
