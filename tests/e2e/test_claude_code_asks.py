"""The real Claude Code asks a question over MCP: other stories continue, the process dies, and a person answers."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Turn, call
from tests.e2e.claude_rig import Handover, Play
from tests.patience import SECONDS

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.slow, pytest.mark.timeout(1200)]

ASKS, FIRST, SECOND, THIRD = (f"US-00{number}" for number in (1, 2, 3, 4))
QUESTION = "Tabs or blanks?"
STORIES = [
    {"id": story, "title": f"Part {story}", "acceptanceCriteria": ["It is there"]}
    for story in (ASKS, FIRST, SECOND, THIRD)
]


HELD = {SECOND, THIRD}


def letting_go(root: Path) -> Play:
    """Does every story's part; those that are held wait for a file before they begin."""

    def play(_: str, request: ModelRequest) -> Turn | None:
        found = re.search(r"^## Story (US-\d+):", request.prompt, re.MULTILINE)
        assert found, request.prompt
        story = found[1]
        if story == ASKS and "Answer:" not in request.prompt:
            return asks(request)
        if request.turn > 0:
            return None
        wait = f"until test -e {root / story}; do sleep 0.2; done; " if story in HELD else ""
        return call("Bash", command=f"{wait}echo done > {story}.txt", timeout=600_000)

    return play


def asks(request: ModelRequest) -> Turn | None:
    """Asks after the first half of the work; the tool's answer is the last message it receives."""
    match request.turn:
        case 0:
            return call("Write", file_path="half.txt", content="half\n")
        case 1:
            return call("mcp__shiftwork__ask", question=QUESTION, options=["tabs", "blanks"])
        case _:
            assert "end your session now" in request.last_tool_result
            return None


def test_others_continue_while_it_waits_and_neither_question_nor_work_is_lost_with_the_process(
    tmp_path: Path, claude_program: Path, scripted_model: ModelServer
) -> None:
    handover = Handover(root=tmp_path, program=claude_program, server=scripted_model)
    handover.prepare(gate="! grep -l wrong US-*.txt")
    (handover.repo / "prd.json").write_text(json.dumps({"project": "Parts", "userStories": STORIES}))
    handover.play(letting_go(handover.shared))
    with handover.started("run", "prd.json", "--workflow", "ralph", "--parallel", "3") as killed:
        handover.wait_until(lambda stories: waits(stories) and landed(stories) == {FIRST})
        killed.kill()
        killed.wait(timeout=SECONDS)
    with handover.started("resume") as resumed:
        (handover.shared / SECOND).touch()
        handover.wait_until(lambda stories: waits(stories) and landed(stories) == {FIRST, SECOND})
        completed = handover.shiftwork("answer", ASKS, "2")
        assert completed.returncode == 0, completed.stdout + completed.stderr
        handover.wait_until(lambda stories: landed(stories) == {FIRST, SECOND, ASKS})
        (handover.shared / THIRD).touch()
        assert resumed.wait(timeout=SECONDS) == 0, (handover.root / "output").read_text()

    assert sorted(handover.log()) == sorted(
        ["start", *(f"feat: {values['id']} - Part {values['id']}" for values in STORIES)]
    )
    assert handover.log()[0] == f"feat: {THIRD} - Part {THIRD}"
    assert handover.git("show", "main:half.txt") == "half", "what was done before the question is kept"
    assert [number for _, number in handover.attempts(ASKS)] == [1, 2]
    asked, answered = (prompt for prompt in handover.asked() if f"## Story {ASKS}" in prompt)
    assert "Answer:" not in asked
    assert f"> {QUESTION}\n\nAnswer: blanks\n" in answered


def waits(stories: dict[str, Any]) -> bool:
    return ASKS in stories and QUESTION in stories[ASKS]["waiting"]


def landed(stories: dict[str, Any]) -> set[str]:
    return {story for story, item in stories.items() if item["status"] == "completed"}
