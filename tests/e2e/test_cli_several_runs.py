"""Several runs at once: what needs the user is found in whichever run it is, and a story in the run that has it."""

import json
from pathlib import Path

import pytest

from tests.e2e.cli_rig import Project, new_project

AGENT = """\
cat > /dev/null
case "{does}" in
  fail) exit 3 ;;
  ask) echo "STORY_BLOCKED: Tabs or blanks?"; exit 0 ;;
esac
echo "{does}" > hello.txt
echo SUMMARY:
echo "did it"
"""
GATES = 'test = "true"\n\n[run]\nworkflow = "ralph"\n'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path)


def ran(project: Project, does: str) -> str:
    """A run of one story, and its id."""
    project.settle(agent=AGENT.format(does=does), gates=GATES)
    project.shiftwork("run", f"Add it and {does}")
    run: str = project.status()["run"]
    return run


def test_what_needs_you_and_the_story_to_retry_or_to_undo_are_found_in_the_run_that_has_it(project: Project) -> None:
    failed, asking, landed = ran(project, "fail"), ran(project, "ask"), ran(project, "land")
    status = project.shiftwork("status", landed).stdout.splitlines()
    assert status[:2] == [f"! another run needs you, {asking}: US-001 asks", f"    shiftwork status {asking}"]
    assert "another run" not in project.shiftwork("status", asking).stdout
    everywhere = project.shiftwork("stories", "--all", "--needs-you").stdout
    assert everywhere.startswith(f"run {asking}: Add it and ask\n")
    assert "asks: Tabs or blanks?" in everywhere
    (only,) = json.loads(project.shiftwork("stories", "--all", "--needs-you", "--json").stdout)["runs"]
    assert (only["run"], [story["story"] for story in only["stories"]]) == (asking, ["US-001"])

    retried = project.shiftwork("retry", "US-001")
    assert retried.returncode == 64
    assert f"this is possible for US-001 in run {failed}, not in the newest run" in retried.stderr
    assert f"shiftwork retry US-001 --run {failed}" in retried.stderr
    steps = project.shiftwork("steps", "US-001", "--run", failed).stdout
    assert steps.splitlines()[-1].strip().startswith(f"shiftwork retry US-001 --run {failed}")

    def completed(words: str) -> list[str]:
        asked = {"_SHIFTWORK_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        return [line.partition(",")[2] for line in project.shiftwork(**asked).stdout.splitlines()]

    assert {failed, asking, landed} <= set(completed("shiftwork status "))
    assert completed(f"shiftwork status {landed[:-1]}") == [landed]
    assert completed("shiftwork retry ") == ["US-001"]
    assert not any(completed("shiftwork diff X"))

    first, second = landed, ran(project, "land again")
    refused = project.shiftwork("undo", "US-001")
    assert refused.returncode == 64, refused
    head, columns, newest, oldest, *commands = refused.stderr.splitlines()
    assert head == "shiftwork: 2 runs have a US-001 for which this is possible, and none is named:"
    assert (columns.split()[0], newest.split()[0], oldest.split()[0]) == ("run", second, first)
    assert commands == [f"  try: shiftwork undo US-001 --run {second}", f"       shiftwork undo US-001 --run {first}"]
    undone = project.shiftwork("undo", "US-001", "--run", second)
    assert f"US-001 (Add it and land again) of run {second} is undone: the revert passed test" in undone.stdout
    elsewhere = project.shiftwork("undo", "US-001").stderr
    assert f"this is possible for US-001 in run {first}, not in the newest run, {second}" in elsewhere
