"""Known problems of such systems, caused by scripted agents: no false claim is accepted, and nothing hangs.

The numbers are those of the product's list of pains; other test modules cover its other rows.
"""

import json
from pathlib import Path

import pytest

from tests.durability.rig import SPEC, Bench, make_bench
from tests.e2e.cli_rig import NO_STORY_WRONG, WORKING, new_project
from tests.repositories import git_locks

pytestmark = pytest.mark.slow

REQUEST = "../prd.json"
IDLE = "SHIFTWORK_STEP_TYPE=nothing\n"
"""Before the rest of the agent: it then changes no file."""

STEPS = {f"step-{number:03d}" for number in range(1, 11)}
UP_TO_CODING = {f"step-{number:03d}" for number in range(1, 6)}


def failed(bench: Bench) -> str:
    """Runs the spec, which must fail, and returns the reported reason."""
    ran = bench.shiftwork("run", REQUEST)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    view = bench.status()
    story = view["stories"][0]
    assert (view["status"], story["status"], story["commit"]) == ("failed", "failed", "")
    assert bench.git("log", "--format=%s", "main") == "start"
    assert bench.spec.read_text() == SPEC, "the spec does not say that it is done"
    return str(story["failure"])


@pytest.mark.parametrize(
    ("special", "reason"),
    [(IDLE, "ended without changing a file"), (IDLE + ": > work.txt\n", "gate test failed")],
    ids=["no diff", "unmet checks"],
)
def test_pain_01_a_story_that_nothing_proves_is_never_complete(special: str, reason: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "", special=special)
    assert reason in failed(bench)
    assert bench.attempts()["step-005"] == 1, "a finished step is not asked for again: repairs are steps of their own"


MENTIONS = """\
echo 'When all is done I shall say <promise>COMPLETE</promise>, but it is not.'
printf '%s\\n' '> <promise>COMPLETE</promise>' '```' '<promise>COMPLETE</promise>' '```'
"""
CLAIMS = "echo '<promise>COMPLETE</promise>'\n"


@pytest.mark.parametrize("said", [MENTIONS, CLAIMS], ids=["mentioned", "claimed"])
def test_pain_02_a_promise_neither_ends_a_story_early_nor_proves_it(said: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "", special=said + IDLE)
    assert "ended without changing a file" in failed(bench)
    done = bench.attempts().keys()
    assert done >= UP_TO_CODING, "the work was begun, whatever the first step had said"
    assert done.isdisjoint(STEPS - UP_TO_CODING), "no step is paid for after a coding step that changed nothing"


def test_pain_02_a_promise_in_prose_does_not_stand_in_the_way_either(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "", special=MENTIONS)
    ran = bench.shiftwork("run", REQUEST)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert bench.attempts() == dict.fromkeys(STEPS, 1)
    assert bench.git("log", "--format=%s", "main").splitlines() == ["feat: US-001 - Make work.txt", "start"]


NEVER_REPORTS = {
    "exits without a report": ("", "cat > /dev/null; echo done", "SUMMARY"),
    "dies": ("", "kill -9 $$", "ended by SIGKILL"),
    "is silent": ("silence_minutes = 0.02", "sleep 600", "no output for 1.2 s"),
    "talks on and on": ("time_factor = 0.003", "while :; do echo still at it; sleep 0.1; done", "still running after"),
    "leaves its output open": ("", "cat > /dev/null; (setsid sleep 600 &) ; exit 0", "SUMMARY"),
}


@pytest.mark.parametrize("how", NEVER_REPORTS)
def test_pain_03_an_agent_that_never_reports_leaves_no_step_running(how: str, tmp_path: Path) -> None:
    settings, agent, message = NEVER_REPORTS[how]
    project = new_project(tmp_path)
    project.settle(agent=agent)
    file = project.root / "shiftwork.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("[agent]\n", f"[agent]\n{settings}\n"), encoding="utf-8")
    ran = project.shiftwork("run", "Add a greeting")
    assert ran.returncode == 1, ran
    view = project.status()
    (story,) = view["stories"]
    assert (view["activity"], story["status"]) == ("over", "failed")
    assert message in story["failure"]
    first, *others = story["steps"]
    assert first["status"] in {"failed", "cancelled"}
    assert first["attempts"] == 2, "it was tried again, and no more"
    assert {step["status"] for step in others} == {"pending"}


MEDDLING = """\
if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then
  git config user.name Somebody
  echo nonsense >> .git/config
  : > .git/index.lock; : > .git/HEAD.lock; mkdir -p .git/refs/heads; : > .git/refs/heads/main.lock
  echo "$SHIFTWORK_STORY" > "$SHIFTWORK_STORY.txt"
  echo "of $SHIFTWORK_STORY alone" > notes.tmp
  sleep 0.5
  [ "$(cat notes.tmp)" = "of $SHIFTWORK_STORY alone" ] || exit 3
  rm notes.tmp
fi
"""
"""Leaves locks and broken files behind; its own file must stay as it left it while other agents work."""


def test_pain_14_no_lock_stays_and_agents_share_no_file(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    project.settle(agent=MEDDLING + WORKING, gates=f'test = "{NO_STORY_WRONG}"')
    names = [f"US-00{number}" for number in range(1, 5)]
    stories = [{"id": name, "title": f"Do {name}", "acceptanceCriteria": [], "passes": False} for name in names]
    spec = project.root / "prd.json"
    spec.write_text(json.dumps({"project": "p", "userStories": stories}), encoding="utf-8")
    before = (project.root / ".git" / "config").read_bytes()
    ran = project.shiftwork("run", "prd.json", "--parallel", "4")
    assert ran.returncode == 0, ran
    assert sorted(project.git("log", "--format=%s", "main").splitlines()[:-1]) == [f"feat: {n} - Do {n}" for n in names]
    assert all(story["passes"] for story in json.loads(spec.read_text(encoding="utf-8"))["userStories"])
    assert (project.root / ".git" / "config").read_bytes() == before
    assert not git_locks(project.root)
    assert project.status()["worker"] is None, "no worker holds the run"
