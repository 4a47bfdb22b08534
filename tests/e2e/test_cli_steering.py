"""Steering a run from another terminal: pause, cancel one story, retry, add, edit, reorder, undo."""

import json
import signal
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import NO_STORY_WRONG, WORKING, Project, interrupt, lives, new_project, writing_pid, written_pid
from tests.json_documents import seconds_between
from tests.patience import SECONDS, STATUS_EVERY, Stopwatch, eventually
from tests.warm import OutputListener

pytestmark = pytest.mark.slow

QUICK = ("--workflow", "ralph")
"""One step a story: how many there are is not the point."""

STILL_SECONDS = 12.0
"""As on a machine with much else to do, or with a disk that stalls."""

STORIES = ("US-001", "US-002", "US-003", "US-004")

AGENT = """\
if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then
  echo "$SHIFTWORK_STORY" >> {where}/begun
  if [ "$SHIFTWORK_STORY" = US-001 ] && [ ! -f {where}/go ]; then
    trap '' TERM
    sh -c "trap '' TERM; sleep 600; sleep 600" & echo $! > {where}/number; {child}
    {pid}
    while [ ! -f {where}/go ]; do sleep 0.1; done
    kill -9 $(cat {where}/number)
  fi
  echo done > "$SHIFTWORK_STORY.txt"
fi
"""
"""It and its children ignore signals to end while it works on the first story and the file `go` does not exist."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = new_project(tmp_path)
    child, pid = writing_pid(project.shared / "child", of="$!"), writing_pid(project.shared / "pid")
    project.settle(
        agent=AGENT.format(where=project.shared, child=child, pid=pid) + WORKING, gates=f'test = "{NO_STORY_WRONG}"'
    )
    stories = [{"id": story, "title": f"Do {story}", "acceptanceCriteria": ["done"]} for story in STORIES]
    prd = {"project": "demo", "userStories": stories}
    (project.root / "prd.json").write_text(json.dumps(prd, indent=2), encoding="utf-8")
    return project


def pid(project: Project, name: str = "pid") -> int:
    return written_pid(project.shared / name)


def scenario(project: Project) -> None:
    project.agent.with_name("go").touch()


def begun(project: Project) -> list[str]:
    return project.agent.with_name("begun").read_text(encoding="utf-8").split()


def stories(project: Project) -> Mapping[str, str]:
    return {story["story"]: story["status"] for story in project.status()["stories"]}


def typed(project: Project, *words: str) -> str:
    completed = project.shiftwork(*words)
    assert completed.returncode == 0, completed
    return completed.stdout


def document(project: Project, *words: str) -> Any:
    return json.loads(typed(project, *words, "--json").splitlines()[-1])


def finished(process: OutputListener) -> str:
    message, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, message
    return message


def test_a_paused_run_begins_nothing_and_can_be_left_and_resumed(project: Project) -> None:
    with project.started("run", "prd.json", *QUICK, "--parallel", "1") as process:
        pid(project)
        assert document(project, "pause")["delivery"] == "done"
        assert "it is paused already" in project.shiftwork("pause").stderr
        scenario(project)
        eventually(lambda: stories(project)["US-001"] == "paused", every=STATUS_EVERY)
        status = project.status()
        assert (status["activity"], status["status"]) == ("paused", "paused")
        shown = typed(project, "status")
        assert ": paused, " in shown
        assert "; process " in shown
        assert shown.splitlines()[-1] == f"next: shiftwork resume {status['run']}"
        assert begun(project) == ["US-001"], "nothing is begun in a paused run"
        interrupt(process)
        message, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert "paused: nothing new starts until shiftwork resume" in message
    assert project.status()["activity"] == "paused"
    typed(project, "resume")
    assert set(stories(project).values()) == {"completed"}


def test_a_worker_that_stands_still_for_a_while_is_waited_for(project: Project) -> None:
    with project.started("run", "prd.json", *QUICK, "--parallel", "1") as process:
        pid(project)
        process.send_signal(signal.SIGSTOP)
        waking = threading.Timer(STILL_SECONDS, process.send_signal, (signal.SIGCONT,))
        waking.start()
        assert "is paused" in typed(project, "pause")
        waking.join()
        process.send_signal(signal.SIGSTOP)
        gone = threading.Timer(1, process.kill)
        gone.start()
        assert "requested; done when the run continues" in typed(project, "edit", "US-004", "--title", "Later")
        gone.join()
    scenario(project)
    typed(project, "resume")
    assert project.git("log", "-1", "--format=%s") == "feat: US-004 - Later"


def test_one_story_is_cancelled_within_five_seconds_whatever_its_agent_does(project: Project) -> None:
    with project.started("run", "prd.json", *QUICK, "--parallel", "2", "--json") as process:
        agent, child = pid(project), pid(project, "child")
        run = project.status()["run"]
        assert lives(agent)
        assert lives(child)
        watch = Stopwatch()
        assert "US-001 is cancelled" in typed(project, "cancel", run, "--story", "US-001")
        assert not lives(agent)
        assert not lives(child)
        message, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, "all that is still wanted has landed"
    at = {change["kind"]: change["time"] for change in map(json.loads, message.splitlines()) if "time" in change}
    took = seconds_between(at["story_cancelled"], at["story_failed"])
    assert took >= 0
    assert watch.within(5, took), f"the story's processes were alive for {took:.1f} s"
    assert stories(project) == {
        "US-001": "cancelled",
        "US-002": "completed",
        "US-003": "completed",
        "US-004": "completed",
    }
    refused = project.shiftwork("cancel", "--story", "US-002")
    assert refused.returncode == 64
    assert "is over" in refused.stderr
    scenario(project)
    result = document(project, "retry", "US-001")
    assert (result["status"], result["completed_count"], result["failed_count"]) == ("completed", 4, 0)
    assert begun(project).count("US-001") == 2


def test_what_the_howto_reports_to_type_works(project: Project) -> None:
    howto = ROOT / "docs" / "howto" / "steer-a-run.md"
    with project.started("run", "prd.json", *QUICK, "--parallel", "1") as process:
        pid(project)
        run = project.status()["run"]
        type_all(project, blocks(howto, "steer"), run)
        scenario(project)
        finished(process)
    assert set(stories(project).values()) == {"completed"}
    assert list(stories(project)) == [*STORIES, "US-005"]
    assert begun(project) == ["US-001", "US-004", "US-003", "US-002", "US-005"]
    titles = [story["title"] for story in project.status()["stories"]]
    assert titles[2:] == ["Read the settings", "Do US-004", "Tell the user what went wrong"]
    prd = project.root / "prd.json"
    type_all(project, blocks(howto, "undo").splitlines()[0], run)
    assert [story["passes"] for story in json.loads(prd.read_text())["userStories"]] == [True, True, True, False]
    type_all(project, blocks(howto, "undo").splitlines()[1], run)
    assert [story["passes"] for story in json.loads(prd.read_text())["userStories"]] == [True] * 4
    log = project.git("log", "-2", "--format=%s").splitlines()
    assert log == ["feat: US-004 - Do US-004", "revert: US-004 - Do US-004"]


def type_all(project: Project, commands: str, run: str) -> None:
    completed = project.types(commands, RUN=run)
    assert completed.returncode == 0, completed


def test_a_run_that_is_over_continues_for_what_is_asked_of_it(project: Project) -> None:
    scenario(project)
    typed(project, "run", "prd.json", *QUICK, "--parallel", "4")
    assert "nothing to change" in project.shiftwork("edit", "US-001").stderr
    assert "there is no story US-009" in project.shiftwork("edit", "US-009", "--title", "x").stderr
    refused = project.shiftwork("retry", "US-001")
    assert refused.returncode == 64
    assert "shiftwork undo US-001" in refused.stderr
    result = document(project, "add", "One more", "--after", "US-001")
    assert (result["status"], result["stories"][-1]["story"]) == ("completed", "US-005")
    blocked = project.shiftwork("undo", "US-001")
    assert blocked.returncode == 64
    assert "US-005 depends on US-001 and landed after it" in blocked.stderr
    assert document(project, "undo", "US-005")["undone"] is True
    assert "US-005" not in project.shiftwork("proof").stdout
    assert "US-005 was undone later" in project.shiftwork("proof", "US-005").stderr
    assert stories(project)["US-005"] == "undone"
    assert document(project, "edit", "US-005", "--title", "Another")["delivery"] == "waiting"
    message = typed(project, "edit", "US-005", "--description", "more")
    assert "requested; the run is over, and this is done once it is continued" in message
    assert message.splitlines()[-1] == "next: shiftwork retry US-005"
    message = typed(project, "retry", "US-005")
    assert "US-005 starts again from its first step: its work was reverted" in message.splitlines()
    assert begun(project).count("US-005") == 2
    assert project.git("log", "-1", "--format=%s") == "feat: US-005 - Another"


def test_a_refused_undo_names_the_later_stories_that_changed_the_same_files(project: Project) -> None:
    agent = 'if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then echo "$SHIFTWORK_STORY" > README; fi\n' + WORKING
    project.settle(agent=agent, gates='test = "true"')
    typed(project, "run", "prd.json", *QUICK)
    refused = project.shiftwork("undo", "US-002")
    assert refused.returncode == 1, refused
    assert "US-003, US-004 landed after it and changed the same files: undo the last of them first" in refused.stdout
    assert refused.stdout.splitlines()[-1].startswith("next: shiftwork undo US-004 --run ")


def test_a_failed_story_is_dismissed_and_needs_nobody_any_more(project: Project) -> None:
    project.settle(agent="cat > /dev/null; exit 3\n")
    assert project.shiftwork("run", "Say hello", "--workflow", "ralph").returncode == 1
    asked = project.shiftwork("cancel", "--story", "US-001")
    assert (asked.returncode, "next: shiftwork resume" in asked.stdout) == (0, True), asked
    resumed = project.shiftwork("resume")
    (story,) = project.status()["stories"]
    assert (story["status"], story["state"], story["cause"]) == ("cancelled", "cancelled", "cancelled"), resumed
    document = project.status()
    assert (document["status"], document["failed_count"]) == ("cancelled", 0)
    again = project.shiftwork("cancel", "--story", "US-001")
    assert (again.returncode, "run" in again.stderr) == (64, True)
    project.settle()
    assert project.shiftwork("retry", "US-001").returncode == 0, "it can be taken up again"
