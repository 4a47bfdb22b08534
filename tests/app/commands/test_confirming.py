"""Criteria that only a person can confirm: a yes lands the work, a no ends it, and other replies do neither."""

import asyncio
from dataclasses import replace

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.certificates import recorded
from shiftwork.app.commands.replies import Reply, Word, reply
from shiftwork.app.commands.runs import wait_for
from shiftwork.app.messaging import messages
from shiftwork.app.runtime.context import Context
from shiftwork.domain.core.ids import RunId, story_stream
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.proof.verdict import Verdict
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause, StoryStatus
from shiftwork.errors import IntentError
from shiftwork.ports.agent import AgentTask
from tests.app.landing.proof_rig import STORY, asked, begun, working
from tests.app.rig import Rig, done


@pytest.mark.parametrize(
    ("granted", "answer", "said"), [(True, "it is nice", "it is nice"), (True, "", "yes"), (False, "no", "")]
)
def test_what_no_one_can_check_waits_for_a_person_under_the_strictest_policy(
    rig: Rig, *, granted: bool, answer: str, said: str
) -> None:
    rig.script = working("AC-1 citation work.txt:1-2")  # type: ignore[assignment]

    async def scenario() -> None:
        async with rig.open() as context:
            run = await begun(context, asked("work.txt exists", "It feels nice"), ProofPolicy.STRICT)
            await rig.until(lambda: any(isinstance(seen.what, story_facts.StoryHeld) for seen in rig.seen))
            held = await rig.story(run)
            assert held.waiting.hold
            assert held.waiting.hold.cause is HoldCause.EVIDENCE
            assert "AC-2: It feels nice" in held.waiting.hold.detail
            released = story_facts.StoryReleased(at=0, granted=granted, answer=answer)
            await messages.send(context.inbox, story_stream(run, STORY), "answer", released)
            await asyncio.wait_for(wait_for(context, run), timeout=60)
            story = await rig.story(run)
            assert story.confirmation == said
            assert story.status is (StoryStatus.COMPLETED if granted else StoryStatus.FAILED)
            paper = await recorded(rig.store.events, run, STORY)
            verdicts = [judged.verdict for judged in paper.certificate.criteria] if paper else []
            assert verdicts == ([Verdict.HOLDS, Verdict.CONFIRMED] if granted else [])

    asyncio.run(scenario())


@pytest.mark.parametrize("word", [Word.APPROVE, Word.REJECT])
def test_words_are_no_yes_for_what_only_a_person_can_decide(rig: Rig, word: Word) -> None:
    rig.script = working("AC-1 citation work.txt:1-2")  # type: ignore[assignment]

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await begun(context, asked("work.txt exists", "It feels nice"), ProofPolicy.STRICT)
            await rig.until(lambda: any(isinstance(seen.what, story_facts.StoryHeld) for seen in rig.seen))
            said = Reply(run=run, story=STORY, word=Word.ANSWER, text="No, it is ugly. Do not land this.")
            with pytest.raises(
                IntentError, match="US-001 needs a yes or a no: only you can check this criterion: AC-2"
            ):
                await reply(context.events, context.inbox, said)
            await reply(context.events, context.inbox, replace(said, word=word, text=""))
            return await asyncio.wait_for(wait_for(context, run), timeout=60)

    run = asyncio.run(scenario())
    assert run.status is (RunStatus.COMPLETED if word is Word.APPROVE else RunStatus.FAILED)
    assert len(rig.log()) == (2 if word is Word.APPROVE else 1)


async def approve(rig: Rig, context: Context, run: RunId, hold: int, because: str) -> str:
    """Approve the story's wait of that number, and return what was asked."""
    await rig.until(lambda: sum(isinstance(seen.what, story_facts.StoryHeld) for seen in rig.seen) >= hold)
    held = (await rig.story(run)).waiting.hold
    await reply(context.events, context.inbox, Reply(run=run, story=STORY, word=Word.APPROVE, text=because))
    return held.detail if held else ""


def test_work_that_was_repaired_after_a_person_confirmed_it_is_shown_to_them_again(rig: Rig) -> None:
    rig.gates = (Gate(name="test", command="grep -q mended work.txt"),)

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] != "coding":
            return done()
        return done(write={"work.txt": "mended\n" if "gates failed" in task.prompt else "shown\n"})

    rig.script = script

    async def scenario() -> None:
        async with rig.open() as context:
            run = await begun(context, asked("It feels nice"), ProofPolicy.STRICT)
            assert "since" not in await approve(rig, context, run, 1, "it was nice")
            again = await approve(rig, context, run, 2, "it still is")
            assert "the work has changed since you confirmed it" in again
            assert "AC-1: It feels nice" in again
            await asyncio.wait_for(wait_for(context, run), timeout=60)
            paper = await recorded(rig.store.events, run, STORY)
            assert paper
            assert [judged.why for judged in paper.certificate.criteria] == ["a person says: it still is"]
            assert rig.read_file("work.txt").strip() == "mended"

    asyncio.run(scenario())


def test_what_the_user_reset_away_does_not_come_back_with_work_on_top_and_the_changed_patch_is_shown_again(
    rig: Rig,
) -> None:
    before = rig.find_commit()
    rig.commit_files({"list.txt": "theirs\n", "theirs.txt": "theirs\n", "work.txt": "theirs\n"}, "to be reset away")

    def script(task: AgentTask) -> Turn:
        first = task.env["SHIFTWORK_STEP_TYPE"] == "coding"
        return done(write={"list.txt": "theirs\nmine\n" if first else "mine\n", "work.txt": "mine\n"})

    rig.script = script

    async def scenario() -> None:
        async with rig.open() as context:
            run = await begun(context, asked("It feels nice"), ProofPolicy.STRICT)
            await rig.until(lambda: any(isinstance(seen.what, story_facts.StoryHeld) for seen in rig.seen))
            rig.project.set_branch("main", before)
            await approve(rig, context, run, 1, "it was nice")
            again = await approve(rig, context, run, 2, "it still is")
            assert "the work has changed since you confirmed it" in again
            ended = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert ended.status is RunStatus.COMPLETED

    asyncio.run(scenario())
    assert rig.list_files() == ["README", "list.txt", "work.txt"]
    assert rig.read_file("list.txt") == "mine\n"


def test_who_has_confirmed_is_not_asked_again_where_only_evidence_was_lacking(rig: Rig) -> None:
    rig.script = working(fixed=("AC-1 citation work.txt:1",))  # type: ignore[assignment]

    async def scenario() -> None:
        async with rig.open() as context:
            run = await begun(context, asked("work.txt exists", "It feels nice"), ProofPolicy.STRICT)
            await approve(rig, context, run, 1, "it is nice")
            await asyncio.wait_for(wait_for(context, run), timeout=60)
            story = await rig.story(run)
            assert (story.status, story.landing.repairs, story.waiting.holds) == (StoryStatus.COMPLETED, 1, 1)

    asyncio.run(scenario())
