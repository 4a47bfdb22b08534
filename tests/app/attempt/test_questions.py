"""Questions and approvals: a story waits durably for a person while the other stories continue."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.replies import Reply, Word, reply, waiting_in
from shiftwork.app.commands.runs import cancel_run, resume_run, wait_for
from shiftwork.app.runtime.context import Context
from shiftwork.app.views.history import account
from shiftwork.app.views.queries import run_view, stories_that
from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.holds import MAX_QUESTIONS
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.workflow import Exhausted, Route, StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.errors import IntentError
from shiftwork.ports.agent import AgentTask
from shiftwork.ports.rows.row_parts import WaitingPart
from shiftwork.ports.views import StoryRow
from shiftwork.testing.builders import asked
from tests.app.reported import report
from tests.app.rig import SHORT, Rig, done, kinds, story_workflow

FIRST = "US-001"
BLOCKED = Turn(answer="I looked.\n\nSUMMARY:\nhalf of it\n\nSTORY_BLOCKED: tabs or blanks?", write={"half.txt": "1\n"})
BY_TOOL = '{"question": "Which port?", "options": ["80", "8080"]}'


async def held(rig: Rig, run: RunId, story: str = FIRST) -> StoryState:
    """The story, as soon as it waits and its run knows."""
    async with asyncio.timeout(60):
        while not ((state := await rig.story(run, story)).waiting.hold and state.waiting.reported):
            await asyncio.sleep(0.01)
    return state


async def said(context: Context, run: RunId, word: Word, text: str = "", story: str = FIRST) -> None:
    await reply(context.events, context.inbox, Reply(run=run, story=StoryId(story), word=word, text=text))


def asking(*firsts: Turn) -> tuple[Callable[[AgentTask], Turn], list[str]]:
    """An agent whose first attempts at coding are these, and the prompts it gets for coding."""
    left, prompts = list(firsts), []

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] != "coding":
            return done()
        prompts.append(task.prompt)
        return left.pop(0) if left else done("coded", write={"work.txt": "work\n"})

    return script, prompts


async def talked(rig: Rig, word: Word, text: str = "", workflow: Workflow = SHORT) -> RunState:
    """A run whose story is answered as soon as it waits."""
    async with rig.open() as context:
        run = await rig.start(context, workflow=workflow)
        await held(rig, run)
        await said(context, run, word, text)
        return await asyncio.wait_for(wait_for(context, run), timeout=60)


def test_a_question_waits_for_its_answer_which_reaches_the_next_attempt(rig: Rig) -> None:
    rig.script, prompts = asking(BLOCKED)
    run = asyncio.run(talked(rig, Word.ANSWER, "tabs"))
    assert run.status is RunStatus.COMPLETED
    assert "> tabs or blanks?\n\nAnswer: tabs\n" in prompts[1]
    story = asyncio.run(rig.story(run))
    assert story.dialogue.answers == (("tabs or blanks?", "tabs"),)
    assert story.pipeline.steps[0].retries == 0
    assert "half of it" in [note.text for note in story.dialogue.notes.notes]


DENIED = done("could not", denials=("Write", "Bash", "Write"))


@pytest.mark.parametrize("refused", [DENIED, replace(DENIED, answer="I may not.")], ids=["in words", "no report"])
def test_an_agent_that_was_refused_what_it_needs_asks_a_person(rig: Rig, refused: Turn) -> None:
    rig.script, prompts = asking(refused)
    run = asyncio.run(talked(rig, Word.ANSWER, "1"))
    assert run.status is RunStatus.COMPLETED
    assert "> scripted was not allowed to use Write, Bash, and failed without it." in prompts[1]
    assert "Answer: It is allowed now: try again.\n" in prompts[1]
    assert asyncio.run(rig.story(run)).pipeline.steps[0].retries == 0


def test_an_agent_that_found_another_way_asks_no_one(rig: Rig) -> None:
    rig.script, _ = asking(done("otherwise", write={"work.txt": "work\n"}, denials=("Bash",)))
    run = asyncio.run(rig.run(workflow=SHORT))
    assert run.status is RunStatus.COMPLETED
    assert asyncio.run(rig.story(run)).waiting.holds == 0


def test_a_step_that_changes_nothing_asks_only_when_its_retries_are_spent(rig: Rig) -> None:
    reviews = [replace(DENIED, answer="no report"), replace(DENIED, answer="no report"), done()]

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding":
            return done("coded", write={"work.txt": "work\n"})
        return reviews.pop(0)

    rig.script = script
    run = asyncio.run(talked(rig, Word.ANSWER, "2"))
    assert run.status is RunStatus.COMPLETED
    review = asyncio.run(rig.story(run)).pipeline.steps[1]
    assert (review.attempts, review.retries, review.questions) == (3, 1, 1)


def test_what_was_done_before_the_question_is_kept(rig: Rig) -> None:
    rig.script, _ = asking(replace(BLOCKED, answer="STATUS: blocked\nQUESTION: tabs?"))
    asyncio.run(talked(rig, Word.APPROVE))
    assert rig.read_file("half.txt") == "1\n"
    assert "work.txt" in rig.list_files()


def test_a_question_by_the_tool_offers_a_choice_that_a_number_answers(rig: Rig) -> None:
    plain, prompts = asking()

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding" and not prompts:
            for name in ("question-1.json", "question-2.json"):
                (Path(task.env["SHIFTWORK_OUTPUTS"]) / name).write_text(BY_TOOL)
        return plain(task)

    rig.script = script
    run = asyncio.run(talked(rig, Word.ANSWER, "2"))
    assert "> Which port?\n>\n> Which port?\n\nAnswer: 8080\n" in prompts[1]
    (question,) = (fact for fact in asyncio.run(rig.facts(run)) if isinstance(fact, story_facts.QuestionAsked))
    assert question.options == ("80", "8080")


def test_own_words_may_be_a_number_and_answer_only_the_question_that_was_shown(rig: Rig) -> None:
    plain, prompts = asking()

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding" and not prompts:
            (Path(task.env["SHIFTWORK_OUTPUTS"]) / "question-1.json").write_text(BY_TOOL)
        return plain(task)

    async def answered() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            question = (await held(rig, run)).waiting.hold
            assert question
            own = Reply(run=run, story=StoryId(FIRST), word=Word.ANSWER, text="2", own_words=True)
            with pytest.raises(IntentError, match="asks something else now"):
                await reply(context.events, context.inbox, replace(own, question="Which host?"))
            await reply(context.events, context.inbox, replace(own, question=question.detail))
            await asyncio.wait_for(wait_for(context, run), timeout=60)

    rig.script = script
    asyncio.run(answered())
    assert "Answer: 2\n" in prompts[1]


def test_a_no_is_an_answer_too(rig: Rig) -> None:
    rig.script, prompts = asking(BLOCKED)
    run = asyncio.run(talked(rig, Word.REJECT, "neither"))
    assert run.status is RunStatus.COMPLETED
    assert "Answer: No. neither\n" in prompts[1]


def test_a_step_that_only_asks_is_stopped(rig: Rig) -> None:
    rig.script, prompts = asking(*[BLOCKED] * 30)

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            for number in range(1, MAX_QUESTIONS + 1):
                async with asyncio.timeout(60):
                    while (await rig.story(run)).waiting.holds < number:
                        await asyncio.sleep(0.01)
                await said(context, run, Word.ANSWER, "tabs")
            return await asyncio.wait_for(wait_for(context, run), timeout=60)

    run = asyncio.run(scenario())
    assert run.status is RunStatus.FAILED
    assert "has asked 10 questions" in asyncio.run(rig.story(run)).outcome.reason
    assert len(prompts) == MAX_QUESTIONS + 2


def test_the_question_outlives_the_process(rig: Rig) -> None:
    rig.script, _ = asking(BLOCKED)

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await held(rig, run)
        async with rig.open() as context:
            await said(context, run, Word.ANSWER, "tabs")
            await resume_run(context, run)
            return await asyncio.wait_for(wait_for(context, run), timeout=60)

    assert asyncio.run(scenario()).status is RunStatus.COMPLETED


def test_three_stories_continue_while_one_waits_and_it_is_answered_meanwhile(rig: Rig) -> None:
    """One story at a time: a story that waits for a person does not keep the others from starting."""
    left = [BLOCKED]

    def script(task: AgentTask) -> Turn:
        story = task.env["SHIFTWORK_STORY"]
        if story == FIRST and left:
            return left.pop()
        return done(write={f"{story}.txt": "work\n", "work.txt": "work\n"})

    rig.script = script
    spec = Spec(title="Four", description="", stories=tuple(asked(number) for number in range(1, 5)))

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, spec, workflow=story_workflow(catalogue_step("coding")), parallel=1)
            await rig.until(
                lambda: sum(isinstance(sighting.what, run_facts.StoryEnded) for sighting in rig.seen) == 3, seconds=60
            )
            assert (await rig.story(run)).waiting.hold is not None
            await said(context, run, Word.ANSWER, "tabs")
            return await asyncio.wait_for(wait_for(context, run), timeout=60)

    run = asyncio.run(scenario())
    assert run.status is RunStatus.COMPLETED
    assert run.schedule.waiting == frozenset()
    waits = [fact.waiting for fact in asyncio.run(rig.facts(run, "")) if isinstance(fact, run_facts.StoryWaits)]
    assert waits == [True, False]


# Approvals ------------------------------------------------------------------------------------------------------------

BACK = Route(value="rejected", target="coding", back=True)


def approval(*routes: Route, exhausted: Exhausted = Exhausted.FAIL) -> Workflow:
    plan = StepPlan(
        name="approve",
        type="approve",
        kind=StepKind.APPROVAL,
        description="May it land?",
        routes=routes,
        exhausted=exhausted,
    )
    return story_workflow(catalogue_step("coding"), plan)


def test_an_approved_story_lands(rig: Rig) -> None:
    assert asyncio.run(talked(rig, Word.APPROVE, "well done", approval())).status is RunStatus.COMPLETED


def test_a_rejected_story_fails_where_nothing_leads_anywhere(rig: Rig) -> None:
    run = asyncio.run(talked(rig, Word.REJECT, "too slow", approval()))
    assert run.status is RunStatus.FAILED
    assert "too slow" in asyncio.run(rig.story(run)).outcome.reason


def test_a_rejected_story_goes_where_its_workflow_sends_it(rig: Rig) -> None:
    rig.script, prompts = asking()

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=approval(BACK))
            await held(rig, run)
            await said(context, run, Word.REJECT, "too slow")
            async with asyncio.timeout(60):
                while (await held(rig, run)).waiting.holds < 2:
                    await asyncio.sleep(0.01)
            await said(context, run, Word.APPROVE)
            return await asyncio.wait_for(wait_for(context, run), timeout=60)

    run = asyncio.run(scenario())
    assert run.status is RunStatus.COMPLETED
    assert "> too slow\n" in prompts[1]
    assert "StepRouted" in kinds(asyncio.run(rig.facts(run)))


# What cannot be said --------------------------------------------------------------------------------------------------


def test_who_asks_for_a_yes_or_a_no_gets_nothing_else(rig: Rig) -> None:
    with pytest.raises(IntentError, match=r"US-001 needs a yes or a no: May it land\?") as refused:
        asyncio.run(talked(rig, Word.ANSWER, "perhaps", approval()))
    assert re.fullmatch(
        r"shiftwork diff US-001 --run (\S+), then: shiftwork approve US-001 --run \1, "
        r"or: shiftwork reject US-001 --run \1 --because …",
        refused.value.hint,
    )


def test_where_stories_of_one_name_wait_is_known(rig: Rig) -> None:
    rig.script, _ = asking(BLOCKED, BLOCKED)

    async def scenario() -> None:
        async with rig.open() as context:
            first = await rig.start(context, workflow=SHORT)
            await held(rig, first)
            assert await waiting_in(rig.store.queries, FIRST) == [first]
            assert await waiting_in(rig.store.queries, "US-002") == []
            found = await stories_that(rig.store.queries, lambda row: row.waiting.needs_person)
            assert [(row.run, row.story) for row in found] == [(first, FIRST)]
            second = await rig.start(context, workflow=SHORT)
            await held(rig, second)
            assert await waiting_in(rig.store.queries, FIRST) == [second, first]
            assert (await run_view(rig.store.queries, "", lambda _: True)).run.run == second
            views = [await run_view(rig.store.queries, run, lambda _: True) for run in (first, second)]
            assert [view.meant for view in views] == [False, False], "which one is meant has to be said"
            for run in (first, second):
                await said(context, run, Word.ANSWER, "tabs")
                await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert await waiting_in(rig.store.queries, FIRST) == []

    asyncio.run(scenario())


@pytest.mark.parametrize("word", [Word.ANSWER, Word.APPROVE])
def test_a_limit_is_lifted_by_a_sum_and_not_by_words(rig: Rig, word: Word) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT, limits=Limits(story=Budget(usd=0.0)))
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StoryHeld) for sighting in rig.seen))
            await said(context, run, word, "go on")

    message = r"US-001 has reached its limit: the story has spent 0\.00 of 0\.00 USD"
    with pytest.raises(IntentError, match=message) as refused:
        asyncio.run(scenario())
    assert refused.value.hint.endswith("shows what to type")


def test_a_story_that_waits_for_no_one_is_not_answered(rig: Rig) -> None:
    rig.script, _ = asking(BLOCKED)
    run = asyncio.run(talked(rig, Word.ANSWER, "tabs"))

    async def scenario(story: str) -> None:
        async with rig.open() as context:
            await said(context, run.given.run, Word.ANSWER, "again", story)

    with pytest.raises(IntentError, match="US-001 is not waiting for an answer"):
        asyncio.run(scenario(FIRST))
    with pytest.raises(IntentError, match=r"^there is no story US-009 in the run$"):
        asyncio.run(scenario("US-009"))


def test_a_story_that_was_cancelled_while_it_asked_asks_nothing_any_more(rig: Rig) -> None:
    rig.script, _ = asking(BLOCKED)

    async def scenario() -> tuple[StoryRow, str]:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await held(rig, run)
            await cancel_run(context.inbox, run)
            await asyncio.wait_for(wait_for(context, run), timeout=60)
            with pytest.raises(IntentError, match="US-001 is not waiting for an answer"):
                await said(context, run, Word.ANSWER, "tabs")
            (row,) = await rig.store.queries.stories(run)
            return row, report(await account(context.events, run))

    row, message = asyncio.run(scenario())
    assert (row.failure, row.waiting) == ("cancelled", WaitingPart())
    assert "Waits for" not in message


def test_a_story_that_has_not_begun_is_reported_as_such(rig: Rig) -> None:
    rig.script, _ = asking(BLOCKED)
    spec = Spec(title="Two", description="", stories=(asked(1), asked(2, after=(1,))))

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec, workflow=SHORT)
            await held(rig, run)
            await said(context, run, Word.ANSWER, "tabs", "US-002")

    with pytest.raises(IntentError, match="US-002 has not started"):
        asyncio.run(scenario())


def test_what_has_been_said_is_not_said_twice(rig: Rig) -> None:
    rig.script, _ = asking(BLOCKED)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await held(rig, run)
        async with rig.open() as context:
            await said(context, run, Word.ANSWER, "tabs")
            await said(context, run, Word.ANSWER, "blanks")

    with pytest.raises(IntentError, match="is not waiting for an answer"):
        asyncio.run(scenario())
