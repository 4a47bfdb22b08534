"""Commands that show what a run has done: stories, diff, report (a page as well), export."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.cli_rig import WORKING, Project

HOSTILE = (
    "if [ \"$SHIFTWORK_STEP_TYPE\" = coding ]; then printf 'red \\033[31m text\\n' > evil.txt; "
    "printf '\\000\\001' > blob.bin; fi\n" + WORKING
)


def outcome_of(project: Project, *words: str) -> str:
    answer = project.shiftwork(*words)
    assert (answer.returncode, answer.stderr) == (0, ""), answer
    assert "\x1b" not in answer.stdout
    return answer.stdout


def document(project: Project, *words: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(outcome_of(project, *words, "--json"))
    return read


def test_a_landed_story_can_be_looked_at(project: Project, tmp_path: Path) -> None:
    for words in (["stories"], ["diff", "US-001"], ["report"], ["export"]):
        answer = project.shiftwork(*words)
        assert (answer.returncode, answer.stdout) == (64, ""), words
        assert "nothing has been run here yet" in answer.stderr
    assert not project.state.exists(), "looking leaves no trace"
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
    _look_at_the_page(project, run)


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
    missing = project.shiftwork("diff", "US-404")
    assert (missing.returncode, missing.stdout, "shiftwork stories" in missing.stderr) == (64, "", True)


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


def _look_at_the_page(project: Project, run: str) -> None:
    written = project.shiftwork("report", "--html")
    assert (written.returncode, written.stdout) == (0, f"written to shiftwork-{run}.html\n")
    file = project.root / f"shiftwork-{run}.html"
    text = file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert "Add a greeting" in text
    assert '<span class="add">+' in text, "the diff of what landed"
    other = json.loads(project.shiftwork("report", run, "--html", "--out", "other.html", "--json").stdout)
    assert (other["file"], (project.root / "other.html").read_text()) == ("other.html", text)
    refused = project.shiftwork("report", "--html", "--out", "nowhere/report.html")
    assert (refused.returncode, "there is no folder nowhere" in refused.stderr) == (64, True)
    file.unlink()
    file.symlink_to(project.root.parent / "elsewhere")
    assert project.shiftwork("report", "--html").returncode == 64, "an agent may have left a link under the usual name"
    assert not (project.root.parent / "elsewhere").exists()
