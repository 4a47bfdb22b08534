"""Processes that land on one branch take turns; another process takes a dead one's work over, ends and continues it."""

import asyncio
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import pytest

from shiftwork.adapters.processes.host.host import MARKER_VARIABLE
from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.adapters.store.memory_leases import MemoryLeases
from shiftwork.app.runtime.context import Sighting, is_unknown, job_of
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.errors import RunBusyError, ShiftworkError
from shiftwork.ports.views import LEASE_SECONDS, Lease, Owner
from tests.app.landing.landing_rig import RUN, drain, land, outcome, post, queue, red_commits, titles, work
from tests.app.rig import LANDING, Rig

STRANGER = Owner(executor="another", host="here", pid=1, pid_started=0.0)


def test_who_finds_the_branch_taken_waits_for_its_turn(rig: Rig) -> None:
    rig.gates = ()
    rig.alive = lambda _: True

    async def scenario() -> None:
        async with rig.open() as context:
            asked = await work(context, "A", {"a.txt": "w\n"})
            await context.leases.acquire(LANDING, STRANGER)
            landing = asyncio.ensure_future(land(context, asked))
            await asyncio.sleep(0.6)
            assert not landing.done()
            assert (await queue(rig)).entries == (), "nothing is even looked at"
            await context.leases.release(LANDING, STRANGER)
            assert (await landing).landed == {"A"}
            assert await context.leases.holders() == [], "no turn outlives its job"

    asyncio.run(scenario())


def test_two_processes_with_stories_for_one_branch_land_all_of_them(rig: Rig) -> None:
    rig.gates = (Gate(name="slow", command="sleep 0.2"),)
    rig.alive = lambda _: True

    async def scenario() -> None:
        async with rig.open() as context, rig.open() as two:
            asked = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B", "C", "D")]
            first, second = asked[:2], asked[2:]
            await asyncio.gather(land(context, *first), land(two, *second))
            landing = await outcome(context, *asked)
            assert landing.landed == {"A", "B", "C", "D"}
            assert len([key for fact in landing.of(landing_facts.BaseMoved) for key in fact.requests]) == 4

    asyncio.run(scenario())
    assert len(rig.log()) == 5


@contextmanager
def left_running(marker: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(("sleep", "300"), env={MARKER_VARIABLE: marker, "PATH": "/usr/bin:/bin"}) as orphan:
        try:
            yield orphan
        finally:
            orphan.kill()


def test_the_turn_of_a_dead_process_is_taken_and_its_gates_are_ended(rig: Rig) -> None:
    rig.gates = (Gate(name="slow", command="sleep 100"),)
    marker = f"{RUN}/A/verify/1.1.1"

    async def scenario() -> None:
        async with rig.open() as context:
            asked = await work(context, "A", {"a.txt": "w\n"})
            await post(context, asked)
            await context.engine.start(job_of(LANDING))
            await rig.until(
                lambda: any(isinstance(sighting.what, landing_facts.CandidateBuilt) for sighting in rig.seen)
            )
        await rig.store.leases.acquire(LANDING, STRANGER)
        rig.gates = (Gate(name="quick", command="true"),)
        rig.alive = lambda _: False
        with left_running(marker) as orphan:
            async with rig.open() as context:
                await drain(context, asked)
                assert (await outcome(context, asked)).landed == {"A"}
            assert orphan.wait(timeout=60) == -9

    asyncio.run(scenario())


class ContestedLeases(MemoryLeases):
    """Another process takes a dead holder's place first, and releases it a little later."""

    contests = 1

    async def acquire(
        self, resource: str, owner: Owner, *, replacing: Owner | None = None, older_than: float = 0.0
    ) -> Lease | None:
        if replacing is not None and self.contests:
            self.contests -= 1
            rival = replace(STRANGER, executor="rival")
            await super().acquire(resource, rival, replacing=replacing)
            held = await super().acquire(resource, owner, replacing=replacing)
            await super().release(resource, rival)
            return held
        return await super().acquire(resource, owner, replacing=replacing)


def test_the_second_to_come_to_a_dead_ones_place_continues_waiting(rig: Rig) -> None:
    rig.gates = ()
    rig.alive = lambda _: False
    rig.store = MemoryStore(ContestedLeases())

    async def scenario() -> None:
        async with rig.open() as context:
            asked = await work(context, "A", {"a.txt": "w\n"})
            await context.leases.acquire(LANDING, STRANGER)
            assert (await land(context, asked)).landed == {"A"}

    asyncio.run(scenario())


class AgedLeases(MemoryLeases):
    """The last sign of life is as old as that."""

    age = 0.0

    def _lease(self, resource: str) -> Lease:
        return replace(super()._lease(resource), age=self.age)


@pytest.mark.parametrize(("age", "taken"), [(LEASE_SECONDS - 1, False), (LEASE_SECONDS + 1, True)])
def test_of_a_process_elsewhere_only_its_signs_of_life_are_known(rig: Rig, age: float, *, taken: bool) -> None:
    rig.gates = ()
    rig.alive = is_unknown
    rig.store = MemoryStore(leases := AgedLeases())
    leases.age = age

    async def scenario() -> None:
        async with rig.open() as context:
            asked = await work(context, "A", {"a.txt": "w\n"})
            await context.leases.acquire(LANDING, STRANGER)
            landing = asyncio.ensure_future(land(context, asked))
            done_in_time, _ = await asyncio.wait({landing}, timeout=60 if taken else 0.7)
            assert bool(done_in_time) == taken
            landing.cancel()

    asyncio.run(scenario())


def test_who_has_lost_its_turn_writes_nothing_more_into_the_queue(rig: Rig) -> None:
    rig.gates = (Gate(name="slow", command="sleep 0.5"),)
    rig.alive = lambda _: True

    async def scenario() -> None:
        async with rig.open() as context:
            asked = await work(context, "A", {"a.txt": "w\n"})
            await post(context, asked)
            await context.engine.start(job_of(LANDING))
            await rig.until(
                lambda: any(isinstance(sighting.what, landing_facts.CandidateBuilt) for sighting in rig.seen)
            )
            before = await context.events.version(LANDING)
            await context.leases.acquire(LANDING, STRANGER, replacing=context.owner)
            error = await asyncio.wait_for(context.failure.wait(), timeout=60)
            assert isinstance(error, RunBusyError)
            assert str(error) == f"another process has taken over landing from this one ({LANDING})"
            assert await context.events.version(LANDING) == before

    asyncio.run(scenario())
    assert rig.log() == ["start"]


class CountedLeases(MemoryLeases):
    """Counts signs of life."""

    renewals = 0

    async def renew(self, owner: Owner) -> Mapping[str, int]:
        self.renewals += 1
        return await super().renew(owner)


def test_who_lands_for_long_gives_signs_of_life(rig: Rig) -> None:
    rig.gates = (Gate(name="slow", command="sleep 2.5"),)
    rig.store = MemoryStore(leases := CountedLeases())

    async def scenario() -> None:
        async with rig.open() as context:
            assert (await land(context, await work(context, "A", {"a.txt": "w\n"}))).landed == {"A"}

    asyncio.run(scenario())
    assert leases.renewals >= 1


def test_requests_that_come_while_the_job_waits_for_its_turn_are_landed_by_it(rig: Rig) -> None:
    rig.gates = ()
    rig.alive = lambda _: True

    async def scenario() -> None:
        async with rig.open() as context:
            asked = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B", "C", "D")]
            await context.leases.acquire(LANDING, STRANGER)
            for request in asked:
                await post(context, request)
                await context.engine.start(job_of(LANDING))
                await rig.until(context.locks[LANDING].locked)
            await context.leases.release(LANDING, STRANGER)
            await rig.until(lambda: rig.log() == titles("A", "B", "C", "D"))

    asyncio.run(scenario())


KINDS = ("BatchTaken", "CandidateVerified", "CandidateFailed", "BaseMoved", "EntryClosed", "EntryRefused")


@pytest.mark.parametrize("kind", KINDS)
def test_pain_13_a_batch_that_is_cut_off_anywhere_lands_each_story_once(rig: Rig, kind: str) -> None:
    """The process ends at the first fact of a kind, and another process continues from the history."""
    gate = Gate(name="no-bad", command="! grep -l broken *")
    rig.gates = (gate,)

    async def scenario() -> None:
        async with rig.open() as context:
            bad = await work(context, "C", {"C.txt": "broken\n"})
            good = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B", "D")]
            asked = [*good[:2], bad, good[2]]
            cut = asyncio.Event()

            def watch(sighting: Sighting) -> None:
                if type(sighting.what).__name__ == kind:
                    cut.set()

            rig.watch = watch
            await post(context, *asked)
            await context.engine.start(job_of(LANDING))
            await asyncio.wait_for(cut.wait(), timeout=60)
        async with rig.open() as context:
            await drain(context, asked[1])
            landing = await outcome(context, *asked)
        assert landing.landed == {"A", "B", "D"}
        assert len(landing.of(landing_facts.EntryClosed)) == 4

    asyncio.run(scenario())
    assert rig.log() == titles("A", "B", "D")
    assert red_commits(rig, gate.command) == []


def test_a_landing_that_cannot_continue_says_why_and_can_be_continued(rig: Rig) -> None:
    """The base branch is gone for a while."""
    rig.gates = ()

    async def scenario() -> None:
        async with rig.open() as context:
            asked = await work(context, "A", {"a.txt": "w\n"})
            rig.project.rename_branch("main", "away")
            with pytest.raises(ShiftworkError, match="no branch"):
                await land(context, asked)
        rig.project.rename_branch("away", "main")
        async with rig.open() as context:
            assert (await land(context, asked)).landed == {"A"}

    asyncio.run(scenario())
