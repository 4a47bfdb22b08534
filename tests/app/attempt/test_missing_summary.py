"""An attempt that lacks only its summary keeps its work: its session is asked once, else the harness writes a note."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.runs import cancel_run, wait_for
from shiftwork.app.views.export import export
from shiftwork.app.views.history import account
from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.recovery.missing_summary import MISSING
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.ports.agent import AgentTask, Ending
from shiftwork.testing.builders import planned, workflow
from tests.app.reported import report
from tests.app.rig import SHORT, Rig, done, kinds

NOTE = "The agent gave no summary. Shiftwork wrote this note from the diff: 1 file changed, 2 lines added, 0 removed."
USED = Usage(input_tokens=100, output_tokens=10, cost_usd=0.25)
WORK = Turn(write={"work.txt": "a\nb\n"}, answer="I wrote it.", usage=USED)
IN_SESSION = replace(WORK, session="session-1")
ANSWER = Turn(answer="SUMMARY:\nwork.txt holds two lines", usage=replace(USED, cost_usd=0.05))


def scripted(*coding: Turn) -> tuple[Callable[[AgentTask], Turn], list[AgentTask]]:
    """An agent whose attempts at coding are these, the last again and again, and its tasks there."""
    tasks: list[AgentTask] = []

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] != "coding":
            return done(usage=Usage(input_tokens=1, cost_usd=0.0))
        tasks.append(task)
        return coding[min(len(tasks), len(coding)) - 1]

    return script, tasks


def coding_of(rig: Rig, run: RunState) -> Step:
    return asyncio.run(rig.story(run)).pipeline.steps[0]


def test_without_a_session_the_harness_writes_the_note(rig: Rig) -> None:
    rig.script, tasks = scripted(WORK)
    run = asyncio.run(rig.run(workflow=SHORT))

    assert run.status is RunStatus.COMPLETED
    step = coding_of(rig, run)
    assert step.notes == f"{NOTE}\n- work.txt (+2 -0)"
    assert (step.attempts, step.retries, len(tasks)) == (1, 0, 1)


def test_a_lone_promise_completes_a_step_that_changes_nothing_but_no_final_review(rig: Rig) -> None:
    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding":
            return done(write={"work.txt": f"{task.env['SHIFTWORK_RUN']}\n"})
        return Turn(answer="All good.\n\n<promise>COMPLETE</promise>\n")

    rig.script = script
    run = asyncio.run(rig.run(workflow=workflow(planned("coding"), planned("review"))))
    assert run.status is RunStatus.COMPLETED
    review = asyncio.run(rig.story(run)).pipeline.steps[1]
    assert review.notes.endswith("no file changed; the answer says that the step is done.")
    refused = asyncio.run(rig.run(workflow=SHORT))
    assert refused.status is RunStatus.FAILED
    assert MISSING in asyncio.run(rig.story(refused)).outcome.reason, "a final review says what it found"


def test_nothing_to_show_and_no_summary_is_still_refused(rig: Rig) -> None:
    rig.script, _ = scripted(Turn(answer="I looked around."), done(write={"work.txt": "w\n"}))
    run = asyncio.run(rig.run(workflow=SHORT))

    (failed,) = [fact for fact in asyncio.run(rig.facts(run)) if isinstance(fact, story_facts.StepFailed)]
    assert failed.error.startswith(MISSING)
    assert coding_of(rig, run).retries == 1


def test_the_same_session_is_asked_once_for_the_summary(rig: Rig) -> None:
    homes: list[bool] = []
    rig.script, tasks = scripted(IN_SESSION, ANSWER)
    script = rig.script

    def watched(task: AgentTask) -> Turn:
        homes.append(task.home.is_dir())
        return script(task)

    rig.script = watched
    run = asyncio.run(rig.run(workflow=SHORT))

    assert run.status is RunStatus.COMPLETED
    step = coding_of(rig, run)
    assert step.notes == "work.txt holds two lines"
    assert (step.attempts, step.retries) == (2, 0)
    first, second = tasks
    assert second.resume is not None
    assert (second.resume.id, second.resume.usage.cost_usd) == ("session-1", 0.25)
    assert (second.home, second.workdir, second.toolbox) == (first.home, first.workdir, ())
    assert all(homes)
    assert not first.home.exists()
    assert "lacks the summary" in second.prompt
    assert step.usage.cost_usd == pytest.approx(0.30)
    assert step.usage.attempts == 2


def test_report_and_export_show_the_missing_summary(rig: Rig) -> None:
    async def scenario() -> None:
        run = (await rig.run(workflow=SHORT)).given.run
        found = await account(rig.store.events, run)
        assert "attempt 1 gave no summary; its session was asked for it" in report(found)
        history = export(found, rig.repo)["stories"]["US-001"]["history"]
        (entry,) = [row for row in history if row["details"].get("trouble") == "no_summary"]
        assert entry["details"]["error"] == MISSING

    rig.script, _ = scripted(IN_SESSION, ANSWER)
    asyncio.run(scenario())


def test_a_session_that_answers_without_the_key_has_answered_too(rig: Rig) -> None:
    rig.script, _ = scripted(IN_SESSION, replace(ANSWER, answer="Two lines in work.txt.\n"))
    run = asyncio.run(rig.run(workflow=SHORT))

    assert coding_of(rig, run).notes == "Two lines in work.txt."


@pytest.mark.parametrize("ending", [Ending.CRASHED, Ending.RATE_LIMITED, Ending.TIMED_OUT, Ending.FINISHED])
def test_a_session_that_does_not_answer_gets_the_note(rig: Rig, ending: Ending) -> None:
    rig.script, _ = scripted(IN_SESSION, Turn(ending=ending, write={"late.txt": "x\n"}, usage=USED))
    run = asyncio.run(rig.run(workflow=SHORT))

    assert run.status is RunStatus.COMPLETED
    step = coding_of(rig, run)
    assert step.notes.startswith(NOTE)
    assert (step.attempts, step.retries) == (2, 0)
    assert step.usage.cost_usd == pytest.approx(0.50)
    assert "late.txt" not in rig.list_files(), "the follow-up changes nothing"


def test_a_session_with_nothing_to_show_is_not_asked_for_a_summary(rig: Rig) -> None:
    nothing = Turn(answer="I looked around.", session="session-1")
    rig.script, tasks = scripted(nothing, done(write={"work.txt": "w\n"}))
    run = asyncio.run(rig.run(workflow=SHORT))

    assert run.status is RunStatus.COMPLETED
    assert [task.resume is not None for task in tasks] == [False, False]
    assert coding_of(rig, run).retries == 1


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("STATUS: retry\nISSUES: it must not land", "ISSUES: it must not land"),
        ("STORY_BLOCKED: may it delete data?", "may it delete data?"),
    ],
)
def test_a_follow_up_that_rejects_the_work_is_not_its_summary(rig: Rig, answer: str, error: str) -> None:
    rig.script, _ = scripted(IN_SESSION, replace(ANSWER, answer=answer), done(write={"work.txt": "w\n"}))
    run = asyncio.run(rig.run(workflow=SHORT))
    facts = asyncio.run(rig.facts(run))
    assert [fact.error for fact in facts if isinstance(fact, story_facts.StepFailed)] == [error]


def test_a_reached_limit_leaves_no_follow_up(rig: Rig) -> None:
    rig.script, tasks = scripted(IN_SESSION)
    run = asyncio.run(rig.run(workflow=SHORT, limits=Limits(step=Budget(usd=0.25))))

    assert run.status is RunStatus.COMPLETED
    assert len(tasks) == 1
    assert coding_of(rig, run).notes.startswith(NOTE)


def test_a_follow_up_takes_its_allowance_from_the_run(rig: Rig) -> None:
    rig.script, tasks = scripted(IN_SESSION, ANSWER)
    run = asyncio.run(rig.run(workflow=SHORT, limits=Limits(run=Budget(usd=50.0))))

    assert run.spending.ledger.spent.usd == pytest.approx(0.30)
    assert len(tasks) == 2


def test_a_process_that_dies_during_the_follow_up_loses_no_work(rig: Rig) -> None:
    """The next process cannot know what the session said, so it uses the note."""

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: len(tasks) == 2)
        return await rig.carried_on(run)

    rig.script, tasks = scripted(IN_SESSION, replace(ANSWER, pause=60))
    run = asyncio.run(scenario())

    assert run.status is RunStatus.COMPLETED
    step = coding_of(rig, run)
    assert step.notes.startswith(NOTE)
    assert (step.attempts, step.retries, len(tasks)) == (3, 0, 2)
    assert "StepInterrupted" in kinds(asyncio.run(rig.facts(run)))
    assert step.usage.unpriced == 1, "the cost of the interrupted follow-up is unknown"
    assert not tasks[0].home.exists()


def test_a_process_that_dies_before_the_follow_up_asks_it_afterwards(rig: Rig) -> None:
    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: "SummaryMissed" in seen_kinds(rig))
        return await rig.carried_on(run)

    rig.script, tasks = scripted(IN_SESSION, ANSWER)
    rig.end_job_at(lambda sighting: isinstance(sighting.what, story_facts.SummaryMissed))
    run = asyncio.run(scenario())

    assert run.status is RunStatus.COMPLETED
    assert coding_of(rig, run).notes == "work.txt holds two lines"
    assert rig.read_file("work.txt") == "a\nb\n"
    assert len(tasks) == 2


def seen_kinds(rig: Rig) -> list[str]:
    return [type(sighting.what).__name__ for sighting in rig.seen]


def test_a_story_that_is_cancelled_during_the_follow_up_ends(rig: Rig) -> None:
    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: len(tasks) == 2)
            await cancel_run(context.inbox, run)
            return await asyncio.wait_for(wait_for(context, run), timeout=60)

    rig.script, tasks = scripted(IN_SESSION, replace(ANSWER, pause=60))
    assert asyncio.run(scenario()).status is RunStatus.CANCELLED


def test_the_home_of_a_session_that_is_not_asked_any_more_is_removed(rig: Rig) -> None:
    """It may hold a copy of the user's login."""

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT, limits=Limits(run=Budget(usd=0.25)))
            await rig.until(lambda: "AllowanceRefused" in seen_kinds(rig))
            assert tasks[0].home.exists()
            await cancel_run(context.inbox, run)
            await asyncio.wait_for(wait_for(context, run), timeout=60)

    rig.script, tasks = scripted(IN_SESSION)
    asyncio.run(scenario())
    assert not tasks[0].home.exists()
