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
review-*) echo "DECISION: approved"; echo "REVIEW_NOTES: good" ;;
compound-*) mkdir -p docs/solutions; echo learnt > docs/solutions/files.md; echo "LEARNINGS: two files"
  echo "FILE_CREATED: docs/solutions/files.md" ;;
"""

RELAY = """\
planner-*) echo "HANDOFF: part $round" ;;
coder-*) echo "$round" > work.txt; echo "HANDOFF: wrote $round" ;;
reviewer-*) echo "HANDOFF: {findings}" ;;
tester-*) echo "VERDICT: retry"; echo "HANDOFF: {baton}" ;;
"""
"""A team whose tester is never content."""


def ran(folder: Path, workflow: str, cases: str, shows: str = "") -> Project:
    project = new_project(folder)
    project.settle(agent=AGENT.format(where=project.shared / "prompts", cases=cases), gates='anything = "true"')
    completed = project.shiftwork("run", "Count to two", "--workflow", workflow)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert shows in completed.stdout
    assert project.git("log", "--format=%s") == "feat: US-001 - Count to two\nstart"
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
    assert attempts(project) == {"brainstorm": 2, "plan": 2, "work": 3, "review": 3, "compound": 1}
    assert outcome_of(project, "work", "fix this first:") == ["", "no tests", ""], (
        "an approach that is new has no issues"
    )
    assert outcome_of(project, "work", "The plan:") == ["docs/plans/US-001.md"] * 3
    assert outcome_of(project, "work", "In short:") == ["round 1", "round 1", "round 2"]
    assert outcome_of(project, "brainstorm", "was rejected:") == ["", "REVIEW_ISSUES: all of it"]
    assert outcome_of(project, "brainstorm", "REVIEW_NOTES:") == ["", "one file will not do"]
    assert outcome_of(project, "plan", "The approach:") == ["a file", "two files"]
    assert outcome_of(project, "review", "The plan:") == ["docs/plans/US-001.md"] * 3
    assert outcome_of(project, "review", "They changed:") == ["work.txt"] * 3
    assert outcome_of(project, "compound", "The review decided:") == ["approved"]
    assert outcome_of(project, "compound", "What the reviewer said:") == ["good"]
    assert project.git("show", "main:docs/plans/US-001.md") == "plan 2"
    assert project.git("show", "main:work.txt") == "3"
    assert project.git("show", "main:docs/solutions/files.md") == "learnt"


def test_compound_tells_its_last_step_what_had_to_be_fixed(tmp_path: Path) -> None:
    project = ran(tmp_path, "compound", COMPOUND.replace("DECISION: REJECTED", "DECISION: needs_fixes"))
    assert outcome_of(project, "compound", "had to be fixed on the way:") == ["all of it"]


def test_compound_begins_again_three_times_at_most(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    never = COMPOUND.replace("DECISION: needs_fixes", "DECISION: rejected").replace("approved", "rejected")
    project.settle(agent=AGENT.format(where=project.shared / "prompts", cases=never), gates='anything = "true"')
    ended = project.shiftwork("run", "Count to two", "--workflow", "compound")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert attempts(project) == {"brainstorm": 4, "plan": 4, "work": 4, "review": 4, "compound": 0}
    assert "brainstorm was already repeated 3 times, which is its limit" in ended.stdout


@pytest.mark.parametrize(
    ("findings", "baton", "ended", "rounds"),
    [
        ("read $round", "two is missing$(printf '%*s' $round '' | tr ' ' '!')", "converged (round 2 of 5)", 2),
        ("read $round", "part $round is missing", "last round (round 5 of 5)", 5),
        ('nothing"; echo "STORY_COMPLETE: US-001', "never asked", "complete (round 1 of 5)", 1),
    ],
    ids=["converged", "last round", "complete"],
)
def test_the_gates_decide_about_the_work_of_a_relay_however_its_rounds_end(
    tmp_path: Path, findings: str, baton: str, ended: str, rounds: int
) -> None:
    project = ran(tmp_path, "relay", RELAY.format(findings=findings, baton=baton), shows=f"the rounds ended: {ended}")
    tried = 0 if "complete" in ended else rounds
    assert attempts(project) == {"planner": rounds, "coder": rounds, "reviewer": rounds, "tester": tried}
    assert outcome_of(project, "coder", "Handed on to you:") == [f"part {number + 1}" for number in range(rounds)]
    assert project.git("show", "main:work.txt") == str(rounds)
