"""Workflows with antfarm's own fields, used unchanged, with the real Claude Code in every step."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Turn, call
from tests.documented import ROOT
from tests.e2e.claude_rig import Handover, step_name

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.slow]

FILES = ROOT / "tests" / "golden" / "workflows" / "antfarm_shape"
REQUEST = "Greet people in the morning and in the evening"


def taking_over(workflow: str, root: Path, program: Path, server: ModelServer) -> Handover:
    """A repository that holds the workflow where antfarm's users have it, trusted as it is."""
    handover = Handover(root=root, program=program, server=server)
    handover.prepare(gate="true")
    for folder in (f"workflows/{workflow}", "agents"):
        shutil.copytree(FILES / folder, handover.repo / folder)
    handover.git("add", "-A")
    handover.git("commit", "--quiet", "-m", "a workflow")
    return handover


# feature-dev ----------------------------------------------------------------------------------------------------------

PLAN = json.dumps(
    [
        {
            "id": "US-001",
            "title": "Morning",
            "description": "NOTE: first",
            "acceptanceCriteria": ["morning.txt greets"],
        },
        {"id": "US-002", "title": "Evening", "description": "Then", "acceptanceCriteria": ["evening.txt greets"]}
        | {"dependsOn": ["US-001"]},
    ],
    indent=1,
)
ANSWERS = {
    "plan": f"STATUS: done\nREPO: /somewhere/else\nBRANCH: feature/greet\nSTORIES_JSON: {PLAN}",
    "setup": "STATUS: done\nBUILD_CMD: make greeting\nTEST_CMD: make greeting-tests",
    "test": "STATUS: done\nRESULTS: both greetings were read aloud",
    "pr": "STATUS: done\nPR: Greets twice a day",
    "review": "STATUS: done\nDECISION: approved",
}


def features(step: str, request: ModelRequest) -> Turn:
    """The first story is a placeholder until the verifier's own words come back."""
    file = "morning.txt" if "## Story US-001:" in request.prompt else "evening.txt"
    match (step, request.turn):
        case ("implement", 0):
            placeholder = file == "morning.txt" and "morning.txt greets nobody" not in request.prompt
            return call("Write", file_path=file, content="TODO\n" if placeholder else "hello\n")
        case ("implement", _):
            return Say(text=f"STATUS: done\nCHANGES: wrote {file}\nTESTS: none needed")
        case ("verify", 0):
            return call("Read", file_path=file)
        case ("verify", _) if "TODO" in request.last_tool_result:
            return Say(text=f"STATUS: retry\nISSUES:\n- {file} greets nobody")
        case ("verify", _):
            return Say(text=f"STATUS: done\nVERIFIED: {file} says hello")
        case _:
            return Say(text=ANSWERS[step])


def test_feature_dev_plans_implements_verifies_each_story_tests_and_reviews(
    tmp_path: Path, claude_program: Path, scripted_model: ModelServer
) -> None:
    handover = taking_over("feature-dev", tmp_path, claude_program, scripted_model)
    handover.play_own(features)
    ran = handover.shiftwork("run", REQUEST, "--workflow", "feature-dev")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert handover.log() == ["feat: US-002 - Evening", "feat: US-001 - Morning", "a workflow", "start"]
    assert handover.git("show", "main:morning.txt") == handover.git("show", "main:evening.txt") == "hello"

    loop = ["implement", "verify"]
    order = [step_name(prompt) for prompt in handover.asked()]
    assert order == ["plan", "setup", *loop, *loop, *loop, "test", "pr", "review"]
    assert [name for name, _ in handover.attempts("_run")] == ["plan", "setup", "test", "pr", "review"]
    assert handover.attempts("US-001") == [(name, number) for number in (1, 2) for name in loop]
    assert handover.attempts("US-002") == [("implement", 1), ("verify", 1)]
    assert_each_prompt_holds_its_values(*handover.asked())


def assert_each_prompt_holds_its_values(*prompts: str) -> None:
    plan, setup, first, look, again, _, second, _, test, pr, review = prompts
    assert REQUEST in plan
    assert "# Who you are\n\n## AGENTS.md\n\n# Planner" in plan
    assert "Name: Planner" in plan
    said = [line for line in setup.splitlines() if "/somewhere/else" in line]
    assert said == ["> REPO: /somewhere/else"], "a note may say it; where the work is done is the harness's to say"
    assert "TEST_CMD: make greeting-tests\n" in first
    assert "## Story US-001: Morning\n\nNOTE: first" in first
    assert "VERIFY FEEDBACK (if retrying): \n" in first
    assert "CHANGES: wrote morning.txt\n" in look
    assert "Verify the work on US-001: Morning\n" in look
    assert "VERIFY FEEDBACK (if retrying): ISSUES: - morning.txt greets nobody\n" in again
    assert "VERIFY FEEDBACK (if retrying): \n" in second, "feedback for one story is not passed to the next"
    assert "COMPLETED STORIES: - US-001: Morning\n" in second
    assert "with make greeting-tests; the build is make greeting." in test
    assert "RESULTS: both greetings were read aloud\n" in pr
    assert "Review it. PR: Greets twice a day\n" in review


# compound -------------------------------------------------------------------------------------------------------------


def compounding(step: str, request: ModelRequest) -> Turn:
    """Half of the work, all of it in a way that will not do, and then another way: as the prompts say."""
    acts, says = ACTORS[step]
    return Say(text=f"STATUS: done\n{says(request)}") if request.turn or not acts else acts(request)


def chosen(request: ModelRequest) -> str:
    return "two files" if "PREVIOUS ISSUES: one file will not do" in request.prompt else "one file"


def plans(request: ModelRequest) -> Turn:
    return call("Write", file_path="docs/plans/greet.md", content=after("BRAINSTORM:", request.prompt))


def works(request: ModelRequest) -> Turn:
    return call("Bash", command=f"cat docs/plans/greet.md; {COMMANDS[issues(request.prompt)]}")


def looks(_: ModelRequest) -> Turn:
    return call("Bash", command="tail -n +1 greet*")


def learns(_: ModelRequest) -> Turn:
    return call("Write", file_path="docs/solutions/greet.md", content="One file a greeting.\n")


def judges(request: ModelRequest) -> str:
    """By what is in the files alone; agents do not agree on how to spell it."""
    seen = request.last_tool_result
    if "evening" not in seen:
        return "DECISION: NEEDS_FIXES\nREVIEW_ISSUES: the evening is missing\nREVIEW_NOTES: half a day"
    if "greet-evening" not in seen:
        return "DECISION: Rejected\nREVIEW_ISSUES: one file will not do\nREVIEW_NOTES: too long"
    return "DECISION: approved\nREVIEW_ISSUES: none\nREVIEW_NOTES: good for every hour"


type Acts = Callable[[ModelRequest], Turn] | None
type Says = Callable[[ModelRequest], str]

ACTORS: dict[str, tuple[Acts, Says]] = {
    "brainstorm": (None, lambda request: f"BRAINSTORM_OUTPUT: {chosen(request)}"),
    "plan": (plans, lambda _: "PLAN_FILE: docs/plans/greet.md\nPLAN_SUMMARY: as the file says"),
    "work": (works, lambda request: f"IMPLEMENTATION_SUMMARY: {request.last_tool_result.strip()}, built"),
    "review": (looks, judges),
    "compound": (learns, lambda _: "LEARNINGS: split early\nFILE_CREATED: docs/solutions/greet.md"),
}
COMMANDS = {
    "": "echo morning > greet",
    "the evening is missing": "echo evening >> greet",
    "one file will not do": "rm greet; echo morning > greet-morning; echo evening > greet-evening",
}


def issues(prompt: str) -> str:
    return after("ISSUES OF THE LAST REVIEW:", prompt)


def after(label: str, prompt: str) -> str:
    """What a line of the workflow's own prompt was filled with."""
    _, found, rest = prompt.partition(label)
    assert found, prompt
    return rest.partition("\n")[0].strip()


def test_compound_repairs_what_needs_fixes_and_begins_again_when_rejected(
    tmp_path: Path, claude_program: Path, scripted_model: ModelServer
) -> None:
    handover = taking_over("compound", tmp_path, claude_program, scripted_model)
    handover.play_own(compounding)
    ran = handover.shiftwork("run", REQUEST, "--workflow", "compound")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert handover.log() == [f"feat: US-001 - {REQUEST}", "a workflow", "start"]
    changed = handover.git("show", "--format=", "--name-only", "main").splitlines()
    assert changed == ["docs/plans/greet.md", "docs/solutions/greet.md", "greet-evening", "greet-morning"]
    assert handover.git("show", "main:docs/plans/greet.md") == "two files"

    attempts = handover.attempts("US-001")
    assert attempts == [
        *[("brainstorm", 1), ("plan", 1), ("work", 1), ("review", 1)],
        *[("work", 2), ("review", 2)],
        *[("brainstorm", 2), ("plan", 2), ("work", 3), ("review", 3)],
        ("compound", 1),
    ]
    prompts = dict(zip(attempts, handover.asked(), strict=True))
    assert [step_name(prompt) for prompt in prompts.values()] == [name for name, _ in attempts]
    first, again, from_scratch = (prompts["work", number] for number in (1, 2, 3))
    assert (issues(first), issues(again), issues(from_scratch)) == tuple(COMMANDS)
    thoughts = [after("PREVIOUS ISSUES:", prompts["brainstorm", number]) for number in (1, 2)]
    assert thoughts == ["", "one file will not do"]
    assert [after("BRAINSTORM:", prompts["plan", number]) for number in (1, 2)] == ["one file", "two files"]
    assert "two files, built" in prompts["review", 3]
    assert "approved good for every hour none\n" in prompts["compound", 1]
    assert "mend what it lists and leave the rest" in again, "the agent's own files come with each of its prompts"
