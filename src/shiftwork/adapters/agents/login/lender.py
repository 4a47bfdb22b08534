"""The user's login in a confined session: a copy of what it needs, without the token that renews the login.

A folder of the attempt replaces the agent's folder. Whatever the session writes there is deleted with the attempt and
never read back, because a login from a session could belong to any account. So a session cannot renew the login.
Shiftwork has the user's own program renew it, outside the sandbox, one process at a time and shortly before it ends,
and copies the renewed login into the folders of the running sessions.

Rejected: lending the whole login and reading a renewed login back. It does not show whose account it belongs to, so an
agent could exchange it; and if several sessions renewed it at once, all but one would be logged out.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import json
import logging
import os
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from shiftwork import redaction
from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.processes.supervisor.supervise import Spawn, supervise
from shiftwork.bounded import read_bytes
from shiftwork.records import dataclass, field
from shiftwork.regexes import regex

FOLDER: Final = "login"
"""The folder in an attempt's home that replaces the agent's own."""

MARGIN_SECONDS: Final = 240.0
"""How long before its end a login is renewed. Claude Code renews it in the last five minutes, and not before."""

_LARGEST: Final = 1 << 20
_POLL_SECONDS: Final = 20.0
_RENEWAL_SECONDS: Final = 90.0
_PATIENCE_SECONDS: Final = 120.0
_PAUSE_SECONDS: Final = 0.1
_AGAIN_SECONDS: Final = 300.0
"""The pause before a failed renewal is retried."""

_SECRET: Final = regex("token|key|secret", re.IGNORECASE)

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """A command of the agent's own program that renews the login as a side effect. It runs outside the sandbox, in the
    user's environment and with nothing from the attempt.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    stdin: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """`folder` is the agent's own; a session can read its `shown` entries. `lent` maps files to functions that return
    what a session gets of the content, and raise ValueError if there is nothing to lend. `expires` returns when the
    content of `credentials` ends; None if it never ends or cannot be renewed.
    """

    folder: Path
    credentials: Path
    expires: Callable[[bytes], float | None]
    renewal: Renewal
    shown: tuple[str, ...] = ()
    lent: Mapping[Path, Callable[[bytes], bytes]] = field(default_factory=dict)

    @property
    def readable(self) -> tuple[Path, ...]:
        return tuple(self.folder / name for name in self.shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lender:
    """Lends logins to sessions. A lock in the folder `locks` serializes renewals; without that folder, no login is
    renewed. `tried` maps each lock to the start of its last renewal.
    """

    locks: Path | None = None
    poll_seconds: float = _POLL_SECONDS
    tried: dict[Path, float] = field(default_factory=dict)

    @contextlib.asynccontextmanager
    async def lending(self, login: Login, home: Path, *, kept: bool) -> AsyncIterator[None]:
        """Puts the copy into an attempt's folder `home`; if `kept`, updates it until the context ends."""
        if kept:
            await self.renew(login)
        (home / FOLDER).mkdir(parents=True, exist_ok=True, mode=0o700)
        # Held open, so that later writes reach this folder even if the session replaces its path.
        folder = os.open(home / FOLDER, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _lay_beside(login, home)
            written = _lay(login, folder, {})
            if not kept:
                yield
                return
            over = asyncio.Event()
            keeper = asyncio.create_task(self._keep(login, os.dup(folder), written, over))
            try:
                yield
            finally:
                # Never cancelled: killing a program during a renewal may lose the only valid login.
                over.set()
                await asyncio.shield(keeper)
        finally:
            os.close(folder)

    async def _keep(self, login: Login, folder: int, written: Mapping[str, bytes], over: asyncio.Event) -> None:
        """Updates the copy until the session is over, then closes the descriptor of its folder."""
        try:
            while not await _within(self.poll_seconds, over):
                # After a failure here, the session itself notices that its login has ended.
                with contextlib.suppress(OSError):
                    await self.renew(login)
                    written = _lay(login, folder, written)
        except Exception:
            _logger.exception("the login in %s is no longer kept up to date", login.folder)
        finally:
            os.close(folder)

    async def renew(self, login: Login) -> None:
        """Renews the login if it is about to end; of several callers, only the first does so."""
        if self.locks is None or not _ends_soon(login):
            return
        name = hashlib.sha256(os.fsencode(login.credentials)).hexdigest()[:16]
        lock = self.locks / f"login-{name}.lock"
        async with _locked(lock) as held:
            now = SystemClock().now()
            if not held or not _ends_soon(login) or now - self.tried.get(lock, 0.0) < _AGAIN_SECONDS:
                return
            self.tried[lock] = now
            with tempfile.TemporaryDirectory(prefix="shiftwork-login-") as folder:
                spawn = Spawn(
                    argv=login.renewal.argv,
                    cwd=Path(folder),
                    env={**login.renewal.env, "TMPDIR": folder, "PWD": folder},
                    marker=f"login/{name}/{os.getpid()}",
                    wall_seconds=_RENEWAL_SECONDS,
                    silence_seconds=_RENEWAL_SECONDS,
                    stdin=login.renewal.stdin,
                )
                with contextlib.suppress(OSError):
                    await supervise(spawn, lambda _: None)
            if not _ends_soon(login):
                del self.tried[lock]


async def _within(seconds: float, over: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(over.wait(), seconds)
    except TimeoutError:
        return False
    return True


def _ends_soon(login: Login) -> bool:
    content = _content(login.credentials)
    until = login.expires(content) if content is not None else None
    return until is not None and until - SystemClock().now() < MARGIN_SECONDS


def _content(path: Path) -> bytes | None:
    try:
        return read_bytes(path, _LARGEST)
    except OSError:
        return None


def _share(login: Login, path: Path) -> bytes | None:
    """Returns what a session gets of a file."""
    content = _content(path)
    if content is None:
        return None
    try:
        return login.lent[path](content)
    except (ValueError, RecursionError):
        return None


def learn_secrets(login: Login) -> None:
    """Registers the secrets of the login for redaction, because a session may print them."""
    for path in login.lent:
        with contextlib.suppress(ValueError, RecursionError):
            redaction.learn(_secrets(json.loads(_content(path) or b"{}")))


def _secrets(document: object, name: str = "") -> Iterator[str]:
    """Yields the texts of a login that a log must not contain: those named as a key, token or secret."""
    match document:
        case dict():
            yield from (found for key, value in document.items() for found in _secrets(value, str(key)))
        case str() if _SECRET.search(name):
            yield document


def _lay(login: Login, folder: int, before: Mapping[str, bytes]) -> dict[str, bytes]:
    """Writes into the attempt's folder what has changed since the last call."""
    own = {path.name: _share(login, path) for path in login.lent if path.parent == login.folder}
    now = {name: content for name, content in own.items() if content is not None}
    if now != before:
        learn_secrets(login)
    for name, content in now.items():
        if before.get(name) != content:
            _put(folder, name, content)
    return {**before, **now}


def _lay_beside(login: Login, home: Path) -> None:
    """Puts files from beside the agent's folder, in the user's home, into the folder that replaces the home."""
    house = home / "house"
    house.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = os.open(house, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for path in login.lent:
            if path.parent != login.folder and (content := _share(login, path)) is not None:
                _put(folder, path.name, content)
    finally:
        os.close(folder)


def _put(folder: int, name: str, content: bytes) -> None:
    """Replaces a file in a folder that a session can write to, without opening or following any file there."""
    partial = f".{os.urandom(12).hex()}"
    file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        with os.fdopen(file, "wb") as new:
            new.write(content)
        os.replace(partial, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(partial, dir_fd=folder)
        raise


@contextlib.asynccontextmanager
async def _locked(file: Path) -> AsyncIterator[bool]:
    """Holds the lock; yields False if another process holds it for longer than a renewal takes."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    held = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                while not _try_lock(held):  # noqa: ASYNC110 - another process releases it
                    await asyncio.sleep(_PAUSE_SECONDS)
        except TimeoutError:
            yield False
            return
        yield True
    finally:
        os.close(held)


def _try_lock(held: int) -> bool:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
