"""Gates that landings have skipped run at the end of the run, or when asked for, and a red one names its story."""

import json
from pathlib import Path

import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project, new_project

AGENT = """\
cat > /dev/null
case "$SHIFTWORK_STORY" in
US-001) echo new > shared/other.txt ;;
US-002) echo {word} > shared/tax.txt ;;
*) {last} ;;
esac
echo SUMMARY:
echo "did it"
"""
GATES = """\
all = "true"
api = {{ command = "! grep -rq broken shared", paths = ["api/**"] }}
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(tmp_path)
    for name in ("api", "shared"):
        (made.root / name).mkdir()
        (made.root / name / "tax.txt").write_text("fine\n", encoding="utf-8")
    stories = [
        {"id": f"US-00{number}", "title": f"Story {number}", "acceptance_criteria": ["x"], "passes": False}
        for number in (1, 2, 3)
    ]
    (made.root / "prd.json").write_text(json.dumps({"project": "Shop", "user_stories": stories}), encoding="utf-8")
    made.git("add", "-A")
    made.git("commit", "-q", "-m", "shop")
    return made


def settle(project: Project, *, word: str, last: str) -> None:
    project.settle(agent=AGENT.format(word=word, last=last), gates=GATES.format())


def test_a_gate_that_the_last_story_would_have_run_runs_at_the_end_and_names_the_story_that_broke_it(
    project: Project,
) -> None:
    settle(project, word="broken", last="exit 3")
    completed = project.shiftwork("run", "prd.json", "--workflow", "ralph")
    assert completed.returncode == 1, completed
    assert "running api, which landings had skipped" in completed.stdout
    culprit = project.git("log", "-1", "--format=%h", "--abbrev=10", "main")
    message = f"! api is red on main since US-002 landed as {culprit}"
    assert message in completed.stdout
    run = project.status()["run"]
    assert f"shiftwork undo US-002 --run {run}" in completed.stdout
    assert message in project.shiftwork("status").stdout
    (owed,) = project.status()["owed_gates"]
    assert (owed["gate"], owed["red"], owed["story"]) == ("api", True, "US-002")
    checked = project.shiftwork("check")
    assert (checked.returncode, message[2:] in checked.stdout) == (1, True), checked

    undone = project.shiftwork("undo", "US-002", "--run", run)
    assert undone.returncode == 0, undone
    assert project.shiftwork("check").returncode == 0
    assert project.status()["owed_gates"] == []


def test_a_run_at_its_limit_owes_the_gate_until_check_runs_it(project: Project) -> None:
    settle(project, word="new", last="cat")
    limited = project.shiftwork("run", "prd.json", "--workflow", "ralph", "--max-sessions", "2")
    assert limited.returncode == 2, limited
    since = project.git("log", "--format=%H", "main").splitlines()[2][:10]
    message = f"api has not run on main since {since}"
    assert f"! {message}" in limited.stdout
    status = project.shiftwork("status").stdout
    assert f"! {message}" in status
    assert "    shiftwork check\n" in status
    document = json.loads(project.shiftwork("check", "--json").stdout)
    assert (document["ran"], document["owed_gates"]) == (["api"], [])
    assert message not in project.shiftwork("status").stdout
    again = project.types(blocks(ROOT / "docs" / "howto" / "gates.md", "owed"))
    assert again.stdout.splitlines() == ["nothing to run: every gate has run on what has landed"], again
