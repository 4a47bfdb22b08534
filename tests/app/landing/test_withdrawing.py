"""Requests to land that are taken back: gates end, nothing of it lands, and nobody else is held up by that."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.runs import cancel_run, resume_run, wait_for
from shiftwork.app.messaging import mailbox, messages
from shiftwork.app.runtime.context import Sighting, World
from shiftwork.app.runtime.landing_lock import call
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
    return sum(isinstance(one.what, kind) for one in rig.seen)


async def gate_runs(rig: Rig, told: Path) -> None:
    await rig.until(told.exists)


def slow(told: Path) -> Gate:
    """Says that it has begun, and which process it is."""
    return Gate(name="slow", command=f"echo $$ > {told}.new; mv {told}.new {told}; sleep 60")


def is_gone(told: Path) -> bool:
    return not Path(f"/proc/{told.read_text().strip()}").exists()


# Of a run ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [True, False], ids=["the run", "one story"])
def test_a_cancel_ends_the_gates_and_the_story_does_not_land(rig: Rig, tmp_path: Path, *, whole: bool) -> None:
    told = tmp_path / "gate"
    rig.gates = (slow(told),)

    async def scenario() -> None:
        async with rig.open() as world:
            run = await rig.start(world, workflow=SHORT)
            await gate_runs(rig, told)
            watch = Stopwatch()
            if whole:
                await cancel_run(world.inbox, run)
            else:
                await ask(world.events, world.inbox, run, run_facts.StoryCancellationRequested(at=0, story=US_001), "1")
            state = await asyncio.wait_for(wait_for(world, run), timeout=SECONDS)
            assert watch.within(5)
            assert state.status is (RunStatus.CANCELLED if whole else RunStatus.FAILED)
        story = await rig.story(run)
        assert (story.status, story.outcome.cause) == (StoryStatus.FAILED, FailureCause.CANCELLED)
        assert (await queue(rig)).entries == ()

    asyncio.run(scenario())
    assert rig.log() == ["start"]
    assert is_gone(told)


@pytest.mark.parametrize("whole", [True, False], ids=["the run", "one story"])
def test_a_cancel_while_nobody_works_runs_no_gate_again(rig: Rig, tmp_path: Path, *, whole: bool) -> None:
    told, again = tmp_path / "gate", tmp_path / "again"
    rig.gates = (slow(told),)

    async def scenario() -> None:
        async with rig.open() as world:
            run = await rig.start(world, workflow=SHORT)
            await gate_runs(rig, told)
        if whole:
            await cancel_run(rig.store.inbox, run)
        else:
            intent = run_facts.StoryCancellationRequested(at=0, story=US_001)
            await ask(rig.store.events, rig.store.inbox, run, intent, "1")
        rig.gates = (Gate(name="quick", command=f"touch {again}"),)
        async with rig.open() as world:
            await resume_run(world, run)
            await asyncio.wait_for(wait_for(world, run), timeout=SECONDS)
        assert (await rig.story(run)).outcome.cause is FailureCause.CANCELLED

    asyncio.run(scenario())
    assert rig.log() == ["start"]
    assert not again.exists()


def test_a_paused_story_leaves_the_queue_and_lands_after_the_pause(rig: Rig, tmp_path: Path) -> None:
    told, go = tmp_path / "gate", tmp_path / "go"
    slowly = slow(told)
    rig.gates = (Gate(name="slow", command=f"test -e {go} || {{ {slowly.command}; }}"),)

    async def scenario() -> None:
        async with rig.open() as world:
            run = await rig.start(world, workflow=SHORT)
            await gate_runs(rig, told)
            await ask(world.events, world.inbox, run, run_facts.RunPaused(at=0), "1")
            await rig.until(lambda: seen(rig, story_facts.LandingWithdrawn) == 1)
            assert is_gone(told)
            assert rig.log() == ["start"]
            go.touch()
            await ask(world.events, world.inbox, run, run_facts.RunUnpaused(at=0), "2")
            state = await asyncio.wait_for(wait_for(world, run), timeout=SECONDS)
            assert state.status is RunStatus.COMPLETED
        assert (await rig.story(run)).landing.requests == 2

    asyncio.run(scenario())
    assert rig.log() == ["feat: US-001 - Add work.txt", "start"]


def test_a_cancelled_story_that_is_retried_asks_to_land_once_more(rig: Rig, tmp_path: Path) -> None:
    told = tmp_path / "gate"
    rig.gates = (slow(told),)

    async def scenario() -> None:
        async with rig.open() as world:
            run = await rig.start(world, workflow=SHORT)
            await gate_runs(rig, told)
            await cancel_run(world.inbox, run)
            await asyncio.wait_for(wait_for(world, run), timeout=SECONDS)
        await ask(
            rig.store.events, rig.store.inbox, run, run_facts.StoryRetryRequested(at=0, story=US_001, afresh=False), "1"
        )
        rig.gates = ()
        async with rig.open() as world:
            await resume_run(world, run)
            assert (await asyncio.wait_for(wait_for(world, run), timeout=SECONDS)).status is RunStatus.COMPLETED

    asyncio.run(scenario())
    assert rig.log() == ["feat: US-001 - Add work.txt", "start"]


def test_a_cancel_ends_the_gates_of_a_step_too(rig: Rig, tmp_path: Path) -> None:
    told = tmp_path / "gate"
    gate = StepPlan(name="check", type="check", kind=StepKind.GATE, description="check", max_retries=0)
    rig.gates = (slow(told),)

    async def scenario() -> None:
        async with rig.open() as world:
            run = await rig.start(world, workflow=story_workflow(catalogue_step("coding"), gate))
            await gate_runs(rig, told)
            await cancel_run(world.inbox, run)
            state = await asyncio.wait_for(wait_for(world, run), timeout=SECONDS)
            assert state.status is RunStatus.CANCELLED
        story = await rig.story(run)
        assert (story.outcome.cause, story.pipeline.steps[1].status) == (FailureCause.CANCELLED, StepStatus.PENDING)

    asyncio.run(scenario())
    assert rig.log() == ["start"]
    assert is_gone(told)


# Of a queue ----------------------------------------------------------------------------------------------------------


async def withdraw(world: World, one: LandingRequest) -> None:
    await mailbox.withdraw(world.inbox, LANDING, one.key)


async def told_withdrawn(world: World, one: LandingRequest) -> None:
    """As soon as the story has its answer."""
    said = await asyncio.wait_for(world.inbox.wait(one.stream, after=0), timeout=SECONDS)
    assert [message.body["type"] for message in said] == [messages.WITHDRAWN]


def waits_for(go: Path, name: str, told: Path) -> Gate:
    """Takes its time where that file is, until somebody says `go`, and counts how often it was run there."""
    busy = f"echo run >> {told}; until [ -e {go} ]; do sleep 0.05; done"
    return Gate(name="waits", command=f"[ ! -e {name} ] || {{ {busy}; }}")


def test_what_stands_in_front_of_a_withdrawn_candidate_goes_on_and_what_stands_behind_is_built_again(
    rig: Rig, tmp_path: Path
) -> None:
    go, told = tmp_path / "go", tmp_path / "runs"
    rig.gates = (waits_for(go, "A.txt", told),)
    rig.landing = LandingPolicy(at_once=3)

    async def scenario() -> None:
        async with rig.open() as world:
            asked = [await work(world, name, {f"{name}.txt": "w\n"}) for name in ("A", "B", "C")]
            await post(world, *asked)
            await call(world, LANDING, asked[0].key)
            await rig.until(lambda: told.exists() and told.read_text().count("run") == 3)
            await withdraw(world, asked[1])
            await told_withdrawn(world, asked[1])
            await rig.until(lambda: seen(rig, landing_facts.EntryClosed) == 1)
            assert [(one.request.story, one.stage.value) for one in (await queue(rig)).entries] == [
                ("A", "built"),
                ("C", "queued"),
            ]
            go.touch()
            await rig.until(lambda: rig.log() == titles("A", "C"))
            await rig.until(lambda: seen(rig, landing_facts.EntryClosed) == 3)
            assert (await outcome(world, *asked)).landed == {"A", "C"}

    asyncio.run(scenario())
    assert told.read_text().count("run") == 4, "the gates on the first were not run again"


def test_one_that_waits_for_the_next_batch_is_told_while_the_gates_of_this_one_run(rig: Rig, tmp_path: Path) -> None:
    go, told = tmp_path / "go", tmp_path / "runs"
    rig.gates = (waits_for(go, "A.txt", told),)

    async def scenario() -> None:
        async with rig.open() as world:
            first, second, third = [await work(world, name, {f"{name}.txt": "w\n"}) for name in ("A", "B", "C")]
            await post(world, first)
            await call(world, LANDING, first.key)
            await rig.until(told.exists)
            await asyncio.sleep(0.3)  # so that the queue listens, and hears of one that only wants to land
            await post(world, second, third)
            await withdraw(world, second)
            await told_withdrawn(world, second)
            assert rig.log() == ["start"]
            await withdraw(world, second)
            go.touch()
            await rig.until(lambda: rig.log() == titles("A", "C"))

    asyncio.run(scenario())
    assert told.read_text().count("run") == 2


@pytest.mark.parametrize("proof", Proof)
def test_a_withdrawal_that_comes_while_quick_gates_run_is_in_time(rig: Rig, proof: Proof) -> None:
    """The queue looks once more before it records that something may land."""
    rig.gates = (Gate(name="quick", command="true"),)
    rig.landing = LandingPolicy(proof=proof)

    async def scenario() -> None:
        async with rig.open() as world:
            asked = [await work(world, name, {f"{name}.txt": "w\n"}) for name in ("A", "B")]
            posting: list[asyncio.Task[None]] = []

            def watch(sighting: Sighting) -> None:
                if isinstance(sighting.what, landing_facts.BatchTaken) and not posting:
                    posting.append(asyncio.ensure_future(later(world, asked[0])))

            rig.watch = watch
            await post(world, *asked)
            await call(world, LANDING, asked[0].key)
            await rig.until(lambda: seen(rig, landing_facts.EntryClosed) == 2)
            assert (await outcome(world, *asked)).landed == {"B"}

    async def later(world: World, one: LandingRequest) -> None:
        await asyncio.sleep(0)  # the check has begun by then
        await withdraw(world, one)

    asyncio.run(scenario())
    assert rig.log() == titles("B")


def test_what_is_verified_lands_although_the_one_behind_it_leaves(rig: Rig, tmp_path: Path) -> None:
    """The second is red at first, and leaves while its gates are run once more."""
    tried, told = tmp_path / "tried", tmp_path / "gate"
    wavering = f"[ ! -e B.txt ] || {{ [ -e {tried} ] && {{ {slow(told).command}; }} || {{ touch {tried}; exit 1; }}; }}"
    rig.gates = (Gate(name="wavers", command=wavering),)

    async def scenario() -> None:
        async with rig.open() as world:
            asked = [await work(world, name, {f"{name}.txt": "w\n"}) for name in ("A", "B")]
            await post(world, *asked)
            await call(world, LANDING, asked[0].key)
            await gate_runs(rig, told)
            await withdraw(world, asked[1])
            await told_withdrawn(world, asked[1])
            await rig.until(lambda: seen(rig, landing_facts.EntryClosed) == 2)
            assert (await answer(world, asked[0]))["type"] == messages.LANDED

    asyncio.run(scenario())
    assert rig.log() == titles("A")
    assert is_gone(told)


def test_a_withdrawal_after_the_branch_has_moved_changes_nothing(rig: Rig) -> None:
    rig.gates = ()

    async def scenario() -> None:
        async with rig.open() as world:
            one = await work(world, "A", {"A.txt": "w\n"})
            await post(world, one)
            await call(world, LANDING, one.key)
            await rig.until(lambda: seen(rig, landing_facts.EntryClosed) == 1)
            await withdraw(world, one)
            await call(world, LANDING, f"{one.key}/withdrawn")
            await rig.until(lambda: seen(rig, landing_facts.EntryWithdrawn) == 1)
            assert (await answer(world, one))["type"] == messages.LANDED
            assert (await queue(rig)).entries == ()

    asyncio.run(scenario())
    assert rig.log() == titles("A")
