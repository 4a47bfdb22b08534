"""Commands that show what runs have done: stories, diff, report, export."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.cli_rig import WORKING, Project

HOSTILE = (
    "if [ \"$SHIFTWORK_STEP_TYPE\" = coding ]; then printf 'red \\033[31m text\\n' > evil.txt; "
    "printf '\\000\\001' > blob.bin; fi\n" + WORKING
)
FAILING = 'if [ "$SHIFTWORK_STORY" = US-001 ]; then cat > /dev/null; exit 3; fi\n' + WORKING


def outcome_of(project: Project, *words: str) -> str:
    answer = project.shiftwork(*words)
    assert (answer.returncode, answer.stderr) == (0, ""), answer
    assert "\x1b" not in answer.stdout
    return answer.stdout


def document(project: Project, *words: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(outcome_of(project, *words, "--json"))
    return read


def test_a_landed_story_can_be_looked_at(project: Project, tmp_path: Path) -> None:
    project.settle(agent=HOSTILE)
    assert project.shiftwork("run", "Add a greeting").returncode == 0
    landed = project.git("rev-parse", "main")
    run = project.status()["run"]

    head, row = outcome_of(project, "stories").splitlines()
    assert head.split() == ["story", "state", "step", "landed", "evidence", "tokens", "cost", "title"]
    cells = ["US-001", "landed", "-", landed[:10], "0", "of", "1", "unknown", "unknown", "Add", "a", "greeting"]
    assert row.split() == cells
    assert document(project, "stories", run[:6])["stories"][0]["commit"] == landed

    _look_at_the_diff(project, landed)
    _look_at_the_documents(project, run, tmp_path)


def _look_at_the_diff(project: Project, landed: str) -> None:
    patch = outcome_of(project, "diff", "US-001")
    assert "+hello" in patch.splitlines()
    assert "+red ^[[31m text" in patch.splitlines(), "what a terminal would obey is written out"
    assert outcome_of(project, "diff", "US-001", "--stat").splitlines()[1:] == [
        "       +1 -0  evil.txt",
        "       +1 -0  hello.txt",
        "3 files changed, 2 lines added, 0 removed",
    ]
    compared = document(project, "diff", "US-001")
    assert (compared["commit"], compared["landed"]) == (landed, True)
    assert compared["file_changes"][0] == {"path": "blob.bin", "added": None, "removed": None}
    assert "\x1b[31m" in compared["patch"]
    assert document(project, "diff", "US-001", "--stat")["patch"] is None


def _look_at_the_documents(project: Project, run: str, folder: Path) -> None:
    markdown = outcome_of(project, "report")
    assert markdown.startswith("# Add a greeting\n")
    assert "test passed on" in markdown
    assert (
        outcome_of(project, "report", run, "--output", str(folder / "report.md"))
        == f"written to {folder / 'report.md'}\n"
    )
    assert (folder / "report.md").read_text(encoding="utf-8") == markdown
    assert document(project, "report")["markdown"] == markdown

    exported = json.loads(outcome_of(project, "export", run))
    assert document(project, "export")["workflow_state"] == exported
    assert exported["stories"]["US-001"]["history"][0]["action"] == "story_claimed"
    steps = exported["stories"]["US-001"]["steps"]
    assert all((project.root / step["log_file"]).is_file() for step in steps)
    outcome_of(project, "export", "--output", str(folder / "state.json"))
    assert json.loads((folder / "state.json").read_text(encoding="utf-8")) == exported
    assert project.shiftwork("export", "--output", str(folder / "no" / "folder")).returncode == 64


def test_what_a_story_waits_for_is_reported(project: Project) -> None:
    project.settle(agent=FAILING)
    stories = [
        {"id": "US-001", "title": "First", "acceptanceCriteria": ["done"], "priority": 1, "passes": False},
        {"id": "US-002", "title": "Second", "acceptanceCriteria": ["done"], "priority": 2, "passes": False},
    ]
    for story in stories:
        story |= {"description": "Do it", "notes": "", "dependsOn": []}
    stories[1]["dependsOn"] = ["US-001"]
    prd = {"project": "greetings", "branchName": "main", "description": "Greet", "userStories": stories}
    (project.root / "prd.json").write_text(json.dumps(prd), encoding="utf-8")
    ended = project.shiftwork("run", "prd.json")
    assert ended.returncode == 1, ended
    lines = outcome_of(project, "stories").splitlines()
    assert lines[1].split()[:2] == ["US-001", "failed"]
    second = next(place for place, line in enumerate(lines) if line.split()[:2] == ["US-002", "blocked"])
    assert lines[second - 1] == "    shiftwork retry US-001"
    assert lines[second + 1].startswith("    blocked: ")
    assert "US-001" in lines[second + 1]
    assert [line.split()[0] for line in outcome_of(project, "stories", "--queued").splitlines()[:2]] == [
        "story",
        "US-002",
    ]
    assert outcome_of(project, "stories", "--landed").startswith("no story of run ")
    assert document(project, "stories")["stories"][1]["waits_for"] == ["US-001"]
    assert outcome_of(project, "diff", "US-001") == "nothing has changed\n"
    assert outcome_of(project, "diff", "US-002", "--stat") == "nothing has changed\n"
    assert "Reason: " in outcome_of(project, "report")


def test_what_is_not_there_is_reported(project: Project) -> None:
    for words in (["stories"], ["diff", "US-001"], ["report"], ["export"]):
        answer = project.shiftwork(*words)
        assert (answer.returncode, answer.stdout) == (64, ""), words
        assert "nothing has been run here yet" in answer.stderr
    assert not project.state.exists(), "looking leaves no trace"
    assert project.shiftwork("run", "Add a greeting").returncode == 0
    missing = project.shiftwork("diff", "US-404")
    assert (missing.returncode, missing.stdout) == (64, "")
    assert "shiftwork stories" in missing.stderr
