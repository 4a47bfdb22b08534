"""What sessions of Claude Code and of Codex get of the files that hold the user's login, and when the login ends."""

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

_DAY: Final = 24 * 3600.0
_LATEST: Final = 1e15
_DOTS: Final = 2
"""Of a token: between its header, its claims and its signature."""
_STALE_DAYS: Final = 8
"""After so many days Codex renews its login, though that still works."""

_STATE: Final = frozenset(
    {
        "customApiKeyResponses",
        "firstStartTime",
        "hasAvailableSubscription",
        "hasCompletedOnboarding",
        "installMethod",
        "lastOnboardingVersion",
        "machineID",
        "migrationVersion",
        "oauthAccount",
        "primaryApiKey",
        "userID",
    }
)
"""Of `.claude.json`: who is logged in, and that no question is left from the first start. The rest is about projects,
with what was typed there and the tokens of their tool servers.
"""


def claude_credentials(content: bytes) -> bytes:
    """The login itself, without what it is renewed with; tokens of other services stay out."""
    oauth = _claude_oauth(content)
    return _written({"claudeAiOauth": {**oauth, "refreshToken": None}})


def claude_state(content: bytes) -> bytes:
    return _written({key: value for key, value in _table(content).items() if key in _STATE})


def claude_expires(content: bytes) -> float | None:
    try:
        oauth = _claude_oauth(content)
    except (ValueError, RecursionError):
        return None
    until = _seconds(oauth.get("expiresAt"))
    return until / 1000 if until is not None and oauth.get("refreshToken") else None


def codex_credentials(content: bytes) -> bytes:
    """Without what it is renewed with; a key of the API has nothing of the kind."""
    table = _table(content)
    tokens = table.get("tokens")
    return _written({**table, "tokens": {**tokens, "refresh_token": ""}} if isinstance(tokens, dict) else table)


def codex_expires(content: bytes) -> float | None:
    """The end of the access token, or earlier: when Codex would renew it by itself."""
    try:
        table = _table(content)
    except (ValueError, RecursionError):
        return None
    tokens = table.get("tokens")
    if not isinstance(tokens, dict) or not tokens.get("refresh_token"):
        return None
    ends = (_token_end(tokens.get("access_token")), _stale(table.get("last_refresh")))
    return min((end for end in ends if end is not None), default=None)


def _claude_oauth(content: bytes) -> Mapping[str, Any]:
    oauth = _table(content).get("claudeAiOauth")
    if not isinstance(oauth, dict):
        raise ValueError("there is no login")  # noqa: TRY004 - as all that cannot be read
    return oauth


def _table(content: bytes) -> dict[str, Any]:
    table = json.loads(content)
    if not isinstance(table, dict):
        raise ValueError("it is no table")  # noqa: TRY004 - as all that cannot be read
    return table


def _written(table: Mapping[str, Any]) -> bytes:
    return json.dumps(table).encode()


def _token_end(token: object) -> float | None:
    """The claim `exp` of a JSON web token. It is not verified: it is the user's own, and only says when to look."""
    if not isinstance(token, str) or token.count(".") != _DOTS:
        return None
    claims = token.split(".")[1]
    try:
        table = _table(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    except (ValueError, RecursionError):
        return None
    return _seconds(table.get("exp"))


def _seconds(value: object) -> float | None:
    """A moment, of those that a clock may show."""
    usual = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LATEST
    return float(value) if usual and isinstance(value, int | float) else None


def _stale(refreshed: object) -> float | None:
    if not isinstance(refreshed, str):
        return None
    try:
        return datetime.fromisoformat(refreshed).timestamp() + _STALE_DAYS * _DAY
    except (ValueError, OverflowError, OSError):
        return None
