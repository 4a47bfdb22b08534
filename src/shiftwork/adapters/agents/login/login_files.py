"""What sessions of Claude Code and Codex get of the user's login files, and when the login ends."""

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

_DAY: Final = 24 * 3600.0
_LATEST: Final = 1e15
_DOTS: Final = 2
"""Dots in a token: between its header, its claims and its signature."""
_STALE_DAYS: Final = 8
"""After this many days Codex renews its login, even if it still works."""

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
"""Keys of `.claude.json` that say who is logged in, and that the questions of the first start are answered. The rest is
about projects: what was typed there, and the tokens of their tool servers.
"""


def claude_credentials(content: bytes) -> bytes:
    """Returns the login without its refresh token and without the tokens of other services."""
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
    """Returns the login without its refresh token; an API key has none."""
    table = _table(content)
    tokens = table.get("tokens")
    return _written({**table, "tokens": {**tokens, "refresh_token": ""}} if isinstance(tokens, dict) else table)


def codex_expires(content: bytes) -> float | None:
    """Returns when the access token ends, or the earlier time when Codex would renew it by itself."""
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
        raise ValueError("there is no login")  # noqa: TRY004 - like all unreadable content
    return oauth


def _table(content: bytes) -> dict[str, Any]:
    table = json.loads(content)
    if not isinstance(table, dict):
        raise ValueError("it is not a table")  # noqa: TRY004 - like all unreadable content
    return table


def _written(table: Mapping[str, Any]) -> bytes:
    return json.dumps(table).encode()


def _token_end(token: object) -> float | None:
    """Returns the claim `exp` of a JSON web token, unverified: the token is the user's own, and only its end counts."""
    if not isinstance(token, str) or token.count(".") != _DOTS:
        return None
    claims = token.split(".")[1]
    try:
        table = _table(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    except (ValueError, RecursionError):
        return None
    return _seconds(table.get("exp"))


def _seconds(value: object) -> float | None:
    """Returns a plausible timestamp; None for anything else."""
    usual = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LATEST
    return float(value) if usual and isinstance(value, int | float) else None


def _stale(refreshed: object) -> float | None:
    if not isinstance(refreshed, str):
        return None
    try:
        return datetime.fromisoformat(refreshed).timestamp() + _STALE_DAYS * _DAY
    except (ValueError, OverflowError, OSError):
        return None
