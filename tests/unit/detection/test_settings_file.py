"""The settings file that `init` writes: reading it gives what was found, and it is short."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.config.agents.installed_agent import agent_instead
from shiftwork.config.detection.found import Detected, FoundGate
from shiftwork.config.settings.settings import Settings
from shiftwork.config.templates.settings_file import settings_file

LINT = FoundGate(name="lint", command="make lint", source="Makefile")
TEST = FoundGate(name="test", command="python3 -m pytest -v", source="pyproject.toml")
CHECK = FoundGate(name="check", command="make check", source="Makefile", kind="other")
FOUND = Detected(gates=(LINT, TEST, CHECK), setup="npm ci")


def read(text: str) -> Settings:
    return Settings.model_validate(tomllib.loads(text))


def test_what_is_written_reads_back_as_what_was_found() -> None:
    settings = read(settings_file(FOUND))
    assert [(gate.name, gate.command, gate.kind) for gate in settings.gate_list] == [
        ("lint", "make lint", ""),
        ("test", "python3 -m pytest -v", ""),
        ("check", "make check", "other"),
    ]
    assert settings.workspace.setup == "npm ci"
    assert settings.model_copy(update={"gates": {}, "workspace": Settings().workspace}) == Settings()


def test_a_gate_that_is_red_already_stays_in_force_with_the_reason() -> None:
    text = settings_file(FOUND, {"test": "red on main already: 2 failed"})
    assert '\ntest = "python3 -m pytest -v"  # red on main already: 2 failed\n' in text
    assert [gate.name for gate in read(text).gate_list] == ["lint", "test", "check"]


def test_a_setup_command_that_failed_is_a_comment_and_the_gates_stay() -> None:
    text = settings_file(FOUND, {"setup": "failed on main: npm: not found"})
    assert '\n# setup = "npm ci"  # failed on main: npm: not found\n' in text
    assert (read(text).workspace.setup, len(read(text).gates)) == ("", 3)


TEXT = st.text().map(lambda text: text.encode(errors="replace").decode())


@given(command=TEXT, setup=TEXT, red=st.booleans(), reason=TEXT)
def test_any_command_and_any_reason_survive_the_settings_file(
    *, command: str, setup: str, red: bool, reason: str
) -> None:
    gate = FoundGate(name="test-a.b", command=command, source=reason)
    text = settings_file(Detected(gates=(gate,), setup=setup), {gate.name: f"red: {reason}"} if red else {})
    values = tomllib.loads(text)
    assert values["gates"] == {gate.name: command}
    assert values.get("workspace", {}).get("setup", "") == setup


def test_the_file_is_short_and_names_the_command_that_lists_the_rest() -> None:
    text = settings_file(FOUND)
    assert len(text.splitlines()) <= 15
    assert "shiftwork config list" in text.splitlines()[1]


def test_an_agent_that_is_installed_instead_of_the_default_is_named() -> None:
    assert read(settings_file(FOUND, agent="codex")).agent.use == "codex"
    assert read(settings_file(FOUND)).agent == Settings().agent


@pytest.mark.parametrize(
    ("programs", "agent"), [(["claude", "codex"], ""), (["codex"], "codex"), ([], "")], ids=["both", "codex", "none"]
)
def test_the_installed_agent_is_found(tmp_path: Path, programs: list[str], agent: str) -> None:
    for name in programs:
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    assert agent_instead({"PATH": str(tmp_path)}) == agent
