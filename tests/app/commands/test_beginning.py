"""Of several runs of one spec started at once, one begins and the others are refused; dead processes block no run."""

import asyncio
import contextlib
from dataclasses import replace
from typing import Any

import pytest

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.adapters.store.memory_leases import MemoryLeases
from shiftwork.app.commands.runs import Order, cancel_run, resume_run, start_run, wait_for
from shiftwork.app.commands.spec_lock import check_unbegun
from shiftwork.app.runtime.context import Context, is_unknown
from shiftwork.domain.core.ids import RunId, Stream, landing_stream, repository_of, spec_claim
from shiftwork.domain.spec.spec import one_shot
from shiftwork.errors import RunBusyError, UnfinishedRunError
from shiftwork.ports.views import LEASE_SECONDS, Lease, Owner
from tests.app.rig import SHORT, Rig, done, honest

STRANGER = Owner(executor="another", host="here", pid=1, pid_started=0.0)
QUICKER = Owner(executor="quicker", host="here", pid=2, pid_started=0.0)


def order(source: str = "prd:prd.json", repository: str = "test", branch: str = "main") -> Order:
    return Order(
        spec=one_shot("Add work.txt"),
        workflow=SHORT,
        branch=branch,
        landing=landing_stream(repository, branch),
        agent="scripted",
        base="main",
        source=source,
    )


def claim_of(wanted: Order, worktree: str = "") -> Stream:
    return spec_claim(repository_of(wanted.landing), worktree, wanted.source)


def at_length(rig: Rig) -> None:
    """The first agent works until the test ends, so that a late process does not find the run over."""
    rig.script = honest(coding=[done(pause=600)] * 9)
    rig.silence_seconds = 900


async def begun(*started: Any) -> tuple[list[RunId], list[RunBusyError]]:
    ends = await asyncio.gather(*started, return_exceptions=True)
    refused = [end for end in ends if isinstance(end, RunBusyError)]
    runs = [end for end in ends if isinstance(end, str)]
    assert len(runs) + len(refused) == len(ends), ends
    return [RunId(run) for run in runs], refused


def test_of_many_runs_of_one_spec_that_are_begun_at_once_one_begins(rig: Rig) -> None:
    at_length(rig)
    rig.alive = lambda _: True

    async def scenario() -> None:
        async with contextlib.AsyncExitStack() as opened:
            contexts = [await opened.enter_async_context(rig.open()) for _ in range(4)]
            branches = ("main", "main", "other", "main")
            runs, refused = await begun(
                *(start_run(context, order(branch=branch)) for context, branch in zip(contexts, branches, strict=True))
            )
            assert len(runs) == 1
            assert {error.message for error in refused} == {f"run {runs[0]} already works on prd.json"}
            hint = f"shiftwork status {runs[0]} shows it; shiftwork cancel {runs[0]} ends it"
            assert {error.hint for error in refused} == {hint}
            assert not [lease for lease in await contexts[0].leases.holders() if lease.resource == claim_of(order())]

    asyncio.run(scenario())


def test_one_process_begins_a_spec_no_second_time_either(rig: Rig) -> None:
    at_length(rig)
    rig.alive = lambda _: True

    async def scenario() -> None:
        async with rig.open() as context:
            runs, refused = await begun(*(start_run(context, order()) for _ in range(3)))
            assert (len(runs), len(refused)) == (1, 2)
            await cancel_run(context.inbox, runs[0])
            await asyncio.wait_for(wait_for(context, runs[0]), timeout=60)
            await start_run(context, order())  # no process works on the first any more

    asyncio.run(scenario())


@pytest.mark.parametrize("other", [order("prd:other.json"), order(repository="beside"), order("")])
def test_what_is_another_spec_or_none_begins_beside_it(rig: Rig, other: Order) -> None:
    rig.alive = lambda _: True

    async def scenario() -> None:
        async with rig.open() as context, rig.open() as two:
            runs, _ = await begun(start_run(context, order()), start_run(two, other), start_run(two, order("")))
            assert len(runs) == 3

    asyncio.run(scenario())


def test_a_run_whose_process_is_dead_keeps_no_one_from_another(rig: Rig) -> None:
    rig.alive = lambda _: False

    async def scenario() -> None:
        async with rig.open() as context, rig.open() as two:
            assert await start_run(context, order()) != await start_run(two, order())

    asyncio.run(scenario())


def test_who_would_begin_a_spec_again_is_shown_the_run_that_is_left(rig: Rig) -> None:
    at_length(rig)
    dead = set[Owner]()
    rig.alive = lambda owner: owner not in dead

    async def scenario() -> None:
        async with rig.open() as context, rig.open() as two:

            async def check(wanted: Order, *runs: RunId) -> None:
                await check_unbegun(two.events, two.leases, two.alive, runs, claim_of(wanted))

            left = await start_run(context, order())
            with pytest.raises(RunBusyError, match=f"^run {left} already works on prd.json$"):
                await check(order())
            dead.add(context.owner)
            await check(order(), RunId("of-nobody"))
            await check(order("prd:other.json"), left)
            await check(order(repository="beside"), left)
            with pytest.raises(UnfinishedRunError, match=f"^run {left} of prd.json is unfinished") as refused:
                await check(order(), left)
            assert refused.value.hint.startswith(f"shiftwork resume {left} continues it; shiftwork cancel {left} ends")
            await cancel_run(two.inbox, left)
            await resume_run(two, left)
            await asyncio.wait_for(wait_for(two, left), timeout=60)
            await check(order(), left)

    asyncio.run(scenario())


def test_a_run_is_not_continued_beside_another_of_its_spec(rig: Rig) -> None:
    """The second began when no process worked on the first; the first can be cancelled while the second is running."""
    at_length(rig)
    dead = set[Owner]()
    rig.alive = lambda owner: owner not in dead

    async def scenario() -> None:
        async with rig.open() as context, rig.open() as two, rig.open() as three:
            dead.add(context.owner)
            left, second = await start_run(context, order()), await start_run(two, order())
            with pytest.raises(RunBusyError, match=f"^run {second} already works on prd.json$"):
                await resume_run(three, left)
            with pytest.raises(RunBusyError, match=f"^run {second} is being worked on by process"):
                await resume_run(three, second)
            await cancel_run(three.inbox, left)
            assert (await resume_run(three, left)).given.run == left

    asyncio.run(scenario())


def test_who_was_killed_while_beginning_keeps_no_one_from_it(rig: Rig) -> None:
    at_length(rig)
    rig.alive = lambda owner: owner.executor != STRANGER.executor

    async def scenario() -> None:
        async with rig.open() as context, rig.open() as two:
            await context.leases.acquire(claim_of(order()), STRANGER)
            runs, refused = await begun(start_run(context, order()), start_run(two, order()))
            assert (len(runs), len(refused)) == (1, 1)

    asyncio.run(scenario())


def test_who_finds_another_beginning_gets_what_comes_of_it(rig: Rig) -> None:
    """The other may yet fail: then this one begins."""
    rig.alive = lambda _: True

    async def scenario() -> None:
        async with rig.open() as context:
            await context.leases.acquire(claim_of(order()), STRANGER)
            starting = asyncio.ensure_future(start_run(context, order()))
            await asyncio.sleep(0.6)
            assert not starting.done()
            await context.leases.release(claim_of(order()), STRANGER)
            assert await starting

    asyncio.run(scenario())


class AgedLeases(MemoryLeases):
    """Leases whose holder has sent no heartbeat for longer than `LEASE_SECONDS`."""

    def _lease(self, resource: str) -> Lease:
        return replace(super()._lease(resource), age=LEASE_SECONDS + 1)


@pytest.mark.parametrize("alive", [True, None])
def test_who_is_frozen_while_beginning_is_reported_and_elsewhere_taken_for_dead(
    rig: Rig, *, alive: bool | None
) -> None:
    rig.alive = (lambda _: True) if alive else is_unknown
    rig.store = MemoryStore(AgedLeases())

    async def started(context: Context) -> RunId:
        await context.leases.acquire(claim_of(order()), STRANGER)
        return await start_run(context, order())

    async def scenario() -> None:
        async with rig.open() as context:
            if alive is None:
                assert await started(context)
                return
            with pytest.raises(RunBusyError, match=r"process 1 on here is starting a run of prd\.json") as refused:
                await started(context)
            assert refused.value.hint == "shiftwork status shows whether it has started; then repeat this command"

    asyncio.run(scenario())


class ContestedLeases(MemoryLeases):
    """Another process always takes the place of a dead process first, and begins soon after."""

    async def acquire(
        self, resource: str, owner: Owner, *, replacing: Owner | None = None, older_than: float = 0.0
    ) -> Lease | None:
        if replacing is not None:
            await super().acquire(resource, QUICKER, replacing=replacing)
            held = await super().acquire(resource, owner)
            await self.release(resource, QUICKER)
            return held
        return await super().acquire(resource, owner)


def test_the_place_of_a_dead_one_is_taken_by_one(rig: Rig) -> None:
    rig.alive = lambda owner: owner.executor != STRANGER.executor
    rig.store = MemoryStore(ContestedLeases())

    async def scenario() -> None:
        async with rig.open() as context:
            await context.leases.acquire(claim_of(order()), STRANGER)
            assert await start_run(context, order())

    asyncio.run(scenario())


def test_the_claims_of_a_store_are_apart_by_repository_and_spec() -> None:
    claims = {claim_of(order()), claim_of(order("prd:other.json")), claim_of(order(repository="beside"))}
    assert len({*claims, claim_of(order(), "side")}) == 4, "a worktree has a file of its own"
    assert claim_of(order()) == claim_of(order(branch="other")), "it is one spec, wherever it lands"
