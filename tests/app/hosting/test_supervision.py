"""A server turn by turn, with workers that a test starts and ends."""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.replies import Word
from shiftwork.app.commands.runs import Order, raise_limits
from shiftwork.app.hosting.handover import hand_over, handed_over, reclaim, record_for_server
from shiftwork.app.hosting.schedule import Hosted, Phase
from shiftwork.app.hosting.supervision import Server, ServerPorts
from shiftwork.app.runtime.context import Context
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import RunId, StoryId, Stream, run_stream, server_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.spec.spec import one_shot
from shiftwork.errors import EXIT_FAILED, EXIT_LIMIT, StoreError
from shiftwork.ports.processes import Ending
from shiftwork.ports.store import Message
from shiftwork.ports.views import Owner
from tests.app.attempt.test_questions import BLOCKED, FIRST, asking, held, said
from tests.app.rig import LANDING, SHORT, Rig, fake_rig

PROJECT = "test"


@dataclass
class Hands:
    """Workers whose ends a test decides."""

    started: list[RunId] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    adopted: list[Owner] = field(default_factory=list)
    reach: bool = True

    def start(self, run: RunId, folder: str) -> None:
        assert folder == "/checkout"
        self.started.append(run)

    def adopt(self, run: RunId, owner: Owner) -> bool:
        self.adopted.append(owner)
        return self.reach

    def ended(self) -> Sequence[Ending]:
        found, self.endings = self.endings, []
        return found

    async def stop(self) -> None:
        """Nothing to end."""

    def end(self, run: RunId, code: int | None = EXIT_FAILED) -> None:
        self.endings.append(Ending(run=run, code=code, seconds=1.0))


@dataclass
class Now:
    at: float = 0.0

    def now(self) -> float:
        return self.at

    def elapsed(self) -> float:
        return self.at

    def fresh(self) -> str:
        return str(self.at)


@dataclass
class Stage:
    """A server over the store of a rig, and all that happened."""

    rig: Rig
    max_runs: int = 2
    hands: Hands = field(default_factory=Hands)
    clock: Now = field(default_factory=Now)
    seen: list[Hosted] = field(default_factory=list)
    arrived_in: set[Stream] = field(default_factory=set)
    unreachable: bool = False
    keys: Iterator[int] = field(default_factory=lambda: iter(range(1000)))

    def server(self) -> Server:
        store = self.rig.store
        ports = ServerPorts(
            project=PROJECT,
            history=store.events,
            inbox=self,
            arrivals=self,
            queries=store.confined(PROJECT),
            workers=self.hands,
            clock=self.clock,
            alive=lambda owner: owner not in self.rig.left,
            observe=self.seen.append,
        )
        return Server(ports, max_runs=self.max_runs)

    async def arrived(self) -> frozenset[Stream]:
        found = frozenset(self.arrived_in)
        self.arrived_in.clear()
        return found

    async def post(self, target: Stream, key: str, body: dict[str, Any], *, after: int | None = None) -> bool:
        return await self.rig.store.inbox.post(target, key, body, after=after)

    async def posted(self, target: Stream, key: str) -> bool:
        return await self.rig.store.inbox.posted(target, key)

    async def receive(self, target: Stream, *, after: int) -> Sequence[Message]:
        if self.unreachable and not target.startswith("server/"):
            raise StoreError("the database cannot be reached")
        return await self.rig.store.inbox.receive(target, after=after)

    async def hand_over(self, run: RunId) -> RunId:
        await hand_over(self.rig.store.inbox, PROJECT, run, "/checkout", f"k{next(self.keys)}")
        return run

    async def recorded(self, context: Context) -> RunId:
        order = Order(spec=one_shot("Add work.txt"), workflow=SHORT, branch="main", landing=LANDING, agent="scripted")
        return await self.hand_over(await record_for_server(context, order))


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(rig=fake_rig(tmp_path))


def phases(server: Server) -> dict[RunId, Phase]:
    return {hosted.run: hosted.phase for hosted in server.hosted}


def played(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scene, 60))


def test_runs_start_in_their_order_as_places_become_free_and_are_forgotten_when_over(stage: Stage) -> None:
    async def scene() -> None:
        server = stage.server()
        async with stage.rig.open() as context:
            first, second, third = [await stage.recorded(context) for _ in range(3)]
        await server.turn()
        assert stage.hands.started == [first, second]
        assert phases(server) == {first: Phase.WORKING, second: Phase.WORKING, third: Phase.QUEUED}
        await stage.rig.carried_on(first)
        stage.hands.end(first, 0)
        await server.turn()
        assert stage.hands.started[2:] == [third]
        assert phases(server) == {second: Phase.WORKING, third: Phase.WORKING}
        assert stage.seen[-2].phase is Phase.OVER
        again = stage.server()
        await again.turn()
        assert phases(again) == {second: Phase.WORKING, third: Phase.WORKING}, "as before, without the first"

    played(scene())


def test_a_worker_that_was_killed_is_replaced_after_a_moment(stage: Stage) -> None:
    async def scene() -> None:
        server = stage.server()
        async with stage.rig.open() as context:
            run = await stage.recorded(context)
        await server.turn()
        stage.hands.end(run, -9)
        await server.turn()
        assert stage.hands.started == [run]
        stage.clock.at = 1.0
        await server.turn()
        assert stage.hands.started == [run, run]

    played(scene())


def test_an_ending_is_not_lost_when_the_database_is_unreachable(stage: Stage) -> None:
    async def scene() -> None:
        server = stage.server()
        async with stage.rig.open() as context:
            run = await stage.recorded(context)
        await server.turn()
        stage.hands.end(run)
        stage.unreachable = True
        with pytest.raises(StoreError):
            await server.turn()
        stage.unreachable = False
        await server.turn()
        assert phases(server) == {run: Phase.QUEUED}

    played(scene())


def test_a_run_that_waits_for_a_person_has_no_worker_until_the_answer_arrives(stage: Stage) -> None:
    async def scene() -> None:
        server = stage.server()
        stage.rig.script, _ = asking(BLOCKED)
        async with stage.rig.open() as context:
            run = await stage.hand_over(await stage.rig.start(context, workflow=SHORT))
            await held(stage.rig, run)
        await server.turn()
        assert phases(server) == {run: Phase.RESTING}
        assert stage.hands.started == []
        await raise_limits(stage.rig.store.inbox, RunId("another"), "k", Limits())
        stage.arrived_in.add(run_stream(RunId("another")))
        await server.turn()
        async with stage.rig.open() as context:
            await said(context, run, Word.ANSWER, "tabs")
        stage.arrived_in.add(run_stream(run))
        await server.turn()
        assert stage.hands.started == [run]

    played(scene())


def test_a_paused_run_is_not_continued_by_a_server(stage: Stage) -> None:
    async def scene() -> None:
        server, store = stage.server(), stage.rig.store
        async with stage.rig.open() as context:
            run = await stage.recorded(context)
        await ask(store.events, store.inbox, run, run_facts.RunPaused(at=0), "p")
        await server.turn()
        assert phases(server) == {run: Phase.RESTING}
        assert [hosted.paused for hosted in server.hosted] == [True]
        await ask(store.events, store.inbox, run, run_facts.RunUnpaused(at=0), "u")
        stage.arrived_in.add(run_stream(run))
        await server.turn()
        assert stage.hands.started == [run]

    played(scene())


def test_a_pause_that_comes_before_the_turn_of_a_run_is_noticed(stage: Stage) -> None:
    async def scene() -> None:
        stage.max_runs = 1
        server, store = stage.server(), stage.rig.store
        async with stage.rig.open() as context:
            first, second = [await stage.recorded(context) for _ in range(2)]
        await server.turn()
        await ask(store.events, store.inbox, second, run_facts.RunPaused(at=0), "p")
        await stage.rig.carried_on(first)
        stage.hands.end(first, 0)
        await server.turn()
        assert phases(server) == {second: Phase.RESTING}

    played(scene())


def test_a_worker_that_says_that_it_rests_is_not_started_again(stage: Stage) -> None:
    async def scene() -> None:
        server = stage.server()
        async with stage.rig.open() as context:
            run = await stage.recorded(context)
        await server.turn()
        stage.rig.script, _ = asking(BLOCKED)
        async with stage.rig.open() as context:
            waiting = await stage.hand_over(await stage.rig.start(context, workflow=SHORT))
            await held(stage.rig, waiting)
            await server.turn()
            assert phases(server)[waiting] is Phase.WORKING, "a process works on it, and is watched"
            assert len(stage.hands.adopted) == 1
        stage.hands.end(waiting, EXIT_LIMIT)
        await server.turn()
        assert phases(server) == {run: Phase.WORKING, waiting: Phase.RESTING}

    played(scene())


def test_a_process_on_another_host_is_waited_for(stage: Stage) -> None:
    async def scene() -> None:
        server = stage.server()
        stage.hands.reach = False
        stage.rig.script, _ = asking(BLOCKED)
        async with stage.rig.open() as context:
            run = await stage.hand_over(await stage.rig.start(context, workflow=SHORT))
            await held(stage.rig, run)
            await server.turn()
            await server.turn()
            assert phases(server) == {run: Phase.ELSEWHERE}
        await server.turn()
        assert phases(server) == {run: Phase.RESTING}

    played(scene())


def test_a_run_that_a_person_continues_is_left_alone(stage: Stage) -> None:
    async def scene() -> None:
        server = stage.server()
        async with stage.rig.open() as context:
            run = await stage.recorded(context)
        await server.turn()
        await stage.hand_over(run)
        await server.turn()
        assert stage.hands.started == [run], "handed over again while it is worked on"
        await reclaim(stage.rig.store.inbox, PROJECT, run, "k")
        stage.hands.end(run, -9)
        await server.turn()
        assert server.hosted == ()
        assert stage.seen[-1].phase is Phase.LEFT
        assert await handed_over(stage.rig.store.inbox, PROJECT) == {}
        restarted = stage.server()
        await restarted.turn()
        assert restarted.hosted == ()

    played(scene())


def test_a_finished_run_continues_when_it_is_handed_over_with_more_to_do(stage: Stage) -> None:
    async def scene() -> None:
        server, store = stage.server(), stage.rig.store
        stage.rig.script, _ = asking()
        done = (await stage.rig.run(workflow=SHORT)).given.run
        await stage.hand_over(done)
        await stage.hand_over(RunId("unknown"))
        await server.turn()
        assert server.hosted == ()
        assert stage.seen == [], "nothing to report"
        await ask(store.events, store.inbox, done, run_facts.StoryUndoRequested(at=0, story=StoryId(FIRST)), "u")
        await stage.hand_over(done)
        await server.turn()
        assert stage.hands.started == [done]

    played(scene())


def test_a_run_with_messages_of_a_newer_release_fails_alone(stage: Stage) -> None:
    async def scene() -> None:
        server = stage.server()
        async with stage.rig.open() as context:
            strange, usual = [await stage.recorded(context) for _ in range(2)]
        await stage.post(run_stream(strange), "new", {"kind": "Unheard", "version": 1, "body": {}})
        await server.turn()
        assert phases(server) == {strange: Phase.FAILED, usual: Phase.WORKING}

    played(scene())


def test_messages_to_the_server_itself_belong_to_no_run(stage: Stage) -> None:
    async def scene() -> None:
        server = stage.server()
        stage.arrived_in.add(server_stream(PROJECT))
        await server.turn()
        assert server.hosted == ()

    played(scene())
