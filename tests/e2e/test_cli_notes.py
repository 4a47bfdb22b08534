"""`shiftwork notes`: the notes of a run are shown, written to files, kept by gc, and used by the next run."""

import json
from pathlib import Path

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project, new_project

LEARNING = """\
cat > /dev/null
if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then
  date +%N > hello.txt
  echo 'only the coder knows' > "$SHIFTWORK_OUTPUTS/note-1.json"
  echo LEARNINGS:
  echo '- the database listens on 5433'
  echo PATTERNS:
  printf -- '- greetings are \\033[31mlower case\\n'
fi
echo SUMMARY:
echo "did the $SHIFTWORK_STEP_TYPE"
"""


def outcome_of(project: Project, *words: str) -> str:
    answer = project.shiftwork(*words)
    assert (answer.returncode, answer.stderr) == (0, ""), answer
    return answer.stdout


def test_what_a_run_has_learnt_is_shown_and_the_next_one_knows_it(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    assert project.shiftwork("notes").returncode == 64, "nothing has been run here yet"
    project.settle(agent=LEARNING, gates='test = "true"')
    assert project.shiftwork("run", "Add a greeting").returncode == 0
    run = project.status()["run"]
    folder = project.state / "runs" / run

    shown = outcome_of(project, "notes")
    assert shown.startswith(f"# Progress Log\nRun: {run}\nTask: Add a greeting\n")
    assert "## Codebase Patterns\n- greetings are lower case\n" in shown
    assert "> the database listens on 5433" in shown
    assert "\x1b" not in shown
    assert f"file: {folder / 'progress.txt'}" in shown
    assert "the database" in (folder / "scratch.md").read_text(encoding="utf-8")
    assert "only the coder knows" not in shown
    assert "> only the coder knows" in outcome_of(project, "notes", run[:6], "--story", "US-001")

    missing = project.shiftwork("notes", "--story", "US-009")
    assert (missing.returncode, "has no story US-009" in missing.stderr) == (64, True), missing

    document = json.loads(outcome_of(project, "notes", "--json"))
    assert [note["by"] for note in document["patterns"]["remembered"]] == ["US-001"]
    assert document["files"] == [str(folder / "progress.txt"), str(folder / "scratch.md")]
    of_story = json.loads(outcome_of(project, "notes", "--story", "US-001", "--json"))
    assert [note["scope"] for note in of_story["story_notes"]["remembered"]] == ["story", "project", "pattern"]

    typed = blocks(ROOT / "docs" / "howto" / "memory.md", "memory").replace("shiftwork ", "")
    for line in typed.splitlines():
        outcome_of(project, *line.split())

    outcome_of(project, "gc")
    assert sorted(file.name for file in folder.iterdir()) == ["progress.txt", "scratch.md", "scratch_US-001.md"]
    assert project.shiftwork("run", "Add another").returncode == 0
    (first,) = folder.parent.glob(f"{project.status()['run']}/US-001/step-001-1/prompt.md")
    assert "> - greetings are" in first.read_text(encoding="utf-8")
    assert "greetings are lower case" in outcome_of(project, "notes")
