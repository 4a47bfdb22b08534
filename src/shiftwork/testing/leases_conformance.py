"""What every keeper of leases keeps to."""

# ruff: noqa: S101 - asserting is what suites do

import asyncio
from dataclasses import replace
from functools import partial

from shiftwork.ports.views import Lease, Owner
from shiftwork.testing.store_suite import Handles, awaited, together


def owner(name: str) -> Owner:
    return Owner(executor=name, host="here", pid=4_000_000_000, pid_started=1700000000.123456)


ANN, BOB, EVE = owner("ann"), owner("bob"), owner("eve")


class LeasesConformance:
    """Subclass it beside a fixture `handles`."""

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
    async def test_every_part_of_an_owner_tells_it_apart(self, handles: Handles) -> None:
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
        # Ages are read in one moment: what was renewed is younger by the first pause, however slow the machine is.
        assert ages["run/3"] - ages["run/1"] > 0.15
        assert ages["run/1"] > 0.04
        await leases.acquire("run/3", BOB)
        ages = {lease.resource: lease.age for lease in await leases.holders()}
        assert ages["run/3"] < ages["run/1"] - 0.04, "asking again for what one holds is a sign of life too"

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
