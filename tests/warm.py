"""The command in processes of its own that need not load the product first: they are forked from one that has.

For tests that start it again and again: most of what a start takes is imports. From `main` on all is as in a process
that a user starts. Tests of the documentation, of terminals and of signals start the installed command itself.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from shiftwork.domain.model.tampering import Protection
from shiftwork.domain.rules.canary import is_gate_configuration, is_of_tests
from shiftwork.domain.rules.protecting import TESTS, matches
from shiftwork.domain.rules.roots import is_changeable, is_manifest
from shiftwork.entrypoints.cli import main
from shiftwork.entrypoints.cli.registry import COMMANDS, WORKFLOW_COMMANDS
from shiftwork.errors import EXIT_INTERRUPTED
from tests.patience import SECONDS

_LOADED: Final = (
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "dbos._sys_db_sqlite",
    "shiftwork.adapters.processes._linux",
    "shiftwork.bootstrap.working",
    "shiftwork.config.variables",
    "shiftwork.entrypoints.cli.boundary",
    "shiftwork.entrypoints.cli.ordering",
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

    def wait(self) -> int:
        if self._code is None:
            with self._told:
                self._code = int(self._told.readline())
        return self._code

    def poll(self) -> int | None:
        """Its exit code; None while it lives."""
        if self._code is None and select.select([self._told], [], [], 0)[0]:
            self.wait()
        return self._code


def start(
    words: Sequence[str], *, cwd: Path, env: Mapping[str, str], out: int, err: int, timeout: float = SECONDS
) -> Started:
    """In a session of its own, and with nothing to read. It is waited for so many seconds."""
    order = json.dumps({"words": words, "cwd": str(cwd), "env": dict(env)})
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(timeout)
        socket.send_fds(_server().line, [order.encode()], [out, err, theirs.fileno()])
        told = ours.makefile(encoding="utf-8")  # which stays open
    return Started(pid=int(told.readline()), _told=told)


def run(
    words: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout: float = SECONDS
) -> subprocess.CompletedProcess[str]:
    """With `-m` and a module in the place of words of the command, that module is the program."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        started = start(words, cwd=cwd, env=env, out=out.fileno(), err=err.fileno(), timeout=timeout)
        try:
            code = started.wait()
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
        order, ends, _, _ = socket.recv_fds(line, _ORDER_BYTES, 3)
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


def _wait_for(order: dict[str, Any], out: int, err: int, told: int) -> NoReturn:
    """Tell its id, and when it has ended how."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the product begins: see `_play`
    if (pid := os.fork()) == 0:
        os.close(told)
        _play(order, out, err)
    os.write(told, f"{pid}\n".encode())
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(BrokenPipeError):
        os.write(told, f"{code}\n".encode())
    os._exit(0)


def _play(order: dict[str, Any], out: int, err: int) -> NoReturn:
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for end, number in ((nothing, 0), (out, 1), (err, 2)):
        os.dup2(end, number)
        os.close(end)
    os.environ.clear()  # noqa: TID251 - this is what starts the product
    os.environ.update(order["env"])  # noqa: TID251
    os.chdir(order["cwd"])
    sys.argv = ["shiftwork", *order["words"]]
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    except KeyboardInterrupt:  # which came before anything was begun
        os._exit(EXIT_INTERRUPTED)
    if order["words"][:1] == ["-m"]:
        runpy.run_module(order["words"][1], run_name="__main__")
        sys.exit(0)
    sys.exit(main())


if __name__ == "__main__":
    _serve()
