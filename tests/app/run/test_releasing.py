"""When the workspace of an ended story is removed: the next story does not wait for it, and a crash leaves none."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from shiftwork.app.commands.runs import resume_run, wait_for
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.ports.workspace import Place, Workspaces
from shiftwork.testing.builders import asked
from tests.app.rig import SHORT, Rig
from tests.app.run.test_parallel import Crew, rig_with, spec
from tests.patience import SECONDS


@dataclass
class Slow:
    """Workspaces whose removal takes until `over` is set; `begun` are the stories whose removal has begun."""

    inner: Workspaces
    over: asyncio.Event = field(default_factory=asyncio.Event)
    begun: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def discard(self, place: Place) -> None:
        self.begun.append(place.story)
        await self.over.wait()
        await self.inner.discard(place)


@pytest.fixture
def slow(rig: Rig) -> list[Slow]:
    """One for each process."""
    made: list[Slow] = []

    def through(inner: Workspaces) -> Workspaces:
        made.append(Slow(inner))
        return cast("Workspaces", made[-1])

    rig_with(rig, Crew()).through = through
    return made


def started(rig: Rig, story: str) -> bool:
    return any(
        isinstance(sighting.what, story_facts.StepStarted) and sighting.stream.endswith(f"/{story}")
        for sighting in rig.seen
    )


def left(rig: Rig, run: str) -> list[str]:
    folder = rig.trees / run
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_the_next_story_starts_meanwhile_and_the_run_ends_afterwards(rig: Rig, slow: list[Slow]) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1), asked(2)), workflow=SHORT)
            waiting = asyncio.ensure_future(wait_for(context, run))
            await rig.until(lambda: slow[0].begun == ["US-001", "US-002"])
            assert started(rig, "US-002")
            await asyncio.sleep(0.2)
            assert not waiting.done(), "nothing of a run that has ended is left"
            slow[0].over.set()
            assert (await asyncio.wait_for(waiting, timeout=SECONDS)).status is RunStatus.COMPLETED
            assert left(rig, run) == []

    asyncio.run(scenario())


def test_a_process_that_takes_over_removes_what_the_dead_one_did_not(rig: Rig, slow: list[Slow]) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1), asked(2)), workflow=SHORT)
            await rig.until(lambda: slow[0].begun == ["US-001", "US-002"])
            await context.leases.release(run, context.owner)
        assert left(rig, run) == ["US-001-1", "US-002-1"]
        async with rig.open() as context:
            slow[1].over.set()
            await resume_run(context, run)
            ended = await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
        assert ended.status is RunStatus.COMPLETED
        assert left(rig, run) == []
        for story in ("US-001", "US-002"):
            assert (await rig.story(run, story)).work.released

    asyncio.run(scenario())
