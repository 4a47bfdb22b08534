"""How Codex is started: which login and which input it gets, and which environment it does not see."""

import os
import tomllib
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.agents._driver import Driver, HomeFiles, Launch
from shiftwork.adapters.agents.codex import Codex, CodexEndpoint
from tests.unit.agents.launch_rig import task

PROGRAM = Path("/opt/codex")
LOGIN = {"PATH": os.defpath, "HOME": "/home/user", "CODEX_HOME": "/home/user/.config/codex"}
OURS = {"TMPDIR": "/attempt/home/tmp", "PWD": "/attempt/work"}


def outcome_of(launch: Launch) -> dict[str, object]:
    """What `-c` sets, each value read as Codex reads it."""
    pairs = zip(launch.argv, launch.argv[1:], strict=False)
    given_ = [word.partition("=") for flag, word in pairs if flag == "-c"]
    return {key: tomllib.loads(f"value = {value}")["value"] for key, _, value in given_}


def test_where_it_is_confined_its_own_folder_is_all_it_has_of_the_home() -> None:
    usual = Codex(program=PROGRAM, env={"HOME": "/home/user"}).launch(task()).home_files.login
    assert usual is not None
    assert (usual.folder, {*usual.lent}) == (Path("/home/user/.codex"), {Path("/home/user/.codex/auth.json")})
    assert Path("/home/user/.codex/config.toml") in usual.readable
    named = Codex(program=PROGRAM, env=LOGIN).launch(task()).home_files.login
    assert named is not None
    assert named.folder == Path("/home/user/.config/codex")
    paid = Codex(program=PROGRAM, env=LOGIN, endpoint=CodexEndpoint(api_key="k"))
    assert paid.launch(task()).home_files == HomeFiles()


def test_the_users_login_simply_works() -> None:
    driver: Driver = Codex(program=PROGRAM, env=LOGIN)
    launch = driver.launch(task(EXTRA="yes"))
    assert launch.env == LOGIN | OURS | {"EXTRA": "yes"}
    assert launch.argv[:2] == ("/opt/codex", "exec")
    assert launch.argv[-1] == "-", "the prompt is on standard input"
    assert {"--json", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"} < set(launch.argv)
    assert outcome_of(launch) == {"analytics.enabled": False, "check_for_update_on_startup": False}
    assert (launch.stdin, dict(launch.files)) == (b"Do it.", {})


def test_a_key_goes_with_a_home_of_its_own() -> None:
    endpoint = CodexEndpoint(base_url="http://127.0.0.1:1/v1", api_key="k", retries=2)
    launch = Codex(program=PROGRAM, env=LOGIN, endpoint=endpoint).launch(task())
    own = {"HOME": "/attempt/home", "CODEX_HOME": "/attempt/home/codex", "CODEX_API_KEY": "k"}
    assert launch.env == {"PATH": os.defpath} | OURS | own
    assert "k" not in launch.argv, "any user may read a command line"
    assert set(launch.files) == {"codex/config.toml"}
    settings_ = outcome_of(launch)
    assert settings_["model_provider"] == "shiftwork"
    assert settings_["shell_environment_policy.exclude"] == ["CODEX_API_KEY"]
    assert settings_["model_providers.shiftwork"] == {
        "name": "shiftwork",
        "base_url": "http://127.0.0.1:1/v1",
        "wire_api": "responses",
        "env_key": "CODEX_API_KEY",
        "request_max_retries": 2,
        "stream_max_retries": 2,
    }


def test_a_key_alone_leaves_the_place_of_the_model_to_codex() -> None:
    launch = Codex(program=PROGRAM, env={}, endpoint=CodexEndpoint(api_key="k")).launch(task())
    assert "model_provider" not in outcome_of(launch)


def test_a_session_around_ours_is_not_inherited() -> None:
    outer = {"CODEX_THREAD_ID": "1", "CODEX_SESSION_ID": "x", "CODEX_CI": "1", "KEPT": "1"}
    assert Codex(program=PROGRAM, env=outer).launch(task()).env == OURS | {"KEPT": "1"}


ARGUMENTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@settings(deadline=None)  # machines under load are slow now and then
@given(words=st.lists(ARGUMENTS, min_size=1, max_size=4))
def test_the_toolbox_arrives_whatever_its_command_is(words: list[str]) -> None:
    launch = Codex(program=PROGRAM, env={}).launch(task(toolbox=tuple(words)))
    server = outcome_of(launch)["mcp_servers.shiftwork"]
    assert server == {
        "command": words[0],
        "args": words[1:],
        "required": True,
        "startup_timeout_sec": 60,
        "env_vars": ["SHIFTWORK_ATTEMPT"],
    }


def test_a_model_is_named_on_the_command_line() -> None:
    launch = Codex(program=PROGRAM, env={}).launch(task(model="gpt-5.5"))
    assert launch.argv[-3:] == ("--model", "gpt-5.5", "-")
