"""Parrot, an agent that reads its prompt from standard input and prints its answer."""

import signal
from collections.abc import Iterable, Mapping
from pathlib import Path

from shiftwork.adapters.agents._driver import Launch, Transcript
from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.agent_options import AgentOptions
from shiftwork.adapters.agents.json_lines import crash
from shiftwork.ports.agent import Agent, AgentEvent, AgentReport, AgentTask, Ending, EventKind


def build(given: AgentOptions) -> Agent:
    return ProcessAgent(Parrot(given.program, given.env), given.sandbox, lender=given.lender)


class Parrot:
    """Drives `parrot --quiet`."""

    def __init__(self, program: Path, env: Mapping[str, str]) -> None:
        self.stop_signals: tuple[tuple[signal.Signals, float], ...] = ((signal.SIGTERM, 5.0),)
        self._program = str(program)
        self._env = dict(env)

    def launch(self, task: AgentTask) -> Launch:
        own = {"TMPDIR": str(task.home / "tmp"), "PWD": str(task.workdir)}
        argv = (self._program, "--quiet", *(("--model", task.model) if task.model else ()))
        return Launch(argv=argv, env=self._env | own | task.env, stdin=task.prompt.encode(errors="replace"))

    def transcript(self, _: AgentTask) -> Transcript:
        return _Answer()

    def version_argv(self) -> tuple[str, ...]:
        return (self._program, "--version")

    def install_hint(self) -> str:
        return "pip install parrot"

    def login_argv(self) -> tuple[str, ...]:
        return ()

    def login(self, _: str) -> str:
        return "with a key" if self._env.get("PARROT_KEY") else ""


class _Answer:
    """All that it printed."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def feed(self, line: bytes) -> Iterable[AgentEvent]:
        self._lines.append(line.decode(errors="replace"))
        yield AgentEvent(kind=EventKind.TEXT, text=self._lines[-1])

    def verdict(self, exit_code: int, stderr: str) -> AgentReport:
        answer = "\n".join(self._lines)
        if exit_code:
            return AgentReport(ending=Ending.CRASHED, answer=answer, detail=crash(exit_code, stderr))
        return AgentReport(ending=Ending.FINISHED, answer=answer)
