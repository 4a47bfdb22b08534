"""A private Postgres server for tests: a cluster of its own on a free port of loopback, gone with its user.

The server is kept by a process that ends when its standard input does, so that a test run which is killed leaves
nothing behind. `python -m shiftwork.testing.postgres` is that process; it prints the server's address.
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

_USER: Final = "shiftwork"
_START_SECONDS: Final = 240.0
_STARTS: Final = 3

# What these databases hold need not outlive the machine.
_SETTINGS: Final = (
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
)


class PostgresMissingError(Exception):
    """No Postgres server is installed, or it does not start; the text says which."""


@contextlib.contextmanager
def private_postgres() -> Iterator[str]:
    """The address of a server of one's own; on leaving, the server is stopped and its files are removed."""
    keeper = subprocess.Popen(
        [sys.executable, "-m", "shiftwork.testing.postgres"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Out of the terminal's reach: Ctrl-C is for the tests, which then close the server's input.
        start_new_session=True,
    )
    with keeper:
        address = keeper.stdout.readline().strip() if keeper.stdout else ""
        if not address:
            raise PostgresMissingError(keeper.communicate()[1].strip())
        try:
            yield address
        finally:
            keeper.communicate()


def main() -> None:
    """Start a server, print its address, and keep it until standard input ends or a signal comes."""
    signal.signal(signal.SIGTERM, _leave)
    try:
        with contextlib.suppress(KeyboardInterrupt), _cluster() as address:
            sys.stdout.write(f"{address}\n")
            sys.stdout.flush()
            sys.stdin.read()
    except PostgresMissingError as error:
        sys.exit(str(error))


def _leave(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


@contextlib.contextmanager
def _cluster() -> Iterator[str]:
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
        with _serving(programs / "postgres", folder, account) as port:
            yield f"postgresql://{_USER}@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    """The folder of the server's programs: beside `postgres` on the path, told by pg_config, or Debian's newest."""
    places = [Path(found).resolve().parent for found in [shutil.which("postgres")] if found]
    if teller := shutil.which("pg_config"):
        told = subprocess.run([teller, "--bindir"], capture_output=True, text=True, check=True)  # noqa: S603 - asked by name
        places.append(Path(told.stdout.strip()))
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: float(place.parent.name))[::-1]
    for place in places:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    raise PostgresMissingError("no Postgres server is installed: neither `postgres` nor `pg_config` leads to one")


def _account() -> pwd.struct_passwd | None:
    """Whom the server runs as: Postgres refuses to run as root. None is oneself."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        raise PostgresMissingError("Postgres does not run as root, and there is no account `postgres`") from None


@contextlib.contextmanager
def _serving(program: Path, folder: Path, account: pwd.struct_passwd | None) -> Iterator[int]:
    for _ in range(_STARTS):
        # Somebody may take the port before the server does: then it ends at once, and another is tried.
        port = _free_port()
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        server = _start([program, "-D", folder / "data", "-p", str(port), *settings], folder, account)
        try:
            if _ready(server, folder):
                yield port
                return
        finally:
            with contextlib.suppress(ProcessLookupError):
                server.send_signal(signal.SIGINT)  # "fast shutdown": does not wait for clients
            server.wait()
    raise PostgresMissingError(f"the server does not start: {_log(folder)}")


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
    """Wait for the word that the server itself writes into its pid file, or for its end."""
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
