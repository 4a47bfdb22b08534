"""Every kind of agent in the table is built by the adapter that its entry names."""

from pathlib import Path

import pytest

from shiftwork.bootstrap.work.agents import Place, build_agent
from shiftwork.config.agents.kinds import AGENTS, DEFAULT_AGENT
from shiftwork.config.settings.settings import Settings
from shiftwork.errors import SettingsError

BUILT = {"claude-code": "ProcessAgent", "codex": "ProcessAgent", "acp": "AcpAgent", "command": "CommandAgent"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(env={"HOME": str(tmp_path)}, root=tmp_path)


def test_every_kind_has_an_adapter(place: Place) -> None:
    agents = {use: Settings.model_validate({"agent": {"use": use, "command": "true"}}) for use in AGENTS}
    assert {use: type(build_agent(settings, place)).__name__ for use, settings in agents.items()} == BUILT
    assert DEFAULT_AGENT in AGENTS


@pytest.mark.parametrize("use", [use for use, kind in AGENTS.items() if not kind.program])
def test_an_agent_without_a_program_of_its_own_needs_a_command(place: Place, use: str) -> None:
    with pytest.raises(SettingsError, match=f'agent.use is "{use}", and agent.command is empty'):
        build_agent(Settings.model_validate({"agent": {"use": use, "command": " "}}), place)


def test_a_command_that_cannot_be_split_into_words_is_reported(place: Place) -> None:
    with pytest.raises(SettingsError, match=r"agent\.command cannot be read: No closing quotation"):
        build_agent(Settings.model_validate({"agent": {"use": "acp", "command": "gemini '"}}), place)
