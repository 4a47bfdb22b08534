"""What an agent's tools are given: the task, if the agent is offered tools."""

import asyncio
import json
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.domain.run.state import RunStatus
from shiftwork.ports.agent import AgentTask
from tests.app.rig import SHORT, Rig, done


@pytest.mark.parametrize("offered", [True, False])
def test_the_task_is_described_to_an_agent_that_is_offered_tools(rig: Rig, *, offered: bool) -> None:
    sheets: list[Path] = []

    def script(task: AgentTask) -> Turn:
        sheets.extend(folder / "task.json" for folder in map(Path, task.toolbox[1:]))
        return done(write={"work.txt": "work"})

    rig.script, rig.toolbox = script, ("tools",) if offered else ()
    assert asyncio.run(rig.run(workflow=SHORT)).status is RunStatus.COMPLETED
    stories = [json.loads(sheet.read_text())["story"]["id"] for sheet in sheets]
    assert set(stories) == ({"US-001"} if offered else set())
