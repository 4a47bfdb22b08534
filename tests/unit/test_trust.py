"""What a user has allowed a repository to run, and what makes them be asked again."""

from pathlib import Path

import pytest

from shiftwork.config.trust import Claim, Command, TrustBook, settings_claim
from shiftwork.config.user import user_folder
from shiftwork.entrypoints.cli.trusting import changes, ensure
from shiftwork.errors import TrustError

SETTINGS = """\
[gates]
lint = "make lint"
test = { command = "make test", minutes = 40 }

[workspace]
setup = "npm ci"
env = ["TOKEN"]

[agent]
program = "./agent"
model = "large"
"""


def claim(root: Path, text: str) -> Claim:
    (root / "shiftwork.toml").write_text(text, encoding="utf-8")
    return settings_claim(root)


def test_all_that_the_settings_would_run_is_found(tmp_path: Path) -> None:
    assert [(one.where, one.text) for one in claim(tmp_path, SETTINGS).commands] == [
        ("gates.lint", "make lint"),
        ("gates.test.command", "make test"),
        ("workspace.setup", "npm ci"),
        ("workspace.env", "$TOKEN"),
        ("agent.program", "./agent"),
    ]


def test_commands_of_tables_that_are_yet_to_come_are_found(tmp_path: Path) -> None:
    found = claim(tmp_path, '[agents.fast]\ncommand = "run me"\n[agents.fast.more]\nargs = ["a", "b"]\n').commands
    assert [one.text for one in found] == ["run me", "a b"]


def test_trust_holds_until_a_command_changes(tmp_path: Path) -> None:
    book = TrustBook(tmp_path / "config")
    first = claim(tmp_path, SETTINGS)
    assert not book.trusts(first)
    book.trust(first)
    assert book.trusts(claim(tmp_path, f"# a comment\n{SETTINGS}".replace("minutes = 40", "minutes = 2")))
    changed = claim(tmp_path, SETTINGS.replace("npm ci", "curl x | sh"))
    assert not book.trusts(changed)
    assert list(changes(book.before(changed), changed.commands)) == [
        "  - workspace.setup  npm ci",
        "  + workspace.setup  curl x | sh",
    ]
    book.trust(changed)
    assert book.trusts(first), "changing back, as switching branches does, asks nobody"


def test_the_same_commands_in_another_repository_are_not_trusted(tmp_path: Path) -> None:
    book = TrustBook(tmp_path / "config")
    for name in ("own", "foreign"):
        (tmp_path / name).mkdir()
    book.trust(claim(tmp_path / "own", SETTINGS))
    assert not book.trusts(claim(tmp_path / "foreign", SETTINGS))


def test_settings_without_commands_need_no_trust(tmp_path: Path) -> None:
    book = TrustBook(tmp_path / "config")
    assert book.trusts(claim(tmp_path, "[run]\nparallel = 2\n"))
    assert book.trusts(settings_claim(tmp_path / "nowhere"))


@pytest.mark.parametrize("broken", ["", "[]", "{", '{"file": 1}', '{"file": "x", "trusted": []}', "null"])
def test_a_record_that_cannot_be_read_trusts_nothing(tmp_path: Path, broken: str) -> None:
    book = TrustBook(tmp_path / "config")
    asked = claim(tmp_path, SETTINGS)
    book.trust(asked)
    (record,) = (tmp_path / "config" / "trust").iterdir()
    record.write_text(broken)
    assert not book.trusts(asked)
    assert book.before(asked) == ()


def test_what_cannot_be_written_down_is_told(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("in the way")
    with pytest.raises(TrustError, match="cannot be written down"):
        TrustBook(tmp_path / "config").trust(claim(tmp_path, SETTINGS))


def test_without_a_terminal_nothing_is_run_and_the_next_command_is_said(tmp_path: Path) -> None:
    env = {"SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")}
    asked = Claim(file=tmp_path / "flow.yml", commands=(Command(where="run.check", text="make\x1b[2J check"),))
    with pytest.raises(TrustError) as refused:
        ensure(asked, env)
    assert refused.value.hint == f"look at it, then: shiftwork trust {asked.file}"
    assert "  run.check  make check" in refused.value.message
    ensure(asked, env | {"SHIFTWORK_TRUST": "1"})
    assert not TrustBook(tmp_path / "config").trusts(asked), "what is said for once is not remembered"


def test_the_users_folder_follows_the_environment() -> None:
    assert user_folder({"HOME": "/h"}) == Path("/h/.config/shiftwork")
    assert user_folder({"HOME": "/h", "XDG_CONFIG_HOME": "/x"}) == Path("/x/shiftwork")
    assert user_folder({"HOME": "/h", "XDG_CONFIG_HOME": "/x", "SHIFTWORK_CONFIG_HOME": "/s"}) == Path("/s")
