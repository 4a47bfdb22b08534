"""A run in which one story asks, one fails and one is blocked by that: all views show the same status."""

import json
from pathlib import Path

import pytest

from tests.e2e.cli_rig import Project, new_project

pytestmark = pytest.mark.slow

AGENT = """\
cat > /dev/null
if [ "$SHIFTWORK_STORY" = US-001 ]; then
  echo "STORY_BLOCKED: Tabs or blanks?"
  exit 0
fi
echo done > "$SHIFTWORK_STORY.txt"
echo SUMMARY:
echo "did it"
"""
GATE = "if test -f US-002.txt; then echo checking; echo two.txt is bad; exit 1; fi"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = new_project(tmp_path)
    project.settle(agent=AGENT, gates=f'test = "{GATE}"')
    after = {3: ["US-002"]}
    stories = [
        {"id": f"US-00{n}", "title": f"Do {n}", "acceptanceCriteria": ["done"], "dependsOn": after.get(n, [])}
        for n in (1, 2, 3, 4)
    ]
    (project.root / "prd.json").write_text(json.dumps({"project": "demo", "userStories": stories}), encoding="utf-8")
    return project


def test_all_views_report_the_same_of_a_run_that_waits(project: Project) -> None:
    ran = project.shiftwork("run", "prd.json", "--workflow", "ralph")
    assert ran.returncode == 2, ran
    lines = ran.stdout.splitlines()
    end = lines[lines.index("needs you: US-001 asks: Tabs or blanks?") :]
    failed = next(place for place, line in enumerate(end) if line.startswith("  US-002 failed: not landed (gates)"))
    assert "two.txt is bad" in [line.strip() for line in end[failed : failed + 5]]
    assert any(line.startswith("  US-003 blocked: ") and "US-002" in line for line in end)
    assert end[-3] == 'next: shiftwork answer US-001 "…"'
    assert " --story US-002 --gates " in end[-2]
    assert end[-1] == "      shiftwork retry US-002    (with the reason: --because …)"

    status = project.shiftwork("status").stdout.splitlines()
    assert status[0].endswith(": 1 of 4 landed, 1 needs you, 1 failed, 1 blocked")
    assert "two.txt is bad" in [line.strip() for line in status]
    table = project.shiftwork("stories").stdout.splitlines()
    place = table[0].index("state"), table[0].index("step")
    states = {line.split()[0]: line[slice(*place)].strip() for line in table if line.startswith("US-")}
    assert states == {"US-001": "needs you", "US-002": "failed", "US-003": "blocked", "US-004": "landed"}
    assert "two.txt is bad" in [line.strip() for line in table]
    assert {item["story"]: item["state"] for item in project.status()["stories"]} == {**states, "US-001": "waiting"}
    queued = project.shiftwork("stories", "--queued").stdout.splitlines()
    assert [line.split()[0] for line in queued[:2]] == ["story", "US-003"]
    landed = project.shiftwork("stories", "--landed").stdout.splitlines()
    assert [line.split()[0] for line in landed[:2]] == ["story", "US-004"]
    third = next(place for place, line in enumerate(table) if line.split()[:2] == ["US-003", "blocked"])
    assert table[third + 1].startswith("    blocked: ")
    assert "US-002" in table[third + 1]
    assert json.loads(project.shiftwork("stories", "--json").stdout)["stories"][2]["waits_for"] == ["US-002"]
    assert project.shiftwork("diff", "US-003", "--stat").stdout == "nothing has changed\n"
    report = project.shiftwork("report").stdout
    assert "Reason: " in report
    assert "| stories | 4: 1 landed, 1 needs you, 1 failed, 1 blocked |" in report
    _look_further(project)


def _look_further(project: Project) -> None:
    run = project.status()["run"]
    logs = project.shiftwork("logs").stdout.splitlines()
    assert logs[0] == f"US-002 (failed) is shown; for another story: shiftwork logs {run} --story ID"
    assert logs[1].startswith("US-002 ")
    assert project.shiftwork("logs", "--story", "US-004").stdout.startswith("US-004 ")
    head, row, *_ = project.shiftwork("proof").stdout.splitlines()
    assert head.split() == ["story", "landed", "on", "proof", "gates", "title"]
    assert row.split()[0] == "US-004"
    assert [head.index(name) for name in ("on", "proof", "title")] == list(map(row.index, ("main", "0 of 1", "Do 4")))
    proof = project.shiftwork("proof", "US-004").stdout
    assert proof.count("unknown") == 2, "unknown values are listed once"
