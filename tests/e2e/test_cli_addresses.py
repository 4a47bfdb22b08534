"""An invalid database address is the user's mistake: the error says where the address was set."""

import json

from tests.e2e.cli_rig import Project

WRONG = "postgresql://ann:secret@127.0.0.1:port/name"
UNREACHABLE = "postgresql://ann:secret@127.0.0.1:1/name"


def test_a_wrong_database_address_is_a_mistake_of_usage_and_an_absent_server_is_none(project: Project) -> None:
    wrong = "SHIFTWORK_STORE_URL is not a database address: its port is not a number from 1 to 65535"
    for words in (["status"], ["run", "Add a greeting"], ["resume"]):
        completed = project.shiftwork(*words, SHIFTWORK_STORE_URL=WRONG)
        assert (completed.returncode, completed.stdout) == (64, ""), completed
        assert completed.stderr.splitlines() == [
            f"shiftwork: {wrong}",
            "  try: SHIFTWORK_STORE_URL=postgresql://user@host:5432/name or sqlite:////absolute/path.db, or unset it",
        ]
    for words in (["stories"], ["logs"], ["pause"], ["report"], ["add", "More"], ["run", "More", "--trust"]):
        completed = project.shiftwork(*words, "--json", SHIFTWORK_STORE_URL="nonsense")
        assert (completed.returncode, completed.stderr) == (64, ""), completed
        error = json.loads(completed.stdout)
        assert (error["kind"], error["exit_code"]) == ("settings", 64)
        assert error["message"].startswith("SHIFTWORK_STORE_URL is not a database address")
    completed = project.shiftwork("doctor", "--json", SHIFTWORK_STORE_URL=WRONG)
    assert (completed.returncode, completed.stderr) == (1, ""), completed
    (check,) = [item for item in json.loads(completed.stdout)["checks"] if item["name"] == "database"]
    assert (check["result"], check["detail"]) == ("fail", wrong)

    for words in (["status"], ["run", "Add a greeting"], ["doctor"]):
        completed = project.shiftwork(*words, SHIFTWORK_STORE_URL=UNREACHABLE)
        assert completed.returncode == 1, completed
        said = completed.stdout + completed.stderr
        assert "127.0.0.1" in said
        assert "try: check that the server is running and the address is correct" in said
        assert "secret" not in said
    assert not (project.state / "state.db").exists()

    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as file:
        file.write('\n[store]\nurl = "mysql://host/name"\n')
    for words in (["status"], ["run", "Add a greeting"]):
        completed = project.shiftwork(*words)
        assert completed.returncode == 64, completed
        first, hint = completed.stderr.splitlines()
        assert first.startswith("shiftwork: url under [store] in shiftwork.toml is not a database address: it begins")
        assert hint == '  try: fix shiftwork.toml: url = "postgresql://user@host:5432/name" under [store]'
