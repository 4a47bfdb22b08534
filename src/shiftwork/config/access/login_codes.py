"""Codes that open the board in a browser: each for one use, within minutes. Only hashes are stored, each as the name of
a file: who removes the file has used the code, so no two requests can.
"""

import contextlib
import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from shiftwork.bounded import read_text
from shiftwork.config.access.tokens import Role, Token, Tokens

MINUTES: Final = 10
BOARD: Final = "board"
"""The name of the token that all sessions of the board belong to: revoking it ends them."""

_FOLDER: Final = "login-codes"
_BYTES: Final = 24
_LARGEST: Final = 1000


class LoginCodes:
    """The unused codes for the server of a project at a port, in a folder in its state folder that only its user can
    read. The hashes include the port: a program of another user may take the port of a server that has ended, and
    receive a code there that nobody has used.
    """

    def __init__(self, state: Path, port: int) -> None:
        self._folder = state / _FOLDER
        self._port = port

    def create(self, token: Token, at: float) -> tuple[str, float]:
        """A code for a session of the token, and when it expires."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._remove_expired(at)
        code, until = os.urandom(_BYTES).hex(), at + 60 * MINUTES
        descriptor = os.open(self._file(code), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"token": token.id, "until": until}, file)
        return code, until

    def use(self, code: str, at: float) -> str | None:
        """The id of the token that the code stands for; None if it was used before, has expired or is wrong."""
        file = self._file(code)
        try:
            document: Any = json.loads(read_text(file, _LARGEST))
            file.unlink()
            return str(document["token"]) if float(document["until"]) > at else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def is_unused(self, code: str) -> bool:
        return self._file(code).exists()

    def _file(self, code: str) -> Path:
        return self._folder / sha256(f"{self._port}/{code}".encode(errors="replace")).hexdigest()

    def _remove_expired(self, at: float) -> None:
        for file in self._folder.iterdir():
            with contextlib.suppress(OSError):
                if file.stat().st_mtime < at - 2 * 60 * MINUTES:
                    file.unlink()


def codes_at(state: Path, address: str) -> LoginCodes:
    """The codes for the server at an address such as http://127.0.0.1:8123."""
    return LoginCodes(state, int(address.rpartition(":")[2]))


def board_token(tokens: Tokens, at: float) -> Token:
    """The token of the board's sessions. Its word is kept nowhere, so only codes lead to it."""
    found = [token for token in tokens.all() if token.name == BOARD and token.role is Role.OPERATOR]
    return found[0] if found else tokens.create(Role.OPERATOR, BOARD, at)[0]
