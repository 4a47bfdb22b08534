"""`shiftwork plan`, `run --plan` and `run --dry-run`: look first, then spend."""

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


def test_a_spec_is_shown_with_its_graph_and_doubts_and_nothing_is_written(project: Project) -> None:
    (project.root / "prd.json").write_text(json.dumps(PRD), encoding="utf-8")
    told = project.shiftwork("plan", "prd.json")
    assert told.returncode == 0, told.stderr
    assert "2 stories, 1 can start at once, 2 on the longest way" in told.stdout
    assert "longest way  US-001 → US-002" in told.stdout
    assert "cost         not known" in told.stdout
    assert 'US-001  AC-1 says "works"' in told.stdout
    assert json.loads((project.root / "prd.json").read_text(encoding="utf-8")) == PRD
    document = json.loads(project.shiftwork("plan", "prd.json", "--json").stdout)
    assert document["critical_path"] == ["US-001", "US-002"]
    assert document["written"] is None
    later = copy.deepcopy(PRD)
    for done, said in (
        (1, "1 story beside 1 done, 1 can start at once, 1 on the longest way"),
        (2, "all 2 stories are done"),
    ):
        later["userStories"][done - 1]["passes"] = True
        (project.root / "prd.json").write_text(json.dumps(later), encoding="utf-8")
        assert said in project.shiftwork("plan", "prd.json").stdout


def test_a_sentence_is_planned_by_an_agent_written_down_and_run_from_there(project: Project) -> None:
    project.settle(agent=PLANNER)
    told = project.shiftwork("plan", "Count to two", "--json")
    assert told.returncode == 0, told.stdout + told.stderr
    document = json.loads(told.stdout.splitlines()[-1])
    assert [story["id"] for story in document["stories"]] == ["US-001", "US-002"]
    assert document["written"] == "prd.json"
    assert project.git("log", "--format=%s") == "start", "planning lands nothing"
    again = project.shiftwork("plan", "Count to two")
    assert again.returncode == 64
    assert "prd.json is there already" in again.stderr
    ran = project.shiftwork("run", "--plan", "--workflow", "ralph")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    landed = project.git("log", "--reverse", "--format=%s").splitlines()[1:]
    assert landed == ["feat: US-001 - One", "feat: US-002 - Two"]


def test_a_plan_that_no_agent_could_make_ends_with_what_went_wrong(project: Project) -> None:
    told = project.shiftwork("plan", "Count to two")
    assert told.returncode == 1, told.stdout + told.stderr
    assert "STORIES_JSON" in told.stdout + told.stderr
    assert not (project.root / "prd.json").exists()


def test_where_a_plan_cannot_be_written_is_told_before_anybody_is_paid_for_it(project: Project) -> None:
    (project.root / "folder").mkdir()
    for where, why in (("nowhere/prd.json", "there is no folder nowhere"), ("folder", "it is a folder")):
        for request in ("Greet people, by name", "plan.md"):
            (project.root / "plan.md").write_text("# Plan\n\n## Greet\n- it greets\n", encoding="utf-8")
            told = project.shiftwork("plan", request, "--out", where, "--force", "--json")
            assert (told.returncode, told.stderr) == (64, ""), told
            error = json.loads(told.stdout)["error"]
            assert (error["kind"], error["message"]) == ("usage", f"{where} cannot be written: {why}")
            assert error["hint"] == "name a file in a folder that is there"
    assert "nothing has been run here yet" in project.shiftwork("status").stderr


def test_a_dry_run_prints_the_first_prompts_and_leaves_nothing_behind(project: Project) -> None:
    told = project.shiftwork("run", "Fix the typo", "--dry-run")
    assert told.returncode == 0, told.stderr
    assert "──── US-001 context_gathering" in told.stdout
    assert "Fix the typo" in told.stdout
    assert "1 prompt would be sent first; nothing was done" in told.stdout
    document = json.loads(project.shiftwork("run", "Fix the typo", "--dry-run", "--json").stdout)
    assert [one["step"] for one in document["prompts"]] == ["context_gathering"]
    assert not project.state.exists()


def test_running_a_plan_that_is_not_there_says_how_to_make_one(project: Project) -> None:
    told = project.shiftwork("run", "--plan")
    assert told.returncode == 64
    assert 'shiftwork plan "what you want done" writes one' in told.stderr


def test_feature_dev_plans_works_verifies_tests_and_reviews(project: Project) -> None:
    steps = """\
verify) echo "STATUS: done"; echo "VERIFIED: ran it" ;;
test) echo "RESULTS: all green" ;;
review) echo "DECISION: Approved"; echo "REVIEW: good" ;;
implement) echo hello > hello.txt; echo "$SHIFTWORK_STORY" > "$SHIFTWORK_STORY.txt"; echo "CHANGES: a file" ;;
*)"""
    project.settle(agent=PLANNER.replace("*)", steps, 1))
    told = project.shiftwork("run", "Count to two", "--workflow", "feature-dev", "--parallel", "2")
    assert told.returncode == 0, told.stdout + told.stderr
    landed = project.git("log", "--reverse", "--format=%s").splitlines()[1:]
    assert landed == ["feat: US-001 - One", "feat: US-002 - Two"]
    stories = project.status()["stories"]
    assert [step["name"] for step in stories[0]["steps"]] == ["plan", "stories", "test", "review"]
    assert [step["name"] for step in stories[1]["steps"]] == ["implement", "verify"]
    assert "  stories  2 landed\n" in project.shiftwork("status").stdout, "the run's own steps are no story"
    listed = project.shiftwork("stories")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["story", "_run", "US-001", "US-002"]


def test_the_howto_typed_literally_works(project: Project) -> None:
    project.settle(agent=PLANNER)
    for line in blocks(ROOT / "docs" / "howto" / "plan-first.md", "plan").splitlines():
        told = project.shiftwork(*shlex.split(line)[1:])
        assert told.returncode == 0, told
    assert project.git("log", "--reverse", "--format=%s").splitlines()[1:] == [
        "feat: US-001 - One",
        "feat: US-002 - Two",
    ]
