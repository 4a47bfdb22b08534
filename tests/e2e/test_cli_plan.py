"""`shiftwork plan`, `run --plan` and `run --dry-run` show the work before anything is spent."""

import copy
import json
import shlex
from typing import Any

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project

PRD: dict[str, Any] = {
    "project": "Greeter",
    "userStories": [
        {"id": "US-001", "title": "Greet", "acceptanceCriteria": ["It works well"]},
        {"id": "US-002", "title": "Greet by name", "acceptanceCriteria": ["prints `hello`"], "dependsOn": ["US-001"]},
    ],
}

PLANNER = """\
prompt=$(cat)
case "$SHIFTWORK_STEP_NAME" in
plan)
  echo scribble > scribble.txt
  echo 'STORIES_JSON: [{"id": "US-001", "title": "One", "acceptanceCriteria": ["prints 1"]},'
  echo '  {"id": "US-002", "title": "Two", "acceptanceCriteria": ["prints 2"], "dependsOn": ["US-001"]}]'
  ;;
*)
  echo hello > hello.txt
  echo "$SHIFTWORK_STORY" > "$SHIFTWORK_STORY.txt"
  ;;
esac
echo SUMMARY:
echo "did the $SHIFTWORK_STEP_TYPE"
"""


def test_a_plan_of_a_file_and_a_dry_run_show_the_work_and_leave_nothing_behind(project: Project) -> None:
    missing = project.shiftwork("run", "--plan")
    assert missing.returncode == 64
    assert 'shiftwork plan "what you want done" writes one' in missing.stderr

    (project.root / "prd.json").write_text(json.dumps(PRD), encoding="utf-8")
    completed = project.shiftwork("plan", "prd.json")
    assert completed.returncode == 0, completed.stderr
    assert "2 stories, 1 can start at once, 2 on the critical path" in completed.stdout
    assert "critical path  US-001 → US-002" in completed.stdout
    assert "cost           unknown" in completed.stdout
    assert 'US-001  AC-1 says "works"' in completed.stdout
    assert json.loads((project.root / "prd.json").read_text(encoding="utf-8")) == PRD
    document = json.loads(project.shiftwork("plan", "prd.json", "--json").stdout)
    assert document["critical_path"] == ["US-001", "US-002"]
    assert document["file"] is None
    later = copy.deepcopy(PRD)
    for done, said in (
        (1, "1 story beside 1 done, 1 can start at once, 1 on the critical path"),
        (2, "all 2 stories are done"),
    ):
        later["userStories"][done - 1]["passes"] = True
        (project.root / "prd.json").write_text(json.dumps(later), encoding="utf-8")
        assert said in project.shiftwork("plan", "prd.json").stdout

    completed = project.shiftwork("run", "Fix the typo", "--dry-run", "--context", "issue=12")
    assert completed.returncode == 0, completed.stderr
    assert "──── US-001 sizing" in completed.stdout
    assert "Fix the typo" in completed.stdout
    assert "## Context\n\nThe user gave these values for all of this work:\n\n- issue: 12\n" in completed.stdout
    assert "1 prompt would be sent at the start; nothing was sent or changed" in completed.stdout
    document = json.loads(project.shiftwork("run", "Fix the typo", "--dry-run", "--json").stdout)
    assert [item["step_name"] for item in document["prompts"]] == ["sizing"]
    refused = project.shiftwork("resume")
    assert (refused.returncode, "try: shiftwork run" in refused.stderr) == (64, True)
    assert not project.state.exists()


def test_a_sentence_is_planned_by_an_agent_written_down_and_run_from_there_as_the_howto_says(project: Project) -> None:
    (project.root / "folder").mkdir()
    (project.root / "plan.md").write_text("# Plan\n\n## Greet\n- it greets\n", encoding="utf-8")
    for where, why in (("nowhere/prd.json", "there is no folder nowhere"), ("folder", "it is a folder")):
        for request in ("Greet people, by name", "plan.md"):
            refused = project.shiftwork("plan", request, "--out", where, "--force", "--json")
            assert (refused.returncode, refused.stderr) == (64, ""), refused
            error = json.loads(refused.stdout)
            assert (error["kind"], error["message"]) == ("usage", f"{where} cannot be written: {why}")
            assert error["hint"] == "name a file in an existing folder"
    assert "nothing has been run here yet" in project.shiftwork("status").stderr, "nobody was paid"

    failed = project.shiftwork("plan", "Count to two")  # its agent makes no plan
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert "STORIES_JSON" in failed.stdout + failed.stderr
    assert not (project.root / "prd.json").exists()
    assert f"shiftwork retry US-001{' '}" in failed.stdout, "the command that the failure names makes the plan"

    project.settle(agent=PLANNER)
    retried = project.shiftwork("retry", "US-001")
    assert retried.returncode == 0, retried.stdout + retried.stderr
    assert "wrote prd.json; edit it, then: shiftwork run prd.json" in retried.stdout
    assert [story["id"] for story in json.loads((project.root / "prd.json").read_text())["userStories"]] == [
        "US-001",
        "US-002",
    ]
    (project.root / "prd.json").unlink()
    planned, *others = blocks(ROOT / "docs" / "howto" / "plan-first.md", "plan").splitlines()
    completed = project.shiftwork(*shlex.split(planned)[1:], "--json")
    assert completed.returncode == 0, completed.stdout + completed.stderr
    document = json.loads(completed.stdout.splitlines()[-1])
    assert [story["story"] for story in document["stories"]] == ["US-001", "US-002"]
    assert document["file"] == "prd.json"
    assert project.git("log", "--format=%s") == "start", "planning lands nothing"
    again = project.shiftwork(*shlex.split(planned)[1:])
    assert (again.returncode, "prd.json already exists" in again.stderr) == (64, True)
    for line in others:
        completed = project.shiftwork(*shlex.split(line)[1:])
        assert completed.returncode == 0, completed
    landed = project.git("log", "--reverse", "--format=%s").splitlines()[1:]
    assert landed == ["feat: US-001 - One", "feat: US-002 - Two"]


def test_feature_dev_plans_works_verifies_tests_and_reviews(project: Project) -> None:
    steps = """\
verify) echo "STATUS: done"; echo "VERIFIED: ran it" ;;
test) echo "RESULTS: all green" ;;
review) echo "DECISION: Approved"; echo "REVIEW: good" ;;
implement) echo hello > hello.txt; echo "$SHIFTWORK_STORY" > "$SHIFTWORK_STORY.txt"; echo "CHANGES: a file" ;;
*)"""
    project.settle(agent=PLANNER.replace("*)", steps, 1))
    completed = project.shiftwork("run", "Count to two", "--workflow", "feature-dev", "--parallel", "2")
    assert completed.returncode == 0, completed.stdout + completed.stderr
    landed = project.git("log", "--reverse", "--format=%s").splitlines()[1:]
    assert landed == ["feat: US-001 - One", "feat: US-002 - Two"]
    stories = project.status()["stories"]
    assert [step["name"] for step in stories[0]["steps"]] == ["plan", "stories", "test", "review"]
    assert [step["name"] for step in stories[1]["steps"]] == ["implement", "verify"]
    assert " on main: 2 of 2 landed\n" in project.shiftwork("status").stdout, "the run's own steps are no story"
    listed = project.shiftwork("stories")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["story", "_run", "US-001", "US-002"]
