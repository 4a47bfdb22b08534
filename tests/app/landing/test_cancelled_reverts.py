"""A revert whose run is cancelled after the request: it never lands, whichever process had received it by then."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from shiftwork.app.commands.intents import ask, undo_came_to
from shiftwork.app.commands.runs import cancel_run, resume_run
from shiftwork.app.runtime.context import Context
from shiftwork.domain.core.ids import RunId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.testing.builders import asked, story_id
from tests.app.commands.test_intents import crew_of, ended, intend, seen, spec, statuses
from tests.app.landing.test_withdrawing import is_gone, slow
from tests.app.messaging.test_changed_plans import undo
from tests.app.messaging.test_undelivered import gone_on, of
from tests.app.rig import SHORT, Rig
from tests.app.run.dying import deadly


async def landed(rig: Rig) -> RunId:
    return (await rig.run(spec(asked(1)), workflow=SHORT)).given.run


async def stays(rig: Rig, run: RunId, version: int, state: RunState) -> None:
    fate = await undo_came_to(rig.store.events, run, story_id(1), version, 0)
    assert isinstance(fate, run_facts.UndoRefused)
    assert fate.reason == "it was cancelled first"
    assert (state.status, statuses(state), state.requests.undoing) == (RunStatus.CANCELLED, {"US-001": "completed"}, {})
    assert rig.log() == ["feat: US-001 - Story 1", "start"]


@asynccontextmanager
async def at_its_gates(rig: Rig, run: RunId, begun: Path) -> AsyncIterator[tuple[Context, int]]:
    """A revert whose gates run; the version of the run before it was asked for."""
    rig.gates = (slow(begun),)
    async with rig.open() as context:
        version = await intend(context, run, undo(1))
        await resume_run(context, run)
        await rig.until(begun.exists)
        yield context, version


@pytest.mark.parametrize("alive", [True, False], ids=["alive", "dead"])
def test_a_revert_at_its_gates_is_withdrawn_when_its_run_is_cancelled(rig: Rig, tmp_path: Path, *, alive: bool) -> None:
    begun, again = tmp_path / "gate", tmp_path / "again"
    crew_of(rig)

    async def scenario() -> None:
        run = await landed(rig)
        async with at_its_gates(rig, run, begun) as (context, version):
            if alive:
                await cancel_run(context.inbox, run)
                await stays(rig, run, version, await ended(context, run))
                return
        rig.gates = (Gate(name="quick", command=f"touch {again}"),)
        await cancel_run(rig.store.inbox, run)
        await stays(rig, run, version, await gone_on(rig, run))

    asyncio.run(scenario())
    assert is_gone(begun)
    assert not again.exists()


@pytest.mark.parametrize("asked_for", [False, True], ids=["unwritten", "told"])
def test_a_revert_that_the_queue_may_know_of_or_not_is_cancelled_with_its_run(rig: Rig, *, asked_for: bool) -> None:
    crew_of(rig)
    death = deadly(rig.store)

    async def scenario() -> None:
        run = await landed(rig)
        if asked_for:
            death.before_recording(of(run_facts.UndoPosted))
        else:
            death.before_posting(lambda key: key.endswith("/revert-1"))
        rig.gates = (Gate(name="slow", command="sleep 60"),)
        async with rig.open() as context:
            version = await intend(context, run, undo(1))
            await resume_run(context, run)
            await rig.until(lambda: death.come)
        rig.gates = (Gate(name="quick", command="true"),)
        await cancel_run(rig.store.inbox, run)
        await stays(rig, run, version, await gone_on(rig, run))
        assert seen(rig, run_facts.UndoPosted) == asked_for

    asyncio.run(scenario())


@pytest.mark.parametrize("alive", [True, False], ids=["alive", "dead"])
def test_a_revert_alone_is_cancelled_by_cancelling_its_story_and_the_story_stays(
    rig: Rig, tmp_path: Path, *, alive: bool
) -> None:
    begun, again = tmp_path / "gate", tmp_path / "again"
    crew_of(rig)
    cancel = run_facts.StoryCancellationRequested(at=0, story=story_id(1))

    async def scenario() -> None:
        run = await landed(rig)
        async with at_its_gates(rig, run, begun) as (context, version):
            await ask(rig.store.events, rig.store.inbox, run, cancel, "cancel") if alive else None
            state = await ended(context, run) if alive else None
        if state is None:
            rig.gates = (Gate(name="quick", command=f"touch {again}"),)
            await ask(rig.store.events, rig.store.inbox, run, cancel, "cancel")
            state = await gone_on(rig, run)
        fate = await undo_came_to(rig.store.events, run, story_id(1), version, 0)
        assert isinstance(fate, run_facts.UndoRefused)
        assert (state.status, statuses(state), state.requests.undoing) == (
            RunStatus.COMPLETED,
            {"US-001": "completed"},
            {},
        )
        assert not state.requests.unwanted
        assert rig.log() == ["feat: US-001 - Story 1", "start"]

    asyncio.run(scenario())
    assert not again.exists()
