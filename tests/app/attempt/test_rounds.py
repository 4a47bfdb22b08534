"""The rounds of a team end by a claim about this story alone."""

import asyncio

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.runtime.context import Sighting
from shiftwork.app.views.live.board import Board
from shiftwork.domain.core.ids import StoryId, story_stream
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


def test_a_turn_that_does_not_decide_is_shown_as_what_it_is(rig: Rig) -> None:
    prompts: dict[str, str] = {}

    def script(task: AgentTask) -> Turn:
        name = task.env["SHIFTWORK_STEP_NAME"]
        decides = "VERDICT: done\n" if name in prompts else ""
        prompts[name] = task.prompt
        said = "HANDOFF: part\n" if name == "coder" else decides
        return Turn(write={"work.txt": f"{len(prompts)}\n"}, answer=f"{said}SUMMARY: looked at {task.log.name}")

    async def changes() -> list[str]:
        run = await rig.run(workflow=TEAM)
        board = Board()
        for fact in await rig.facts(run):
            board.see(Sighting(stream=story_stream(run.given.run, StoryId("US-001")), what=fact))
        return [change.text for change in board.changes if change.event == "step_routed"]

    rig.script = script
    assert asyncio.run(changes()) == ["again (the answer does not say)"]
    assert "The answer has no VERDICT:, which counts as again." in prompts["coder"]
