"""Git is killed while the orchestrator lives, each of its calls once: no retry is used up, and no story is lost."""

import asyncio
import shutil
from collections import Counter
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.runtime.context import Sighting
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.ports.agent import AgentTask, Ending
from shiftwork.testing.builders import asked
from tests.app.projects import ENV, git, make_repository
from tests.app.rig import SHORT, Rig, Script, done, kinds

EVERY = 20
"""More calls than any effect makes: an effect that starts again is not killed at the same place again."""

# A number belongs to the git that makes its folder: several gits run at a time.
_MORTAL = """\
#!/bin/sh
[ -e {folder}/armed ] || exec {git} "$@"
read -r n < {folder}/armed || n=1
while ! mkdir {folder}/$n 2> /dev/null; do n=$((n + 1)); done
echo $n > {folder}/armed
[ $((n % {every})) -eq {which} ] || exec {git} "$@"
{did}
kill -9 $$
"""


@pytest.mark.parametrize("did", ["nothing", "its work"])
@pytest.mark.parametrize("which", range(EVERY))
def test_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: int, did: str) -> None:
    program = shutil.which("git")
    mortal = tmp_path / "git"
    work = f'{program} "$@"' if did == "its work" else ":"
    mortal.write_text(_MORTAL.format(folder=tmp_path, git=program, every=EVERY, which=which, did=work))
    mortal.chmod(0o755)
    rig = Rig(repo=make_repository(tmp_path), script=_sharing(), gates=(Gate(name="whole", command="cat shared"),))
    monkeypatch.setitem(ENV, "PATH", f"{tmp_path}:{ENV['PATH']}")

    def arm(sighting: Sighting) -> None:
        if isinstance(sighting.what, run_facts.RunStarted):
            (tmp_path / "armed").touch()

    rig.watch = arm
    stories = Spec(title="Both", description="Both at once", stories=(asked(1), asked(2)))
    run = asyncio.run(rig.run(stories, workflow=SHORT, parallel=2))
    assert (tmp_path / str(EVERY)).exists(), "each call of the first so many was made"
    assert run.status is RunStatus.COMPLETED
    assert sorted(rig.log()) == ["feat: US-001 - Story 1", "feat: US-002 - Story 2", "start"]
    assert set(git(rig.repo, "show", "main:shared").split()) == {"US-001", "US-002"}
    facts = [kinds(asyncio.run(rig.facts(run, f"US-00{number}"))) for number in (1, 2)]
    assert sum(map(Counter, facts), Counter())["StepFailed"] <= 1, "none but the one that the agent crashed in"


def _sharing() -> Script:
    """Both stories write into the same file; the first attempt of one crashes, and leaves something behind."""
    crashes = [Turn(write={"half": "half\n"}, ending=Ending.CRASHED, detail="exit 3")]

    def script(task: AgentTask) -> Turn:
        story, kind = task.env["SHIFTWORK_STORY"], task.env["SHIFTWORK_STEP_TYPE"]
        if kind == "coding" and story == "US-001" and crashes:
            return crashes.pop()
        # Where git died in the making of its workspace, a story may begin when the other has landed.
        shared = task.workdir / "shared"
        before = shared.read_text(encoding="utf-8") if shared.exists() else ""
        text = {"coding": f"{before}{story}\n", "rebase_resolve": "US-001\nUS-002\n"}.get(kind)
        return done(write={"shared": text} if text else {})

    return script
