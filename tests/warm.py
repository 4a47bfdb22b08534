"""Runs the command in processes that need not import the product: they are forked from a process that already has.

For tests that start the command many times: imports take most of the start. From `main` on, everything is as in a
process that a user starts. Tests of the documentation and of signals start the installed command itself.
"""

import atexit
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
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from shiftwork.domain.canary.examination import is_gate_configuration, is_of_tests
from shiftwork.domain.canary.source_root import is_changeable, is_manifest
from shiftwork.domain.tampering.findings import Protection, Touched
from shiftwork.domain.tampering.later_files import runs_later
from shiftwork.domain.tampering.protected_paths import TESTS
from shiftwork.domain.tampering.restore import put_back
from shiftwork.domain.text.globs import matches
from shiftwork.entrypoints.cli import main
from shiftwork.entrypoints.cli.registry import COMMANDS, CONFIG_COMMANDS, WORKFLOW_COMMANDS
from shiftwork.errors import EXIT_INTERRUPTED
from shiftwork.records import _DECLARED
from shiftwork.regexes import _Regex
from tests.json_documents import check_lines
from tests.patience import SECONDS

_LOADED: Final = (
    "psycopg",
    "ruamel.yaml",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "dbos._sys_db_sqlite",
    "shiftwork.adapters.agents.command",
    "shiftwork.adapters.processes.host.linux",
    "shiftwork.app.views.report.markdown_report",
    "shiftwork.bootstrap.work.ports",
    "shiftwork.config.variables",
    "shiftwork.entrypoints.cli.control.resume",
    "shiftwork.entrypoints.cli.error_boundary",
    "shiftwork.entrypoints.cli.work.run_command",
    *(
        f"shiftwork.entrypoints.cli.commands.{entry.module}"
        for entry in (*COMMANDS, *WORKFLOW_COMMANDS, *CONFIG_COMMANDS)
    ),
)
_ROOT: Final = Path(__file__).parents[1]
_ORDER_BYTES: Final = 1 << 16


@dataclass(kw_only=True)
class Started:
    """A command in progress. An exit code below zero is the signal that has ended it."""

    pid: int
    _output: IO[str]
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
            if not select.select([self._output], [], [], timeout)[0]:
                raise TimeoutError(f"process {self.pid} has not ended after {timeout} seconds")
            with self._output:
                self._code = int(self._output.readline())
        return self._code

    def poll(self) -> int | None:
        """Its exit code; None while it lives."""
        if self._code is None and select.select([self._output], [], [], 0)[0]:
            self.wait()
        return self._code


@dataclass(kw_only=True)
class OutputListener(Started):
    """A command in progress whose output is read as it arrives."""

    stdout: IO[str]

    def communicate(self, timeout: float = SECONDS) -> tuple[str, None]:
        """All that has not been read, when it has ended."""
        message = self.stdout.read()
        self.wait(timeout)
        return message, None

    @property
    def returncode(self) -> int | None:
        return self._code


def start(
    words: Sequence[str], *, cwd: Path, env: Mapping[str, str], out: int, err: int, read: int | None = None
) -> Started:
    """Starts it in its own session, with empty standard input if none is given."""
    order = json.dumps({"words": words, "cwd": str(cwd), "env": dict(env)})
    ours, theirs = socket.socketpair()
    with ours, theirs, Path(os.devnull).open() as nothing:
        ours.settimeout(SECONDS)
        ends = [out, err, theirs.fileno(), nothing.fileno() if read is None else read]
        socket.send_fds(_server().line, [order.encode()], ends)
        message = ours.makefile(encoding="utf-8")  # which stays open
    return Started(pid=int(message.readline()), _output=message)


@contextlib.contextmanager
def received(words: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> Iterator[OutputListener]:
    """What it says on both ends, as one text; it is gone when this is left."""
    ours, theirs = os.pipe()
    with open(ours, encoding="utf-8") as stdout:  # noqa: PTH123 - it has no path
        with open(theirs, "wb") as end:  # noqa: PTH123 - as above
            started = start(words, cwd=cwd, env=env, out=end.fileno(), err=end.fileno())
        process = OutputListener(pid=started.pid, _output=started._output, stdout=stdout)
        try:
            yield process
        finally:
            process.kill()


def run(
    words: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout: float = SECONDS
) -> subprocess.CompletedProcess[str]:
    """With `-m` and a module in the place of words of the command, that module is the program. What the command prints
    with `--json` is checked against the JSON Schemas.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        started = start(words, cwd=cwd, env=env, out=out.fileno(), err=err.fileno())
        try:
            code = started.wait(timeout)
        except TimeoutError:
            started.kill()
            raise
        out.seek(0)
        err.seek(0)
        completed = subprocess.CompletedProcess(words, code, out.read(), err.read())
    if "--json" in words:
        check_lines(completed.stdout)
    return completed


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
    """Ends the server, which would also end with the process that started it."""
    if _server.cache_info().currsize:
        server = _server()
        server.line.close()
        server.process.wait(timeout=SECONDS)
        _server.cache_clear()


def _serve() -> None:
    for module in _LOADED:
        importlib.import_module(module)
    _compile_patterns()
    _make_methods()
    gc.freeze()  # what is loaded is no garbage, and looking for some there would copy all of it in every process
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for the processes that wait for commands
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
    """All that are compiled when they are first used, and those of the names of tests and configuration, which the
    rules keep once they are compiled.
    """
    for pattern in (kept for kept in gc.get_objects() if isinstance(kept, _Regex)):
        _ = (pattern.match, pattern.search, pattern.finditer)
    is_gate_configuration("a.py")
    is_of_tests("tests/a.py")
    is_changeable("a.py", Protection())
    is_manifest("a.py")
    matches(TESTS, "a.py")
    runs_later("a.py")
    put_back([Touched(path="a.py", letter="M")], Protection(), ())


def _make_methods() -> None:
    """Those of the records, which are made when they are first used: a run uses two hundred of them."""
    for record in tuple(_DECLARED):
        for name in ("__init__", "__eq__", "__hash__", "__match_args__"):
            getattr(record, name)


def _wait_for(order: dict[str, Any], out: int, err: int, number: int, read: int) -> NoReturn:
    """Reports the process id and, when the process has ended, its exit status."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the product begins: see `_play`
    if (pid := os.fork()) == 0:
        os.close(number)
        _play(order, read, out, err)
    for end in (read, out, err):  # a reader of the other end sees when the command has closed them
        os.close(end)
    os.write(number, f"{pid}\n".encode())
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(BrokenPipeError):
        os.write(number, f"{code}\n".encode())
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
    _leave(_code_of(order["words"]))


def _code_of(words: Sequence[str]) -> int:
    """What the interpreter makes of the end of the program."""
    try:
        if words[:1] == ["-m"]:
            sys.argv = list(words[1:])
            runpy.run_module(words[1], run_name="__main__")
            return 0
        return main()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
        return 1


def _leave(code: int) -> NoReturn:
    """Ends as the interpreter does, without freeing what it holds: that takes a fifth of a short command's time."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        os._exit(120)
    os._exit(code)


if __name__ == "__main__":
    _serve()
