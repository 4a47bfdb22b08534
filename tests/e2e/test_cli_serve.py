"""Runs without a terminal: the server of a repository works on them, whatever is closed, killed or stopped."""

import json
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import GATE, SHIFTWORK, WORKING, Project, lives, new_project, sleeping, written_pid
from tests.e2e.shell_rig import a_shell
from tests.patience import STATUS_EVERY, awaited, eventually

pytestmark = pytest.mark.slow

ASKS_ONCE = """\
if [ "$SHIFTWORK_STEP_TYPE" = coding ] && [ ! -f {asked} ]; then
  cat > /dev/null; touch {asked}
  echo SUMMARY:; echo half; echo "STORY_BLOCKED: Tabs or blanks?"; exit 0
fi
"""

WAITS = "while [ ! -f {go} ]; do sleep 0.1; done\n"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    project = new_project(tmp_path)
    yield project
    project.agent.with_name("go").touch()
    stopped = project.shiftwork("serve", "--stop", "--json")
    assert stopped.returncode == 0, stopped


def detached(project: Project, request: str = "Add a greeting", **env: str) -> str:
    """A run that was handed over."""
    done = project.shiftwork("run", "--detach", "--json", "--workflow", "ralph", request, **env)
    assert done.returncode == 0, done
    document = json.loads(done.stdout.splitlines()[-1])
    assert document["stop"] == "detached"
    return str(document["run"])


def server(project: Project) -> int:
    document = json.loads(project.shiftwork("serve", "--status", "--json").stdout)
    assert document["server"], document
    return int(document["server"]["pid"])


def served(project: Project) -> list[dict[str, str]]:
    runs: list[dict[str, str]] = json.loads(project.shiftwork("serve", "--status", "--json").stdout)["runs"]
    return runs


def over(project: Project, run: str) -> dict[str, object]:
    return awaited(lambda: project.status(run), lambda status: status["activity"] == "over", every=STATUS_EVERY)


def worker(project: Project, run: str) -> int:
    status = awaited(lambda: project.status(run), lambda status: status["worker"], every=STATUS_EVERY)
    return int(status["worker"]["pid"])


def answer_over_http(project: Project, run: str) -> None:
    word = json.loads(project.shiftwork("token", "create", "--role", "operator", "--json").stdout)["token"]
    found = json.loads(project.shiftwork("serve", "--status", "--json").stdout)["server"]
    url = f"{found['address']}/api/v1/runs/{run}/stories/US-001/answer"
    answer = httpx2.post(url, json={"text": "tabs"}, headers={"authorization": f"Bearer {word}"}, timeout=60)
    assert answer.status_code == 202, answer.text


def landed(project: Project) -> list[str]:
    return project.git("log", "--format=%s", "main").splitlines()


def test_closing_the_terminal_and_killing_server_and_worker_end_nothing_and_the_work_lands_once(
    project: Project,
) -> None:
    project.settle(agent=sleeping(project.shared))
    with a_shell(project) as terminal:
        terminal.types(f"{SHIFTWORK} run --detach --workflow ralph 'Add a greeting'\n")
        eventually(lambda: b"--follow" in terminal.seen())
        screen = terminal.seen()
        agent = written_pid(project.shared / "pid")
    assert b"is handed over to the server of this repository" in screen
    assert b"shiftwork logs" in screen
    assert lives(agent)
    run = str(project.status()["run"])
    first, working = server(project), worker(project, run)
    os.kill(first, signal.SIGKILL)
    eventually(lambda: not lives(first))
    assert json.loads(project.shiftwork("serve", "--status", "--json").stdout)["server"] is None
    assert lives(agent), "its worker works on"
    with project.started("serve", "--no-http"):
        eventually(lambda: json.loads(project.shiftwork("serve", "--status", "--json").stdout)["server"])
        second = server(project)
        assert worker(project, run) == working, "which the next server watches"
        os.kill(working, signal.SIGKILL)
        eventually(lambda: not lives(agent))
        project.agent.with_name("go").touch()
        assert over(project, run)["status"] == "completed", "the server has replaced its worker"
        assert server(project) == second
    assert landed(project) == ["feat: Add a greeting", "start"]


def test_a_stopped_server_loses_nothing_and_only_its_own_runs_continue(project: Project) -> None:
    project.settle(agent=sleeping(project.shared).replace("hello.txt", "$SHIFTWORK_RUN.txt"))
    typed = project.types(blocks(ROOT / "docs/howto/work-without-a-terminal.md", "detach"))
    assert typed.returncode == 0, typed
    run = str(project.status()["run"])
    assert typed.stdout.splitlines()[-2:] == [
        f"stopped; unfinished: {run}",
        "next: shiftwork serve    (continues them)",
    ]
    assert project.status(run)["activity"] == "interrupted"
    assert project.shiftwork("serve", "--stop").stdout.splitlines()[0] == f"no server works here; unfinished: {run}"
    project.agent.with_name("go").touch()
    other = detached(project, "Say it again")
    refused = project.shiftwork("serve")
    assert refused.returncode == 1
    assert "is the server of this repository" in refused.stderr
    with project.started("serve", "--stop"):
        third = detached(project, "Say it a third time")
    assert [over(project, each)["status"] for each in (run, other, third)] == ["completed"] * 3
    assert "no server" not in project.shiftwork("serve", "--status").stdout


def test_a_run_that_would_land_past_a_gate_is_refused_until_a_person_continues_it(project: Project) -> None:
    gates = f'test = "{GATE}"\n'
    project.settle(agent=ASKS_ONCE.format(asked=project.shared / "asked") + WORKING, gates=f'{gates}strict = "true"')
    run = detached(project)
    awaited(
        lambda: project.status(run),
        lambda status: status["activity"] == "waiting" and not status["worker"],
        every=STATUS_EVERY,
    )
    weak = (project.root / "shiftwork.toml").read_text(encoding="utf-8").replace('strict = "true"\n', "")
    (project.root / "shiftwork.toml").write_text(weak, encoding="utf-8")
    assert project.shiftwork("trust", SHIFTWORK_TRUST="").returncode == 0, "as another branch may be trusted"
    answer_over_http(project, run)
    refused = awaited(lambda: project.status(run), lambda status: status["refused"], every=STATUS_EVERY)
    assert "strict is missing" in str(refused["refused"])
    assert f"shiftwork resume {run}" in str(refused["refused"])
    assert landed(project) == ["start"]
    resumed = project.shiftwork("resume", run, "--detach")
    assert resumed.returncode == 0, resumed
    assert 'gates.strict  "true" -> not set' in resumed.stdout
    assert over(project, run)["status"] == "completed", "the server continues what a person has confirmed"


def test_a_paused_run_has_no_process_and_resume_has_the_server_continue_it(project: Project) -> None:
    project.settle(agent=WAITS.format(go=project.agent.with_name("go")) + WORKING)
    run = detached(project)
    working = worker(project, run)
    assert project.shiftwork("pause", run).returncode == 0
    assert lives(working), "an attempt is in progress"
    project.agent.with_name("go").touch()
    eventually(lambda: not lives(working))
    paused = project.status(run)
    assert (paused["activity"], paused["worker"], paused["state"]) == ("paused", None, "paused")
    log = project.root / ".git/shiftwork/server-logs/server.log"
    lines = awaited(lambda: log.read_text("utf-8").splitlines(), lambda lines: f"run {run} is paused" in lines[-1])
    assert [line for line in lines if not re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [a-zA-Z]", line)] == []
    assert "needs you" not in "".join(lines)
    resumed = project.shiftwork("resume", run)
    assert resumed.returncode == 0, resumed
    assert f"run {run} is handed over to the server" in resumed.stdout
    states = [project.status(run)["state"], *(each["state"] for each in served(project) if each["run"] == run)]
    assert "paused" not in states, "the request that ends the pause is recorded"
    assert over(project, run)["status"] == "completed"


def test_runs_above_the_limit_are_queued_and_can_be_cancelled_and_a_red_base_is_said_before(project: Project) -> None:
    project.settle(gates='test = "false"')
    refused = project.shiftwork("run", "--detach", "Add a greeting")
    assert refused.returncode == 1, refused
    assert "red" in refused.stderr + refused.stdout
    assert "no server works here" in project.shiftwork("serve", "--status").stdout
    assert project.shiftwork("status").returncode == 64, "no run was recorded"
    project.settle(agent=sleeping(project.shared))
    settings = project.root / "shiftwork.toml"
    settings.write_text(f"{settings.read_text(encoding='utf-8')}\n[serve]\nmax_runs = 1\n", encoding="utf-8")
    first, second = detached(project), detached(project, "Add another")
    written_pid(project.shared / "pid")
    shown = awaited(
        lambda: project.shiftwork("status", second).stdout,
        lambda text: ": queued" in text.splitlines()[0],
        every=STATUS_EVERY,
    )
    assert shown.splitlines()[-1] == "next: shiftwork serve --status    (the server continues it)"
    listed = json.loads(project.shiftwork("serve", "--status", "--json").stdout)["runs"]
    assert [(each["run"], each["state"]) for each in listed] == [(first, "working"), (second, "queued")]
    assert json.loads(project.shiftwork("status", second, "--json").stdout)["state"] == "queued"
    rows = json.loads(project.shiftwork("status", "--all", "--json").stdout)["runs"]
    assert {each["run"]: each["state"] for each in rows} == {first: "working", second: "queued"}
    assert project.shiftwork("cancel", first).returncode == 0
    worker(project, second)
    assert project.shiftwork("cancel", second).returncode == 0
    assert json.loads(project.shiftwork("serve", "--status", "--json").stdout)["runs"] == []


def test_removing_the_checkout_of_the_server_ends_it_and_no_run_of_another(project: Project) -> None:
    project.settle(agent=WAITS.format(go=project.agent.with_name("go")) + WORKING)
    project.git("add", "-A")
    project.git("commit", "-qm", "settings")
    there = replace(project, root=project.root.parent / "there")
    project.git("worktree", "add", "-q", "-b", "side", str(there.root))
    with there.started("serve", "--no-http"):
        eventually(lambda: json.loads(project.shiftwork("serve", "--status", "--json").stdout)["server"])
        run = detached(project)
        working = worker(project, run)
        first = server(project)
        project.git("worktree", "remove", "--force", str(there.root))
        eventually(lambda: json.loads(project.shiftwork("serve", "--status", "--json").stdout)["server"] is None)
        assert lives(working), "its checkout is there"
        detached(project, "Say it again")
        assert server(project) != first, "the next command starts one in a checkout that is there"
        project.agent.with_name("go").touch()
        assert over(project, run)["status"] == "completed"


def test_on_postgres_a_run_that_asks_has_no_process_and_the_answer_continues_it(
    project: Project, postgres_url: str
) -> None:
    env = {"SHIFTWORK_STORE_URL": postgres_url}
    project.settle(agent=ASKS_ONCE.format(asked=project.shared / "asked") + WORKING)
    run = detached(project, **env)

    def status() -> dict[str, object]:
        document: dict[str, object] = json.loads(project.shiftwork("status", "--json", run, **env).stdout)
        return document

    awaited(status, lambda found: found["activity"] == "waiting" and not found["worker"], every=STATUS_EVERY)
    answered = project.shiftwork("answer", "US-001", "tabs", **env)
    assert answered.returncode == 0, answered
    assert f"run {run} is handed over to the server" in answered.stdout
    assert awaited(status, lambda found: found["activity"] == "over", every=STATUS_EVERY)["status"] == "completed"
    refused = project.shiftwork("run", "--detach", "--workflow", "ralph", "Another")
    assert refused.returncode == 1
    assert "it reads another database" in refused.stderr
    assert project.shiftwork("serve", "--stop", "--json", **env).returncode == 0
