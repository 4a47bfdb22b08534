"""The rounds of a team end by a claim about this story alone."""

import asyncio

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.workflow.workflow import Route
from shiftwork.ports.agent import AgentTask
from shiftwork.testing.builders import planned
from tests.app.rig import Rig, story_workflow

TEAM = story_workflow(
    planned("coder", input="Code.", output_keys=("handoff",)),
    planned(
        "tester",
        input="Test.",
        decision_key="VERDICT",
        routes=(Route(value="done"), Route(value="again", target="coder", back=True, rounds=3)),
        default="again",
        completes=True,
    ),
)


@pytest.mark.parametrize(("claim", "rounds"), [("US-001", 1), ("US-002", 3), ("no, not yet", 3)])
def test_only_the_storys_own_id_ends_the_rounds(rig: Rig, claim: str, rounds: int) -> None:
    turns: list[str] = []

    def script(task: AgentTask) -> Turn:
        turns.append(task.env["SHIFTWORK_STEP_NAME"])
        if turns[-1] == "coder":
            text = f"HANDOFF: part {len(turns)}\nSUMMARY: did part {len(turns)}"
            return Turn(write={"work.txt": "x\n" * len(turns)}, answer=text)
        return Turn(answer=f"SUMMARY: looked at {len(turns)}\nSTORY_COMPLETE: {claim}")

    rig.script = script
    run = asyncio.run(rig.run(workflow=TEAM))
    assert run.status is RunStatus.COMPLETED
    assert turns.count("tester") == rounds
