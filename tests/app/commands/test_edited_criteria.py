"""A criterion that names a command is a gate: an edit of the criterion replaces it, and a person may leave it out."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from shiftwork.app.commands.intents import ask, ask_for
from shiftwork.app.commands.runs import Order, change_options, start_run
from shiftwork.app.commands.steering import (
    NewStory,
    StoryChange,
    changed_story,
    gates_changed,
    new_story,
    refiled_story,
    refusal_of,
    story_of,
)
from shiftwork.app.folds import RUN, load
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId, run_stream
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.proof.verdict import Verdict
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.criterion_gates import with_commands
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion, Spec, Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryStatus
from shiftwork.errors import IntentError
from tests.app.commands.test_intents import again, ended
from tests.app.landing.proof_rig import paper_of
from tests.app.rig import LANDING, SHORT, Rig, done

US_001 = StoryId("US-001")
WRONG, RIGHT = "`test -e nowhere.txt` passes", "`test -e work.txt` passes"
LIMITS = Limits(repairs=0)
RETRY = run_facts.StoryRetryRequested(at=0, story=US_001)


def asked(*criteria: str, verification: Sequence[Verification] = ()) -> Spec:
    listed = tuple(Criterion(id=f"AC-{number}", text=text) for number, text in enumerate(criteria, start=1))
    story = Story(id=US_001, title="Add work.txt", description="d", criteria=listed, verification=tuple(verification))
    return Spec(title="Work", description="", stories=(with_commands(story),))


def refused(rig: Rig, *requests: Fact, proof: ProofPolicy = ProofPolicy.TRUSTING) -> RunState:
    """A run whose story fails by its gate, and is retried after these requests."""
    rig.script = lambda _: done(write={"work.txt": "work\n"})

    async def scenario() -> RunState:
        async with rig.open() as context:
            spec = asked(WRONG)
            order = Order(
                spec=spec, workflow=SHORT, branch="main", landing=LANDING, agent="scripted", proof=proof, limits=LIMITS
            )
            run = await start_run(context, order)
            failed = await ended(context, run)
            assert failed.status is RunStatus.FAILED
            for number, request in enumerate(requests):
                if isinstance(request, run_facts.OptionsChanged):
                    await change_options(context.inbox, run, str(number), request)
                else:
                    await ask(context.events, context.inbox, run, request, str(number))
            return await again(context, run, RETRY)

    return asyncio.run(scenario())


def edited(story: Story, *criteria: str, from_file: bool = False) -> run_facts.StoryEdited:
    changed = changed_story(story, StoryChange(criteria=criteria))
    return run_facts.StoryEdited(at=0, story=changed, from_file=from_file)


@pytest.mark.parametrize("from_file", [False, True], ids=["edit", "the spec's file"])
def test_an_edited_criterion_replaces_its_gate_and_the_old_one_stays_in_the_history(
    rig: Rig, *, from_file: bool
) -> None:
    run = refused(rig, edited(asked(WRONG).stories[0], RIGHT, from_file=from_file))
    assert run.status is RunStatus.COMPLETED
    assert "Shiftwork-Unproved" not in rig.read_message()
    facts = asyncio.run(rig.facts(run))
    (before, *_) = [fact for fact in facts if isinstance(fact, story_facts.LandingRefused)]
    assert "gate US-001 AC-1 failed" in before.detail
    assert "test -e nowhere.txt" in before.detail


@pytest.mark.parametrize("proof", list(ProofPolicy))
def test_a_gate_of_a_criterion_is_left_out_by_the_name_that_is_printed(rig: Rig, proof: ProofPolicy) -> None:
    run = refused(rig, run_facts.OptionsChanged(at=0, without_gates=("US-001 AC-1",)), proof=proof)
    assert run.status is RunStatus.COMPLETED, "what a person leaves out is asked for by no policy"
    paper = asyncio.run(paper_of(rig, run))
    assert [judged.verdict for judged in paper.certificate.criteria] == [Verdict.NOT_CHECKED]
    message = rig.read_message()
    assert "\nShiftwork-Unproved: AC-1 not checked: the run continues without the gate\n" in message
    assert message.endswith("\nShiftwork-Unproved: the gate US-001 AC-1 was left out")
    proof_of = run.stories[US_001].proof
    assert proof_of is not None
    assert "AC-1 not checked: the run continues without the gate" in proof_of.remark


def test_no_verdict_by_the_old_gate_counts_after_an_edit(rig: Rig) -> None:
    """A story whose gates run is not edited under them: it is cancelled first, and their verdict counts no more."""
    slow = f"`test -e {rig.repo}/../go || sleep 60` passes"

    async def scenario() -> RunState:
        rig.script = lambda _: done(write={"work.txt": "work\n"})
        async with rig.open() as context:
            run = await rig.start(context, asked(slow), workflow=SHORT)
            await rig.until(lambda: any("GateBegun" in type(seen.what).__name__ for seen in rig.seen))
            change = edited(asked(slow).stories[0], WRONG)
            with pytest.raises(IntentError, match="works from the text it started with"):
                await ask(context.events, context.inbox, run, change, "early")
            cancel = run_facts.StoryCancellationRequested(at=0, story=US_001)
            await ask(context.events, context.inbox, run, cancel, "cancel")
            await ended(context, run)
            await ask(context.events, context.inbox, run, change, "edit")
            return await again(context, run, RETRY)

    run = asyncio.run(scenario())
    assert run.stories[US_001].status is StoryStatus.FAILED
    assert "gate US-001 AC-1 failed" in run.stories[US_001].reason
    assert rig.log() == ["start"]


# What an edit changes ------------------------------------------------------------------------------------------------


def test_a_step_goes_with_the_text_of_its_criterion() -> None:
    own = Verification(id="VS-1", kind=VerificationKind.FILE_EXISTS, path="work.txt")
    free = Verification(id="", kind=VerificationKind.URL, url="http://localhost/")
    (story,) = asked(WRONG, "it is there", verification=(own, free)).stories
    story = replace(story, criteria=(*story.criteria, Criterion(id="VS-1", text="this file exists: `work.txt`")))
    changed = changed_story(story, StoryChange(criteria=("this file exists: `work.txt`", "it is there", RIGHT)))
    assert [(step.id, step.path or step.action) for step in changed.verification] == [
        ("", "GET http://localhost/"),
        ("AC-1", "work.txt"),
        ("AC-3", "test -e work.txt"),
    ]
    assert changed_story(story, StoryChange(title="Another")).verification == story.verification


def test_only_a_new_command_must_be_agreed_to(rig: Rig) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, asked(RIGHT), workflow=SHORT)
            state = await ended(context, run)
            told = changed_story(story_of(state, US_001), StoryChange(criteria=("it is there", RIGHT)))
            assert gates_changed(state, told).to_agree == ()
            assert [step.id for step in gates_changed(state, told).gone] == ["AC-1"]
            more = changed_story(story_of(state, US_001), StoryChange(criteria=(WRONG,)))
            assert [step.action for step in gates_changed(state, more).to_agree] == ["test -e nowhere.txt"]
            added = new_story(state, NewStory(title="More", criteria=(RIGHT,)))
            assert [step.action for step in gates_changed(state, added).to_agree] == ["test -e work.txt"]

    asyncio.run(scenario())


def test_the_file_is_followed_where_it_has_changed_and_an_edit_in_the_run_where_it_has_not(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = lambda _: done(write={"work.txt": "work\n"})
        async with rig.open() as context:
            run = await rig.start(context, asked(WRONG), workflow=SHORT)
            failed = await ended(context, run)
            assert not refusal_of(failed, RETRY)
            assert refiled_story(failed, US_001, asked(WRONG)) is None
            assert refiled_story(failed, StoryId("US-9"), asked(RIGHT)) is None
            change = edited(failed.asked(US_001), RIGHT)
            await ask_for(context.events, context.inbox, run, lambda _: change, "edit")
            state = RUN.evolve(await load(context.events, RUN, run_stream(run)), change)
            assert refiled_story(state, US_001, asked(WRONG)) is None, "the file says what it said"
            assert refiled_story(state, US_001, asked(RIGHT)) is None, "both say the same"
            third = refiled_story(state, US_001, asked("it is there"))
            assert third is not None
            assert third.verification == ()
            state = RUN.evolve(state, run_facts.StoryEdited(at=0, story=third, from_file=True))
            assert refiled_story(state, US_001, asked("it is there")) is None

    asyncio.run(scenario())
    assert refusal_of(RunState(), RETRY) == "the run has not started"
