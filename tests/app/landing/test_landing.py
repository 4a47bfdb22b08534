"""What it takes to land: changes, green gates, no conflict, a base that has not moved."""

import asyncio
import shutil
from dataclasses import replace

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.runtime.context import Sighting
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Spec, one_shot
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.ports.agent import AgentTask
from tests.app.projects import git
from tests.app.rig import SHORT, Rig, done


@pytest.fixture
def rig(git_rig: Rig) -> Rig:
    """Landing from end to end, with the user's checkout."""
    return git_rig


def test_red_code_is_repaired_before_it_lands(rig: Rig) -> None:
    prompts: list[str] = []

    def script(task: AgentTask) -> Turn:
        prompts.append(task.prompt)
        if "Repair the change" in task.prompt:
            return done(write={"work.txt": "good\n"})
        return done(write={"work.txt": "bad\n"} if task.env["SHIFTWORK_STEP_TYPE"] == "coding" else {})

    rig.script = script
    rig.gates = (Gate(name="unit", command="grep -q good work.txt || { echo it is not good; exit 1; }"),)
    run = asyncio.run(rig.run(workflow=SHORT))
    assert run.status is RunStatus.COMPLETED
    assert rig.log() == ["feat: Add work.txt", "start"]
    assert any("it is not good" in prompt for prompt in prompts), "the prompt contains the failing output"


def test_code_that_stays_red_never_lands(rig: Rig) -> None:
    async def scenario() -> None:
        rig.gates = (Gate(name="unit", command="echo broken; exit 1"),)
        run = await rig.run(workflow=SHORT)
        story = await rig.story(run)
        assert (story.status, story.outcome.cause, story.landing.repairs) == (
            StoryStatus.FAILED,
            FailureCause.REFUSED,
            1,
        )
        assert "gate unit failed\nbroken before" in story.outcome.reason
        assert "the same failure came back" in story.outcome.reason, (
            "a repair that changed nothing is not paid for twice"
        )
        (row,) = await rig.store.queries.stories(run.given.run)
        assert (row.cause, row.landing.refusal) == ("refused", "gates")

    asyncio.run(scenario())
    assert rig.log() == ["start"]


def test_an_agent_that_changes_nothing_is_not_believed(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = lambda _: done("everything is implemented")
        rig.gates = ()
        run = await rig.run(workflow=SHORT)
        story = await rig.story(run)
        assert story.status is StoryStatus.FAILED
        assert "(empty)" in story.outcome.reason

    asyncio.run(scenario())
    assert rig.log() == ["start"]


def test_a_story_that_may_be_empty_completes_without_a_commit(rig: Rig) -> None:
    story = replace(one_shot("Look around").stories[0], may_be_empty=True)
    rig.script = lambda _: done()
    rig.gates = (Gate(name="always", command="true"),)
    run = asyncio.run(rig.run(Spec(title="t", description="d", stories=(story,)), workflow=SHORT))
    assert run.status is RunStatus.COMPLETED
    assert rig.log() == ["start"]


def test_pain_08_a_conflict_is_resolved_by_an_agent_and_reviewed_again(rig: Rig) -> None:
    """The user commits to the same line while the story is in progress."""

    def script(task: AgentTask) -> Turn:
        kind = task.env["SHIFTWORK_STEP_TYPE"]
        if kind == "coding":
            (rig.repo / "README").write_text("changed by the user\n")
            git(rig.repo, "commit", "--quiet", "-am", "user's own")
            return done(write={"README": "changed by the agent\n", "work.txt": "w\n"})
        if kind == "rebase_resolve":
            assert "<<<<<<<" in (task.workdir / "README").read_text()
            return done(write={"README": "changed by both\n"})
        return done()

    async def scenario() -> None:
        rig.script = script
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        started = [fact.step for fact in await rig.facts(run) if isinstance(fact, story_facts.StepStarted)]
        assert started == ["step-001", "step-002", "step-003", "step-002"]

    asyncio.run(scenario())
    assert rig.log() == ["feat: Add work.txt", "user's own", "start"]
    assert (rig.repo / "README").read_text() == "changed by both\n"


def test_the_diff_that_is_kept_of_a_merge_adds_what_has_landed(rig: Rig) -> None:
    """It was reversed: applying it would have deleted what others had landed."""

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding":
            (rig.repo / "README").write_text("changed by the user\n")
            (rig.repo / "landed.txt").write_text("landed\n")
            git(rig.repo, "add", "README", "landed.txt")
            git(rig.repo, "commit", "--quiet", "-m", "user's own")
            return done(write={"README": "changed by the agent\n", "work.txt": "w\n"})
        return done(write={"README": "changed by both\n"})

    rig.script = script
    assert asyncio.run(rig.run(workflow=SHORT)).status is RunStatus.COMPLETED
    (kept,) = (rig.state / "diffs").rglob("merge-1-merge.diff")
    text = kept.read_text()
    assert "new file mode 100644\n" in text
    assert "\n+landed\n" in text
    assert "deleted file" not in text


def test_a_workspace_that_is_gone_when_the_base_is_merged_is_laid_out_again(rig: Rig) -> None:
    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding":
            (rig.repo / "README").write_text("changed by the user\n")
            git(rig.repo, "commit", "--quiet", "-am", "user's own")
            return done(write={"README": "changed by the agent\n", "work.txt": "w\n"})
        return done(write={"README": "changed by both\n"})

    def remove_when_refused(sighting: Sighting) -> None:
        if isinstance(sighting.what, story_facts.LandingRefused):
            shutil.rmtree(next(rig.trees.glob("*/US-001-1")))

    async def scenario() -> None:
        rig.script = script
        rig.watch = remove_when_refused
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        assert (await rig.story(run)).work.workspace == 2

    asyncio.run(scenario())
    assert (rig.repo / "README").read_text() == "changed by both\n"


def test_an_unresolved_conflict_fails_and_lands_nothing(rig: Rig) -> None:
    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding":
            (rig.repo / "README").write_text("changed by the user\n")
            git(rig.repo, "commit", "--quiet", "-am", "user's own")
            return done(write={"README": "changed by the agent\n", "work.txt": "w\n"})
        return done("I could not resolve the conflict")

    async def scenario() -> None:
        rig.script = script
        run = await rig.run(workflow=SHORT)
        assert "conflict markers are still in README" in (await rig.story(run)).outcome.reason

    asyncio.run(scenario())
    assert rig.log() == ["user's own", "start"]


def test_files_of_the_harness_are_refused_and_land_once_they_are_taken_out(rig: Rig) -> None:
    name = ".shiftwork/hub.git/commondir"

    def script(task: AgentTask) -> Turn:
        if "Take the files out of the change" in task.prompt:
            (task.workdir / name).unlink()
        first = task.env["SHIFTWORK_STEP"] == "step-001"
        return done(write={"work.txt": "w\n", name: "../evil\n"} if first else {})

    async def scenario() -> None:
        rig.script = script
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        (refused,) = [fact for fact in await rig.facts(run) if isinstance(fact, story_facts.LandingRefused)]
        assert (refused.cause, refused.files) == (Refusal.RESERVED, (name,))
        assert refused.detail == f"These files belong to git or shiftwork, and no story may change them: {name}"

    asyncio.run(scenario())
    assert git(rig.repo, "ls-tree", "-r", "--name-only", "main").splitlines() == ["README", "work.txt"]


def test_a_base_that_moves_while_gates_run_costs_a_round_not_the_story(rig: Rig) -> None:
    once = rig.state / "moved"
    move = (
        f"test -e {once} || {{ touch {once}; "
        f"git -C {rig.repo} -c user.name=T -c user.email=t@l commit -q --allow-empty -m other; }}"
    )

    async def scenario() -> None:
        rig.gates = (Gate(name="mover", command=move), *rig.gates)
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED

    asyncio.run(scenario())
    assert rig.log() == ["feat: Add work.txt", "other", "start"]
