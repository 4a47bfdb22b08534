"""Attacks on what has landed, or waits for it: by stories, by their files, and by what users do meanwhile."""

import asyncio
import os
import threading
from functools import partial
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.landing.owed_payment import run_owed_gates
from shiftwork.app.runtime.git_retry import again
from shiftwork.config.site import find_site
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.story.state import ENDED, HoldCause
from shiftwork.errors import UnfitRepositoryError
from shiftwork.ports.agent import AgentTask
from shiftwork.ports.workspace import Moved
from tests.app.landing.landing_rig import land, work
from tests.app.landing.test_approving import asked
from tests.app.landing.test_landing_errors import amend_root
from tests.app.landing.test_owed_payment import with_last_failing
from tests.app.messaging.test_specs import PRD, handed_over, passes
from tests.app.messaging.test_specs import project as spec_project
from tests.app.projects import git, make_repository
from tests.app.rig import LANDING, SHORT, Rig, done, fake_rig
from tests.app.run.test_missing_work import A, C, moving_back, statuses, worked
from tests.app.run.test_missing_work import project as moved_project
from tests.attacks.state_rig import settled
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.workspace.git.git_rig import GitRig
from tests.properties.test_delivery import HOUR, run_stories


def row(name: str, severity: Severity, harm: Harm, seen: int) -> Attack:
    return Attack(name=name, layer="landing", severity=severity, harm=harm, seen=seen)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return fake_rig(tmp_path)


@pytest.fixture
def git_rig(tmp_path: Path) -> Rig:
    return Rig(repo=make_repository(tmp_path), gates=())


@attack(row("an answer that comes while the store is busy or suspended is never read", Severity.HIGH, Harm.DENIAL, 29))
def test_unread_answer() -> Outcome:
    stories = [
        story
        for seed in range(20)
        for story in run_stories(seed, lost_wake_ups=False, sweep_seconds=1000 * HOUR, limit=24 * HOUR)
    ]
    return settled(len(stories) == 60, all(story.status in ENDED for story in stories))


@attack(
    row("a story breaks what a gate with paths guards, and no later landing runs it", Severity.HIGH, Harm.PROOF, 31)
)
def test_skipped_gate(rig: Rig) -> Outcome:
    """Such a gate does not run for that landing, and the last story, for which all run, never lands."""
    rig.commit_files({"api/a": "fine\n", "shared/s": "fine\n"}, "packages")
    rig.gates = (
        Gate(name="all", command="true"),
        Gate(name="api", command="! grep -rq broken shared", paths=("api/**",)),
    )
    with_last_failing(rig, {"shared/s": "broken\n"})

    async def pay_debts() -> tuple[str, ...]:
        async with rig.open() as context:
            return tuple(gate.culprit.story for gate in (await run_owed_gates(context, LANDING)).owed if gate.culprit)

    return settled(rig.read_file("shared/s") == "broken\n", asyncio.run(pay_debts()) == ("US-001",))


@attack(row("a story marks others as done where the spec is a link", Severity.MEDIUM, Harm.PROOF, 34))
def test_marks_behind_a_link(rig: Rig) -> Outcome:
    path = spec_project(rig)
    path.rename(rig.repo / "feature.json")
    path.symlink_to("feature.json")
    rig.commit_files({"feature.json": PRD}, "a plan")

    def mark_all(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STORY"] != "A":
            return Turn(answer="no\n")
        return done(write={"work.txt": "work\n", "feature.json": PRD.replace("false", "true")})

    rig.script = mark_all
    run = asyncio.run(handed_over(rig))
    return settled(
        run.status is RunStatus.FAILED,
        rig.read_file("feature.json", "feature/mine") == PRD,
        passes(path) == {"A": True, "B": False, "C": True},
    )


@attack(
    row("a user amends the root commit, and nothing lands on the branch any more", Severity.MEDIUM, Harm.DENIAL, 35)
)
def test_amended_root(git_rig: Rig) -> Outcome:
    async def scenario() -> set[str]:
        async with git_rig.open() as context:
            before = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B")]
            amend_root(git_rig)
            return (await land(context, *before, await work(context, "C", {"C.txt": "w\n"}))).landed

    return settled(asyncio.run(scenario()) == {"A", "B", "C"})


@attack(row("a user removes landed commits, and they still count as landed", Severity.MEDIUM, Harm.PROOF, 36))
def test_removed_commits(rig: Rig) -> Outcome:
    moved_project(rig)
    moving_back(rig, A)

    async def scenario() -> RunState:
        async with rig.open() as context:
            return await worked(context)

    run = asyncio.run(scenario())
    return settled(run.status is RunStatus.FAILED, statuses(run)[A] == "missing", statuses(run)[C] == "blocked")


@attack(row("a story adds a file too large for the history", Severity.MEDIUM, Harm.DENIAL, 37))
def test_large_file(rig: Rig) -> Outcome:
    rig.large_file_mb = 1
    rig.script = lambda _: done(write={"work.txt": "work\n", "dump.sql": "x" * 1_200_000})

    async def scenario() -> HoldCause | None:
        async with rig.open() as context:
            run = await rig.start(context, one_shot("Add work.txt"), workflow=SHORT)
            hold = (await asked(rig, run)).waiting.hold
            return hold.cause if hold else None

    return settled(asyncio.run(scenario()) is HoldCause.APPROVAL, "dump.sql" not in rig.list_files())


@attack(row("a user's gc removes objects while changes land, and the run ends", Severity.MEDIUM, Harm.DENIAL, 38))
def test_garbage_collection(tmp_path: Path) -> Outcome:
    rig = GitRig(tmp_path)
    stopped = threading.Event()

    def collect() -> None:
        while not stopped.is_set():
            rig.user.git("gc", "--quiet", "--prune=now")

    tip = rig.story({f"{number}.txt": f"{number}\n" for number in range(20)})
    collecting = threading.Thread(target=collect)
    collecting.start()
    try:
        moved = asyncio.run(again(partial(rig.repository.move, "main", rig.candidate(tip))))
    finally:
        stopped.set()
        collecting.join()
    return settled(moved == Moved(ref="main"), "missing" not in rig.user.git("fsck", "--strict"))


@attack(row("a checkout whose path is no text ends every command with a traceback", Severity.LOW, Harm.DENIAL, 39))
def test_path_that_is_no_text(tmp_path: Path) -> Outcome:
    folder = Path(os.fsdecode(bytes(tmp_path) + b"/x-\xe9\xff"))
    folder.mkdir()
    git(folder, "init", "--quiet")
    try:
        find_site(folder, {"SHIFTWORK_STATE_HOME": str(tmp_path / "state")})
    except UnfitRepositoryError as error:
        return settled(error.message.isprintable())
    return Outcome.SUCCEEDED
