"""`shiftwork gc`: after runs that ended, after a run that was killed, and as the documentation shows it."""

import json
import os
import signal
from dataclasses import replace
from typing import Any

from tests.conformance.processes.programs import guards_of
from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project, lives, sleeping, written_pid
from tests.patience import eventually

WRITING = 'if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then echo half > half.txt; fi\n'


def swept(project: Project, *words: str) -> dict[str, Any]:
    answer = project.shiftwork("gc", "--json", *words)
    assert answer.returncode == 0, answer
    document: dict[str, Any] = json.loads(answer.stdout)
    return document


def killed(project: Project) -> int:
    """A run whose worker was killed, and its guard with it, while its agent slept; the agent's pid."""
    project.settle(agent=WRITING + sleeping(project.shared))
    with project.started("run", "Add a greeting") as process:
        agent = written_pid(project.shared / "pid")
        for guard in guards_of(process.pid):
            os.kill(guard, signal.SIGKILL)
        process.kill()
    return agent


def test_a_finished_run_leaves_nothing_but_its_logs(project: Project) -> None:
    assert project.shiftwork("gc").stdout == "freed 0 bytes\n"
    assert not project.state.exists(), "where nothing was run, nothing is made"
    assert project.shiftwork("run", "Add a greeting").returncode == 0
    run = project.status()["run"]
    dry = project.shiftwork("gc", "--dry-run").stdout
    assert dry.startswith(f"{run}  would remove 0 workspaces, 2 attempt folders, ")
    message = project.shiftwork("gc").stdout
    assert message.startswith(f"{run}  removed 0 workspaces, 2 attempt folders, ")
    assert message.splitlines()[-1].startswith("freed ")
    left = [path.name for path in (project.state / "runs" / run).iterdir()]
    assert sorted(left) == ["progress.txt", "scratch.md"], "what it has learnt stays"
    assert len(list((project.state / "logs" / run / "US-001").iterdir())) == 2
    assert swept(project)["cleaned"] == []
    assert project.shiftwork("diff", "US-001").returncode == 0, "what has landed can be looked at for ever"


def test_pains_10_and_11_a_killed_run_is_cleaned_up_as_the_page_says_and_nothing_is_lost(
    project: Project,
) -> None:
    project = replace(project, tier="none")  # what is in a sandbox ends with its worker
    agent = killed(project)
    run = project.status()["run"]
    (project.root / "README").write_text("half an idea\n", encoding="utf-8")
    before = project.git("status", "--porcelain")
    spared = swept(project)["spared"]
    assert [(entry["run"], "--all" in entry["reason"]) for entry in spared] == [(run, True)]
    assert lives(agent), "a run that can be resumed is left alone"

    typed = project.types(blocks(ROOT / "docs" / "howto" / "clean-up.md", "cleanup"), RUN=run)
    assert typed.returncode == 0, typed
    assert f"{run}  removed 1 workspace, " in typed.stdout
    eventually(lambda: not lives(agent))
    assert project.git("show", "rescued:half.txt") == "half"
    assert project.git("status", "--porcelain") == before
    assert (project.root / "README").read_text(encoding="utf-8") == "half an idea\n"

    (project.shared / "go").touch()
    assert project.shiftwork("resume").returncode == 0
    assert project.git("log", "--format=%s", "main").splitlines()[0] == "feat: Add a greeting"
