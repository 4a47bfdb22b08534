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


def test_a_spec_is_shown_with_its_graph_and_warnings_and_nothing_is_written(project: Project) -> None:
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


def test_a_sentence_is_planned_by_an_agent_written_down_and_run_from_there(project: Project) -> None:
    project.settle(agent=PLANNER)
    completed = project.shiftwork("plan", "Count to two", "--json")
    assert completed.returncode == 0, completed.stdout + completed.stderr
    document = json.loads(completed.stdout.splitlines()[-1])
    assert [story["story"] for story in document["stories"]] == ["US-001", "US-002"]
    assert document["file"] == "prd.json"
    assert project.git("log", "--format=%s") == "start", "planning lands nothing"
    again = project.shiftwork("plan", "Count to two")
    assert again.returncode == 64
    assert "prd.json already exists" in again.stderr
    ran = project.shiftwork("run", "--plan", "--workflow", "ralph")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    landed = project.git("log", "--reverse", "--format=%s").splitlines()[1:]
    assert landed == ["feat: US-001 - One", "feat: US-002 - Two"]


def test_a_plan_that_no_agent_could_make_ends_with_what_went_wrong(project: Project) -> None:
    completed = project.shiftwork("plan", "Count to two")
    assert completed.returncode == 1, completed.stdout + completed.stderr
    assert "STORIES_JSON" in completed.stdout + completed.stderr
    assert not (project.root / "prd.json").exists()


def test_where_a_plan_cannot_be_written_is_reported_before_anybody_is_paid_for_it(project: Project) -> None:
    (project.root / "folder").mkdir()
    for where, why in (("nowhere/prd.json", "there is no folder nowhere"), ("folder", "it is a folder")):
        for request in ("Greet people, by name", "plan.md"):
            (project.root / "plan.md").write_text("# Plan\n\n## Greet\n- it greets\n", encoding="utf-8")
            completed = project.shiftwork("plan", request, "--out", where, "--force", "--json")
            assert (completed.returncode, completed.stderr) == (64, ""), completed
            error = json.loads(completed.stdout)
            assert (error["kind"], error["message"]) == ("usage", f"{where} cannot be written: {why}")
            assert error["hint"] == "name a file in an existing folder"
    assert "nothing has been run here yet" in project.shiftwork("status").stderr


def test_a_dry_run_prints_the_first_prompts_and_leaves_nothing_behind(project: Project) -> None:
    completed = project.shiftwork("run", "Fix the typo", "--dry-run")
    assert completed.returncode == 0, completed.stderr
    assert "──── US-001 sizing" in completed.stdout
    assert "Fix the typo" in completed.stdout
    assert "1 prompt would be sent at the start; nothing was sent or changed" in completed.stdout
    document = json.loads(project.shiftwork("run", "Fix the typo", "--dry-run", "--json").stdout)
    assert [item["step_name"] for item in document["prompts"]] == ["sizing"]
    assert not project.state.exists()


def test_running_a_plan_that_is_not_there_says_how_to_make_one(project: Project) -> None:
    completed = project.shiftwork("run", "--plan")
    assert completed.returncode == 64
    assert 'shiftwork plan "what you want done" writes one' in completed.stderr


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
    assert " on main: done, 2 of 2 landed\n" in project.shiftwork("status").stdout, "the run's own steps are no story"
    listed = project.shiftwork("stories")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["story", "_run", "US-001", "US-002"]


def test_the_howto_typed_literally_works(project: Project) -> None:
    project.settle(agent=PLANNER)
    for line in blocks(ROOT / "docs" / "howto" / "plan-first.md", "plan").splitlines():
        completed = project.shiftwork(*shlex.split(line)[1:])
        assert completed.returncode == 0, completed
    assert project.git("log", "--reverse", "--format=%s").splitlines()[1:] == [
        "feat: US-001 - One",
        "feat: US-002 - Two",
    ]
