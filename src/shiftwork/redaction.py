"""Replaces secrets by `***` in the output of programs, before it is stored or shown.

Secrets are learnt values (variables, settings, logins), also as spelt in JSON and in URLs, and any text that has the
form of a well-known kind of token. Short and ordinary words are never secrets: replacing a password `postgres` would
make every log unreadable and protect nothing.

Learnt secrets belong to the whole process, like armed `failpoints`: text enters in many places, and a place that forgot
to pass them on would go unnoticed.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final
from urllib.parse import quote

from shiftwork.regexes import regex

SHOWN: Final = b"***"

_LEAST: Final = 8
_MOST: Final = 16 * 1024
_WORD: Final = 16
_DIGITS: Final = 12
_WORDS: Final = 24
_LINE: Final = 16
"""The minimum length of a line of a multi-line secret."""

_HELD: Final = 64 * 1024
_KEY_LINES: Final = 200

_PLACE: Final = regex(r"(?:~|\.{1,2})?/[\w./@:,~-]*")
_NAMES: Final = regex(r"[A-Za-z]+(?:[-_. ][A-Za-z]+)+")

_TOKENS: Final[tuple[tuple[bytes, re.Pattern[bytes]], ...]] = tuple(
    (prefix, regex(re.escape(prefix) + pattern))
    for prefix, pattern in (
        (b"sk-", rb"(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_-]{32,}"),
        *((prefix, rb"[A-Za-z0-9]{36,}") for prefix in (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_")),
        (b"github_pat_", rb"[A-Za-z0-9_]{40,}"),
        (b"glpat-", rb"[A-Za-z0-9_-]{20,}"),
        (b"xox", rb"[abeprs]-[A-Za-z0-9-]{20,}"),
        (b"AKIA", rb"[0-9A-Z]{16}\b"),
        (b"ASIA", rb"[0-9A-Z]{16}\b"),
        (b"AIza", rb"[A-Za-z0-9_-]{35}"),
        (b"ya29.", rb"[A-Za-z0-9_-]{20,}"),
        (b"npm_", rb"[A-Za-z0-9]{36}"),
        (b"pypi-", rb"[A-Za-z0-9_-]{50,}"),
        (b"hf_", rb"[A-Za-z0-9]{30,}"),
        (b"whsec_", rb"[A-Za-z0-9+/=]{24,}"),
    )
)
"""Each pattern starts with a literal prefix, which is quick to search for."""

_WEB_TOKEN: Final = regex(rb"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}+\.eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}+")
"""Header, claims and signature. It starts at a word boundary, so that matching stays fast on any text."""

_ADDRESS: Final = regex(rb"://([^\s/:@\"'<>]{0,256}):(?!\*\*\*@)([^\s/@\"'<>]{3,256})(?=@[A-Za-z0-9\[])")
"""Name and password."""

_KEY: Final = b" PRIVATE KEY-----"
_KEY_BYTES: Final = 16 * 1024
_BEGIN: Final = regex(rb"-----BEGIN(?: [A-Z0-9]{1,16}){0,3} PRIVATE KEY-----")
_ENDS: Final = regex(rb"-----END(?: [A-Z0-9]{1,16}){0,3} PRIVATE KEY-----")
_EITHER: Final = regex(rb"-----(BEGIN|END)(?: [A-Z0-9]{1,16}){0,3} PRIVATE KEY-----")


def is_secret(value: str) -> bool:
    """Whether a value from a secret source is long and unusual enough to be searched for."""
    if not _LEAST <= len(value) <= _MOST or SHOWN.decode() in value or value != value.strip():
        return False
    word = value.isalpha() and len(value) < _WORD
    number = value.isdigit() and len(value) < _DIGITS
    words = len(value) < _WORDS and _NAMES.fullmatch(value)
    return not (word or number or words or _PLACE.fullmatch(value))


def tokens_in(text: str) -> Iterator[str]:
    """The parts of a text that look like well-known tokens; of a URL, the password."""
    data = text.encode(errors="surrogateescape")
    for prefix, pattern in _TOKENS:
        for found in pattern.finditer(data) if prefix in data else ():
            if _begins_there(found):
                yield found[0].decode(errors="surrogateescape")
    for found in _WEB_TOKEN.finditer(data):
        yield found[0].decode(errors="surrogateescape")
    for found in _ADDRESS.finditer(data):
        yield found[2].decode(errors="surrogateescape")


class Redactor:
    """Replaces known secrets, and texts that look like well-known tokens."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets for part in _parts(secret) for form in _spellings(part)}
        # The longest first: a secret may be part of another.
        self._known = sorted((_bytes(form) for form in forms), key=lambda form: (-len(form), form))
        self.longest = max((len(form) for form in self._known), default=0)

    def line(self, data: bytes) -> bytes:
        for secret in self._known:
            if secret in data:
                data = data.replace(secret, SHOWN)
        for prefix, pattern in _TOKENS:
            if prefix in data:
                data = pattern.sub(_replaced, data)
        if b".eyJ" in data:
            data = _WEB_TOKEN.sub(SHOWN, data)
        if b"://" in data:
            data = _ADDRESS.sub(rb"://\1:***", data)
        return _without_keys(data) if _KEY in data else data

    def text(self, text: str) -> str:
        data = text.encode(errors="surrogatepass")
        found = self.line(data)
        return text if found is data else found.decode(errors="surrogatepass")

    def cut(self, data: bytes) -> bytes:
        """Redact a truncated line, including the beginning of a secret at its end."""
        data = self.line(data)
        ends = (
            size for secret in self._known for size in range(len(secret) - 1, 3, -1) if data.endswith(secret[:size])
        )
        size = max(ends, default=0)
        return data[:-size] + SHOWN if size else data


class Lined:
    """Redacts a stream line by line; a private key that spans several lines is one secret."""

    def __init__(self, limit: int = 0) -> None:
        self._limit = limit
        self._left = 0

    def line(self, data: bytes) -> bytes:
        if self._left:
            over = _ENDS.search(data)
            self._left = 0 if over else self._left - 1
            return SHOWN + data[over.end() :] if over else SHOWN
        if _KEY in data:
            data = _without_keys(data)
            if begins := _BEGIN.search(data):
                self._left = _KEY_LINES
                data = data[: begins.start()] + SHOWN
        known = current()
        return known.cut(data) if self._limit and len(data) >= self._limit else known.line(data)


class Stream:
    """Redacts a stream that arrives in chunks of any size, even where a secret is split between chunks."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        self._held = b""
        self._lines = Lined()

    def feed(self, chunk: bytes) -> None:
        *whole, self._held = (self._held + chunk).split(b"\n")
        for line in whole:
            self._take(self._lines.line(line) + b"\n")
        keep = max(_HELD, current().longest)
        if len(self._held) > 2 * keep:
            # Replaced text stays replaced, and the beginning of a secret at the end is in the part that is kept.
            clean = current().line(self._held)
            self._take(clean[:-keep])
            self._held = clean[-keep:]

    def end(self) -> None:
        if self._held:
            self._take(self._lines.line(self._held))
            self._held = b""


_learnt: Final[set[str]] = set()
_redactors: Final[list[Redactor]] = [Redactor()]


def learn(values: Iterable[str]) -> None:
    """From now on these values are replaced, except those that do not look like secrets."""
    new = {value for value in values if is_secret(value)} - _learnt
    if new:
        _learnt.update(new)
        _redactors[0] = Redactor(_learnt)


def forget() -> None:
    """For tests, which share a process."""
    _learnt.clear()
    _redactors[0] = Redactor()


def current() -> Redactor:
    return _redactors[0]


def redacted(text: str) -> str:
    return current().text(text)


def _replaced(found: re.Match[bytes]) -> bytes:
    return SHOWN if _begins_there(found) else found[0]


def _begins_there(found: re.Match[bytes]) -> bool:
    """Not in the middle of a word, such as `sk-` in `task-`."""
    before = found.string[found.start() - 1 : found.start()]
    return not (before.isalnum() or before == b"_")


def _without_keys(data: bytes) -> bytes:
    """Removes private keys from their first line to their last."""
    kept, at, begins = bytearray(), 0, -1
    for found in _EITHER.finditer(data):
        if found[1] == b"BEGIN":
            begins = found.start()
        elif begins >= 0 and found.start() - begins <= _KEY_BYTES:
            kept += data[at:begins] + SHOWN
            at, begins = found.end(), -1
    return bytes(kept + data[at:]) if at else data


def _parts(secret: str) -> Iterator[str]:
    """The lines of a multi-line secret, because they are printed separately."""
    if "\n" not in secret:
        yield secret
    else:
        yield from (line for part in secret.splitlines() if len(line := part.strip()) >= _LINE and "-----" not in line)


def _spellings(secret: str) -> Iterator[str]:
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield quote(secret, safe="", errors="replace")


def _bytes(text: str) -> bytes:
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return text.encode(errors="surrogatepass")
