"""Bundled workflows from their first step to a landed commit, with reviewers that send the work back on the way."""

import re
from pathlib import Path

import pytest

from tests.e2e.cli_rig import Project, new_project

pytestmark = pytest.mark.slow

AGENT = """\
prompts={where}/$SHIFTWORK_STEP_NAME
mkdir -p $prompts
round=$(($(ls $prompts | wc -l) + 1))
cat > $prompts/$round
case "$SHIFTWORK_STEP_NAME-$round" in
{cases}
esac
"""
"""Keeps every prompt, and answers by the step and by how often it was asked before."""

BUG_FIX = """\
investigate-*) echo "ROOT_CAUSE: off by one"; echo "REPRODUCTION: count to two" ;;
reproduce-*) echo 'grep -q two count.txt' > check.sh; echo "FAILING_TEST: check.sh" ;;
fix-1) echo one > count.txt; echo "FIX: wrote one" ;;
fix-*) echo two > count.txt; echo "FIX: wrote two" ;;
verify-1) echo "STATUS: retry"; echo "ISSUES: check.sh still fails" ;;
verify-*) echo "STATUS: done" ;;
"""

COMPOUND = """\
brainstorm-1) echo "APPROACH: a file"; echo "RISKS: none" ;;
brainstorm-*) echo "APPROACH: two files"; echo "RISKS: few" ;;
plan-*) mkdir -p docs/plans; echo "plan $round" > docs/plans/US-001.md
  echo "PLAN_FILE: docs/plans/US-001.md"; echo "PLAN_SUMMARY: round $round" ;;
work-*) echo "$round" > work.txt; echo "IMPLEMENTATION_SUMMARY: work $round"; echo "FILES_CHANGED: work.txt" ;;
review-1) echo "DECISION: needs_fixes"; echo "REVIEW_ISSUES: no tests"; echo "REVIEW_NOTES: nearly" ;;
review-2) echo "DECISION: REJECTED"; echo "REVIEW_ISSUES: all of it"; echo "REVIEW_NOTES: one file will not do" ;;
review-3) echo "DECISION: needs_fixes"; echo "REVIEW_ISSUES: one typo"; echo "REVIEW_NOTES: nearly" ;;
review-*) echo "DECISION: approved"; echo "REVIEW_NOTES: good" ;;
compound-*) mkdir -p docs/solutions; echo learnt > docs/solutions/files.md; echo "LEARNINGS: two files"
  echo "FILE_CREATED: docs/solutions/files.md" ;;
"""

RELAY = """\
planner-*) echo "HANDOFF: part $round" ;;
coder-*) echo "$round" > work.txt; echo "HANDOFF: wrote $round" ;;
reviewer-*) echo "HANDOFF: read $round" ;;
tester-1) echo "VERDICT: retry"; echo "HANDOFF: two is missing!" ;;
tester-*) echo "VERDICT: retry"; echo "HANDOFF: two is missing!!" ;;
"""
"""A team whose tester is never content."""


def ran(folder: Path, workflow: str, cases: str, shows: str = "") -> Project:
    project = new_project(folder)
    project.settle(
        agent=AGENT.format(where=project.shared / "prompts", cases=cases),
        gates=f'anything = "git rev-parse HEAD >> {project.shared}/proved"',
    )
    completed = project.shiftwork("run", "Count to two", "--workflow", workflow)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert shows in completed.stdout
    assert project.git("log", "--format=%s") == "feat: Count to two\nstart"
    return project


def outcome_of(project: Project, step: str, label: str) -> list[str]:
    """What stood behind a label of the step's own prompt, in each of its attempts."""
    kept = sorted((project.shared / "prompts" / step).iterdir())
    found = [re.search(rf"{re.escape(label)} *(.*)", path.read_text(encoding="utf-8")) for path in kept]
    return [match[1] if match else "" for match in found]


def attempts(project: Project) -> dict[str, int]:
    return {step["name"]: step["attempts"] for step in project.status()["stories"][0]["steps"]}


def test_bug_fix_holds_the_bug_by_a_test_and_fixes_until_another_agent_is_content(tmp_path: Path) -> None:
    project = ran(tmp_path, "bug-fix", BUG_FIX)
    assert attempts(project) == {"investigate": 1, "reproduce": 1, "fix": 2, "verify": 2}
    assert outcome_of(project, "reproduce", "The cause:") == ["off by one"]
    assert outcome_of(project, "fix", "The test that fails now:") == ["check.sh"] * 2
    assert outcome_of(project, "fix", "failed verification:") == ["", "ISSUES: check.sh still fails"]
    assert outcome_of(project, "verify", "The fix:") == ["wrote one", "wrote two"]
    assert project.git("show", "main:count.txt") == "two"
    assert project.git("show", "main:check.sh") == "grep -q two count.txt"


def test_compound_repairs_or_begins_again_as_its_reviewer_decides(tmp_path: Path) -> None:
    project = ran(tmp_path, "compound", COMPOUND)
    assert attempts(project) == {"brainstorm": 2, "plan": 2, "work": 4, "review": 4, "compound": 1}
    assert outcome_of(project, "work", "fix this first:") == ["", "no tests", "", "one typo"], (
        "an approach that is new has no issues"
    )
    assert outcome_of(project, "work", "The plan:") == ["docs/plans/US-001.md"] * 4
    assert outcome_of(project, "work", "In short:") == ["round 1", "round 1", "round 2", "round 2"]
    assert outcome_of(project, "brainstorm", "was rejected:") == ["", "REVIEW_ISSUES: all of it"]
    assert outcome_of(project, "brainstorm", "REVIEW_NOTES:") == ["", "one file will not do"]
    assert outcome_of(project, "plan", "The approach:") == ["a file", "two files"]
    assert outcome_of(project, "review", "The plan:") == ["docs/plans/US-001.md"] * 4
    assert outcome_of(project, "review", "They changed:") == ["work.txt"] * 4
    assert outcome_of(project, "compound", "The review decided:") == ["approved"]
    assert outcome_of(project, "compound", "What the reviewer said:") == ["good"]
    assert outcome_of(project, "compound", "had to be fixed on the way:") == ["one typo"]
    assert project.git("show", "main:docs/plans/US-001.md") == "plan 2"
    assert project.git("show", "main:work.txt") == "4"
    assert project.git("show", "main:docs/solutions/files.md") == "learnt"


def test_relay_hands_the_work_on_until_a_round_finds_nothing_new_and_the_gates_decide(tmp_path: Path) -> None:
    project = ran(tmp_path, "relay", RELAY, shows="the rounds ended: converged (round 2 of 5)")
    assert attempts(project) == {"planner": 2, "coder": 2, "reviewer": 2, "tester": 2}
    baton = ["", "two is missing!"]
    assert outcome_of(project, "planner", "Handed on to you:") == baton
    assert outcome_of(project, "coder", "Handed on to you:") == ["part 1", "part 2"]
    kept = (project.shared / "prompts/coder/2").read_text(encoding="utf-8")
    assert "## Coder\n\nYou write code" in kept
    assert project.git("show", "main:work.txt") == "2"
    assert (project.shared / "proved").read_text(encoding="utf-8").count("\n") == 2, (
        "beside the base: what is not done yet is not offered to the gate"
    )
