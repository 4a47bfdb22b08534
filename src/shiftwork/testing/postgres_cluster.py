"""A private Postgres server for tests: its own cluster on a free loopback port, removed when its user ends.

A separate process runs the server and ends when its standard input closes, so that a killed test run leaves nothing
behind. `python -m shiftwork.testing.postgres_cluster` is that process; it prints the server's address.
"""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NoReturn

from shiftwork.records import dataclass

_USER: Final = "shiftwork"
_START_SECONDS: Final = 240.0
_STARTS: Final = 3
_STOP, _START = "stop", "start"

# These databases need not survive a crash of the machine.
_SETTINGS: Final = (
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
)


class PostgresMissingError(Exception):
    """No Postgres server is installed, or it does not start; the message says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateServer:
    """A private server that can be stopped and started again, at the same address and with the same files."""

    address: str
    keeper: subprocess.Popen[str]

    def stop(self) -> None:
        """Immediately, without waiting for clients."""
        self._ask(_STOP)

    def start(self) -> None:
        self._ask(_START)

    def _ask(self, word: str) -> None:
        if self.keeper.stdin is None or self.keeper.stdout is None:
            raise ValueError("both pipes were asked for")
        self.keeper.stdin.write(f"{word}\n")
        self.keeper.stdin.flush()
        if self.keeper.stdout.readline().strip() != word:
            raise PostgresMissingError(f"the server does not {word}")


@contextlib.contextmanager
def private_postgres() -> Iterator[str]:
    """The address of a private server; on exit, the server is stopped and its files are removed."""
    with private_server() as server:
        yield server.address


@contextlib.contextmanager
def private_server() -> Iterator[PrivateServer]:
    keeper = subprocess.Popen(
        [sys.executable, "-m", "shiftwork.testing.postgres_cluster"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # In a separate session: Ctrl-C reaches only the tests, which then close the server's input.
        start_new_session=True,
    )
    with keeper:
        address = keeper.stdout.readline().strip() if keeper.stdout else ""
        if not address:
            raise PostgresMissingError(keeper.communicate()[1].strip())
        try:
            yield PrivateServer(address=address, keeper=keeper)
        finally:
            keeper.communicate()


def main() -> None:
    """Start a server, print its address, and keep it running until standard input closes or a signal arrives."""
    signal.signal(signal.SIGTERM, _leave)
    try:
        with contextlib.suppress(KeyboardInterrupt), _cluster() as server:
            _say(f"postgresql://{_USER}@127.0.0.1:{server.port}/postgres")
            for line in sys.stdin:
                (server.stop if line.strip() == _STOP else server.start)()
                _say(line.strip())
    except PostgresMissingError as error:
        sys.exit(str(error))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _leave(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


@contextlib.contextmanager
def _cluster() -> Iterator["_Server"]:
    programs = _programs()
    account = _account()
    folder = Path(tempfile.mkdtemp(prefix="shiftwork-postgres-"))
    try:
        if account is not None:
            os.chown(folder, account.pw_uid, account.pw_gid)
        made = _start(
            [programs / "initdb", "-D", folder / "data", "-U", _USER, "-A", "trust", "-E", "UTF8", "--no-locale", "-N"],
            folder,
            account,
        )
        if made.wait():
            raise PostgresMissingError(f"initdb failed: {_log(folder)}")
        server = _Server(program=programs / "postgres", folder=folder, account=account)
        try:
            server.serve()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    """The folder of the server's programs: of `postgres` on the path, from pg_config, or Debian's newest."""
    places = [Path(found).resolve().parent for found in [shutil.which("postgres")] if found]
    if teller := shutil.which("pg_config"):
        completed = subprocess.run([teller, "--bindir"], capture_output=True, text=True, check=True)  # noqa: S603 - found by name
        places.append(Path(completed.stdout.strip()))
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: float(place.parent.name))[::-1]
    for place in places:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    raise PostgresMissingError("no Postgres server is installed: neither `postgres` nor `pg_config` finds it")


def _account() -> pwd.struct_passwd | None:
    """The account that the server runs as, because Postgres refuses to run as root. None is the current user."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        raise PostgresMissingError("Postgres does not run as root, and there is no account `postgres`") from None


@dataclass(slots=True, kw_only=True)
class _Server:
    program: Path
    folder: Path
    account: pwd.struct_passwd | None
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    def serve(self) -> None:
        """Serve on a free port. If another process takes the port first, the server ends at once and is started
        again.
        """
        for _ in range(_STARTS):
            self.port = _free_port()
            if self._started():
                return
        raise PostgresMissingError(f"the server does not start: {_log(self.folder)}")

    def start(self) -> None:
        if not self._started():
            raise PostgresMissingError(f"the server does not start again: {_log(self.folder)}")

    def stop(self) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGINT)  # "fast shutdown": does not wait for clients
            self.process.wait()
            self.process = None

    def _started(self) -> bool:
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        command: list[str | Path] = [self.program, "-D", self.folder / "data", "-p", str(self.port), *settings]
        self.process = _start(command, self.folder, self.account)
        if not _ready(self.process, self.folder):
            self.stop()
            return False
        return True


def _start(command: list[str | Path], folder: Path, account: pwd.struct_passwd | None) -> subprocess.Popen[bytes]:
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(  # noqa: S603 - the server's own programs, found by `_programs`
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            user=account and account.pw_uid,
            group=account and account.pw_gid,
            extra_groups=None if account is None else [],
        )


def _ready(server: subprocess.Popen[bytes], folder: Path) -> bool:
    """Wait for "ready" in the server's pid file, or for its end."""
    deadline = time.monotonic() + _START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            if "ready" in (folder / "data" / "postmaster.pid").read_text():
                return True
        time.sleep(0.02)
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _log(folder: Path) -> str:
    return (folder / "log").read_text(errors="replace").strip()[-2000:]


if __name__ == "__main__":
    main()
