"""Leases, takeovers, and jobs that die of an unexpected error."""

import asyncio
import contextlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.adapters.store.memory_leases import MemoryLeases
from shiftwork.app.commands.runs import resume_run, wait_for
from shiftwork.app.runtime.context import Sighting, job_of
from shiftwork.app.runtime.heartbeat import Heartbeat
from shiftwork.app.runtime.leases import FRESH_SECONDS
from shiftwork.domain.core.ids import Commit, story_stream
from shiftwork.domain.gates.attribution import failing
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import LandingStage
from shiftwork.domain.usage.usage import Usage
from shiftwork.errors import GitKilledError, RunBusyError, StoreError
from shiftwork.ports.agent import AgentEvent
from shiftwork.ports.views import Lease, Owner
from shiftwork.ports.workspace import Workspaces
from shiftwork.testing.builders import asked as story
from tests.app.attempt.test_waiting import Astray
from tests.app.commands.test_cleaning import swept
from tests.app.commands.test_intents import crew_of, spec
from tests.app.rig import SHORT, Rig, done, honest, kinds
from tests.app.run.dying import deadly


def test_a_worker_that_has_lost_its_run_releases_everything(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            waiting = asyncio.ensure_future(wait_for(context, run))
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StepStarted) for sighting in rig.seen))
            assert not waiting.done()
            other = replace(context.owner, executor="other")
            await context.leases.acquire(run, other, replacing=context.owner)
            with pytest.raises(RunBusyError, match="another process has taken over"):
                await asyncio.wait_for(waiting, timeout=60)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("moment", "asked", "frozen"),
    [(story_facts.StepStarted, 0, FRESH_SECONDS), (AgentEvent, 1, FRESH_SECONDS), (AgentEvent, 1, 0.0)],
    ids=["before", "within", "not even frozen"],
)
def test_a_worker_that_was_replaced_writes_and_begins_nothing_more(
    rig: Rig, moment: type[object], asked: int, frozen: float
) -> None:
    """Before its agent is asked for anything, or within the attempt; no caller waits for the run. Where
    its last sign of life is a fresh one, it is the history that refuses what it writes.
    """
    rig.clock = clock = Astray()
    crew = crew_of(rig)

    async def scenario() -> None:
        async with rig.open() as context:

            def freeze(sighting: Sighting) -> None:
                if isinstance(sighting.what, moment):
                    _, run, _ = sighting.stream.split("/")
                    taking = rig.store.leases.acquire(
                        run, replace(context.owner, executor="other"), replacing=context.owner
                    )
                    with contextlib.suppress(StopIteration):  # in memory it is done at once
                        taking.send(None)
                    clock.ahead += frozen

            rig.watch = freeze
            run = await rig.start(context, spec(story(1)), workflow=SHORT)
            error = await asyncio.wait_for(context.failure.wait(), timeout=60)
            with pytest.raises(TimeoutError):  # the job is another's by now, and has not ended
                await asyncio.wait_for(context.engine.join(job_of(story_stream(run, story(1).id))), timeout=0.2)
        assert (type(error), str(error)) == (RunBusyError, f"another process has taken over run {run}")
        assert kinds(await rig.facts(run))[-1] == "StepStarted"

    asyncio.run(scenario())
    assert len(crew.began) == asked


def test_a_worker_that_was_frozen_and_has_its_place_still_continues(rig: Rig) -> None:
    rig.clock = clock = Astray()
    crew_of(rig)

    def freeze(sighting: Sighting) -> None:
        if isinstance(sighting.what, story_facts.StepStarted):
            clock.ahead += FRESH_SECONDS

    rig.watch = freeze
    assert asyncio.run(rig.run(spec(story(1)), workflow=SHORT)).status is RunStatus.COMPLETED


def test_a_sign_of_life_in_progress_says_nothing_of_a_lease_that_was_just_taken() -> None:
    heartbeat = Heartbeat()
    heartbeat.given(1.0, 1.0, {"run": 1}, heartbeat.takeovers)
    assert heartbeat.held == {"run": 1}
    begun = heartbeat.takeovers
    heartbeat.taken()
    heartbeat.given(2.0, 2.0, {"run": 1}, begun)
    assert (heartbeat.held, heartbeat.age(2.5, 2.5)) == ({}, 0.5)


def test_a_takeover_that_comes_second_is_refused(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
        async with rig.open() as first, rig.open() as second:
            await resume_run(first, run)
            with pytest.raises(RunBusyError):
                await resume_run(second, run)

    asyncio.run(scenario())


def test_who_has_taken_over_a_moment_ago_is_judged_for_itself(rig: Rig) -> None:
    """Two had looked at the run when its worker was dead; the second finds the first, which lives."""

    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            dead = context.owner
        rig.alive = lambda owner: owner != dead
        async with rig.open() as first, rig.open() as second:
            await resume_run(first, run)
            with pytest.raises(RunBusyError, match="is being worked on by process"):
                await resume_run(second, run)
            assert [lease.owner for lease in await first.leases.holders() if lease.resource == run] == [first.owner]

    asyncio.run(scenario())


def test_a_worker_elsewhere_is_believed_dead_only_after_a_while(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            elsewhere = replace(context.owner, executor="elsewhere", host="another-host")
            await context.leases.acquire(run, elsewhere, replacing=context.owner)
        async with rig.open() as context:
            with pytest.raises(RunBusyError, match="another-host"):
                await resume_run(context, run)

    asyncio.run(scenario())


def test_what_a_job_dies_of_is_raised_to_the_caller_and_the_run_can_continue(rig: Rig) -> None:
    def script(_: object) -> None:
        raise ValueError("a bug in an adapter")

    async def scenario() -> None:
        rig.script = script  # type: ignore[assignment]
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            with pytest.raises(ValueError, match="a bug in an adapter"):
                await asyncio.wait_for(wait_for(context, run), timeout=60)
        rig.script = honest()
        async with rig.open() as context:
            await resume_run(context, run)
            assert (await asyncio.wait_for(wait_for(context, run), timeout=60)).status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_run_that_died_while_landing_is_landed_once(rig: Rig) -> None:
    """The engine forgets everything between the request and the answer."""

    async def scenario() -> None:
        gate = replace(rig.gates[0], command="sleep 1; test -f work.txt")
        rig.gates = (gate,)
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(
                lambda: any(isinstance(sighting.what, landing_facts.CandidateBuilt) for sighting in rig.seen)
            )
        assert (await rig.story(run)).landing.progress is LandingStage.REQUESTED
        assert (await rig.carried_on(run)).status is RunStatus.COMPLETED

    asyncio.run(scenario())
    assert rig.log() == ["feat: Add work.txt", "start"]


def test_a_workspace_that_is_gone_before_a_step_is_laid_out_again(rig: Rig) -> None:
    trees = rig.trees

    def remove_after_the_first_step(sighting: Sighting) -> None:
        if isinstance(sighting.what, story_facts.StepCompleted) and sighting.what.step == "step-001":
            shutil.rmtree(next(trees.glob("*/US-001-1")))

    async def scenario() -> None:
        rig.watch = remove_after_the_first_step
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        assert (await rig.story(run)).work.workspace == 2

    asyncio.run(scenario())


@dataclass
class Killed:
    """Workspaces whose git is killed midway, as often as `left` says for each operation."""

    inner: Workspaces
    left: dict[str, int]

    def __getattr__(self, name: str) -> Any:
        if self.left.get(name, 0) <= 0:
            return getattr(self.inner, name)
        self.left[name] -= 1
        return self._die

    async def _die(self, *_: object, **__: object) -> None:
        raise GitKilledError("git was killed")


def test_a_git_that_is_killed_spends_no_retry_fails_no_story_and_forgets_no_cost(rig: Rig) -> None:
    working = honest()
    rig.script = lambda task: replace(working(task), usage=Usage(input_tokens=10, cost_usd=1.0))
    rig.through = lambda inner: cast("Workspaces", Killed(inner, {"snapshot": 4, "prepare": 2}))
    run = asyncio.run(rig.run(workflow=SHORT))
    assert run.status is RunStatus.COMPLETED
    lines = kinds(asyncio.run(rig.facts(run)))
    assert lines.count("StepInterrupted") == 4
    assert "StepFailed" not in lines
    used = asyncio.run(rig.story(run)).spending.usage
    assert (used.cost_usd, used.unpriced) == (used.attempts, 0)


def test_a_git_that_is_always_killed_fails_the_story(rig: Rig) -> None:
    rig.through = lambda inner: cast("Workspaces", Killed(inner, {"prepare": 99}))
    run = asyncio.run(rig.run(workflow=SHORT))
    assert asyncio.run(rig.story(run)).outcome.reason == "no workspace: git was killed"


def test_a_story_that_has_died_over_its_request_to_land_needs_no_workspace_to_continue(git_rig: Rig) -> None:
    """Its workspace was cleaned up, and there can be no other: it had failed by that, and landed all the same."""
    death = deadly(git_rig.store)
    death.before_recording(lambda fact: isinstance(fact, story_facts.LandingRequested))
    git_rig.gates = (Gate(name="slow", command="sleep 60"),)

    async def scenario() -> None:
        async with git_rig.open() as context:
            run = await git_rig.start(context, workflow=SHORT)
            await git_rig.until(lambda: death.come)
            await context.leases.release(run, context.owner)
        assert (await swept(git_rig, unfinished=True)).cleaned
        git_rig.gates, git_rig.through = (), lambda inner: cast("Workspaces", Killed(inner, {"prepare": 99}))
        assert (await git_rig.carried_on(run)).status is RunStatus.COMPLETED
        assert [fact.reason for fact in await git_rig.facts(run) if isinstance(fact, story_facts.WorkspaceLost)] == [
            "cleaned up"
        ]

    asyncio.run(scenario())
    assert git_rig.log() == ["feat: Add work.txt", "start"]


def test_a_run_that_no_one_holds_is_simply_taken(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.at_work()
            await context.leases.release(run, context.owner)
        async with rig.open() as context:
            await resume_run(context, run)
            assert (await asyncio.wait_for(wait_for(context, run), timeout=60)).status is RunStatus.COMPLETED

    asyncio.run(scenario())


class Unanswered(MemoryLeases):
    """A database that answers until it cannot be reached."""

    reachable = True

    async def renew(self, owner: Owner) -> Mapping[str, int]:
        while not self.reachable:
            await asyncio.sleep(0.1)
        return await super().renew(owner)


@pytest.mark.parametrize("again", [True, False], ids=["for a while", "for good"])
def test_a_worker_that_the_database_does_not_answer_stops_in_time(rig: Rig, *, again: bool) -> None:
    rig.store = MemoryStore(leases := Unanswered())
    rig.script = honest(coding=[done(pause=60 if not again else 6)])

    async def scenario() -> None:
        async with rig.open() as context:
            quick = replace(context, work_policy=replace(context.work_policy, fence_seconds=10 if again else 2))
            run = await rig.start(context, workflow=SHORT)
            waiting = asyncio.ensure_future(wait_for(quick, run))
            await rig.until(lambda: any(isinstance(sighting.what, AgentEvent) for sighting in rig.seen))
            leases.reachable = False
            await asyncio.sleep(3.5)
            leases.reachable = again
            if again:
                assert (await asyncio.wait_for(waiting, timeout=60)).status is RunStatus.COMPLETED
                return
            with pytest.raises(StoreError, match=r"not answered for 2 s: run .* stops here") as stopped:
                await asyncio.wait_for(waiting, timeout=60)
            assert f"shiftwork resume {run}" in stopped.value.hint

    asyncio.run(scenario())


class TooLate(MemoryLeases):
    """Another process takes the run over between the check and the takeover."""

    async def acquire(
        self, resource: str, owner: Owner, *, replacing: Owner | None = None, older_than: float = 0.0
    ) -> Lease | None:
        if replacing is not None:
            await super().acquire(resource, replace(owner, executor="third"), replacing=replacing)
        return await super().acquire(resource, owner, replacing=replacing)


def test_a_takeover_that_loses_the_race_says_so(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        leases = TooLate()
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await leases.acquire(run, context.owner)
        async with rig.open() as context:
            with pytest.raises(RunBusyError, match="just taken over"):
                await resume_run(replace(context, leases=leases), run)

    asyncio.run(scenario())


def test_a_long_failure_keeps_its_end() -> None:
    red = GateResult(name="test", passed=False, seconds=1.0, output="x" * 50_000 + " the end")
    message = failing(GateReport(commit=Commit("c"), results=(red,))).detail
    assert message.startswith("gate test failed:\nx")
    assert "…" in message
    assert message.endswith(" the end")
    assert len(message) < 13_000
