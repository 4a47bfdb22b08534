"""Runs any agent that is a program: the part that all agents share, around what the driver defines."""

import contextlib
import errno
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents._driver import Driver, Launch, Transcript
from shiftwork.adapters.agents._log import AttemptLog
from shiftwork.adapters.agents.json_lines import by_signal, clean
from shiftwork.adapters.agents.login.lender import FOLDER as LOGIN_FOLDER
from shiftwork.adapters.agents.login.lender import Lender, learn_secrets
from shiftwork.adapters.processes.supervisor.output_lines import LINE_BYTES
from shiftwork.adapters.processes.supervisor.supervise import Cause, Exit, Spawn, supervise
from shiftwork.adapters.sandbox.sandbox import OPEN, Room, Sandbox, Unconfined
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.errors import AgentMissingError
from shiftwork.ports.agent import AgentEvent, AgentLimits, AgentReport, AgentTask, Ending, Listener
from shiftwork.records import replace
from shiftwork.redaction import Lined, redacted

PROBE_LIMITS: Final = AgentLimits(wall_seconds=30, silence_seconds=30, output_bytes=1024 * 1024)

LOGIN_SECONDS: Final = 10.0

_COMPLAINT: Final = 500
"""Characters of standard error in the report of an agent that the harness ended."""

_logger = logging.getLogger(__name__)


class ProcessAgent:
    """Starts an agent's program for every attempt, with the prompt on standard input, and reads what it prints. The
    login check is given up after `login_seconds`.
    """

    def __init__(
        self,
        driver: Driver,
        sandbox: Sandbox = OPEN,
        login_seconds: float = LOGIN_SECONDS,
        lender: Lender = Lender(),  # noqa: B008 - without locks it remembers nothing
    ) -> None:
        self._driver = driver
        self._sandbox = sandbox
        self._lender = lender
        self._login_limits = AgentLimits(wall_seconds=login_seconds, silence_seconds=login_seconds)

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        task = replace(task, prompt=redacted(task.prompt))
        launch = self._driver.launch(task)
        lay(task.home, launch.files)
        transcript = self._driver.transcript(task)
        with AttemptLog(task.log) as log:
            async with self._lent(task, launch, kept=True):
                over = await self._run(task, launch, room_of(task, launch), _reading(transcript, log, listener))
            for line in over.stderr.splitlines():
                log.note({"type": "stderr", "text": line})
            for remark in over.remarks:
                log.note({"type": "remark", "text": remark})
        report = judged(transcript.verdict(over.code, over.stderr), over, task.limits)
        return replace(report, detail=detailed(report, over, log))

    async def probe(self) -> str:
        with tempfile.TemporaryDirectory(prefix="shiftwork-probe-") as folder:
            home = Path(folder)
            # Runs in the environment of an attempt: a program found here is also found there.
            task = AgentTask(
                prompt="", workdir=home, home=home, log=home / "log", marker=f"probe/{home.name}", limits=PROBE_LIMITS
            )
            lay(home, self._driver.launch(task).files)
            version = await self._version(task)
            login = await self._login(replace(task, limits=self._login_limits))
        return f"{version}, {login}" if login else version

    async def _version(self, task: AgentTask) -> str:
        program = self._driver.launch(task).argv[0]
        over, printed = await self._asked(task, self._driver.version_argv())
        if over.cause is not Cause.EXITED or over.code != 0 or not printed:
            why = over.stderr.strip() or printed or f"exit code {over.code}, {over.cause}"
            raise AgentMissingError(f"{program} does not report its version: {why}", hint=self._driver.install_hint())
        return printed.splitlines()[0]

    async def _login(self, task: AgentTask) -> str:
        """Returns an empty text if the check takes too long: the first session then shows whether the login works."""
        argv = self._driver.login_argv()
        if not argv:
            return self._driver.login("")
        over, printed = await self._asked(task, argv)
        return self._driver.login(printed or clean(over.stderr)) if over.cause is Cause.EXITED else ""

    async def _asked(self, task: AgentTask, argv: tuple[str, ...]) -> tuple[Exit, str]:
        """Runs a command of the agent that is not a session, and returns what it printed."""
        launch = self._driver.launch(task)
        lines: list[bytes] = []
        asked = replace(launch, argv=argv, stdin=b"")
        async with self._lent(task, launch, kept=False):
            over = await self._run(task, asked, room_of(task, launch), lines.append)
        return over, clean(b"\n".join(lines).decode(errors="replace")).strip()

    def _lent(self, task: AgentTask, launch: Launch, *, kept: bool) -> contextlib.AbstractAsyncContextManager[None]:
        """Lends the login to a confined agent; an agent without a sandbox uses the user's own folder."""
        login = launch.home_files.login
        if login is None:
            return contextlib.nullcontext()
        learn_secrets(login)
        if isinstance(self._sandbox, Unconfined):
            return contextlib.nullcontext()
        return self._lender.lending(login, task.home, kept=kept)

    async def _run(self, task: AgentTask, launch: Launch, room: Room, on_line: Callable[[bytes], None]) -> Exit:
        spawn = Spawn(
            argv=launch.argv,
            cwd=task.workdir,
            env=launch.env,
            marker=task.marker,
            wall_seconds=task.limits.wall_seconds,
            silence_seconds=task.limits.silence_seconds,
            stdin=launch.stdin,
            stop_signals=self._driver.stop_signals,
            output_bytes=task.limits.output_bytes,
        )
        try:
            return await supervise(self._sandbox.enclosed(spawn, room), on_line)
        except OSError as failure:
            raise AgentMissingError(
                f"{launch.argv[0]} cannot be started: {failure.strerror}: {failure.filename}",
                hint=self._driver.install_hint(),
            ) from failure


def _reading(transcript: Transcript, log: AttemptLog, listener: Listener) -> Callable[[bytes], None]:
    announce, clean = guarded(listener), Lined(LINE_BYTES)

    def on_line(printed: bytes) -> None:
        line = clean.line(printed)  # redacted here, because logs, events and reports are made from it
        log.line(line)
        for event in transcript.feed(line):
            announce(event)

    return on_line


def guarded(listener: Listener) -> Listener:
    """Logs what a listener raises, because a listener must not break an attempt."""

    def announce(event: AgentEvent) -> None:
        try:
            listener(event)
        except Exception:
            _logger.exception("a listener failed on an event of kind %s", event.kind)

    return announce


def redacting(listener: Listener) -> Listener:
    """Redacts events that were not read from redacted lines."""
    return lambda event: listener(replace(event, text=redacted(event.text)))


def without_secrets(report: AgentReport) -> AgentReport:
    return replace(report, answer=redacted(report.answer), detail=redacted(report.detail), said=redacted(report.said))


def lay(home: Path, files: Mapping[str, str]) -> None:
    """Creates the attempt's own folder and the driver's files in it, for the user's eyes only: they may hold keys."""
    (home / "tmp").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")


def room_of(task: AgentTask, launch: Launch) -> Room:
    """Returns what a confined attempt may access on the machine: its own files, and its login."""
    own = launch.home_files
    return Room(
        tree=task.workdir,
        writable=(task.home, *task.writable),
        readable=(*task.readable, *own.reads, *(own.login.readable if own.login else ())),
        programs=(*named_files(launch.argv), *named_files(task.toolbox)),
        house=task.home / "house",
        stand_ins={own.login.folder: task.home / LOGIN_FOLDER} if own.login else {},
    )


def from_path(program: str, env: Mapping[str, str]) -> str:
    """Finds a program that is named without a folder in the user's own PATH, and never in the attempt's workspace.
    Raises FileNotFoundError.
    """
    if os.sep in program:
        return program
    folders = [folder for folder in env.get("PATH", os.defpath).split(os.pathsep) if folder.startswith(os.sep)]
    found = shutil.which(program, path=os.pathsep.join(folders)) if folders else None
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    return found


def named_files(words: Iterable[str]) -> tuple[str, ...]:
    """Returns those words of a command that are full paths of files: the program, and a script for it to run."""
    return tuple(word for word in words if word.startswith("/") and os.path.isfile(word))  # noqa: PTH113 - words, not paths


def detailed(report: AgentReport, over: Exit, log: AttemptLog) -> str:
    """Adds what the sandbox refused, which may be why the agent failed and which it seldom says itself. If the harness
    ended the agent, also adds the end of its standard error.
    """
    remarks = () if report.ending is Ending.FINISHED else over.remarks
    ended = report.ending in {Ending.TIMED_OUT, Ending.SILENT, Ending.FLOODED}
    complaint = clean(over.stderr).strip()[-_COMPLAINT:] if ended else ""
    return "\n".join(part for part in (report.detail, complaint, *remarks, log.failure) if part)


def judged(report: AgentReport, over: Exit, limits: AgentLimits) -> AgentReport:
    """An exceeded limit overrides what the agent said about its end; its usage and answer stay.

    If something other than the harness ended the agent by a signal, its usage is unknown, because the final event may
    be forged too.
    """
    if by_signal(over.code) and over.cause in {Cause.EXITED, Cause.FLOODED}:
        report = replace(report, usage=NOTHING_USED)
    if report.ending in {Ending.RATE_LIMITED, Ending.OVERLOADED} and over.cause not in {Cause.FLOODED, Cause.EXCEEDED}:
        return report  # it reached the time limit while it waited for the rate limit to end
    match over.cause:
        case Cause.EXITED:
            return report
        case Cause.TIMED_OUT:
            return replace(report, ending=Ending.TIMED_OUT, detail=f"still running after {limits.wall_seconds:g} s")
        case Cause.SILENT:
            return replace(report, ending=Ending.SILENT, detail=f"no output for {limits.silence_seconds:g} s")
        case Cause.FLOODED:
            return replace(report, ending=Ending.FLOODED, detail=f"more than {limits.output_bytes} bytes of output")
        case Cause.EXCEEDED:
            return replace(report, ending=Ending.CRASHED, detail=over.exceeded)
