"""Any agent that speaks the Agent Client Protocol on its standard input and output.

For agents without an adapter of their own. Over this protocol a rate limit is a text answer like any other, and not
every agent reports its usage. Such an answer breaks the contract of its step, so nothing is merged because of it.
"""

import asyncio
import shlex
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from shiftwork.adapters.agents._driver import Launch
from shiftwork.adapters.agents._log import AttemptLog
from shiftwork.adapters.agents._process import (
    PROBE_LIMITS,
    detailed,
    from_path,
    guarded,
    judged,
    lay,
    redacting,
    room_of,
    without_secrets,
)
from shiftwork.adapters.agents.acp.connection import Line
from shiftwork.adapters.agents.agent_options import AgentOptions
from shiftwork.adapters.processes.supervisor.output_lines import LINE_BYTES
from shiftwork.adapters.processes.supervisor.supervise import Cause, Exit, Spawn, supervise
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.errors import AgentMissingError, SettingsError
from shiftwork.ports.agent import Agent, AgentReport, AgentTask, Listener
from shiftwork.records import replace
from shiftwork.redaction import Lined, redacted

_FAREWELL_SECONDS: Final = 2.0
"""How long an agent may take to exit by itself after its input was closed."""


def build(given: AgentOptions) -> Agent:
    """Raises SettingsError if the command cannot be split into words."""
    try:
        words = shlex.split(given.command)
    except ValueError as error:
        raise SettingsError(
            f"agent.command cannot be read: {error}", hint=f"fix its quotes: {given.command}"
        ) from error
    return AcpAgent(tuple(words), env=given.env, sandbox=given.sandbox)


class AcpAgent:
    """Starts the agent's command for every attempt. HOME stays the user's, because its logins are there."""

    def __init__(self, command: tuple[str, ...], *, env: Mapping[str, str], sandbox: Sandbox = OPEN) -> None:
        self._command = command
        self._env = dict(env)
        self._sandbox = sandbox

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        from shiftwork.adapters.agents.acp.conversation import Session  # noqa: PLC0415 - importing takes half a second

        lay(task.home, {})
        task = replace(task, prompt=redacted(task.prompt))
        session, line = Session(task, guarded(redacting(listener))), Line()
        with AttemptLog(task.log) as log:
            clean = Lined(LINE_BYTES)

            def on_line(printed: bytes) -> None:
                log.line(clean.line(printed))
                line.feed(printed)

            over, _ = await self._run(task, line, on_line, session.converse(line))
            for printed in over.stderr.splitlines():
                log.note({"type": "stderr", "text": printed})
            for remark in over.remarks:
                log.note({"type": "remark", "text": remark})
        report = judged(session.transcript.verdict(over.code, over.stderr), over, task.limits)
        complete = replace(report, detail=detailed(report, over, log), denials=tuple(session.workspace.denials))
        return without_secrets(complete)

    async def probe(self) -> str:
        from shiftwork.adapters.agents.acp.conversation import Session  # noqa: PLC0415 - as above

        with tempfile.TemporaryDirectory(prefix="shiftwork-probe-") as folder:
            home = Path(folder)
            task = AgentTask(
                prompt="", workdir=home, home=home, log=home / "log", marker=f"probe/{home.name}", limits=PROBE_LIMITS
            )
            lay(home, {})
            session, line = Session(task, lambda _: None), Line()
            over, version = await self._run(task, line, line.feed, session.greet(line))
        if not version:
            why = over.stderr.strip()[-500:] or f"exit code {over.code}, {over.cause}"
            raise AgentMissingError(f"{self._command[0]} does not answer as an ACP agent: {why}", hint=self._hint())
        return version.replace("\n", " ")

    async def _run[T](
        self, task: AgentTask, line: Line, on_line: Callable[[bytes], None], talk: Coroutine[Any, Any, T]
    ) -> tuple[Exit, T]:
        """Runs the program and the conversation side by side; when either ends, the other ends soon after."""
        talking = asyncio.create_task(talk)
        remarks: list[str] = []
        running = asyncio.create_task(self._supervised(task, on_line, line, remarks))
        try:
            await asyncio.wait({talking, running}, return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                await line.close()
                await asyncio.wait({running}, timeout=_FAREWELL_SECONDS)
            over = await self._over(running, remarks)
        finally:
            line.cut()
            await _ended(running)
            await _ended(talking, kindly=True)
        return over, talking.result()

    async def _over(self, running: asyncio.Task[Exit], remarks: Sequence[str]) -> Exit:
        if not running.done():
            await _ended(running)
            return Exit(code=0, cause=Cause.EXITED, seconds=0, stderr="", remarks=tuple(remarks))
        try:
            return running.result()
        except OSError as failure:
            raise AgentMissingError(
                f"{self._command[0]} cannot be started: {failure.strerror}: {failure.filename}", hint=self._hint()
            ) from failure

    async def _supervised(
        self, task: AgentTask, on_line: Callable[[bytes], None], line: Line, remarks: list[str]
    ) -> Exit:
        """Collects the remarks even if the program has to be ended."""
        own = {"TMPDIR": str(task.home / "tmp"), "PWD": str(task.workdir)}
        argv = (from_path(self._command[0], self._env), *self._command[1:])
        launch = Launch(argv=argv, env=self._env | own | task.env, stdin=b"")
        spawn = Spawn(
            argv=launch.argv,
            cwd=task.workdir,
            env=launch.env,
            marker=task.marker,
            wall_seconds=task.limits.wall_seconds,
            silence_seconds=task.limits.silence_seconds,
            output_bytes=task.limits.output_bytes,
        )
        spawn = self._sandbox.enclosed(spawn, room_of(task, launch))
        try:
            return await supervise(spawn, on_line, line.connect)
        finally:
            remarks += spawn.sidecar.remarks if spawn.sidecar else ()

    def _hint(self) -> str:
        return f"check that the command in the settings is an ACP agent and can be run: {' '.join(self._command)}"


async def _ended(task: asyncio.Task[Any], *, kindly: bool = False) -> None:
    """Waits until the task is done; cancels it first unless `kindly`, and again if the caller is cancelled."""
    if not kindly:
        task.cancel()
    impatient: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as cancelled:
            impatient = cancelled
            task.cancel()
    if impatient:
        raise impatient
