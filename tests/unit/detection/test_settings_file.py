"""The settings file that `init` writes: reading it gives what was found, and it shows every key with its default."""

import re
import tomllib

from hypothesis import given
from hypothesis import strategies as st

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


def test_a_gate_that_is_red_already_is_a_comment_with_the_reason() -> None:
    text = settings_file(FOUND, {"test": "red on main already: 2 failed"})
    assert '\n# test = "python3 -m pytest -v"  # red on main already: 2 failed\n' in text
    assert [gate.name for gate in read(text).gate_list] == ["lint", "check"]


def test_a_setup_command_that_failed_is_a_comment_and_the_gates_stay() -> None:
    text = settings_file(FOUND, {"setup": "failed on main: npm: not found"})
    assert '\n# setup = "npm ci"  # failed on main: npm: not found\n' in text
    assert (read(text).workspace.setup, len(read(text).gates)) == ("", 3)


def test_keys_of_a_gate_are_explained() -> None:
    text = settings_file(Detected())
    assert all(f"#   {key} = " in text for key in ("kind", "blind"))


TEXT = st.text().map(lambda text: text.encode(errors="replace").decode())


@given(command=TEXT, setup=TEXT, red=st.booleans(), reason=TEXT)
def test_any_command_and_any_reason_survive_the_settings_file(
    *, command: str, setup: str, red: bool, reason: str
) -> None:
    gate = FoundGate(name="test-a.b", command=command, source=reason)
    text = settings_file(Detected(gates=(gate,), setup=setup), {gate.name: f"red: {reason}"} if red else {})
    values = tomllib.loads(text)
    assert values["gates"] == ({} if red else {gate.name: command})
    assert values["workspace"].get("setup", "") == setup


KEY = re.compile(r"^(?:# )?(\w+ = [^#]*?) +# ")


def test_the_settings_file_names_every_key_with_its_default() -> None:
    shown = (line if line.startswith("[") else KEY.match(line) for line in settings_file(Detected()).splitlines())
    values = tomllib.loads("\n".join(line if isinstance(line, str) else line[1] for line in shown if line))
    assert values.pop("gates") == {}
    for section, keys in values.items():
        assert set(keys) == set(type(getattr(Settings(), section)).model_fields)
    assert {*values, "gates", "profiles"} == set(Settings.model_fields)
    for key in (
        *("run_usd", "story_usd", "step_usd", "run_tokens", "story_tokens", "step_tokens"),
        *("run_sessions", "story_sessions"),
    ):
        del values["limits"][key]  # none has a default; the file shows examples
    del values["sandbox"]["memory_gb"]  # nor has this, which depends on the machine
    assert Settings.model_validate(values) == Settings()
