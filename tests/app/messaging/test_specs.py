"""A run that was read from a file marks landed stories as done in it, whatever happens to the file meanwhile."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.runs import Order, start_run, wait_for
from shiftwork.app.runtime.context import Context, Sighting
from shiftwork.domain.core.ids import StoryId, landing_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryStatus
from shiftwork.ports.agent import AgentTask
from shiftwork.ports.specs import Sheet
from shiftwork.testing.builders import asked
from tests.app.commands.test_intents import again
from tests.app.rig import SHORT, Rig, done, kinds

PRD = """\
{ "project": "Mine", "branchName": "feature/mine",
  "userStories": [
    {"id": "A", "title": "First",  "passes": false, "notes": ""},
    {"id": "B", "title": "Second", "passes": false, "notes": "", "dependsOn": ["A"]},
    {"id": "C", "title": "Third",  "passes": true,  "notes": "by hand"}
  ] }
"""


def writes_its_name(task: AgentTask) -> Turn:
    story = task.env["SHIFTWORK_STORY"]
    return done(write={f"{story}.txt": "work\n", "work.txt": "work\n"})


def project(rig: Rig) -> Path:
    rig.script = writes_its_name
    path = rig.repo / "prd.json"
    path.write_text(PRD, encoding="utf-8")
    return path


async def ordered(context: Context) -> Order:
    return order_of(await context.specs.read("prd.json"))


def order_of(sheet: Sheet) -> Order:
    return Order(
        spec=sheet.spec,
        workflow=SHORT,
        branch=sheet.spec.branch,
        landing=landing_stream("test", sheet.spec.branch),
        agent="scripted",
        base="main",
        source=sheet.source,
        done=sheet.done,
    )


async def handed_over(rig: Rig, **changes: Any) -> RunState:
    async with rig.open() as context:
        run = await start_run(context, replace(await ordered(context), **changes))
        return await asyncio.wait_for(wait_for(context, run), timeout=60)


def passes(path: Path) -> dict[str, bool]:
    return {story["id"]: story["passes"] for story in json.loads(path.read_text(encoding="utf-8"))["userStories"]}


def test_stories_land_on_the_branch_of_the_spec_and_are_marked(rig: Rig) -> None:
    path = project(rig)
    before = rig.find_commit()
    run = asyncio.run(handed_over(rig))
    assert run.status is RunStatus.COMPLETED
    subjects = rig.log("feature/mine")
    assert subjects == ["feat: B - Second", "feat: A - First", "start"]
    assert rig.find_commit() == before
    expected = PRD
    for row in PRD.splitlines()[2:4]:
        commit = run.stories[StoryId(row[12])].commit
        note = f"Landed as {commit[:12]} by shiftwork run {run.given.run}, gates passed"
        expected = expected.replace(row, row.replace("false", "true").replace('"notes": ""', f'"notes": "{note}"'))
    assert path.read_text(encoding="utf-8") == expected


def test_what_passes_already_is_not_worked_on(rig: Rig) -> None:
    project(rig)
    run = asyncio.run(handed_over(rig))
    facts = asyncio.run(rig.facts(run, ""))
    assert [fact.story for fact in facts if isinstance(fact, run_facts.StoryAdopted)] == ["C"]
    assert [fact.story for fact in facts if isinstance(fact, run_facts.StoryDispatched)] == ["A", "B"]
    assert "C.txt" not in rig.list_files("feature/mine")


def test_agents_are_instructed_how_the_work_is_kept(rig: Rig) -> None:
    project(rig)
    prompts: list[str] = []

    def listening(task: AgentTask) -> Turn:
        prompts.append(task.prompt)
        return writes_its_name(task)

    rig.script = listening
    asyncio.run(handed_over(rig))
    assert all("Do not change `prd.json`" in prompt for prompt in prompts)


@pytest.mark.parametrize("tracked", [True, False])
def test_what_an_agent_writes_into_the_file_does_not_land(rig: Rig, *, tracked: bool) -> None:
    """Else it could mark other stories as done, and change what they have to prove."""
    path = project(rig)
    if tracked:
        rig.commit_files({"prd.json": PRD}, "a plan")

    def clock(task: AgentTask) -> Turn:
        turn = writes_its_name(task)
        return replace(turn, write={**turn.write, "prd.json": PRD.replace("false", "true")})

    rig.script = clock
    run = asyncio.run(handed_over(rig))
    assert run.status is RunStatus.COMPLETED
    assert ("prd.json" in rig.list_files("feature/mine")) is tracked
    assert not tracked or rig.read_file("prd.json", "feature/mine") == PRD
    assert rig.read_file("B.txt", "feature/mine").strip() == "work"
    said = asyncio.run(rig.story(run, StoryId("B"))).landing.inspection.message
    assert "1 edit of the spec left out (prd.json)" in said
    assert passes(path) == {"A": True, "B": True, "C": True}


def test_an_agent_cannot_mark_stories_where_a_link_leads_to(rig: Rig) -> None:
    path = project(rig)
    path.rename(rig.repo / "feature.json")
    path.symlink_to("feature.json")
    rig.commit_files({"feature.json": PRD}, "a plan")

    def ticking(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STORY"] != "A":
            return Turn(answer="no\n")
        return done(write={"work.txt": "work\n", "feature.json": PRD.replace("false", "true")})

    rig.script = ticking
    run = asyncio.run(handed_over(rig))
    assert run.status is RunStatus.FAILED
    assert rig.read_file("feature.json", "feature/mine") == PRD
    assert "1 edit of the spec left out (feature.json)" in found(rig, run, "A")
    assert passes(path) == {"A": True, "B": False, "C": True}


def found(rig: Rig, run: RunState, story: str) -> str:
    """What the story has done to the checks and the spec."""
    return asyncio.run(rig.story(run, story)).landing.inspection.message


def test_the_files_that_agents_read_beside_the_tasks_of_a_change_do_not_change(rig: Rig) -> None:
    folder = "openspec/changes/add-x"
    given = {
        f"{folder}/tasks.md": "## 1. One\n- [ ] 1.1 First\n",
        f"{folder}/proposal.md": "# Add x\n",
        f"{folder}/specs/x/spec.md": "#### Scenario: a\nThe system SHALL x.\n",
    }
    rig.commit_files(given, "a change")
    for name, text in given.items():
        (rig.repo / name).parent.mkdir(parents=True, exist_ok=True)
        (rig.repo / name).write_text(text, encoding="utf-8")
    rig.script = lambda _: done(
        write={"work.txt": "work\n"} | {name: text.replace("SHALL", "SHALL NOT") + "\n" for name, text in given.items()}
    )

    async def scenario() -> RunState:
        async with rig.open() as context:
            sheet = await context.specs.read(folder)
            order = replace(order_of(sheet), branch="main", landing=landing_stream("test", "main"), base="")
            return await asyncio.wait_for(wait_for(context, await start_run(context, order)), timeout=60)

    run = asyncio.run(scenario())
    assert run.status is RunStatus.COMPLETED
    assert {name: rig.read_file(name, "main") for name in given} == given
    assert "3 edit of the spec left out" in found(rig, run, "section-1")


def test_a_story_that_fails_is_not_marked(rig: Rig) -> None:
    path = project(rig)
    stuck = Turn(answer="no\n")
    rig.script = lambda task: stuck if task.env["SHIFTWORK_STORY"] == "B" else writes_its_name(task)
    run = asyncio.run(handed_over(rig))
    assert run.status is RunStatus.FAILED
    assert passes(path) == {"A": True, "B": False, "C": True}


def test_only_what_stands_in_the_file_is_said_to_be_marked_there(rig: Rig) -> None:
    """A story that was added by hand does not, nor a story that was removed from the file meanwhile."""
    path = project(rig)

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await start_run(context, await ordered(context))
            await asyncio.wait_for(wait_for(context, run), timeout=60)
            lines = [line for line in path.read_text(encoding="utf-8").splitlines() if '"id": "B"' not in line]
            path.write_text("\n".join(lines), encoding="utf-8")
            added = asked(9, after=())
            await again(context, run, run_facts.StoryAdded(at=0, story=added))
            await again(context, run, run_facts.StoryUndoRequested(at=0, story=StoryId("B")))
            return await again(context, run, run_facts.StoryUndoRequested(at=0, story=added.id))

    run = asyncio.run(scenario())
    facts = [fact for fact in asyncio.run(rig.facts(run, "")) if isinstance(fact, run_facts.SpecUpdated)]
    assert [fact.marked for fact in facts] == [("A",), ("B",), (), (), ()]
    assert [fact.missing for fact in facts] == [(), (), ("US-009",), ("B",), ("US-009",)]
    assert not [fact.cleared for fact in facts if fact.cleared], "what the file does not have is not open again there"
    assert run.writeback.unwritten == (), "and nobody is owed anything"


def test_a_file_that_is_gone_stops_nothing(rig: Rig) -> None:
    path = project(rig)

    def gone(sighting: Sighting) -> None:
        if isinstance(sighting.what, story_facts.LandingAccepted):
            path.unlink(missing_ok=True)

    rig.watch = gone
    run = asyncio.run(handed_over(rig))
    assert run.status is RunStatus.COMPLETED
    assert not path.exists()
    facts = asyncio.run(rig.facts(run, ""))
    failed = [fact for fact in facts if isinstance(fact, run_facts.SpecUpdateFailed)]
    assert [(fact.stories, fact.final) for fact in failed] == [(("A",), False), (("A", "B"), False), (("A", "B"), True)]
    assert failed[0].reason == "there is no file prd.json"


@pytest.mark.parametrize(("begun", "message"), [("side", "the worktree side"), ("", "the main checkout")])
def test_a_run_that_continues_in_another_checkout_leaves_the_file_of_the_same_name_alone(
    rig: Rig, begun: str, message: str
) -> None:
    path = project(rig)
    rig.worktree = "" if begun else "other"

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await start_run(replace(context, worktree=begun), await ordered(context))
            return await asyncio.wait_for(wait_for(context, run), timeout=60)

    run = asyncio.run(scenario())
    assert run.status is RunStatus.COMPLETED
    assert path.read_text(encoding="utf-8") == PRD
    failed = [fact for fact in asyncio.run(rig.facts(run, "")) if isinstance(fact, run_facts.SpecUpdateFailed)]
    assert failed[0].reason == f"prd.json is in {message}, but the run continues elsewhere"


def test_a_file_that_is_being_edited_is_reported_with_what_lands_next(rig: Rig) -> None:
    path = project(rig)

    def edited(sighting: Sighting) -> None:
        if isinstance(sighting.what, story_facts.LandingAccepted):
            path.write_text(PRD.replace("Third", "Third, later") + ("{" if not fixed else ""), encoding="utf-8")
            fixed.append(True)

    fixed: list[bool] = []
    rig.watch = edited
    run = asyncio.run(handed_over(rig))
    assert {known.status for known in run.stories.values()} == {StoryStatus.COMPLETED}
    assert passes(path) == {"A": True, "B": True, "C": True}
    assert "Third, later" in path.read_text(encoding="utf-8")
    lines = kinds(asyncio.run(rig.facts(run, "")))
    assert [kind for kind in lines if kind.startswith("SpecUpdate")] == ["SpecUpdateFailed", "SpecUpdated"]
