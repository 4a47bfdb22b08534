"""A branch that a person has moved back: the run says which landed stories it no longer has, and lands these again
only if asked to.
"""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.runs import resume_run, start_run, wait_for
from shiftwork.app.commands.steering import landed_by
from shiftwork.app.runtime.context import Context, Sighting
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.notices.notice import Occasion
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.ports.agent import AgentTask
from tests.app.messaging.test_noticing import Channel, reported_by
from tests.app.messaging.test_specs import ordered, passes
from tests.app.rig import Rig, done

MAIN = "feature/mine"
PRD = """\
{ "project": "Mine", "branchName": "feature/mine",
  "userStories": [
    {"id": "A", "title": "First",  "passes": false, "notes": ""},
    {"id": "B", "title": "Second", "passes": false, "notes": ""},
    {"id": "C", "title": "Third",  "passes": false, "notes": "", "dependsOn": ["A"]}
  ] }
"""
A, B, C = StoryId("A"), StoryId("B"), StoryId("C")


def project(rig: Rig) -> Path:
    path = rig.repo / "prd.json"
    path.write_text(PRD, encoding="utf-8")
    rig.script = writes
    return path


def writes(task: AgentTask) -> Turn:
    story = task.env["SHIFTWORK_STORY"]
    return done(write={f"{story}.txt": "work\n", "work.txt": f"work of {story}\n"})


def moving_back(rig: Rig, story: StoryId) -> None:
    """As soon as the story has landed, a person moves the branch back to where it was before the run."""
    before = rig.find_commit()
    moved: list[str] = []

    def watch(sighting: Sighting) -> None:
        accepted = isinstance(sighting.what, story_facts.LandingAccepted) and sighting.stream.endswith(f"/{story}")
        if accepted and not moved:
            moved.append(story)
            rig.project.set_branch(MAIN, before)

    rig.watch = watch


async def worked(context: Context, **changes: object) -> RunState:
    order = replace(await ordered(context), **changes)  # type: ignore[arg-type]
    return await asyncio.wait_for(wait_for(context, await start_run(context, order)), timeout=60)


async def asked_again(context: Context, run: RunState, intent: Fact) -> RunState:
    await ask(context.events, context.inbox, run.given.run, intent, context.clock.fresh())
    await resume_run(context, run.given.run)
    return await asyncio.wait_for(wait_for(context, run.given.run), timeout=60)


def statuses(run: RunState) -> dict[str, str]:
    return {story: known.status.value for story, known in run.stories.items()}


def test_what_the_user_has_reset_away_has_not_landed_and_its_dependents_do_not_start(rig: Rig) -> None:
    path = project(rig)
    moving_back(rig, A)

    async def scenario() -> RunState:
        async with rig.open() as context:
            return await worked(context)

    run = asyncio.run(scenario())
    assert run.status is RunStatus.FAILED
    assert statuses(run) == {"A": "missing", "B": "completed", "C": "blocked"}
    commit = run.stories[A].commit[:12]
    assert run.stories[A].reason == f"landed as {commit}, no longer found on {MAIN}"
    assert run.schedule.blocked[C] == (
        "depends on A, which has landed, but is no longer found on the branch; to land it again: shiftwork retry A"
    )
    assert passes(path) == {"A": True, "B": True, "C": False}, "the mark is the user's to remove"
    assert "A.txt" not in rig.list_files(MAIN)


def test_only_a_retry_lands_it_again_and_then_its_dependents_follow(rig: Rig) -> None:
    path = project(rig)
    moving_back(rig, A)

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await worked(context)
            return await asked_again(context, run, run_facts.StoryRetryRequested(at=0, story=A))

    run = asyncio.run(scenario())
    assert run.status is RunStatus.COMPLETED
    assert set(statuses(run).values()) == {"completed"}
    assert {"A.txt", "B.txt", "C.txt"} <= set(rig.list_files(MAIN))
    assert passes(path) == {"A": True, "B": True, "C": True}


def test_what_is_found_again_has_landed(rig: Rig) -> None:
    project(rig)
    moving_back(rig, B)

    async def scenario() -> tuple[RunState, RunState]:
        async with rig.open() as context:
            run = await worked(context)
            rig.project.set_branch(MAIN, run.stories[C].commit or run.stories[B].commit)
            retried = run_facts.StoryAdded(at=0, story=replace(run.asked(A), id=StoryId("D"), depends_on=(A,)))
            return run, await asked_again(context, run, retried)

    before, after = asyncio.run(scenario())
    assert "missing" in statuses(before).values()
    assert statuses(after)["B"] == "completed"
    facts = asyncio.run(rig.facts(after, ""))
    assert [fact.found for fact in facts if isinstance(fact, run_facts.LandedSought)][-1]


def test_after_the_run_whoever_asks_for_a_retry_has_looked(rig: Rig) -> None:
    project(rig)
    before = rig.find_commit()

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await worked(context)
            assert run.status is RunStatus.COMPLETED
            rig.project.set_branch(MAIN, before)
            (work,) = landed_by(run, B)
            assert await context.repository.find_missing(MAIN, (work,)) == {run.stories[B].commit}
            return await asked_again(context, run, run_facts.StoryRetryRequested(at=0, story=B, missing=True))

    run = asyncio.run(scenario())
    assert statuses(run) == {"A": "missing", "B": "completed", "C": "missing"}
    assert run.status is RunStatus.FAILED
    assert "B.txt" in rig.list_files(MAIN)
    assert json.loads((rig.repo / "prd.json").read_text(encoding="utf-8"))["userStories"][0]["passes"] is True


def test_a_branch_that_is_gone_says_nothing_about_its_work(rig: Rig) -> None:
    project(rig)

    def watch(sighting: Sighting) -> None:
        if isinstance(sighting.what, story_facts.LandingAccepted) and sighting.stream.endswith("/C"):
            rig.project.rename_branch(MAIN, "elsewhere")

    rig.watch = watch

    async def scenario() -> RunState:
        async with rig.open() as context:
            return await worked(context)

    run = asyncio.run(scenario())
    assert run.status is RunStatus.COMPLETED


def test_nobody_is_told_that_all_has_landed_where_the_branch_was_moved_back_meanwhile(rig: Rig) -> None:
    project(rig)
    channel = Channel()
    reported_by(rig, ntfy=channel)
    moving_back(rig, C)

    async def scenario() -> RunState:
        async with rig.open() as context:
            return await worked(context, notices=rig.notices)

    run = asyncio.run(scenario())
    assert run.status is RunStatus.FAILED
    assert statuses(run)["C"] == "missing"
    assert [notice.occasion for notice in channel.taken if not notice.story] == [Occasion.FAILED]
