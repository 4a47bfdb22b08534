"""Taking a run over: all requests made meanwhile are in every inbox before any of its work continues."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.runs import cancel_run, resume_run, wait_for
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause
from shiftwork.ports.agent import AgentEvent
from shiftwork.ports.engine import Engine, Job
from tests.app.landing.landing_rig import queue
from tests.app.rig import LANDING, SHORT, Rig, done, honest
from tests.app.run.dying import deadly
from tests.patience import SECONDS

US_001 = StoryId("US-001")


@dataclass(frozen=True, kw_only=True)
class Thorough:
    """An engine whose jobs of stories and queues have come as far as they can when `start` returns."""

    engine: Engine
    begun: Path

    async def recover(self, executor: str) -> None:
        await self.engine.recover(executor)

    async def start(self, job: Job) -> None:
        await self.engine.start(job)
        for _ in range(50):
            if job.kind != "run" and not self.begun.exists():
                await asyncio.sleep(0.02)

    async def start_later(self, job: Job, seconds: float) -> None:
        await self.engine.start_later(job, seconds)

    async def join(self, job: Job) -> None:
        await self.engine.join(job)

    async def cancel(self, job: Job) -> None:
        await self.engine.cancel(job)

    async def close(self) -> None:
        await self.engine.close()


async def killed_at_its_gates(rig: Rig, path: Path, *, recorded: bool) -> RunId:
    """A run whose process is gone while gates run on what its story has asked to land, whether or not it knows that."""
    rig.gates = (Gate(name="slow", command=f"touch {path}; sleep 60"),)
    async with rig.open() as context:
        run = await rig.start(context, workflow=SHORT)
        await rig.until(path.exists)
        if recorded:
            await rig.until(
                lambda: any(isinstance(sighting.what, story_facts.LandingRequested) for sighting in rig.seen)
            )
    assert ((await rig.story(run)).landing.requests == 1) == recorded
    return run


@pytest.mark.parametrize("whole", [True, False], ids=["the run", "one story"])
@pytest.mark.parametrize("recorded", [True, False], ids=["and knows it", "and died before it knew"])
def test_a_story_that_has_asked_to_land_is_withdrawn_before_its_gates_continue(
    rig: Rig, tmp_path: Path, *, recorded: bool, whole: bool
) -> None:
    message, again = tmp_path / "gate", tmp_path / "again"
    death = deadly(rig.store)
    if not recorded:
        death.before_recording(lambda fact: isinstance(fact, story_facts.LandingRequested))

    async def scenario() -> None:
        run = await killed_at_its_gates(rig, message, recorded=recorded)
        death.deaf = True
        if whole:
            await cancel_run(rig.store.inbox, run)
        else:
            await ask(
                rig.store.events, rig.store.inbox, run, run_facts.StoryCancellationRequested(at=0, story=US_001), "1"
            )
        rig.gates = (Gate(name="quick", command=f"touch {again}"),)
        async with rig.open() as context:
            await resume_run(replace(context, engine=Thorough(engine=context.engine, begun=again)), run)
            death.deaf = False
            await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
        assert (await rig.story(run)).outcome.cause is FailureCause.CANCELLED
        assert (await queue(rig)).entries == ()

    asyncio.run(scenario())
    assert rig.log() == ["start"]
    assert not again.exists(), "no gate was run on what nobody wants any more"


def test_a_story_that_has_not_asked_to_land_takes_nothing_back(rig: Rig) -> None:
    rig.script = honest(coding=[done(pause=60)])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: any(isinstance(sighting.what, AgentEvent) for sighting in rig.seen))
        await cancel_run(rig.store.inbox, run)
        assert (await rig.carried_on(run)).status is RunStatus.CANCELLED
        assert (await rig.story(run)).outcome.cause is FailureCause.CANCELLED
        assert not await rig.store.inbox.receive(LANDING, after=0)

    asyncio.run(scenario())
