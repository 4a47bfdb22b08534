"""Real agents with a scripted model: their stage, a task, and what every agent that runs as a program must do."""

import asyncio
import itertools
import os
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil

from shiftwork.adapters.agents._driver import Driver
from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.ports.agent import Agent, AgentEvent, AgentLimits, AgentReport, AgentTask, Ending, EventKind
from shiftwork.testing.conformance.agent import AgentConformance, marked
from shiftwork.testing.model_server import Hang, ModelRequest, ModelServer, Say, Turn

HERE = Path(__file__).parents[1]
TOOLBOX = (sys.executable, str(HERE / "front" / "toolbox_server.py"))
SCRIPT = "s"


class ScriptedStage(ABC):
    """Each agent plays a script of its own."""

    long_work: Turn
    """The call of a tool that takes more than a minute."""

    def __init__(self, model: ModelServer) -> None:
        self._model = model
        self._names = (f"stage-{number}" for number in itertools.count())

    @abstractmethod
    def agent(self, script: str) -> Agent:
        """One whose model plays the script."""

    @abstractmethod
    def not_installed(self) -> Agent: ...

    def plays(self, turns: Sequence[Turn], script: str) -> Agent:
        self._model.load(script, turns)
        return self.agent(script)

    def answers(self, text: str) -> Agent:
        script = next(self._names)
        self._model.load(script, lambda _: Say(text=text))
        return self.agent(script)

    def works_on(self) -> Agent:
        return self.plays([self.long_work, Say(text="Too late.")], next(self._names))

    def falls_silent(self) -> Agent:
        return self.plays([Hang(seconds=70)], next(self._names))


class ProgramStage(ScriptedStage):
    """An agent that is a program, started again for each attempt."""

    def __init__(self, program: Path, model: ModelServer, sandbox: Sandbox = OPEN) -> None:
        super().__init__(model)
        self._program = program
        self._sandbox = sandbox

    @abstractmethod
    def driver(self, program: Path, model: str) -> Driver:
        """For a model at this address."""

    def agent(self, script: str) -> Agent:
        return ProcessAgent(self.driver(self._program, self._model.url(script)), self._sandbox)

    def not_installed(self) -> Agent:
        return ProcessAgent(self.driver(Path("/nowhere/agent"), self._model.url("nobody")), self._sandbox)


@contextmanager
def new_task(folder: Path) -> Iterator[AgentTask]:
    """A task for one attempt; whatever was started for it must be gone when this is left."""
    workdir = folder / "workdir"
    workdir.mkdir()
    given = AgentTask(
        prompt="Do it, please: äöü.",
        workdir=workdir,
        home=folder / "home",
        log=folder / "log.jsonl",
        marker=f"agent{folder}",
        limits=AgentLimits(wall_seconds=120, silence_seconds=120),
    )
    yield given
    assert marked(given.marker) == []


def attempted(agent: Agent, task: AgentTask) -> tuple[AgentReport, list[AgentEvent]]:
    events: list[AgentEvent] = []
    return asyncio.run(agent.attempt(task, events.append)), events


def played(stage: ScriptedStage, turns: Sequence[Turn], task: AgentTask) -> tuple[AgentReport, list[AgentEvent]]:
    return attempted(stage.plays(turns, SCRIPT), task)


def last_asked(model: ModelServer) -> ModelRequest:
    """The last request of the conversation; agents send requests of their own after that now and then."""
    return next(request for request in reversed(model.requests(SCRIPT)) if request.last_tool_result)


def kinds(events: list[AgentEvent]) -> list[EventKind]:
    return [event.kind for event in events]


class ProgramConformance(AgentConformance):
    """Subclasses give the fixtures `stage` and `task`, and say what is asked of the agent."""

    process: str
    """What the agent's own process is called."""

    model: str
    """A model that it does not use by default."""

    at_once: int

    def writes(self, file: str, text: str) -> Turn:
        """The call of a tool that writes the text into a file of the workspace."""
        raise NotImplementedError

    def test_a_model_is_asked_for_by_name(
        self, stage: ScriptedStage, scripted_model: ModelServer, task: AgentTask
    ) -> None:
        report, _ = played(stage, [Say(text="Done.")], replace(task, model=self.model))
        assert report.model == self.model
        assert scripted_model.requests(SCRIPT)[0].conversation.model == self.model

    def test_a_long_prompt_arrives_whole(
        self, stage: ScriptedStage, scripted_model: ModelServer, task: AgentTask
    ) -> None:
        prompt = "".join(f"line {number}: nothing to see, go on.\n" for number in range(9000)) + "The end."
        assert len(prompt) > 300_000
        report, _ = played(stage, [Say(text="Read.")], replace(task, prompt=prompt))
        assert (report.ending, report.answer) == (Ending.FINISHED, "Read.")
        assert scripted_model.requests(SCRIPT)[0].prompt == prompt

    def test_killed_it_has_crashed(self, stage: ScriptedStage, scripted_model: ModelServer, task: AgentTask) -> None:
        async def kill() -> AgentReport:
            attempt = asyncio.create_task(stage.plays([Hang(seconds=120)], SCRIPT).attempt(task, lambda _: None))
            assert await asyncio.to_thread(scripted_model.wait_for, SCRIPT, 1, 100)
            os.kill(self._eldest(task.marker), signal.SIGKILL)
            return await attempt

        report = asyncio.run(kill())
        assert (report.ending, report.answer) == (Ending.CRASHED, "")
        assert "SIGKILL" in report.detail

    def _eldest(self, marker: str) -> int:
        """The agent itself. What it is about to start looks like it for a moment, and may be gone at the next."""
        found: list[tuple[float, int]] = []
        for pid in marked(marker):
            with suppress(psutil.NoSuchProcess):
                process = psutil.Process(pid)
                if process.name() == self.process:
                    found.append((process.create_time(), pid))
        return min(found)[1]

    def test_many_at_once_do_not_disturb_each_other(self, stage: ScriptedStage, task: AgentTask) -> None:
        numbers = range(self.at_once)

        def turns(number: int) -> list[Turn]:
            return [self.writes(f"{number}.txt", str(number)), Say(text=f"Done {number}.")]

        async def together() -> list[AgentReport]:
            agents = [stage.plays(turns(number), f"many-{number}") for number in numbers]
            tasks = [
                replace(
                    task,
                    marker=f"{task.marker}/{number}",
                    home=task.home / str(number),
                    log=task.log.with_name(f"{number}.jsonl"),
                )
                for number in numbers
            ]
            pairs = zip(agents, tasks, strict=True)
            return await asyncio.gather(*(agent.attempt(given, lambda _: None) for agent, given in pairs))

        reports = asyncio.run(together())
        ends = [(report.ending, report.answer, report.detail) for report in reports]
        assert ends == [(Ending.FINISHED, f"Done {number}.", "") for number in numbers]
        assert {path.name for path in task.workdir.iterdir()} == {f"{number}.txt" for number in numbers}
