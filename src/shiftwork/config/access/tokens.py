"""Tokens for the HTTP API of a project: opaque words, of which only hashes are stored, outside of the working tree."""

import contextlib
import hmac
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from shiftwork.bounded import read_text
from shiftwork.errors import StateError, UsageError
from shiftwork.file_locks import locked_within
from shiftwork.records import dataclass

_FILE: Final = "tokens.json"
_LOCK: Final = "tokens.lock"
_LOCK_SECONDS: Final = 10.0
_LARGEST: Final = 1 << 20
_PREFIX: Final = "swt_"
_SECRET_BYTES: Final = 32
_ID_BYTES: Final = 4


class Role(IntEnum):
    """What a token allows; each role includes those before it."""

    VIEWER = 1
    OPERATOR = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        return self.name.lower()


def role_of(word: str) -> Role | None:
    return next((role for role in Role if role.word == word), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as it is stored. `hash` is the SHA-256 of the word, which has 256 random bits: nobody can guess it, so it
    needs no slow hash.
    """

    id: str
    name: str
    role: Role
    created_at: float
    hash: str


class Tokens:
    """The tokens of a project, in a file in its state folder that only its user can read."""

    def __init__(self, state: Path) -> None:
        self._file = state / _FILE
        self._lock = state / _LOCK
        self._read: tuple[object, tuple[Token, ...]] = (None, ())

    def all(self) -> Sequence[Token]:
        """Oldest first. Read again only if the file has changed, because every request asks."""
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return ()
        mark = (found.st_ino, found.st_size, found.st_mtime_ns)
        if self._read[0] != mark:
            self._read = (mark, self._load())
        return self._read[1]

    def identify(self, word: str) -> Token | None:
        """The token with this word. Compares with every hash in constant time."""
        asked = _hash(word)
        found = [token for token in self.all() if hmac.compare_digest(token.hash, asked)]
        return found[0] if found else None

    def create(self, role: Role, name: str, at: float) -> tuple[Token, str]:
        """A new token and its word, which is not stored and cannot be shown again."""
        word = f"{_PREFIX}{os.urandom(_SECRET_BYTES).hex()}"
        token = Token(id=os.urandom(_ID_BYTES).hex(), name=name, role=role, created_at=at, hash=_hash(word))
        with self._alone():
            self._save((*self.all(), token))
        return token, word

    def revoke(self, wanted: str) -> Token:
        """Removes a token, by its id or by a name that only one token has. Raises UsageError if there is none."""
        if not self._file.exists():  # nothing may have been run here: there is no folder to lock either
            raise UsageError(f"there is no token {wanted}", hint="shiftwork token create --role viewer")
        with self._alone():
            kept = self.all()
            found = [token for token in kept if token.id == wanted] or [token for token in kept if token.name == wanted]
            if len(found) != 1:
                reason = f"several tokens are named {wanted}" if found else f"there is no token {wanted}"
                raise UsageError(reason, hint="shiftwork token list shows their ids")
            self._save(tuple(token for token in kept if token is not found[0]))
        return found[0]

    def _load(self) -> tuple[Token, ...]:
        try:
            document: Any = json.loads(read_text(self._file, _LARGEST))
            return tuple(_token(each) for each in document["tokens"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            reason = f"{self._file} cannot be read, so no token is valid: {error}"
            raise StateError(reason, hint=f"rm {self._file}, then: shiftwork token create --role admin") from error

    def _save(self, tokens: Sequence[Token]) -> None:
        partial = self._file.with_suffix(".new")
        partial.unlink(missing_ok=True)
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"tokens": [_plain(token) for token in tokens]}, file, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self._file)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if not locked_within(_LOCK_SECONDS, descriptor):
                raise StateError(f"another process changes the tokens: {self._lock} is locked", hint="try again")
            yield
        finally:
            os.close(descriptor)


def _hash(word: str) -> str:
    return sha256(word.encode(errors="surrogateescape")).hexdigest()


def _plain(token: Token) -> dict[str, object]:
    names = ("id", "name", "created_at", "hash")
    return {name: getattr(token, name) for name in names} | {"role": token.role.word}


def _token(each: Mapping[str, Any]) -> Token:
    role = role_of(each["role"])
    if role is None:
        raise ValueError(f"{each['role']!r} is no role")
    return Token(id=each["id"], name=each["name"], role=role, created_at=each["created_at"], hash=each["hash"])
