"""`shiftwork run` on a spec file: stories land in the order of their dependencies and are marked as done in it."""

import json
import re
from pathlib import Path

import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project, interrupt, new_project, sleeping
from tests.patience import SECONDS, eventually

AGENT = """\
prompt=$(cat)
case "$SHIFTWORK_STEP_TYPE" in
coding) echo "$SHIFTWORK_STORY" > "$SHIFTWORK_STORY.txt"; echo hello > hello.txt ;;
final_review) echo "$prompt" > "{prompts}/$SHIFTWORK_STORY" ;;
esac
echo SUMMARY:
echo "did the $SHIFTWORK_STEP_TYPE"
"""

PRD = """\
{
    "project" : "Greeter",\t"branchName": "",
    "description": "Greets — in colour",
    "userStories": [
        { "id": "US-002", "title": "Greet by name", "acceptanceCriteria": ["It greets by name"],
          "dependsOn": ["US-001"], "priority": 1, "passes": false, "notes": "Ask Ann" },
        { "id": "US-001", "title": "Greet", "acceptanceCriteria": ["It greets"],
          "priority": 2, "passes": false, "notes": "" },
        { "id": "US-000", "title": "Start", "acceptanceCriteria": [], "passes": true },
        { "id": "US-003", "title": "Say goodbye", "acceptanceCriteria": ["It says goodbye"],
          "priority": 3, "x-owner": { "passes" : false } }
    ]
}"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(tmp_path)
    (made.shared / "prompts").mkdir()
    made.settle(agent=AGENT.format(prompts=made.shared / "prompts"))
    return made


def write(project: Project, name: str, text: str) -> Path:
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def landed(project: Project, branch: str = "main") -> list[str]:
    return project.git("log", "--reverse", "--format=%s", branch).splitlines()[1:]


def test_a_prd_of_stories_lands_in_order_and_only_what_landed_is_written(project: Project) -> None:
    path = write(project, "prd.json", PRD.replace("\n", "\r\n"))
    project.git("add", "prd.json")
    project.git("commit", "-q", "-m", "a plan")
    completed = project.shiftwork("run", "prd.json")
    assert completed.returncode == 0, completed
    order = ["US-001 - Greet", "US-002 - Greet by name", "US-003 - Say goodbye"]
    assert sorted(landed(project)[1:]) == [f"feat: {story}" for story in order]
    assert landed(project).index("feat: US-001 - Greet") < landed(project).index("feat: US-002 - Greet by name")
    text = path.read_bytes().decode()
    assert {story["id"]: story["passes"] for story in json.loads(text)["userStories"]} == {
        "US-000": True,
        "US-001": True,
        "US-002": True,
        "US-003": True,
    }
    note = r"Landed as [0-9a-f]{12} by shiftwork run \w+, gates passed"
    bare = re.sub(rf"(?:\\n)?{note}", "", text)
    bare = bare.replace('{ "passes" : false }, "passes": true, "notes": "" }', '{ "passes" : false } }')
    bare = bare.replace('"priority": 1, "passes": true', '"priority": 1, "passes": false')
    bare = bare.replace('"priority": 2, "passes": true', '"priority": 2, "passes": false')
    assert bare == PRD.replace("\n", "\r\n"), "every other byte is as it was"
    assert not (project.root / "US-000.txt").exists()
    assert project.git("status", "--porcelain").split() == ["M", "prd.json", "??", "shiftwork.toml"]
    told_to_agent = (project.shared / "prompts" / "US-002").read_text(encoding="utf-8")
    assert "Do not change `prd.json`" in told_to_agent
    _nothing_to_do(project)


def _nothing_to_do(project: Project) -> None:
    """What has landed is not done again."""
    before = (landed(project), (project.root / "prd.json").read_bytes())
    run = project.status()["run"]
    completed = project.shiftwork("run", "prd.json")
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout == "nothing to do: every story of prd.json has already landed, so no run was started\n"
    document = json.loads(project.shiftwork("run", "prd.json", "--json").stdout)
    assert (document["kind"], document["run"], document["stop"], document["exit_code"]) == ("result", None, "over", 0)
    assert project.status()["run"] == run, "the newest run is the one that has done something"
    assert (landed(project), (project.root / "prd.json").read_bytes()) == before


def test_of_two_that_are_typed_at_once_one_begins_and_while_its_run_is_unfinished_no_other_does(
    project: Project,
) -> None:
    """The first would be resumed one day, and pay once more for what the second had landed."""
    write(project, "prd.json", PRD)
    write(project, "other.md", "# Plan\n\n## Wave\n- it waves\n")
    project.settle(agent=sleeping(project.shared))
    with project.started("run", "prd.json") as started, project.started("run", "prd.json") as two:
        eventually(
            lambda: (project.shared / "pid").exists() and any(process.poll() is not None for process in (started, two))
        )
        winner, loser = (started, two) if started.poll() is None else (two, started)
        (run,) = [known["run"] for known in json.loads(project.shiftwork("status", "--all", "--json").stdout)["runs"]]
        said, _ = loser.communicate(timeout=SECONDS)
        assert loser.returncode == 64
        assert said.splitlines()[-2:] == [
            f"shiftwork: run {run} already works on prd.json",
            f"  try: shiftwork status {run} shows it; shiftwork cancel {run} ends it",
        ]
        (project.shared / "go").touch()
        assert project.shiftwork("run", "other.md").returncode == 0, "another spec is begun beside it"
        interrupt(winner)  # killed, it would leave its agents behind
        winner.communicate(timeout=SECONDS)
    refused = project.shiftwork("run", str(project.root / "prd.json"))
    assert (refused.returncode, refused.stdout) == (64, ""), refused
    assert refused.stderr.splitlines() == [
        f"shiftwork: run {run} of prd.json is unfinished, and no process works on it",
        f"  try: shiftwork resume {run} continues it; shiftwork cancel {run} ends it, and then this starts a new run",
    ]
    assert json.loads(project.shiftwork("run", "prd.json", "--json").stdout)["kind"] == "unfinished-run"
    assert project.shiftwork("run", "prd.json", "--dry-run").returncode == 0, "which only shows"
    assert len(json.loads(project.shiftwork("status", "--all", "--json").stdout)["runs"]) == 2, "and nothing was begun"
    project.settle(agent=AGENT.format(prompts=project.shared / "prompts"))
    assert project.shiftwork("cancel", run).returncode == 0
    assert project.shiftwork("run", "prd.json").returncode == 0
    assert len(landed(project)) == 1 + 3


def test_a_change_folder_lands_on_the_branch_it_is_given_and_a_plan_on_its_own(project: Project) -> None:
    tasks = "# Tasks\n\n## 1. Greet\n- [ ] 1.1 Greet\n\n## 2. Document\n- [ ] 2.1 Say how\n- [ ] 2.2 Show it\n"
    path = write(project, "openspec/changes/greet/tasks.md", tasks)
    scenario = "#### Scenario: Morning\n- **WHEN** it is morning\n- **THEN** it says good morning\n"
    write(project, "openspec/changes/greet/specs/greeting/spec.md", scenario)
    completed = project.shiftwork("run", "openspec/changes/greet", "--branch", "main")
    assert completed.returncode == 0, completed
    assert landed(project) == ["feat: section-1 - Greet", "feat: section-2 - Document"]
    assert path.read_text(encoding="utf-8") == tasks.replace("[ ]", "[x]")
    assert "it says good morning" in (project.shared / "prompts" / "section-1").read_text(encoding="utf-8")

    write(project, "docs/plan.md", "# Plan\nBranch: feature/greet\n\n## Greet people\n- it greets\n")
    before = project.git("rev-parse", "main")
    completed = project.shiftwork("run", "docs/plan.md")
    assert completed.returncode == 0, completed
    assert landed(project, "feature/greet")[2:] == ["feat: Greet people"], "made from what is checked out"
    assert project.git("rev-parse", "main") == before
    assert "## [x] Greet people" in (project.root / "docs/plan.md").read_text(encoding="utf-8")


def test_mistakes_are_reported_by_line_and_a_mistyped_file_is_no_request(project: Project) -> None:
    write(project, "prd.json", PRD.replace('"US-001"]', '"US-01"]'))
    completed = project.shiftwork("run", "prd.json")
    assert completed.returncode == 64, completed
    where, hint = completed.stderr.splitlines()
    assert where == (
        "shiftwork: prd.json:6:25: US-002 depends on 'US-01', which is not in this file; did you mean 'US-001'?"
    )
    assert "shiftwork init --prd --print" in hint
    for trust in ("1", ""):  # nobody is asked for consent to a run that cannot start
        completed = project.shiftwork("run", "prd.jsn", SHIFTWORK_TRUST=trust)
        assert completed.returncode == 64, completed
        assert completed.stderr.splitlines() == [
            "shiftwork: there is no file prd.jsn; did you mean prd.json?",
            "  try: shiftwork run prd.json; if it is a request, write it as a sentence",
        ]
    assert project.shiftwork("status").returncode == 64, "there is no run"


def test_the_howto_typed_literally_works(project: Project) -> None:
    typed = blocks(ROOT / "docs" / "howto" / "write-a-spec.md", "spec")
    for line in typed.splitlines():
        completed = project.shiftwork(*line.split()[1:])
        assert completed.returncode == 0, completed
    assert landed(project) == ["feat: US-001 - Show the version", "feat: US-002 - Describe --version in the README"]
    again = project.shiftwork("init", "--prd")
    assert again.returncode == 64, "what is filled in is not overwritten"


ALONE = """\
{"userStories": [
    {"id": "US-001", "title": "Greet", "acceptanceCriteria": ["It greets"], "passes": false},
    {"id": "US-002", "title": "Leave", "acceptanceCriteria": ["It leaves"], "passes": false, "dependsOn": ["US-001"]}
]}"""


def test_the_history_decides_which_stories_have_landed(project: Project) -> None:
    works = AGENT.format(prompts=project.shared / "prompts")
    project.settle(agent=f'[ "$SHIFTWORK_STORY" = US-001 ] || exit 1\n{works}')
    path = write(project, "prd.json", ALONE)
    assert project.shiftwork("run", "prd.json", "--trust").returncode == 1
    assert landed(project) == ["feat: US-001 - Greet"]
    path.write_text(ALONE.replace("false", "true"), encoding="utf-8")
    project.settle(agent=works)
    again = project.shiftwork("run", "prd.json", "--trust")
    assert "note: US-002 is worked on: prd.json marks it as done, but run" in again.stderr
    assert landed(project) == ["feat: US-001 - Greet", "feat: US-002 - Leave"]
    path.write_text(ALONE, encoding="utf-8")
    last = project.shiftwork("run", "prd.json", "--trust")
    assert "US-001 has landed in run" in last.stderr
    assert "nothing to do" in last.stdout


def test_what_was_reset_away_after_the_run_lands_again_only_by_a_retry(project: Project) -> None:
    path = write(project, "prd.json", ALONE)
    before = project.git("rev-parse", "main").strip()
    assert project.shiftwork("run", "prd.json", "--trust").returncode == 0
    project.git("reset", "--hard", "-q", before)
    said = project.shiftwork("run", "prd.json", "--trust")
    assert "note: US-001 has landed, but is no longer found on main; to land it again: shiftwork retry" in said.stderr
    assert "nothing to do" in said.stdout
    assert landed(project) == []
    project.shiftwork("retry", "US-001", "--trust")
    assert landed(project) == ["feat: US-001 - Greet"]
    assert json.loads(path.read_text(encoding="utf-8"))["userStories"][1]["passes"] is True


def test_commands_that_only_read_look_at_the_branch_and_change_nothing(project: Project) -> None:
    write(project, "prd.json", ALONE)
    assert project.shiftwork("run", "prd.json", "--trust").returncode == 0
    tip = project.git("rev-parse", "main").strip()
    assert states(project) == {"US-001": "landed", "US-002": "landed"}
    project.git("commit", "-q", "--amend", "-m", "my own words")
    assert states(project) == {"US-001": "landed", "US-002": "landed"}
    project.git("reset", "--hard", "-q", f"{tip}~1")
    assert states(project) == {"US-001": "landed", "US-002": "missing"}
    document, note = project.status(), f"landed as {tip[:12]}, no longer found on main"
    assert (document["state"], document["completed_count"]) == ("failed", 1)
    assert document["stories"][1]["failure"] == note
    status = " ".join(project.shiftwork("status").stdout.split())
    assert "failed, 1 of 2 landed, 1 no longer found" in status
    assert f"No longer found US-002 ({note})" in status
    assert "next: shiftwork retry US-002 (lands it again)" in status
    assert note in project.shiftwork("stories").stdout
    assert f"! US-002 {note}; to land it again: shiftwork retry US-002" in project.shiftwork("proof").stdout
    assert note in project.shiftwork("proof", "US-002").stdout
    assert note not in project.shiftwork("proof", "US-001").stdout
    (missing,) = json.loads(project.shiftwork("proof", "--json").stdout)["missing_stories"]
    assert (missing["story"], missing["branch"], missing["note"]) == ("US-002", "main", note)
    checked = project.shiftwork("check", "--json", SHIFTWORK_TRUST="1")
    assert (checked.returncode, json.loads(checked.stdout)["missing_stories"]) == (1, [missing])
    assert f"US-002 {note}" in project.shiftwork("check", SHIFTWORK_TRUST="1").stdout
    project.git("reset", "--hard", "-q", tip)
    project.git("pack-refs", "--all")
    assert states(project) == {"US-001": "landed", "US-002": "landed"}
    assert project.shiftwork("check", SHIFTWORK_TRUST="1").returncode == 0


def states(project: Project) -> dict[str, str]:
    return {story["story"]: story["state"] for story in project.status()["stories"]}


def test_what_agents_are_to_read_and_do_not_have_is_said_before_the_first_session(project: Project) -> None:
    write(project, "openspec/changes/add-x/tasks.md", "## 1. One\n- [ ] 1.1 First\n")
    write(project, "openspec/changes/add-x/proposal.md", "# Add x\n")
    write(project, "openspec/changes/add-x/specs/x/spec.md", "#### Scenario: a\nb\n")
    write(project, "openspec/project.md", "# About\n")
    said = project.shiftwork("run", "openspec/changes/add-x", "--trust").stdout
    lines = " ".join(said.split())
    listed = "openspec/changes/add-x/proposal.md, openspec/changes/add-x/specs/x/spec.md"
    assert f"agents are to read {listed}, which they do not have: it is not committed" in lines
    assert "type: git add openspec/changes/add-x && git commit" in lines
    assert "agents do not see what is not committed: openspec/project.md " in lines
    assert lines.count("proposal.md") == 1, "each file is named once"
    assert lines.index("agents are to read") < lines.index("begins")
