"""Workflows in antfarm's shape, with a scripted agent: from the user's folder and by path, typed as the how-to says."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project, new_project

pytestmark = pytest.mark.slow

PACK = ROOT / "tests" / "golden" / "workflows" / "antfarm_shape"

AGENT = """\
kept={where}/$SHIFTWORK_STEP_NAME-$SHIFTWORK_STORY
mkdir -p $kept
round=$(($(ls $kept | grep -c prompt) + 1))
cat > $kept/prompt-$round
git diff --name-only main.. > $kept/diff-$round
git diff --name-only main..HEAD | cmp - $kept/diff-$round || exit 1
git branch --force main HEAD
case "$SHIFTWORK_STEP_NAME-$SHIFTWORK_STORY-$round" in
{cases}
esac
"""
"""Keeps every prompt and what differs from main, tries to move main, and answers by the step."""

STORIES = json.dumps(
    [
        {"id": "US-001", "title": "Morning", "description": "First", "acceptanceCriteria": ["morning.txt greets"]},
        {"id": "US-002", "title": "Evening", "description": "Then", "acceptanceCriteria": ["page.html greets"]},
    ]
)
PR = "https://github.com/someone/something/pull/77"

FEATURE_DEV = f"""\
plan-*) echo "STATUS: done"; echo "REPO: /elsewhere"; echo "BRANCH: other"; echo 'STORIES_JSON: {STORIES}' ;;
setup-*) echo "STATUS: done"; echo "BUILD_CMD: make greeting"; echo "TEST_CMD: make tests"; echo "BASELINE: green" ;;
implement-US-001-1) echo TODO > morning.txt; echo "STATUS: done"; echo "CHANGES: began morning.txt" ;;
implement-US-001-*) echo hello > morning.txt; echo "STATUS: done"; echo "CHANGES: wrote morning.txt" ;;
implement-*) echo "<p>hello" > page.html; echo "STATUS: done"; echo "CHANGES: wrote page.html" ;;
verify-US-001-1) echo "STATUS: retry"; echo "ISSUES:"; echo "- morning.txt greets nobody" ;;
verify-*) echo "STATUS: done"; echo "VERIFIED: it greets"; echo "HAS_FRONTEND_CHANGES: maybe" ;;
test-*) echo "STATUS: done"; echo "RESULTS: both greet" ;;
pr-*) echo "STATUS: done"; echo "PR: {PR}" ;;
review-*) echo "STATUS: done"; echo "DECISION: approved" ;;
"""

BUG_FIX = f"""\
triage-*) echo "STATUS: done"; echo "SEVERITY: high"; echo "PROBLEM_STATEMENT: it stops at one" ;;
investigate-*) echo "STATUS: done"; echo "ROOT_CAUSE: off by one"; echo "FIX_APPROACH: count on" ;;
setup-*) echo "STATUS: done"; echo "BUILD_CMD: make"; echo "TEST_CMD: sh check.sh" ;;
fix-*-1) echo one > count.txt; echo "STATUS: done"; echo "CHANGES: wrote one" ;;
fix-*) echo two > count.txt; echo "STATUS: done"; echo "CHANGES: wrote two"; echo "REGRESSION_TEST: check.sh" ;;
verify-*-1) echo "STATUS: retry"; echo "ISSUES: it still stops at one" ;;
verify-*) echo "STATUS: done"; echo "VERIFIED: it counts to two" ;;
pr-*) echo "STATUS: done"; echo "PR: {PR}" ;;
"""


def playing(project: Project, cases: str) -> None:
    """From now on the agent answers like this; what it keeps is of the new run alone."""
    shutil.rmtree(project.shared / "kept", ignore_errors=True)
    project.settle(agent=AGENT.format(where=project.shared / "kept", cases=cases), gates='anything = "true"')


def installed(folder: Path) -> Path:
    for name in ("workflows", "agents"):
        shutil.copytree(PACK / name, folder / name)
    return folder


def kept(project: Project, step: str, kind: str, story: str) -> list[str]:
    folder = project.shared / "kept" / f"{step}-{story}"
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob(f"{kind}-*"))]


def values(project: Project, step: str, label: str, story: str) -> list[str]:
    """What stood behind a label of the step's own prompt, in each of its attempts."""
    found = [re.search(rf"{re.escape(label)} *(.*)", text) for text in kept(project, step, "prompt", story)]
    return [match[1] if match else "nothing" for match in found]


def assert_no_pull_request_is_a_fact(project: Project) -> None:
    views = [project.shiftwork(*words).stdout for words in (("status", "--json"), ("report",), ("export",), ("notes",))]
    views.append(project.git("log", "--format=%B"))
    assert any(PR in view for view in views), "the views are those that show what an agent says"
    assert [view for view in views if view.count(PR) != view.count(f"{PR} (claimed by an agent, not checked)")] == []


def test_feature_dev_and_bug_fix_are_run_unchanged_as_the_howto_says(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    home = tmp_path / "home"
    installed(home / "antfarm")
    page = blocks(ROOT / "docs" / "howto" / "coming-from-antfarm.md", "antfarm").splitlines(keepends=True)
    env = {"HOME": str(home), "SHIFTWORK_CONFIG_HOME": str(home / ".config/shiftwork")}

    playing(project, FEATURE_DEV)
    typed = project.types("".join(page[:-1]), **env)
    assert typed.returncode == 0, typed.stdout + typed.stderr
    assert "workflow.yml is valid" in typed.stdout
    log = project.git("log", "--format=%s", "main").splitlines()
    assert log == ["feat: US-002 - Evening", "feat: US-001 - Morning", "start"]
    assert project.git("show", "main:morning.txt") == "hello"
    assert project.git("show", "main:page.html") == "<p>hello"
    assert_each_prompt_of_feature_dev_holds_its_values(project)
    assert_no_pull_request_is_a_fact(project)

    playing(project, BUG_FIX)
    typed = project.types(page[-1], **env)
    assert typed.returncode == 0, typed.stdout + typed.stderr
    assert project.git("log", "-1", "--format=%s") == "feat: Counting stops at one"
    assert project.git("show", "main:count.txt") == "two"
    (story,) = project.status()["stories"]
    tried = [(step["name"], step["attempts"]) for step in story["steps"]]
    assert tried == [("triage", 1), ("investigate", 1), ("setup", 1), ("fix", 2), ("verify", 2), ("pr", 1)]
    assert values(project, "fix", "ROOT_CAUSE:", "US-001") == ["off by one"] * 2
    assert values(project, "pr", "VERIFIED:", "US-001") == ["it counts to two"]
    assert kept(project, "verify", "diff", "US-001") == ["count.txt\n"] * 2
    assert_no_pull_request_is_a_fact(project)


def assert_each_prompt_of_feature_dev_holds_its_values(project: Project) -> None:
    (plan,), (setup,) = (kept(project, step, "prompt", "_run") for step in ("plan", "setup"))
    assert "Greet people in the morning and in the evening" in plan
    assert "# Who you are\n\n## AGENTS.md\n\n# Planner" in plan
    assert "Name: Planner" in plan
    said = [line for line in setup.splitlines() if "/elsewhere" in line]
    assert said == ["> REPO: /elsewhere"], "a note may say it; where the work is done is the harness's to say"

    first, again = kept(project, "implement", "prompt", "US-001")
    (second,) = kept(project, "implement", "prompt", "US-002")
    feedback = [values(project, "implement", "VERIFY FEEDBACK (if retrying):", story) for story in ("US-001", "US-002")]
    assert feedback == [["", "ISSUES: - morning.txt greets nobody"], [""]], "not passed to the next story"
    assert "## Story US-001: Morning\n\nFirst" in first
    assert "## Story US-001: Morning\n\nFirst" in again
    assert "COMPLETED STORIES: - US-001: Morning\n" in second
    assert values(project, "implement", "TEST_CMD:", "US-002") == ["make tests"]
    assert values(project, "implement", "BRANCH:", "US-002") == ["shiftwork/US-002"], "the one that has the work"

    look = kept(project, "verify", "prompt", "US-001")[0]
    assert "# Verifier\n" in look, "the persona that all workflows share"
    assert "CHANGES: began morning.txt\n" in look
    assert "Verify the work on US-001: Morning\n" in look
    assert values(project, "verify", "Has frontend changes:", "US-001") == ["false", "false"]
    assert values(project, "verify", "Has frontend changes:", "US-002") == ["true"]
    assert kept(project, "verify", "diff", "US-001") == ["morning.txt\n"] * 2
    assert kept(project, "verify", "diff", "US-002") == ["page.html\n"]

    (test,), (pr,) = (kept(project, step, "prompt", "_run") for step in ("test", "pr"))
    assert "with make tests; the build is make greeting." in test
    assert "RESULTS: both greet\n" in pr
    assert kept(project, "review", "diff", "_run") == ["morning.txt\npage.html\n"]
    assert values(project, "review", "Has frontend changes:", "_run") == ["true"]
    assert values(project, "review", "PR:", "_run") == [f"{PR} (claimed by an agent, not checked)"]
