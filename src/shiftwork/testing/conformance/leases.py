"""What every implementation of leases must do."""

# ruff: noqa: S101 - suites use assert

import asyncio
from functools import partial

import pytest

from shiftwork.domain.core.ids import Stream
from shiftwork.errors import LeaseLostError
from shiftwork.ports.store import EventStore, Fence, Leases
from shiftwork.ports.views import Lease, Owner
from shiftwork.records import replace
from shiftwork.testing.conformance.event_store import notes
from shiftwork.testing.conformance.store_stage import Handle, Handles, awaited, run_row, together


def owner(name: str) -> Owner:
    return Owner(executor=name, host="here", pid=4_000_000_000, pid_started=1700000000.123456)


ANN, BOB, EVE = owner("ann"), owner("bob"), owner("eve")


async def _fence(leases: Leases, holder: Owner) -> Fence:
    """The fence of the run `1`, which the owner holds."""
    return Fence(resource="1", executor=holder.executor, epoch=(await leases.renew(holder))["1"])


async def _write(events: EventStore, stream: Stream) -> int:
    """Appends until the lease is lost; the caller checks how far it came."""
    for version in range(20):
        await events.append(stream, notes("a"), expected=version, key=str(version))
    return 20


async def _take(store: Handle, run: str, stream: Stream) -> int:
    """The version of the stream that ANN's successor sees."""
    await asyncio.sleep(0.01)
    await store.leases.acquire(run, BOB, replacing=ANN)
    return await store.events.version(stream)


class LeasesConformance:
    """Subclass it and define a fixture `handles`."""

    @awaited
    async def test_what_one_holds_another_does_not_get(self, handles: Handles) -> None:
        ann, bob = handles().leases, handles().leases
        assert await ann.acquire("run/1", ANN) is None
        refusal = await bob.acquire("run/1", BOB)
        assert refusal is not None
        assert (refusal.resource, refusal.owner) == ("run/1", ANN)
        assert 0 <= refusal.age < 60
        assert await bob.acquire("run/2", BOB) is None
        assert [(lease.resource, lease.owner) for lease in await ann.holders()] == [("run/1", ANN), ("run/2", BOB)]

    @awaited
    async def test_every_part_of_an_owner_reports_it_apart(self, handles: Handles) -> None:
        leases = handles().leases
        await leases.acquire("run/1", ANN)
        for other in (
            replace(ANN, host="there"),
            replace(ANN, pid=2),
            replace(ANN, pid_started=ANN.pid_started + 0.01),
        ):
            refusal = await leases.acquire("run/1", other)
            assert refusal is not None
            assert not await leases.renew(other)

    @awaited
    async def test_a_sign_of_life_makes_a_lease_young_again(self, handles: Handles) -> None:
        leases = handles().leases
        await leases.acquire("run/1", ANN)
        await leases.acquire("run/2", ANN)
        await leases.acquire("run/3", BOB)
        await asyncio.sleep(0.2)
        assert list(await leases.renew(ANN)) == ["run/1", "run/2"]
        await asyncio.sleep(0.05)
        ages = {lease.resource: lease.age for lease in await leases.holders()}
        # Ages are read at one moment: a renewed lease is younger by the first pause, however slow the machine is.
        assert ages["run/3"] - ages["run/1"] > 0.15
        assert ages["run/1"] > 0.04
        await leases.acquire("run/3", BOB)
        ages = {lease.resource: lease.age for lease in await leases.holders()}
        assert ages["run/3"] < ages["run/1"] - 0.04, "acquiring a held lease again is a heartbeat too"

    @awaited
    async def test_who_has_left_is_still_named_and_anybody_may_take_its_place(self, handles: Handles) -> None:
        leases = handles().leases
        for resource, holder in (("run/1", ANN), ("run/2", ANN), ("run/3", BOB)):
            await leases.acquire(resource, holder)
        await leases.leave(ANN)
        held = {lease.resource: lease for lease in await leases.holders()}
        assert [lease.owner for lease in held.values()] == [ANN, ANN, BOB]
        assert min(held["run/1"].age, held["run/2"].age) > 1_000_000 > held["run/3"].age
        assert await leases.acquire("run/1", EVE, replacing=ANN, older_than=30) is None
        assert list(await leases.renew(ANN)) == ["run/2"]
        assert await leases.acquire("run/2", EVE, replacing=ANN, older_than=30) is not None

    @awaited
    async def test_what_is_released_is_free_and_only_its_holder_can_release_it(self, handles: Handles) -> None:
        leases = handles().leases
        await leases.acquire("run/1", ANN)
        await leases.release("run/1", BOB)
        await leases.release("run/2", BOB)
        assert [lease.owner for lease in await leases.holders()] == [ANN]
        await leases.release("run/1", ANN)
        assert not await leases.holders()
        assert await leases.acquire("run/1", BOB) is None

    @awaited
    async def test_a_place_is_taken_only_from_the_owner_named(self, handles: Handles) -> None:
        leases = handles().leases
        await leases.acquire("run/1", ANN)
        refusal = await leases.acquire("run/1", EVE, replacing=BOB)
        assert refusal is not None
        assert refusal.owner == ANN
        assert await leases.acquire("run/1", BOB, replacing=ANN) is None
        late = await leases.acquire("run/1", EVE, replacing=ANN)
        assert late is not None
        assert late.owner == BOB
        assert not await leases.renew(ANN)
        assert list(await leases.renew(BOB)) == ["run/1"]
        assert await leases.acquire("run/2", EVE, replacing=BOB) is None

    @awaited
    async def test_a_holder_that_has_just_given_a_sign_of_life_keeps_its_place(self, handles: Handles) -> None:
        """A rival sees an old lease, and its holder then renews it: the age is checked again when it is acquired."""
        ann, bob = handles().leases, handles().leases
        await ann.acquire("run/1", ANN)
        await asyncio.sleep(1.6)  # a busy machine takes a part of it between the two calls below
        (seen,) = await bob.holders()
        assert seen.age > 1.5
        await ann.renew(ANN)
        refusal = await bob.acquire("run/1", BOB, replacing=seen.owner, older_than=1.5)
        assert refusal is not None
        assert refusal.owner == ANN
        assert "run/1" in await ann.renew(ANN)
        await asyncio.sleep(0.3)
        assert await bob.acquire("run/1", BOB, replacing=ANN, older_than=0.2) is None
        assert not await ann.renew(ANN)

    @awaited
    async def test_each_holder_has_an_epoch_of_its_own(self, handles: Handles) -> None:
        leases = handles().leases
        epochs = []
        for holder, former in ((ANN, None), (BOB, ANN), (ANN, BOB)):
            await leases.acquire("run/1", holder, replacing=former)
            epochs.append((await leases.renew(holder))["run/1"])
            await leases.acquire("run/1", holder, replacing=former)
            assert (await leases.renew(holder))["run/1"] == epochs[-1], "acquiring a held lease starts no new epoch"
        await leases.release("run/1", ANN)
        await asyncio.sleep(0.005)
        await leases.acquire("run/1", ANN)
        epochs.append((await leases.renew(ANN))["run/1"])
        assert epochs == sorted(set(epochs)), "even if the resource was free meanwhile"

    @awaited
    async def test_who_has_lost_its_lease_writes_nothing(self, handles: Handles) -> None:
        ann, bob = handles(), handles()
        stream = Stream("story/1/s")
        await ann.leases.acquire("1", ANN)
        before = ann.events.under(await _fence(ann.leases, ANN))
        assert await before.append(stream, notes("a"), expected=0, key="a") == 1
        await bob.leases.acquire("1", BOB, replacing=ANN)
        with pytest.raises(LeaseLostError):
            await before.append(stream, notes("b"), expected=1, key="b", rows=[run_row("1")])
        with pytest.raises(LeaseLostError):
            await before.append(stream, notes("a"), expected=0, key="a")
        assert (await ann.events.version(stream), await ann.queries.run("1")) == (1, None)
        now = bob.events.under(await _fence(bob.leases, BOB))
        assert await now.append(stream, notes("c"), expected=1, key="c") == 2
        await bob.leases.release("1", BOB)
        with pytest.raises(LeaseLostError):
            await now.append(stream, notes("d"), expected=2, key="d")
        await asyncio.sleep(0.005)
        await ann.leases.acquire("1", ANN)
        with pytest.raises(LeaseLostError):
            await before.append(stream, notes("e"), expected=2, key="e")
        again = ann.events.under(await _fence(ann.leases, ANN))
        assert await again.append(stream, notes("f"), expected=2, key="f") == 3

    @awaited
    async def test_no_append_of_a_former_holder_comes_after_a_takeover(self, handles: Handles) -> None:
        """Whatever the timing: the successor sees everything that the former holder could still write."""
        ann, bob = handles(), handles()
        for number in range(10):
            run, stream = f"r{number}", Stream(f"story/r{number}/s")
            await ann.leases.acquire(run, ANN)
            events = ann.events.under(Fence(resource=run, executor="ann", epoch=(await ann.leases.renew(ANN))[run]))
            _, found = await together([partial(_write, events, stream), partial(_take, bob, run, stream)])
            assert found == await ann.events.version(stream)

    @awaited
    async def test_of_many_who_want_it_at_once_one_gets_it(self, handles: Handles) -> None:
        stores = [handles().leases for _ in range(4)]
        await stores[0].acquire("dead", ANN)
        for resource, replacing in (("free", None), ("dead", ANN)):
            results = await together(
                [
                    partial(store.acquire, resource, owner(f"w{number}"), replacing=replacing)
                    for number, store in enumerate(stores)
                ]
            )
            (winner,) = [number for number, result in enumerate(results) if result is None]
            refusals = [result for result in results if result is not None]
            assert all(isinstance(refusal, Lease) and refusal.owner == owner(f"w{winner}") for refusal in refusals)
