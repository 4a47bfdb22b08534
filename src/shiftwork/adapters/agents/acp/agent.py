"""Any agent that speaks the Agent Client Protocol on its standard input and output.

For agents without an adapter of their own: over this protocol a rate limit is an answer in words like any other, and
not every agent tells what it has used. What such an answer breaks is the contract of its step, so nothing lands by it.
"""

import asyncio
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
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
from shiftwork.adapters.processes.supervisor.output_lines import LINE_BYTES
from shiftwork.adapters.processes.supervisor.supervise import Cause, Exit, Spawn, supervise
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.errors import AgentMissingError
from shiftwork.ports.agent import AgentReport, AgentTask, Listener
from shiftwork.redaction import Lined, redacted

_FAREWELL_SECONDS: Final = 2.0
"""How long an agent may take to end by itself after the line was closed."""


class AcpAgent:
    """Runs the command of an agent for every attempt anew. Its HOME stays the user's, where its logins are."""

    def __init__(self, command: tuple[str, ...], *, env: Mapping[str, str], sandbox: Sandbox = OPEN) -> None:
        self._command = command
        self._env = dict(env)
        self._sandbox = sandbox

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        from shiftwork.adapters.agents.acp.conversation import Session  # noqa: PLC0415 - half a second, when it is needed

        lay(task.home, {})
        task = replace(task, prompt=redacted(task.prompt))
        session, line = Session(task, guarded(redacting(listener))), Line()
        with AttemptLog(task.log) as log:
            clean = Lined(LINE_BYTES)

            def on_line(printed: bytes) -> None:
                log.line(clean.line(printed))
                line.hear(printed)

            over, _ = await self._run(task, line, on_line, session.converse(line))
            for printed in over.stderr.splitlines():
                log.note({"type": "stderr", "text": printed})
            for remark in over.remarks:
                log.note({"type": "remark", "text": remark})
        report = judged(session.transcript.verdict(over.code, over.stderr), over, task.limits)
        told = replace(report, detail=detailed(report, over, log), denials=tuple(session.workspace.denials))
        return without_secrets(told)

    async def probe(self) -> str:
        from shiftwork.adapters.agents.acp.conversation import Session  # noqa: PLC0415 - as above

        with tempfile.TemporaryDirectory(prefix="shiftwork-probe-") as folder:
            home = Path(folder)
            task = AgentTask(
                prompt="", workdir=home, home=home, log=home / "log", marker=f"probe/{home.name}", limits=PROBE_LIMITS
            )
            lay(home, {})
            session, line = Session(task, lambda _: None), Line()
            over, told = await self._run(task, line, line.hear, session.greet(line))
        if not told:
            why = over.stderr.strip()[-500:] or f"exit code {over.code}, {over.cause}"
            raise AgentMissingError(f"{self._command[0]} does not greet as an ACP agent: {why}", hint=self._hint())
        return told.replace("\n", " ")

    async def _run[T](
        self, task: AgentTask, line: Line, on_line: Callable[[bytes], None], talk: Coroutine[Any, Any, T]
    ) -> tuple[Exit, T]:
        """Have the program and the talk side by side; whichever ends first, the other one ends soon after."""
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
        """Remarks are also there where it has to be ended."""
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
            remarks += spawn.company.remarks if spawn.company else ()

    def _hint(self) -> str:
        return f"see that the command of the settings is an ACP agent and can be run: {' '.join(self._command)}"


async def _ended(task: asyncio.Task[Any], *, kindly: bool = False) -> None:
    """Wait until it is over, having cancelled it first unless kindly; whoever cancels us meanwhile cancels it again."""
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
