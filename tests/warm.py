"""The command in processes of its own that need not load the product first: they are forked from one that has.

For tests that start it again and again: most of what a start takes is imports. From `main` on all is as in a process
that a user starts. Tests of the documentation and of what signals do start the installed command itself.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from shiftwork.domain.canary.examination import is_gate_configuration, is_of_tests
from shiftwork.domain.canary.source_root import is_changeable, is_manifest
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.protected_paths import TESTS
from shiftwork.domain.text.globs import matches
from shiftwork.entrypoints.cli import main
from shiftwork.entrypoints.cli.registry import COMMANDS, WORKFLOW_COMMANDS
from shiftwork.errors import EXIT_INTERRUPTED
from tests.patience import SECONDS

_LOADED: Final = (
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "dbos._sys_db_sqlite",
    "shiftwork.adapters.processes.host.linux",
    "shiftwork.bootstrap.work.ports",
    "shiftwork.config.variables",
    "shiftwork.entrypoints.cli.error_boundary",
    "shiftwork.entrypoints.cli.work.run_command",
    *(f"shiftwork.entrypoints.cli.commands.{entry.module}" for entry in (*COMMANDS, *WORKFLOW_COMMANDS)),
)
_ROOT: Final = Path(__file__).parents[1]
_ORDER_BYTES: Final = 1 << 16


@dataclass(kw_only=True)
class Started:
    """A command under way. An exit code below zero is the signal that has ended it."""

    pid: int
    _told: IO[str]
    _code: int | None = None

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def wait(self, timeout: float = SECONDS) -> int:
        if self._code is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise TimeoutError(f"process {self.pid} has not ended after {timeout} seconds")
            with self._told:
                self._code = int(self._told.readline())
        return self._code

    def poll(self) -> int | None:
        """Its exit code; None while it lives."""
        if self._code is None and select.select([self._told], [], [], 0)[0]:
            self.wait()
        return self._code


@dataclass(kw_only=True)
class Heard(Started):
    """A command under way whose words are read as they come."""

    stdout: IO[str]

    def communicate(self, timeout: float = SECONDS) -> tuple[str, None]:
        """All that has not been read, when it has ended."""
        told = self.stdout.read()
        self.wait(timeout)
        return told, None

    @property
    def returncode(self) -> int | None:
        return self._code


def start(
    words: Sequence[str], *, cwd: Path, env: Mapping[str, str], out: int, err: int, read: int | None = None
) -> Started:
    """In a session of its own, and with nothing to read where no end to read from is given."""
    order = json.dumps({"words": words, "cwd": str(cwd), "env": dict(env)})
    ours, theirs = socket.socketpair()
    with ours, theirs, Path(os.devnull).open() as nothing:
        ours.settimeout(SECONDS)
        ends = [out, err, theirs.fileno(), nothing.fileno() if read is None else read]
        socket.send_fds(_server().line, [order.encode()], ends)
        told = ours.makefile(encoding="utf-8")  # which stays open
    return Started(pid=int(told.readline()), _told=told)


@contextlib.contextmanager
def heard(words: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> Iterator[Heard]:
    """What it says on both ends, as one text; it is gone when this is left."""
    ours, theirs = os.pipe()
    with open(ours, encoding="utf-8") as stdout:  # noqa: PTH123 - it has no path
        with open(theirs, "wb") as end:  # noqa: PTH123 - as above
            started = start(words, cwd=cwd, env=env, out=end.fileno(), err=end.fileno())
        process = Heard(pid=started.pid, _told=started._told, stdout=stdout)
        try:
            yield process
        finally:
            process.kill()


def run(
    words: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout: float = SECONDS
) -> subprocess.CompletedProcess[str]:
    """With `-m` and a module in the place of words of the command, that module is the program."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        started = start(words, cwd=cwd, env=env, out=out.fileno(), err=err.fileno())
        try:
            code = started.wait(timeout)
        except TimeoutError:
            started.kill()
            raise
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, code, out.read(), err.read())


@dataclass(frozen=True, kw_only=True)
class _Server:
    line: socket.socket
    process: subprocess.Popen[bytes]


@cache
def _server() -> _Server:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        words = (sys.executable, "-m", "tests.warm")
        process = subprocess.Popen(words, cwd=_ROOT, stdin=theirs.fileno(), stdout=subprocess.DEVNULL)
    return _Server(line=ours, process=process)


def close() -> None:
    """It would end with whoever asked for it, too."""
    if _server.cache_info().currsize:
        server = _server()
        server.line.close()
        server.process.wait(timeout=SECONDS)
        _server.cache_clear()


def _serve() -> None:
    for module in _LOADED:
        importlib.import_module(module)
    _compile_patterns()
    gc.freeze()  # what is loaded is no garbage, and looking for some there would copy all of it in every process
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait for commands
    line = socket.socket(fileno=0)
    while True:
        order, ends, _, _ = socket.recv_fds(line, _ORDER_BYTES, 4)
        if not order:
            return
        if os.fork() == 0:
            line.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _wait_for(json.loads(order), *ends)
        for end in ends:
            os.close(end)


def _compile_patterns() -> None:
    """Those of the names of tests and configuration, which the rules keep once they are compiled: every run needs them,
    and to compile them is a twelfth of what a short one takes.
    """
    is_gate_configuration("a.py")
    is_of_tests("tests/a.py")
    is_changeable("a.py", Protection())
    is_manifest("a.py")
    matches(TESTS, "a.py")


def _wait_for(order: dict[str, Any], out: int, err: int, told: int, read: int) -> NoReturn:
    """Tell its id, and when it has ended how."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the product begins: see `_play`
    if (pid := os.fork()) == 0:
        os.close(told)
        _play(order, read, out, err)
    for end in (read, out, err):  # a reader of the other end sees when the command has closed them
        os.close(end)
    os.write(told, f"{pid}\n".encode())
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(BrokenPipeError):
        os.write(told, f"{code}\n".encode())
    os._exit(0)


def _play(order: dict[str, Any], *ends: int) -> NoReturn:
    os.setsid()
    for number, end in enumerate(ends):
        os.dup2(end, number)
        os.close(end)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=os.isatty(1))  # as the interpreter does when it starts
    os.environ.clear()  # noqa: TID251 - this is what starts the product
    os.environ.update(order["env"])  # noqa: TID251
    os.chdir(order["cwd"])
    sys.argv = ["shiftwork", *order["words"]]
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    except KeyboardInterrupt:  # which came before anything was begun
        os._exit(EXIT_INTERRUPTED)
    if order["words"][:1] == ["-m"]:
        sys.argv = order["words"][1:]
        runpy.run_module(order["words"][1], run_name="__main__")
        sys.exit(0)
    sys.exit(main())


if __name__ == "__main__":
    _serve()
