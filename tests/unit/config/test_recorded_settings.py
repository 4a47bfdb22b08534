"""The settings as a run records them: only what differs from the defaults, and no password."""

from pathlib import Path

import pytest

from shiftwork.config.settings.recorded import recorded, usual
from shiftwork.config.settings.settings import Named, load_settings, own_agent
from shiftwork.errors import SettingsError

FILE = """\
[agent]
use = "codex"
model = "dear"

[gates]
test = "make test"

[landing]
batch = 16

[notify]
urls = ["mailto://me:secret@example.org"]

[store]
url = "postgresql://me:secret@example.org/x"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "shiftwork.toml").write_text(FILE, encoding="utf-8")
    return tmp_path


def test_what_is_not_a_default_is_recorded_and_no_password_is(root: Path) -> None:
    found = recorded(load_settings(root, {}), own_agent(root, {}))
    hidden = found.pop("notify.urls")
    assert found == {"agent.use": '"codex"', "agent.model": '"dear"', "gates.test": '"make test"'}
    assert hidden.startswith('"hidden, sha256 ')
    assert "secret" not in hidden


def test_what_was_named_comes_before_the_file_and_is_not_recorded_as_the_files(root: Path) -> None:
    named = Named(agent="claude-code", model="")
    settings = load_settings(root, {"SHIFTWORK_MODEL": "other"}, named)
    assert (settings.agent.use, settings.agent.model) == ("claude-code", "")
    own = own_agent(root, {"SHIFTWORK_MODEL": "other"})
    assert recorded(settings, own)["agent.model"] == '"other"'
    assert recorded(settings, own)["agent.use"] == '"codex"'


def test_a_mistake_in_what_was_named_is_reported_by_its_option(root: Path) -> None:
    with pytest.raises(SettingsError, match="--agent"):
        load_settings(root, {}, Named(agent="scripted"))


def test_without_a_file_everything_is_usual(tmp_path: Path) -> None:
    assert recorded(load_settings(tmp_path, {}), own_agent(tmp_path, {})) == {}
    assert usual()["agent.use"] == '"claude-code"'
