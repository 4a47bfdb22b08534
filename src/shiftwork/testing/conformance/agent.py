"""What every agent adapter must do: a suite that runs on a stage from the adapter's tests."""

# ruff: noqa: S101 - suites use assert

import asyncio
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Protocol

import psutil
import pytest

from shiftwork.errors import AgentMissingError
from shiftwork.ports.agent import Agent, AgentEvent, AgentLimits, AgentTask, Ending
from shiftwork.records import replace

_LONG = AgentLimits(wall_seconds=90, silence_seconds=90)


class Stage(Protocol):
    """Agents that behave as the suite needs. Each is used for one or two attempts."""

    def answers(self, text: str) -> Agent:
        """Finishes with this answer."""
        ...

    def works_on(self) -> Agent:
        """Starts a tool (a child process of the agent) and is still working a minute later."""
        ...

    def falls_silent(self) -> Agent:
        """Prints nothing more after its start, and does not end."""
        ...

    def not_installed(self) -> Agent:
        """Its program does not exist."""
        ...


class AgentConformance:
    """Subclasses define the fixture `stage`; `patience` is the limit in seconds that an agent exceeds."""

    patience = 3.0

    def task(self, tmp_path: Path) -> AgentTask:
        """Override to add environment variables that the agent needs."""
        workdir = tmp_path / "workdir"
        workdir.mkdir()
        return AgentTask(
            prompt="Give your scripted answer.",
            workdir=workdir,
            home=tmp_path / "home",
            log=tmp_path / "logs" / "attempt.jsonl",
            marker=f"conformance{tmp_path}",
            limits=_LONG,
        )

    def test_finishes_with_its_answer(self, stage: Stage, tmp_path: Path) -> None:
        task, events = self.task(tmp_path), list[AgentEvent]()
        report = _run_scene(stage.answers("All is done.").attempt(task, events.append))
        assert (report.ending, report.answer) == (Ending.FINISHED, "All is done.")
        assert any("All is done." in event.text for event in events)
        assert "All is done." in task.log.read_text()
        assert marked(task.marker) == []

    def test_the_same_task_again_is_a_new_session(self, stage: Stage, tmp_path: Path) -> None:
        task, agent = self.task(tmp_path), stage.answers("Again.")
        reports = [_run_scene(agent.attempt(task, _ignore)) for _ in range(2)]
        assert [report.answer for report in reports] == ["Again.", "Again."]

    def test_a_listener_that_fails_breaks_nothing(self, stage: Stage, tmp_path: Path) -> None:
        def fails(event: AgentEvent) -> None:
            raise RuntimeError(event.kind)

        report = _run_scene(stage.answers("Heard.").attempt(self.task(tmp_path), fails))
        assert (report.ending, report.answer) == (Ending.FINISHED, "Heard.")

    def test_cancelled_it_leaves_no_process(self, stage: Stage, tmp_path: Path) -> None:
        task, agent = self.task(tmp_path), stage.works_on()

        async def cancel_when_at_work() -> None:
            attempt = asyncio.create_task(agent.attempt(task, _ignore))
            while len(marked(task.marker)) < 2 and not attempt.done():  # noqa: ASYNC110 - a process sends no event
                await asyncio.sleep(0.02)
            attempt.cancel()
            await attempt

        with pytest.raises(asyncio.CancelledError):
            _run_scene(cancel_when_at_work())
        assert marked(task.marker) == []

    def test_the_wall_clock_ends_it(self, stage: Stage, tmp_path: Path) -> None:
        task = replace(self.task(tmp_path), limits=AgentLimits(wall_seconds=self.patience, silence_seconds=90))
        began = time.monotonic()
        report = _run_scene(stage.works_on().attempt(task, _ignore))
        assert report.ending is Ending.TIMED_OUT
        assert report.detail
        assert self.patience <= time.monotonic() - began < 60, "long before it would have ended"
        assert marked(task.marker) == []

    def test_silence_ends_it(self, stage: Stage, tmp_path: Path) -> None:
        task = replace(self.task(tmp_path), limits=AgentLimits(wall_seconds=90, silence_seconds=self.patience))
        report = _run_scene(stage.falls_silent().attempt(task, _ignore))
        assert report.ending is Ending.SILENT
        assert report.detail
        assert marked(task.marker) == []

    def test_too_much_output_ends_it(self, stage: Stage, tmp_path: Path) -> None:
        task = replace(self.task(tmp_path), limits=replace(_LONG, output_bytes=1000))
        report = _run_scene(stage.answers("many words " * 1000).attempt(task, _ignore))
        assert report.ending is Ending.FLOODED
        assert task.log.stat().st_size < 3000

    def test_a_missing_program_is_reported_with_the_way_to_get_it(self, stage: Stage, tmp_path: Path) -> None:
        agent = stage.not_installed()
        with pytest.raises(AgentMissingError) as asked:
            _run_scene(agent.probe())
        assert asked.value.hint
        with pytest.raises(AgentMissingError):
            _run_scene(agent.attempt(self.task(tmp_path), _ignore))

    def test_the_probe_reports_one_line(self, stage: Stage) -> None:
        message = _run_scene(stage.answers("").probe())
        assert message
        assert "\n" not in message


def marked(marker: str) -> list[int]:
    """The live processes that have the marker as a value in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            borne = {value.partition("#")[0] for value in process.environ().values()}
            if marker in borne and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def _run_scene[T](scene: Coroutine[Any, Any, T]) -> T:
    async def bounded() -> T:
        async with asyncio.timeout(100):
            return await scene

    return asyncio.run(bounded())


def _ignore(event: AgentEvent) -> None:
    """Ignores events."""
