"""Profiles: more agents than the run's own, for workflows that name them."""

from pathlib import Path

import pytest

from shiftwork.bootstrap.agents import build_agents
from shiftwork.bootstrap.working import conduct_of
from shiftwork.config.settings import Settings, load_settings
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
    assert list(build_agents(found, {"PATH": ""})) == ["command", "thorough", "quick"]
    conduct = conduct_of(found)
    assert conduct.models == {"thorough": "large"}
    assert conduct.toolless == {"command", "quick"}


def test_a_mistake_in_a_profile_is_told_with_what_was_meant(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"profiles\.quick\.modle: unknown key; did you mean model\?"):
        settings(tmp_path, FILE + 'modle = "x"\n')
