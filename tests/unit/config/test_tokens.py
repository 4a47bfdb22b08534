"""Tokens for the HTTP API: shown once, stored as hashes, valid until they are revoked."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shiftwork.config.access.tokens import Role, Tokens
from shiftwork.errors import StateError, UsageError


def test_a_token_is_known_by_its_word_and_by_nothing_else(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    made = {role: tokens.create(role, f"for {role.word}", 1.0) for role in Role}
    for role, (token, word) in made.items():
        assert tokens.identify(word) == token == Tokens(tmp_path).identify(word)
        assert token.role is role
        assert tokens.identify(token.id) is tokens.identify(token.hash) is tokens.identify(word[:-1]) is None
    assert tokens.identify("") is tokens.identify("\udc80") is None


def test_the_file_has_no_word_and_only_its_user_reads_it(tmp_path: Path) -> None:
    _, word = Tokens(tmp_path).create(Role.ADMIN, "laptop", 1.0)
    (file,) = tmp_path.glob("*.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert word not in file.read_text()
    assert word.removeprefix("swt_") not in file.read_text()
    assert [each["name"] for each in json.loads(file.read_text())["tokens"]] == ["laptop"]


def test_a_revoked_token_is_refused_by_who_had_read_it(tmp_path: Path) -> None:
    server = Tokens(tmp_path)
    token, word = server.create(Role.VIEWER, "board", 1.0)
    _, other = server.create(Role.VIEWER, "other", 1.0)
    assert server.identify(word)
    Tokens(tmp_path).revoke(token.id)
    assert server.identify(word) is None
    assert server.identify(other)


def test_a_name_that_several_tokens_have_revokes_none(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    for name in ("twice", "twice", "once"):
        tokens.create(Role.VIEWER, name, 1.0)
    with pytest.raises(UsageError, match="several tokens are named twice"):
        tokens.revoke("twice")
    with pytest.raises(UsageError, match="there is no token nothing"):
        tokens.revoke("nothing")
    assert tokens.revoke("once").name == "once"
    assert len(tokens.all()) == 2


def test_tokens_created_at_the_same_moment_are_all_kept(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        words = [word for _, word in threads.map(lambda _: Tokens(tmp_path).create(Role.VIEWER, "", 1.0), range(20))]
    assert all(Tokens(tmp_path).identify(word) for word in words)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"tokens": [{"id": "a"}]}', '{"tokens": 3}'])
def test_a_damaged_file_makes_no_token_valid(tmp_path: Path, content: str) -> None:
    (tmp_path / "tokens.json").write_text(content)
    with pytest.raises(StateError, match="no token is valid"):
        Tokens(tmp_path).identify("swt_1")


def test_where_nothing_was_run_there_is_no_token_to_revoke(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no token laptop"):
        Tokens(tmp_path / "nothing").revoke("laptop")
