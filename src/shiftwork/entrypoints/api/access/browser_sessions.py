"""Sessions of browsers: a cookie instead of a token, because pages must not store tokens and streams take no header.

Browsers send the cookies of 127.0.0.1 to every port of it, so any other server on this machine that the user visits
receives the cookie and can send it here with headers of its own choice, `Origin` included. So the cookie alone only
reads, and the value that changes need is given once, in the answer to the login, which had the token. No route gives
it again: one that checks `Origin` would stop foreign pages, but not foreign servers. Pages keep the value in
`localStorage`, which browsers separate by port, so all tabs of a page have it; a page that has lost it asks for the
token again.

Sessions outlive the server: a page that is open while the server is restarted continues. Only hashes are stored, and
they include the port: while no server works, a program of another user can take its port and receive from an open page
all that the page knows. The next server then gets another port, and what was received there is worth nothing here.
"""

import contextlib
import hmac
import json
import os
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from shiftwork.bounded import read_text
from shiftwork.config.access.tokens import Token, Tokens
from shiftwork.records import dataclass

HOURS: Final = 12
_FILE: Final = "sessions.json"
_LARGEST: Final = 1 << 20
_MOST: Final = 1000
MOST_OF_TOKEN: Final = 50
"""More sessions of a token end the oldest of it: nobody ends those of others by logging in often."""

_BYTES: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session of the holder of a token. `csrf` is the hash of what must be sent with every request that changes
    something; `until` is a time.
    """

    token: str
    csrf: str
    until: float

    def allows(self, given: str) -> bool:
        """Whether this is the value that changes need."""
        return hmac.compare_digest(_hash(given), self.csrf)


class Sessions:
    """The sessions of the servers of a project, in a file in its state folder that only its user can read. One server
    works at a time. A session ends with its token.
    """

    def __init__(self, state: Path, tokens: Tokens, clock: Callable[[], float], port: int) -> None:
        self._port = port
        self._file = state / _FILE
        self._tokens = tokens
        self._clock = clock
        self._sessions = self._load()

    def open(self, token: Token) -> tuple[str, str]:
        """Opens a session; returns the value of its cookie, and the value that changes need."""
        word, csrf = os.urandom(_BYTES).hex(), os.urandom(_BYTES).hex()
        session = Session(token=token.id, csrf=_hash(csrf), until=self._clock() + 3600 * HOURS)
        self._sessions[self._key(word)] = session
        for old in [key for key, each in self._sessions.items() if each.until <= self._clock()]:
            del self._sessions[old]
        if len(same := [key for key, each in self._sessions.items() if each.token == token.id]) > MOST_OF_TOKEN:
            del self._sessions[same[0]]
        if len(self._sessions) > _MOST:
            self._sessions.popitem(last=False)
        self._save()
        return word, csrf

    def find(self, word: str) -> tuple[Session, Token] | None:
        """The session with this cookie, and its token; None if it is over or its token was revoked."""
        session = self._sessions.get(self._key(word))
        if session is None:
            return None
        token = next((token for token in self._tokens.all() if token.id == session.token), None)
        if token is None or session.until <= self._clock():
            self.end(word)
            return None
        return session, token

    def end(self, word: str) -> None:
        if self._sessions.pop(self._key(word), None):
            self._save()

    def _key(self, word: str) -> str:
        return _hash(f"{self._port}/{word}")

    def _load(self) -> OrderedDict[str, Session]:
        """Without a file that can be read there is no session: people sign in again."""
        try:
            document: Any = json.loads(read_text(self._file, _LARGEST))
            return OrderedDict(
                (key, Session(token=str(token), csrf=str(csrf), until=float(until)))
                for key, (token, csrf, until) in document["sessions"].items()
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return OrderedDict()

    def _save(self) -> None:
        """A disk that is full or read-only only means that the sessions end with the server."""
        values = {key: [each.token, each.csrf, each.until] for key, each in self._sessions.items()}
        partial = self._file.with_suffix(".new")
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"sessions": values}, file)
            partial.replace(self._file)


def _hash(word: str) -> str:
    return sha256(word.encode(errors="replace")).hexdigest()
