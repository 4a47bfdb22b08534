"""Which gates the user lets leave the sandbox: what is remembered, and what does not count as consent."""

import json
from pathlib import Path

import pytest

from shiftwork.config.trust.gate_consents import GateConsents
from shiftwork.domain.gates.rung import Rung
from shiftwork.errors import TrustError


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"SHIFTWORK_CONFIG_HOME": str(tmp_path / "config"), "SHIFTWORK_TRUST": "1"}


def test_consent_is_for_one_repository_one_command_and_one_rung(tmp_path: Path, env: dict[str, str]) -> None:
    book = GateConsents(tmp_path / "repo", env)
    assert book.rungs() == {}
    book.give("make test", Rung.HOST)
    book.give("make lint", Rung.UNCONFINED)
    assert GateConsents(tmp_path / "repo", env).rungs() == {"make test": Rung.HOST, "make lint": Rung.UNCONFINED}
    assert GateConsents(tmp_path / "other", env).rungs() == {}
    assert GateConsents(tmp_path / "other" / "repo", env).rungs() == {}, "its folder only has the same name"


def test_it_can_be_withdrawn(tmp_path: Path, env: dict[str, str]) -> None:
    book = GateConsents(tmp_path, env)
    book.give("make test", Rung.UNCONFINED)
    book.give("make test", Rung.CUT)
    assert book.rungs() == {}


@pytest.mark.parametrize(
    "content",
    [
        "no json",
        "[]",
        '{"repository": "/elsewhere", "gates": {"make": "host"}}',
        '{"repository": "%s", "gates": ["make"]}',
        '{"repository": "%s", "gates": {"make": "roof", "a": 4, "b": "own"}}',
        '{"repository": "%s"}',
    ],
)
def test_a_record_that_cannot_be_read_is_none(tmp_path: Path, env: dict[str, str], content: str) -> None:
    book = GateConsents(tmp_path, env)
    book.give("make test", Rung.HOST)
    (file,) = (tmp_path / "config" / "trust").glob("gates-*.json")
    assert json.loads(file.read_text())["gates"] == {"make test": "host"}
    file.write_text(content.replace("%s", str(tmp_path)))
    assert book.rungs() == {}


def test_where_it_cannot_be_written_that_is_an_error(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "config").write_text("a file")
    with pytest.raises(TrustError, match="your consent cannot be saved"):
        GateConsents(tmp_path, env).give("make test", Rung.HOST)
