"""The real Claude Code works on twelve stories: in parallel, in order, with a conflict, a flaky gate and a failure."""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Turn, call
from tests.e2e.claude_rig import Handover
from tests.patience import LONG_SECONDS

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.slow, pytest.mark.timeout(1200)]

RED, BLUE, FLAKY, FAILING, BLOCKED = "US-001", "US-005", "US-008", "US-009", "US-010"
COLOURS = {RED: "red", BLUE: "blue"}
"""Both begin at once, as the heads of the two longest ways, and both change the same line."""

NEEDS: dict[str, Sequence[str]] = {
    RED: (),  # the top of a diamond
    "US-002": (RED,),
    "US-003": (RED,),
    "US-004": ("US-002", "US-003"),
    BLUE: (),  # the head of a chain
    "US-006": (BLUE,),
    "US-007": ("US-006",),
    FLAKY: (),
    FAILING: (),
    BLOCKED: (FAILING,),
    "US-011": (),
    "US-012": (),
}
LANDING = NEEDS.keys() - {FAILING, BLOCKED}

GATE = """\
set -e
for part in parts/*.txt; do
  if grep -q broken $part; then echo "$part is broken"; exit 1; fi
  for needed in $(sed -n 's/^needs //p' $part); do
    if [ ! -f parts/$needed.txt ]; then echo "$part is there without $needed"; exit 1; fi
  done
done
if grep -q '^[<=>]' colours.txt; then echo "colours.txt has conflict markers"; exit 1; fi
if [ -f parts/US-001.txt ]; then grep -qw red colours.txt; fi
if [ -f parts/US-005.txt ]; then grep -qw blue colours.txt; fi
"""

FLAKE = """\
if git log -1 --format=%s | grep -q {story} && mkdir {once} 2> /dev/null; then
  echo "the network was away"
  exit 1
fi
"""
"""Red the first time that it sees the story's commit, and never again: what it remembers is outside of every tree."""

SMALL = "Here is what I did.\n\nSIZE: small\nSUMMARY:\nit is done\n"
"""Two sessions a story: what they do is proved by other tests, and here it is many of them at once."""


def prd() -> str:
    stories = [
        {"id": story, "title": f"Write part {story}", "acceptanceCriteria": ["It is there"], "priority": number}
        | {"dependsOn": list(needs), "passes": False, "notes": "", "x-owner": {"passes": False}}
        for number, (story, needs) in enumerate(NEEDS.items(), start=1)
    ]
    return json.dumps({"project": "Parts", "branchName": "main", "userStories": stories}, indent=3) + "\n"


# What the model does ------------------------------------------------------------------------------------------------


def works(kind: str, request: ModelRequest) -> Turn | None:
    match kind:
        case "coding":
            return codes(story_of(request)) if request.turn == 0 else Say(text=SMALL)
        case "rebase_resolve":
            return resolves(request)
        case _:
            return None


def story_of(request: ModelRequest) -> str:
    found = re.search(r"^## Story (US-\d+):", request.prompt, re.MULTILINE)
    assert found, request.prompt[:500]
    return found[1]


def codes(story: str) -> Turn:
    text = "broken" if story == FAILING else "\n".join(["fine", *(f"needs {needed}" for needed in NEEDS[story])])
    commands = [f"printf '%s\\n' '{text}' > parts/{story}.txt"]
    if colour := COLOURS.get(story):
        commands.append(f"sed -i 's/^colours:.*/& {colour}/' colours.txt")
    return call("Bash", command="; ".join(commands))


def resolves(request: ModelRequest) -> Turn | None:
    if request.turn == 0:
        return call("Read", file_path="colours.txt")
    if request.turn == 1:
        shown = request.last_tool_result
        assert "<<<<<<<" in shown, shown
        assert all(colour in shown for colour in COLOURS.values()), "both sides are there to choose from"
        return call("Write", file_path="colours.txt", content="colours: red blue\n")
    return None


# What came of it ----------------------------------------------------------------------------------------------------


@pytest.fixture
def handover(tmp_path: Path, claude_program: Path, scripted_model: ModelServer) -> Handover:
    handover = Handover(root=tmp_path, program=claude_program, server=scripted_model)
    handover.prepare(gate=f"sh gate.sh && sh {handover.shared}/flake.sh", tools=False, workflow="")
    (handover.shared / "flake.sh").write_text(FLAKE.format(story=FLAKY, once=handover.shared / "flaked"))
    with (handover.repo / "shiftwork.toml").open("a") as settings:
        settings.write("\n[limits]\nrepairs = 1\n")
    (handover.repo / "gate.sh").write_text(GATE)
    (handover.repo / "prd.json").write_text(prd())
    (handover.repo / "colours.txt").write_text("colours:\n")
    (handover.repo / "parts").mkdir()
    (handover.repo / "parts" / "start.txt").write_text("fine\n")
    handover.git("add", "-A")
    handover.git("commit", "--quiet", "-m", "a plan of twelve stories")
    handover.play(works)
    return handover


def test_twelve_stories_at_once_end_as_they_should(handover: Handover) -> None:
    before = handover.git("rev-parse", "main")
    ran = handover.shiftwork("run", "prd.json", "--parallel", "4", timeout=LONG_SECONDS)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    stories = {story["story"]: story for story in handover.status()["stories"]}
    landed = handover.git("log", "--reverse", "--format=%H %s", f"{before}..main").splitlines()
    assert_each_landed_once_and_in_order(stories, [line.partition(" ")[2] for line in landed])
    assert_the_failure_blocks(handover, stories)
    assert_the_conflict_was_resolved_and_reviewed_again(stories)
    assert_the_flake_cost_no_repair(handover, stories[FLAKY])
    assert_only_what_landed_is_written(handover)
    assert_every_commit_passes_alone(handover, [line.partition(" ")[0] for line in landed])


def assert_each_landed_once_and_in_order(stories: dict[str, Any], landed: list[str]) -> None:
    assert {name for name, story in stories.items() if story["status"] == "completed"} == LANDING
    assert len(LANDING) >= 10
    assert Counter(landed) == Counter(f"feat: {story} - Write part {story}" for story in LANDING)
    order = [line.split()[1] for line in landed]
    for story in LANDING:
        assert all(order.index(needed) < order.index(story) for needed in NEEDS[story])
        ended = [stories[needed]["ended_at"] for needed in NEEDS[story]]
        assert all(at <= stories[story]["started_at"] for at in ended), "it began when what it needs had landed"


def assert_the_failure_blocks(handover: Handover, stories: dict[str, Any]) -> None:
    failed, blocked = stories[FAILING], stories[BLOCKED]
    assert (failed["status"], failed["commit"]) == ("failed", "")
    assert f"parts/{FAILING}.txt is broken" in failed["failure"]
    assert (blocked["status"], blocked["failure"]) == ("blocked", f"depends on {FAILING}, which failed")
    assert blocked["started_at"] is None
    assert f"blocked: depends on {FAILING}, which failed" in handover.shiftwork("status").stdout


def taken(story: dict[str, Any]) -> list[tuple[str, int]]:
    """The steps that were not skipped, and how often each was attempted."""
    return [(step["type"], step["attempts"]) for step in story["steps"] if step["status"] == "completed"]


def assert_the_conflict_was_resolved_and_reviewed_again(stories: dict[str, Any]) -> None:
    second, first = sorted((taken(stories[RED]), taken(stories[BLUE])), key=len, reverse=True)
    assert first == [("coding", 1), ("final_review", 1)]
    assert second == [("coding", 1), ("rebase_resolve", 1), ("final_review", 2)]


def assert_the_flake_cost_no_repair(handover: Handover, story: dict[str, Any]) -> None:
    assert (handover.shared / "flaked").exists(), "the gate was red once"
    assert taken(story) == [("coding", 1), ("final_review", 1)]


def assert_only_what_landed_is_written(handover: Handover) -> None:
    text = (handover.repo / "prd.json").read_text()
    passes = {story["id"]: story["passes"] for story in json.loads(text)["userStories"]}
    assert passes == {story: story in LANDING for story in NEEDS}
    plain, notes = re.subn(r'"notes": "Landed as [0-9a-f]{12} by shiftwork run \w+, [^"]+"', '"notes": ""', text)
    assert notes == len(LANDING)
    assert plain.replace('"passes": true', '"passes": false') == prd(), "nothing else in the file has changed"
    assert handover.git("status", "--porcelain") == "M prd.json", "nor in the user's checkout"


def assert_every_commit_passes_alone(handover: Handover, commits: list[str]) -> None:
    proved = set(handover.proved())
    alone = handover.root / "alone"
    handover.git("clone", "--quiet", ".", str(alone))
    for commit in commits:
        assert handover.git("rev-parse", f"{commit}^{{tree}}") in proved, "the gate ran on the very tree that landed"
        subprocess.run(("git", "checkout", "--quiet", "--detach", commit), cwd=alone, check=True)
        checked = subprocess.run(("sh", "gate.sh"), cwd=alone, capture_output=True, text=True, check=False)
        assert checked.returncode == 0, f"{commit} is red: {checked.stdout}"
    assert (alone / "colours.txt").read_text() == "colours: red blue\n"
