"""The `ralph` workflow with the real Claude Code: one session per story, a gate before landing, repair if red."""

import json
from pathlib import Path

import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Turn, call
from tests.e2e.claude_rig import Handover, summary

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = pytest.mark.real_agent

STORIES = [
    {
        "id": f"US-00{number}",
        "title": f"Part {number}",
        "description": f"Write part {number} into part-{number}.txt",
        "acceptanceCriteria": ["It is there"],
    }
    for number in (1, 2)
]


def writes_its_part(kind: str, request: ModelRequest) -> Turn | None:
    """The second part is wrong until the gate's own words are in the prompt."""
    if request.turn:
        return summary(f"{kind} [/red] [bold]done[/] \x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J end")
    number = 1 if "part-1.txt" in request.prompt else 2
    wrong = number == 2 and "part 2 is broken" not in request.prompt
    return call("Write", file_path=f"part-{number}.txt", content="broken\n" if wrong else "fine\n")


def test_each_story_is_one_session_what_is_red_is_repaired_and_no_answer_touches_the_terminal(
    tmp_path: Path, claude_program: Path, scripted_model: ModelServer
) -> None:
    handover = Handover(root=tmp_path, program=claude_program, server=scripted_model)
    # Its output must not occur in the command, because prompts contain the command too.
    gate = "if grep -qs broken part-2.txt; then printf 'part %s is broken' 2; exit 1; fi"
    handover.prepare(gate=gate)
    (handover.repo / "prd.json").write_text(json.dumps({"project": "Parts", "userStories": STORIES}))
    handover.play(writes_its_part)
    ran = handover.shiftwork("run", "prd.json", "--workflow", "ralph", "--parallel", "1")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert handover.log() == ["feat: US-002 - Part 2", "feat: US-001 - Part 1", "start"]
    steps = [[step["type"] for step in story["steps"]] for story in handover.status()["stories"]]
    assert steps == [["coding"], ["coding", "coding"]]
    base, first, red, again, green = handover.proved()
    assert red == again != green, "a red gate is tried once more before it is believed"
    start = handover.git("rev-list", "--max-parents=0", "main")
    assert base == handover.git("rev-parse", f"{start}^{{tree}}"), "known before the first session, and asked once"
    assert [first, green] == [handover.git("rev-parse", f"main{place}^{{tree}}") for place in ("~", "")]
    shown = ran.stdout + handover.shiftwork("status").stdout + handover.shiftwork("logs").stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown
