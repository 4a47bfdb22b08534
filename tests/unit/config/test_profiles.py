"""Profiles: more agents than the run's own, for workflows that name them."""

from pathlib import Path

import pytest

from shiftwork.bootstrap.work.agents import Place, build_agents
from shiftwork.bootstrap.work.ports import work_policy_of
from shiftwork.config.settings.settings import Settings, load_settings
from shiftwork.errors import SettingsError

FILE = """\
[agent]
use = "command"
command = "true"

[profiles.thorough]
use = "claude-code"
model = "large"

[profiles.quick]
use = "codex"
tools = false
"""


def settings(root: Path, text: str = FILE) -> Settings:
    (root / "shiftwork.toml").write_text(text, encoding="utf-8")
    return load_settings(root, {})


def test_every_profile_is_an_agent_beside_the_runs_own(tmp_path: Path) -> None:
    found = settings(tmp_path)
    assert list(build_agents(found, Place(env={"PATH": ""}))) == ["command", "thorough", "quick"]
    work_policy = work_policy_of(found)
    assert work_policy.models == {"thorough": "large"}
    assert work_policy.toolless == {"command", "quick"}


def test_a_mistake_in_a_profile_is_reported_with_what_was_meant(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"profiles\.quick\.modle: unknown key; did you mean model\?"):
        settings(tmp_path, FILE + 'modle = "x"\n')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[limits]\nsilence_minutes = 3\n", r"limits\.silence_minutes: unknown key here; it belongs under \[agent\]"),
        ("run_usd = 3\n", r"run_usd: unknown key here; it belongs under \[limits\]"),
        ("[limits]\nrun_us = 3\n", r"limits\.run_us: unknown key; did you mean run_usd\?"),
        ("[gates.test]\ncommands = 'x'\n", r"gates\.test\.commands: unknown key; did you mean command\?"),
    ],
)
def test_a_key_in_the_wrong_table_is_reported_with_the_right_one(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=message):
        settings(tmp_path, text)


def test_a_profile_names_who_continues_in_its_place(tmp_path: Path) -> None:
    text = FILE.replace("[agent]\n", '[agent]\nfallback = ["quick", "thorough"]\n') + 'fallback = ["command"]\n'
    work_policy = work_policy_of(settings(tmp_path, text))
    assert work_policy.fallbacks == {"command": ("quick", "thorough"), "quick": ("command",)}
    assert (work_policy.patience.longest_seconds, work_policy.patience.times, work_policy.identical_calls) == (
        6 * 3600,
        20,
        12,
    )


@pytest.mark.parametrize("name", ["nobody", "command"])
def test_no_profile_continues_in_the_place_of_one_that_is_not_there_or_is_the_same(tmp_path: Path, name: str) -> None:
    message = rf"agent\.fallback names '{name}', which is not another profile"
    with pytest.raises(SettingsError, match=message) as error:
        settings(tmp_path, FILE.replace("[agent]\n", f'[agent]\nfallback = ["{name}"]\n'))
    assert "profiles other than command: quick, thorough" in error.value.hint


def test_without_profiles_there_is_no_one_to_continue(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"agent\.fallback") as error:
        settings(tmp_path, '[agent]\nfallback = ["x"]\n')
    assert "none yet" in error.value.hint


def test_a_mistake_in_the_environment_is_not_looked_for_in_the_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^\$SHIFTWORK_SANDBOX has 1 mistake") as said:
        load_settings(tmp_path, {"SHIFTWORK_SANDBOX": "vault"})
    assert said.value.hint.startswith("fix $SHIFTWORK_SANDBOX;")
    (tmp_path / "shiftwork.toml").write_text("[run]\nparalel = 2\n")
    with pytest.raises(SettingsError, match=r"^shiftwork\.toml has 2 mistakes:\n(.|\n)*\$SHIFTWORK_SANDBOX: "):
        load_settings(tmp_path, {"SHIFTWORK_SANDBOX": "vault"})
