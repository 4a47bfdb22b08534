"""What a person approves is what lands: gates first, then the person, and a changed patch is asked about again."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.replies import Reply, Word, approvals_in, approve_all, reply
from shiftwork.app.commands.runs import resume_run, wait_for
from shiftwork.app.runtime.context import Context
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import LandingPolicy, LandingRequest, Proof
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story.approval import MAY_IT_LAND, asked_about
from shiftwork.domain.story.state import HoldCause, StoryState
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, catalogue_step
from shiftwork.errors import IntentError
from shiftwork.ports.agent import AgentTask
from shiftwork.testing.builders import asked as spec_story
from tests.app.landing.landing_rig import Landing, land, work
from tests.app.reported import report_of
from tests.app.rig import Rig, done, story_workflow
from tests.patience import SECONDS

FIRST = "US-001"
SIGNED = story_workflow(
    catalogue_step("coding"),
    StepPlan(name="approve", type="approve", kind=StepKind.APPROVAL, description="May it land?"),
)
GOOD = (Gate(name="test", command="grep -q good work.txt"),)


def writing(*contents: str) -> Callable[[AgentTask], Turn]:
    """An agent whose attempts leave these contents in work.txt, one after the other; the last of them is kept."""
    left = list(contents)

    def script(task: AgentTask) -> Turn:
        return done(write={"work.txt": left.pop(0) if len(left) > 1 else left[0]})

    return script


async def asked(rig: Rig, run: RunId, number: int = 1, story: str = FIRST) -> StoryState:
    """The story, as soon as it waits for a person for that time, and its run knows."""
    async with asyncio.timeout(SECONDS):
        while not (
            (state := await rig.story(run, story)).waiting.hold
            and state.waiting.reported
            and state.waiting.holds >= number
        ):
            await asyncio.sleep(0.01)
    return state


async def say(context: Context, run: RunId, word: Word, text: str = "", story: str = FIRST) -> None:
    await reply(context.events, context.inbox, Reply(run=run, story=StoryId(story), word=word, text=text))


def content(rig: Rig, commit: str, name: str = "work.txt") -> str:
    return rig.read_file(name, commit).strip()


async def approving_all(rig: Rig, context: Context, run: RunId) -> tuple[RunState, Sequence[str]]:
    """The end of a run in which a person approves whatever is asked, and what the work was each time."""
    ending, seen = asyncio.ensure_future(wait_for(context, run)), list[str]()
    async with asyncio.timeout(SECONDS):
        while not ending.done():
            state = await rig.story(run)
            if state.asks and state.waiting.reported and state.waiting.holds > len(seen):
                seen.append(content(rig, state.work.head))
                await say(context, run, Word.APPROVE)
            await asyncio.sleep(0.01)
    return ending.result(), seen


def test_what_lands_is_what_the_person_saw_though_gates_had_it_repaired(git_rig: Rig) -> None:
    git_rig.gates, git_rig.script = GOOD, writing("bad", "good")

    async def scenario() -> Sequence[str]:
        async with git_rig.open() as context:
            run = await git_rig.start(context, workflow=SIGNED)
            ended, seen = await approving_all(git_rig, context, run)
            assert ended.status is RunStatus.COMPLETED
            return seen

    seen = asyncio.run(scenario())
    assert seen[-1] == git_rig.read_file("work.txt").strip(), "the last approval was of other work"
    assert seen == ["good"], "a person was asked about work whose gates are red"


@pytest.mark.parametrize("changed", ["", "base", "gates"])
def test_an_approval_runs_no_gate_again_unless_the_tip_or_the_gates_have_changed(
    rig: Rig, tmp_path: Path, changed: str
) -> None:
    """Also in another process, which has no verdicts in its memory."""
    gate = Gate(name="test", command=f"echo gate >> {tmp_path}/ran; grep -q good work.txt")
    rig.review, rig.gates, rig.script = True, (gate,), writing("good")

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=story_workflow(catalogue_step("coding")))
            await asked(rig, run)
        forget_verdicts(rig)
        (tmp_path / "ran").unlink()
        if changed == "base":
            rig.commit_files({"other.txt": "meanwhile\n"}, "meanwhile")
        if changed == "gates":
            rig.gates = (replace(gate, command=f"{gate.command} && true"),)
        async with rig.open() as context:
            await resume_run(context, run)
            await say(context, run, Word.APPROVE)
            ended = await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            assert ended.status is RunStatus.COMPLETED
        landed = (await rig.story(run)).landed
        assert landed
        assert landed.report
        assert landed.report.commit == landed.commit
        assert landed.report.cached is not bool(changed)

    asyncio.run(scenario())
    assert (tmp_path / "ran").exists() is bool(changed)


def forget_verdicts(rig: Rig) -> None:
    assert rig.fake
    rig.fake.store.green.clear()
    rig.fake.store.known.clear()


def test_a_moved_base_is_not_asked_about_and_a_story_that_waits_blocks_no_other(rig: Rig) -> None:
    """Two stories under review; the second is approved and lands while the first waits, whose base has moved then."""
    rig.review, rig.gates = True, (Gate(name="test", command="ls US-00*.txt"),)
    rig.script = lambda task: done(write={f"{task.env['SHIFTWORK_STORY']}.txt": "work\n"})
    spec = Spec(title="Two", description="", stories=(spec_story(1), spec_story(2)))

    async def scenario() -> RunId:
        async with rig.open() as context:
            run = await rig.start(context, spec, workflow=story_workflow(catalogue_step("coding")), parallel=2)
            first = await asked(rig, run)
            await asked(rig, run, story="US-002")
            await say(context, run, Word.APPROVE, story="US-002")
            await rig.until(lambda: len(rig.log()) == 2)
            assert (await rig.story(run)).waiting.hold == first.waiting.hold, "it waits for its own answer"
            await say(context, run, Word.APPROVE)
            ended = await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            assert ended.status is RunStatus.COMPLETED
            return run

    run = asyncio.run(scenario())
    assert rig.log()[:2] == ["feat: US-001 - Story 1", "feat: US-002 - Story 2"]
    story = asyncio.run(rig.story(run))
    assert (story.waiting.holds, story.landing.requests) == (1, 2)
    assert story.landing.approved
    assert story.landed
    assert story.landed.base != story.landing.approved.base, "the base has moved since"
    built = [
        sighting.what
        for sighting in rig.seen
        if isinstance(sighting.what, landing_facts.CandidateBuilt) and sighting.what.approved
    ]
    checked = {
        sighting.what.report.commit
        for sighting in rig.seen
        if isinstance(sighting.what, landing_facts.CandidateVerified)
    }
    assert {fact.commit for fact in built} == checked, "gates ran again on what landed"


def test_an_approved_patch_that_the_user_has_put_on_the_branch_lands_as_that_commit_without_a_session(rig: Rig) -> None:
    rig.review, rig.gates = True, GOOD
    paid: list[str] = []

    def script(task: AgentTask) -> Turn:
        paid.append(task.env["SHIFTWORK_STEP_TYPE"])
        return done(write={"work.txt": "good"})

    rig.script = script

    async def scenario() -> StoryState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=story_workflow(catalogue_step("coding")))
            await asked(rig, run)
            (row,) = await rig.store.queries.stories(run)
            assert row.landing.progress == "waiting", "its landing is not refused: a person is asked"
            rig.commit_files({"work.txt": "good"}, "by hand")
            await say(context, run, Word.APPROVE)
            ended = await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            assert ended.status is RunStatus.COMPLETED
            return await rig.story(run)

    story = asyncio.run(scenario())
    assert paid == ["coding"]
    assert rig.log()[0] == "by hand"
    assert story.landed_commit == rig.find_commit()


def test_a_repair_after_the_approval_is_asked_about_with_what_has_changed(git_rig: Rig) -> None:
    """The gates turn red on a base that has moved since the approval: another commit has made them stricter."""
    git_rig.review, git_rig.script = True, writing("good", "good and better")
    git_rig.gates = (Gate(name="test", command='grep -q "$(cat wanted 2>/dev/null || echo good)" work.txt'),)

    async def scenario() -> tuple[RunId, StoryState]:
        async with git_rig.open() as context:
            run = await git_rig.start(context, workflow=story_workflow(catalogue_step("coding")))
            await asked(git_rig, run)
            git_rig.commit_files({"wanted": "better\n"}, "stricter")
            await say(context, run, Word.APPROVE)
            again = await asked(git_rig, run, 2)
            assert git_rig.log()[0] == "stricter", "it must not have landed"
            assert await approvals_in(git_rig.store.queries) == [run]
            everything = Reply(run=run, story=StoryId(FIRST), word=Word.APPROVE)
            assert not await approve_all(context.events, context.inbox, [everything]), "it has to be named"
            await say(context, run, Word.APPROVE)
            ended = await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            assert ended.status is RunStatus.COMPLETED
            return run, again

    run, again = asyncio.run(scenario())
    assert again.waiting.hold
    assert again.waiting.hold.cause is HoldCause.CHANGED
    assert again.waiting.hold.detail == "the patch has changed since it was approved, in work.txt: " + MAY_IT_LAND
    assert again.landing.refused
    assert (
        content(git_rig, again.landing.refused.candidate) == "good and better" == git_rig.read_file("work.txt").strip()
    )
    assert asyncio.run(git_rig.story(run)).waiting.holds == 2
    text = asyncio.run(report_of(git_rig.store, run))
    approved = [line for line in text.splitlines() if ": approved (" in line]
    assert [line.partition(": approved (")[2].partition(":")[0] for line in approved] == ["approval", "changed"]
    assert "gates passed, it needs your approval" in text
    assert "gates passed, the patch has changed since it was approved, in work.txt" in text


def test_a_resolved_conflict_is_another_patch(git_rig: Rig) -> None:
    git_rig.review, git_rig.script = True, writing("mine", "mine and theirs")

    async def scenario() -> StoryState:
        async with git_rig.open() as context:
            run = await git_rig.start(context, workflow=story_workflow(catalogue_step("coding")))
            await asked(git_rig, run)
            git_rig.commit_files({"work.txt": "theirs\n"}, "theirs")
            await say(context, run, Word.APPROVE)
            again = await asked(git_rig, run, 2)
            await say(context, run, Word.REJECT)
            await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            return again

    again = asyncio.run(scenario())
    assert again.waiting.hold
    assert again.waiting.hold.cause is HoldCause.CHANGED
    assert (again.landing.conflicts, git_rig.log()[0]) == (1, "theirs")


@pytest.mark.parametrize("beside", [False, True], ids=["the same patch", "lines beside those that have gone"])
def test_what_was_reset_away_below_an_approved_patch_does_not_land_with_it(rig: Rig, *, beside: bool) -> None:
    before = rig.find_commit()
    rig.commit_files({"theirs.txt": "theirs\n", **({"work.txt": "theirs\n"} if beside else {})}, "to be reset away")
    rig.review, rig.script = True, writing("theirs\nmine" if beside else "mine", "mine")

    async def scenario() -> StoryState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=story_workflow(catalogue_step("coding")))
            await asked(rig, run)
            rig.project.set_branch("main", before)
            await say(context, run, Word.APPROVE)
            if beside:
                again = await asked(rig, run, 2)
                assert again.waiting.hold
                assert again.waiting.hold.cause is HoldCause.CHANGED
                await say(context, run, Word.APPROVE)
            await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            return await rig.story(run)

    story = asyncio.run(scenario())
    assert story.waiting.holds == (2 if beside else 1)
    assert (rig.list_files(), rig.read_file("work.txt").strip()) == (["README", "work.txt"], "mine")


def test_a_conflict_with_a_further_commit_of_the_user_is_another_conflict_and_resolved_too(rig: Rig) -> None:
    rig.review, rig.script = True, writing("mine", "mine and theirs", "mine and all of theirs")

    async def scenario() -> StoryState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=story_workflow(catalogue_step("coding")))
            for number, theirs in enumerate(("theirs\n", "more of theirs\n"), start=1):
                await asked(rig, run, number)
                rig.commit_files({"work.txt": theirs}, "theirs")
                await say(context, run, Word.APPROVE)
            await asked(rig, run, 3)
            await say(context, run, Word.APPROVE)
            await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            return await rig.story(run)

    story = asyncio.run(scenario())
    assert (story.landing.conflicts, story.outcome.reason) == (2, "")
    assert rig.read_file("work.txt").strip() == "mine and all of theirs"


def test_what_a_reviewer_asks_for_is_done_and_asked_about(rig: Rig) -> None:
    prompts: list[str] = []

    def script(task: AgentTask) -> Turn:
        prompts.append(task.prompt)
        return done(write={"work.txt": f"try {len(prompts)}\n"})

    rig.review, rig.script = True, script

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=story_workflow(catalogue_step("coding")))
            await asked(rig, run)
            await say(context, run, Word.REJECT, "use tabs")
            again = await asked(rig, run, 2)
            assert again.waiting.hold
            assert again.waiting.hold.detail == f"you rejected it before: use tabs; now {MAY_IT_LAND}"
            await say(context, run, Word.REJECT, "use more tabs")
            await asked(rig, run, 3)
            await say(context, run, Word.APPROVE)
            return await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)

    assert asyncio.run(scenario()).status is RunStatus.COMPLETED
    assert "has not approved them:" in prompts[1]
    assert "use tabs" in prompts[1]
    assert "use more tabs" in prompts[2]
    assert rig.read_file("work.txt").strip() == "try 3"


# The queue ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("proof", [*Proof])
def test_who_waits_for_a_person_is_a_batch_of_its_own(rig: Rig, proof: Proof) -> None:
    rig.landing = LandingPolicy(proof=proof)

    async def scenario() -> tuple[Landing, Landing]:
        async with rig.open() as context:
            works = [await work(context, name, {"work.txt": "work\n", name: name}) for name in ("A", "B", "C", "D")]
            held = [replace(request, review=True) for request in works[1:3]]
            first = await land(context, works[0], *held, works[3])
            patches = [seen(first, request) for request in held]
            # The first is as it was approved, the second is not.
            other = await work(context, "C", {"work.txt": "work\n", "C": "other"}, number=2)
            again = replace(held[0], number=2, approved=patches[0])
            changed = replace(other, review=True, approved=patches[1])
            return first, await land(context, again, changed)

    first, second = asyncio.run(scenario())
    assert first.landed == {"A", "D"}
    assert {name: first.answers[name].get("cause") for name in ("B", "C")} == {"B": "approval", "C": "approval"}
    assert second.landed == {"B"}
    assert (second.answers["C"]["cause"], second.answers["C"]["files"]) == ("approval", ["C"])
    assert rig.list_files() == ["A", "B", "D", "README", "work.txt"]
    assert len(first.of(landing_facts.CandidateVerified)) <= 2, "nothing was checked on top of what did not land"


def seen(landing: Landing, request: LandingRequest) -> Patch:
    text = landing.answers[request.story]
    return Patch(base=text["base"], commit=text["candidate"])


# All at once ----------------------------------------------------------------------------------------------------------


def test_all_that_wait_for_approval_are_approved_and_no_question_is_answered(rig: Rig) -> None:
    rig.review = True

    def script(task: AgentTask) -> Turn:
        story = task.env["SHIFTWORK_STORY"]
        if story == "US-003":
            return Turn(answer="SUMMARY:\nhalf of it\n\nSTORY_BLOCKED: tabs or blanks?")
        return done(write={f"{story}.txt": "work\n", "work.txt": "work\n"})

    rig.script = script
    spec = Spec(title="Three", description="", stories=tuple(spec_story(number) for number in (1, 2, 3)))

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec, workflow=story_workflow(catalogue_step("coding")), parallel=3)
            names = [StoryId(f"US-00{number}") for number in (1, 2, 3)]
            for name in names:
                await asked(rig, run, story=name)
            replies = [Reply(run=run, story=name, word=Word.APPROVE) for name in names]
            approved = await approve_all(context.events, context.inbox, replies)
            assert {name: hold.detail for name, hold in approved.items()} == dict.fromkeys(names[:2], MAY_IT_LAND)
            await rig.until(lambda: len(rig.log()) == 3)
            assert (await rig.story(run, "US-003")).waiting.hold

    asyncio.run(scenario())


def test_an_approval_of_a_commit_counts_for_no_other(rig: Rig) -> None:
    rig.review, rig.script = True, writing("good")

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=story_workflow(catalogue_step("coding")))
            patch = asked_about(await asked(rig, run))
            assert patch
            head = patch.commit
            seen = Reply(run=run, story=StoryId(FIRST), word=Word.APPROVE, commit="0123456789")
            with pytest.raises(
                IntentError, match=f"does not ask about commit 0123456789: it is about commit {head[:10]}"
            ):
                await reply(context.events, context.inbox, seen)
            await reply(context.events, context.inbox, replace(seen, commit=head[:10]))
            ended = await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            assert ended.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_question_that_is_about_no_commit_is_not_answered_for_one(rig: Rig) -> None:
    rig.script = lambda _: replace(done(), answer="STORY_BLOCKED: Tabs?")

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=story_workflow(catalogue_step("coding")))
            await asked(rig, run)
            seen = Reply(run=run, story=StoryId(FIRST), word=Word.APPROVE, commit="0123456789")
            with pytest.raises(IntentError, match="it is about no commit"):
                await reply(context.events, context.inbox, seen)

    asyncio.run(scenario())
