"""Withdrawn requests to land: their gates end, none of their work lands, and no other story is delayed."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.runs import cancel_run, resume_run, wait_for
from shiftwork.app.messaging import run_inbox
from shiftwork.app.runtime.context import Context, Sighting, job_of
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import LandingPolicy, LandingRequest, Proof
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, catalogue_step
from tests.app.landing.landing_rig import answer, outcome, post, queue, titles, work
from tests.app.rig import LANDING, SHORT, Rig, story_workflow
from tests.patience import SECONDS, Stopwatch

US_001 = StoryId("US-001")


def seen(rig: Rig, kind: type[Fact]) -> int:
    return sum(isinstance(sighting.what, kind) for sighting in rig.seen)


async def gate_runs(rig: Rig, path: Path) -> None:
    await rig.until(path.exists)


def slow(path: Path) -> Gate:
    """Says that it has begun, and which process it is."""
    return Gate(name="slow", command=f"echo $$ > {path}.new; mv {path}.new {path}; sleep 60")


def is_gone(path: Path) -> bool:
    return not Path(f"/proc/{path.read_text().strip()}").exists()


# Of a run ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [True, False], ids=["the run", "one story"])
def test_a_cancel_ends_the_gates_and_the_story_does_not_land(rig: Rig, tmp_path: Path, *, whole: bool) -> None:
    message = tmp_path / "gate"
    rig.gates = (slow(message),)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await gate_runs(rig, message)
            watch = Stopwatch()
            if whole:
                await cancel_run(context.inbox, run)
            else:
                await ask(
                    context.events, context.inbox, run, run_facts.StoryCancellationRequested(at=0, story=US_001), "1"
                )
            state = await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            assert watch.within(5)
            assert state.status is RunStatus.CANCELLED, "no story of it is wanted any more"
        story = await rig.story(run)
        assert (story.status, story.outcome.cause) == (StoryStatus.CANCELLED, FailureCause.CANCELLED)
        assert (await queue(rig)).entries == ()

    asyncio.run(scenario())
    assert rig.log() == ["start"]
    assert is_gone(message)


@pytest.mark.parametrize("whole", [True, False], ids=["the run", "one story"])
def test_a_cancel_while_no_one_works_runs_no_gate_again(rig: Rig, tmp_path: Path, *, whole: bool) -> None:
    message, again = tmp_path / "gate", tmp_path / "again"
    rig.gates = (slow(message),)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await gate_runs(rig, message)
        if whole:
            await cancel_run(rig.store.inbox, run)
        else:
            intent = run_facts.StoryCancellationRequested(at=0, story=US_001)
            await ask(rig.store.events, rig.store.inbox, run, intent, "1")
        rig.gates = (Gate(name="quick", command=f"touch {again}"),)
        async with rig.open() as context:
            await resume_run(context, run)
            await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
        assert (await rig.story(run)).outcome.cause is FailureCause.CANCELLED

    asyncio.run(scenario())
    assert rig.log() == ["start"]
    assert not again.exists()


def test_a_paused_story_leaves_the_queue_and_lands_after_the_pause(rig: Rig, tmp_path: Path) -> None:
    message, proceed = tmp_path / "gate", tmp_path / "go"
    slowly = slow(message)
    rig.gates = (Gate(name="slow", command=f"test -e {proceed} || {{ {slowly.command}; }}"),)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await gate_runs(rig, message)
            await ask(context.events, context.inbox, run, run_facts.RunPaused(at=0), "1")
            await rig.until(lambda: seen(rig, story_facts.LandingWithdrawn) == 1)
            assert is_gone(message)
            assert rig.log() == ["start"]
            proceed.touch()
            await ask(context.events, context.inbox, run, run_facts.RunUnpaused(at=0), "2")
            state = await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            assert state.status is RunStatus.COMPLETED
        assert (await rig.story(run)).landing.requests == 2

    asyncio.run(scenario())
    assert rig.log() == ["feat: Add work.txt", "start"]


def test_a_cancelled_story_that_is_retried_asks_to_land_once_more(rig: Rig, tmp_path: Path) -> None:
    message = tmp_path / "gate"
    rig.gates = (slow(message),)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await gate_runs(rig, message)
            await cancel_run(context.inbox, run)
            await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
        await ask(
            rig.store.events,
            rig.store.inbox,
            run,
            run_facts.StoryRetryRequested(at=0, story=US_001, from_scratch=False),
            "1",
        )
        rig.gates = ()
        async with rig.open() as context:
            await resume_run(context, run)
            assert (await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)).status is RunStatus.COMPLETED

    asyncio.run(scenario())
    assert rig.log() == ["feat: Add work.txt", "start"]


def test_a_cancel_ends_the_gates_of_a_step_too(rig: Rig, tmp_path: Path) -> None:
    message = tmp_path / "gate"
    gate = StepPlan(name="check", type="check", kind=StepKind.GATE, description="check", max_retries=0)
    rig.gates = (slow(message),)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=story_workflow(catalogue_step("coding"), gate))
            await gate_runs(rig, message)
            await cancel_run(context.inbox, run)
            state = await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            assert state.status is RunStatus.CANCELLED
        story = await rig.story(run)
        assert (story.outcome.cause, story.pipeline.steps[1].status) == (FailureCause.CANCELLED, StepStatus.PENDING)

    asyncio.run(scenario())
    assert rig.log() == ["start"]
    assert is_gone(message)


# Of a queue ----------------------------------------------------------------------------------------------------------


async def withdraw(context: Context, request: LandingRequest) -> None:
    await run_inbox.withdraw(context.inbox, LANDING, request.key)


async def withdrawal_reported(context: Context, request: LandingRequest) -> None:
    """As soon as the story has its answer."""
    said = await asyncio.wait_for(context.inbox.wait(request.stream, after=0), timeout=SECONDS)
    assert [message.body["kind"] for message in said] == ["LandingWithdrawn"]


def waits_for(proceed: Path, name: str, path: Path) -> Gate:
    """Where that file exists, the gate runs until a file `go` exists, and counts how often it was run there."""
    busy = f"echo run >> {path}; until [ -e {proceed} ]; do sleep 0.05; done"
    return Gate(name="waits", command=f"[ ! -e {name} ] || {{ {busy}; }}")


def test_what_stands_in_front_of_a_withdrawn_candidate_continues_and_what_stands_behind_is_built_again(
    rig: Rig, tmp_path: Path
) -> None:
    proceed, message = tmp_path / "go", tmp_path / "runs"
    rig.gates = (waits_for(proceed, "A.txt", message),)
    rig.landing = LandingPolicy(at_once=3)

    async def scenario() -> None:
        async with rig.open() as context:
            asked = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B", "C")]
            await post(context, *asked)
            await context.engine.start(job_of(LANDING))
            await rig.until(lambda: message.exists() and message.read_text().count("run") == 3)
            await withdraw(context, asked[1])
            await withdrawal_reported(context, asked[1])
            await rig.until(lambda: seen(rig, landing_facts.EntryClosed) == 1)
            await rig.until(lambda: seen(rig, landing_facts.CandidateBuilt) == 4)
            assert [(entry.request.story, entry.stage.value) for entry in (await queue(rig)).entries] == [
                ("A", "built"),
                ("C", "built"),
            ]
            proceed.touch()
            await rig.until(lambda: rig.log() == titles("A", "C"))
            await rig.until(lambda: seen(rig, landing_facts.EntryClosed) == 3)
            assert (await outcome(context, *asked)).landed == {"A", "C"}

    asyncio.run(scenario())
    assert message.read_text().count("run") == 4, "the gates on the first were not run again"


def test_one_that_waits_for_the_next_batch_is_reported_while_the_gates_of_this_one_run(
    rig: Rig, tmp_path: Path
) -> None:
    proceed, message = tmp_path / "go", tmp_path / "runs"
    rig.gates = (waits_for(proceed, "A.txt", message),)

    async def scenario() -> None:
        async with rig.open() as context:
            first, second, third = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B", "C")]
            await post(context, first)
            await context.engine.start(job_of(LANDING))
            await rig.until(message.exists)
            await asyncio.sleep(0.3)  # so that the queue waits for messages and receives a plain request to land
            await post(context, second, third)
            await withdraw(context, second)
            await withdrawal_reported(context, second)
            assert rig.log() == ["start"]
            await withdraw(context, second)
            proceed.touch()
            await rig.until(lambda: rig.log() == titles("A", "C"))

    asyncio.run(scenario())
    assert message.read_text().count("run") == 2


@pytest.mark.parametrize("proof", Proof)
def test_a_withdrawal_that_comes_while_quick_gates_run_is_in_time(rig: Rig, proof: Proof) -> None:
    """The queue looks once more before it records that something may land."""
    rig.gates = (Gate(name="quick", command="true"),)
    rig.landing = LandingPolicy(proof=proof)

    async def scenario() -> None:
        async with rig.open() as context:
            asked = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B")]
            posting: list[asyncio.Task[None]] = []

            def watch(sighting: Sighting) -> None:
                if isinstance(sighting.what, landing_facts.BatchTaken) and not posting:
                    posting.append(asyncio.ensure_future(later(context, asked[0])))

            rig.watch = watch
            await post(context, *asked)
            await context.engine.start(job_of(LANDING))
            await rig.until(lambda: seen(rig, landing_facts.EntryClosed) == 2)
            assert (await outcome(context, *asked)).landed == {"B"}

    async def later(context: Context, request: LandingRequest) -> None:
        await asyncio.sleep(0)  # the check has begun by then
        await withdraw(context, request)

    asyncio.run(scenario())
    assert rig.log() == titles("B")


def test_what_is_verified_lands_although_the_one_behind_it_leaves(rig: Rig, tmp_path: Path) -> None:
    """The second is red at first, and leaves while its gates are run once more."""
    tried, message = tmp_path / "tried", tmp_path / "gate"
    wavering = (
        f"[ ! -e B.txt ] || {{ [ -e {tried} ] && {{ {slow(message).command}; }} || {{ touch {tried}; exit 1; }}; }}"
    )
    rig.gates = (Gate(name="wavers", command=wavering),)

    async def scenario() -> None:
        async with rig.open() as context:
            asked = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B")]
            await post(context, *asked)
            await context.engine.start(job_of(LANDING))
            await gate_runs(rig, message)
            await withdraw(context, asked[1])
            await withdrawal_reported(context, asked[1])
            await rig.until(lambda: seen(rig, landing_facts.EntryClosed) == 2)
            assert (await answer(context, asked[0]))["kind"] == "LandingAccepted"

    asyncio.run(scenario())
    assert rig.log() == titles("A")
    assert is_gone(message)


def test_a_withdrawal_after_the_branch_has_moved_changes_nothing(rig: Rig) -> None:
    rig.gates = ()

    async def scenario() -> None:
        async with rig.open() as context:
            request = await work(context, "A", {"A.txt": "w\n"})
            await post(context, request)
            await context.engine.start(job_of(LANDING))
            await rig.until(lambda: seen(rig, landing_facts.EntryClosed) == 1)
            await withdraw(context, request)
            await context.engine.start(job_of(LANDING))
            await rig.until(lambda: seen(rig, landing_facts.EntryWithdrawn) == 1)
            assert (await answer(context, request))["kind"] == "LandingAccepted"
            assert (await queue(rig)).entries == ()

    asyncio.run(scenario())
    assert rig.log() == titles("A")
