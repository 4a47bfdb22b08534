"""Which part of a login a session gets, and when it expires, for any content of the user's files."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.adapters.agents.login.login_files import (
    claude_credentials,
    claude_expires,
    claude_state,
    codex_credentials,
    codex_expires,
)
from tests.properties.any_json import any_json

REFRESH = "this-renews-it"


def token(**claims: object) -> str:
    return f"h.{base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b'=').decode()}.s"


def written(document: object) -> bytes:
    return json.dumps(document).encode()


def test_of_claude_codes_files_the_login_alone_is_lent() -> None:
    oauth = {"accessToken": "a", "refreshToken": REFRESH, "expiresAt": 1000, "scopes": ["x"]}
    lent = claude_credentials(written({"claudeAiOauth": oauth, "mcpOAuth": {"s": "other"}}))
    assert json.loads(lent) == {"claudeAiOauth": {**oauth, "refreshToken": None}}
    state = {"userID": "u", "oauthAccount": {"accountUuid": "1"}, "projects": {"/p": {}}, "mcpServers": {"s": {}}}
    assert json.loads(claude_state(written(state))) == {"userID": "u", "oauthAccount": {"accountUuid": "1"}}


@pytest.mark.parametrize(
    ("oauth", "until"),
    [
        ({"refreshToken": "r", "expiresAt": 5000}, 5.0),
        ({"refreshToken": "r", "expiresAt": None}, None),
        ({"refreshToken": "r", "expiresAt": True}, None),
        ({"refreshToken": "", "expiresAt": 5000}, None),
        ({}, None),
    ],
)
def test_when_a_login_of_claude_code_ends(oauth: dict[str, Any], until: float | None) -> None:
    assert claude_expires(written({"claudeAiOauth": oauth})) == until


def test_of_codexs_file_all_is_lent_but_what_renews_it() -> None:
    tokens = {"access_token": "a", "refresh_token": REFRESH, "account_id": "acc"}
    document = {"OPENAI_API_KEY": None, "tokens": tokens}
    assert json.loads(codex_credentials(written(document)))["tokens"] == {**tokens, "refresh_token": ""}
    key = {"OPENAI_API_KEY": "k"}
    assert json.loads(codex_credentials(written(key))) == key
    assert codex_expires(written(key)) is None


def test_a_login_of_codex_ends_with_its_token_or_after_eight_days() -> None:
    def ends(access: object, refreshed: object = None) -> float | None:
        tokens = {"access_token": access, "refresh_token": REFRESH}
        return codex_expires(written({"tokens": tokens, "last_refresh": refreshed}))

    assert ends(token(exp=100)) == 100.0
    assert ends(token(exp=10_000_000), "1970-01-01T00:00:00Z") == 8 * 86400.0
    assert ends("opaque", "1970-01-01T00:00:00Z") == 8 * 86400.0
    assert [ends(name, other) for name, other in (("a.b.c", "no date"), (token(exp="x"), 7), (None, None))] == [
        None
    ] * 3


KEYS = st.sampled_from(("claudeAiOauth", "tokens", "refreshToken", "refresh_token", "access_token", "expiresAt"))


@given(any_json(KEYS, st.sampled_from((REFRESH, "a.b.c", "2026-01-01T00:00:00Z"))), st.binary(max_size=30))
def test_whatever_stands_there_nothing_that_renews_it_is_lent(document: Any, junk: bytes) -> None:
    nested = {"claudeAiOauth": document, "tokens": document}
    for content in (written(document), written(nested), junk):
        assert isinstance(claude_expires(content), float | None)
        assert isinstance(codex_expires(content), float | None)
        for lend in (claude_credentials, claude_state, codex_credentials):
            try:
                lent = json.loads(lend(content))
            except ValueError:
                continue
            if lend is claude_credentials:
                assert lent["claudeAiOauth"]["refreshToken"] is None
            elif lend is codex_credentials and isinstance(lent.get("tokens"), dict):
                assert lent["tokens"]["refresh_token"] == ""
