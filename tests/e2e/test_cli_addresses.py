"""An invalid database address is the user's mistake: the error says where the address was set."""

import json

import pytest

from tests.e2e.cli_rig import Project

WRONG = {
    "mysql://ann:secret@host/name": "it begins with neither sqlite:/// nor postgresql://",
    "postgresql://ann:secret@127.0.0.1:port/name": "its port is not a number from 1 to 65535",
}
UNREACHABLE = "postgresql://ann:secret@127.0.0.1:1/name"


@pytest.mark.parametrize("url", WRONG)
def test_a_mistyped_variable_is_a_mistake_of_usage(project: Project, url: str) -> None:
    for words in (["status"], ["run", "Add a greeting"], ["resume"]):
        completed = project.shiftwork(*words, SHIFTWORK_STORE_URL=url)
        assert (completed.returncode, completed.stdout) == (64, ""), completed
        assert completed.stderr.splitlines() == [
            f"shiftwork: SHIFTWORK_STORE_URL is not a database address: {WRONG[url]}",
            "  try: SHIFTWORK_STORE_URL=postgresql://user@host:5432/name or sqlite:////absolute/path.db, or unset it",
        ]
    assert not (project.state / "state.db").exists()


def test_every_command_that_opens_it_says_so(project: Project) -> None:
    for words in (["stories"], ["logs"], ["pause"], ["report"], ["add", "More"], ["run", "More", "--trust"]):
        completed = project.shiftwork(*words, "--json", SHIFTWORK_STORE_URL="nonsense")
        assert (completed.returncode, completed.stderr) == (64, ""), completed
        error = json.loads(completed.stdout)
        assert (error["kind"], error["exit_code"]) == ("settings", 64)
        assert error["message"].startswith("SHIFTWORK_STORE_URL is not a database address")


def test_a_wrong_address_in_the_settings_is_reported_with_its_place(project: Project) -> None:
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as file:
        file.write('\n[store]\nurl = "mysql://host/name"\n')
    for words in (["status"], ["run", "Add a greeting"]):
        completed = project.shiftwork(*words)
        assert completed.returncode == 64, completed
        first, hint = completed.stderr.splitlines()
        assert first.startswith("shiftwork: url under [store] in shiftwork.toml is not a database address: it begins")
        assert hint == '  try: fix shiftwork.toml: url = "postgresql://user@host:5432/name" under [store]'


def test_the_doctor_says_the_same_among_all_else(project: Project) -> None:
    for url, wrong in WRONG.items():
        completed = project.shiftwork("doctor", "--json", SHIFTWORK_STORE_URL=url)
        assert (completed.returncode, completed.stderr) == (1, ""), completed
        (check,) = [item for item in json.loads(completed.stdout)["checks"] if item["name"] == "database"]
        assert check["result"] == "fail"
        assert check["detail"] == f"SHIFTWORK_STORE_URL is not a database address: {wrong}"


def test_a_server_that_is_not_there_is_no_mistake_of_usage(project: Project) -> None:
    for words in (["status"], ["run", "Add a greeting"], ["doctor"]):
        completed = project.shiftwork(*words, SHIFTWORK_STORE_URL=UNREACHABLE)
        assert completed.returncode == 1, completed
        said = completed.stdout + completed.stderr
        assert "127.0.0.1" in said
        assert "try: check that the server is running and the address is correct" in said
        assert "secret" not in said
