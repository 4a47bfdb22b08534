"""A queue that is loaded from a snapshot is the queue that all its facts lead to, at every version."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.store.in_memory import MemoryEventStore, MemoryStore
from shiftwork.app.folds import LANDING, load, snapshot_rows
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.landing.decide import decide_queue
from shiftwork.domain.landing.evolve import evolve_queue
from shiftwork.domain.landing.state import LandingPolicy, Proof, QueueState
from shiftwork.ports.views import SnapshotRow
from shiftwork.testing.simulation.landing_queue import QueueSimulation
from shiftwork.testing.simulation.simulation import Play
from shiftwork.testing.strategies import QUICK, DrawnChance

QUEUE = Stream("landing/project/main")
policies = st.builds(LandingPolicy, batch=st.integers(1, 4), at_once=st.integers(1, 4), proof=st.sampled_from([*Proof]))


def simulated(policy: LandingPolicy, data: st.DataObject) -> Play[QueueState]:
    requests = data.draw(st.integers(0, 6))
    simulation = QueueSimulation(chance=DrawnChance(data), policy=policy, requests=requests, deaths=2, withdrawals=2)
    play = Play(decide=decide_queue, evolve=evolve_queue, answer=simulation.answer, state=QueueState())
    play.run(simulation.bound())
    return play


async def stored(play: Play[QueueState]) -> tuple[MemoryEventStore, list[int]]:
    """The history as a recorder writes it, and the versions of its snapshots."""
    events, version, snapshots = MemoryStore().events, 0, list[int]()
    for number, turn in enumerate(play.turns):
        rows = snapshot_rows(LANDING, QUEUE, version + len(turn.facts), turn.after)
        version = await events.append(QUEUE, turn.facts, expected=version, key=str(number), rows=rows)
        snapshots += [row.version for row in rows]
    return events, snapshots


def folded(facts: Sequence[Fact]) -> QueueState:
    return LANDING.fold(LANDING.start, facts)


@given(policies, st.data())
@settings(QUICK, max_examples=60)
def test_every_version_is_as_if_folded_from_the_first_fact(policy: LandingPolicy, data: st.DataObject) -> None:
    play = simulated(policy, data)

    async def check() -> None:
        events, snapshots = await stored(play)
        for version in range(len(play.history) + 1):
            assert await load(events, LANDING, QUEUE, version) == folded(play.history[:version])
        assert await load(events, LANDING, QUEUE) == play.state
        found = await events.snapshot(QUEUE)
        assert (found.version if found else None) == (snapshots[-1] if snapshots else None)
        assert found is None or found.version == len(play.history), "the simulation ends with an empty queue"

    asyncio.run(check())


def test_the_facts_below_a_snapshot_are_not_folded_again() -> None:
    async def check() -> None:
        events = MemoryStore().events
        (row,) = snapshot_rows(LANDING, QUEUE, 7, replace(LANDING.start, branch="main", batch=3))
        await events.append(QUEUE, (), expected=0, key="a", rows=[row])
        assert await load(events, LANDING, QUEUE) == replace(LANDING.start, branch="main", batch=3)

    asyncio.run(check())


def test_a_snapshot_of_another_format_is_not_used() -> None:
    async def check() -> None:
        events = MemoryStore().events
        foreign = SnapshotRow(stream=QUEUE, version=7, format=0, body="not even JSON")
        await events.append(QUEUE, (), expected=0, key="a", rows=[foreign])
        assert await load(events, LANDING, QUEUE) == LANDING.start

    asyncio.run(check())
