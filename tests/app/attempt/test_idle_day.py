"""A day on which everybody waits for a person: no agent is asked, and nothing is recorded."""

import asyncio

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.adapters.clock import SystemClock
from shiftwork.app.commands.replies import Word
from shiftwork.app.commands.runs import wait_for
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.ports.agent import AgentTask
from tests.app.attempt.test_questions import BLOCKED, asking, held, said
from tests.app.rig import SHORT, Rig

DAY = 24 * 60
"""Minutes."""


class Skipping(SystemClock):
    """A clock that can be put forward, and with it every timer of its event loop."""

    def __init__(self) -> None:
        super().__init__()
        self.skipped = 0.0

    def now(self) -> float:
        return super().now() + self.skipped

    def elapsed(self) -> float:
        return super().elapsed() + self.skipped


class Loop(asyncio.SelectorEventLoop):
    def __init__(self, clock: Skipping) -> None:
        super().__init__()
        self._clock = clock

    def time(self) -> float:
        return self._clock.elapsed()


def test_a_day_of_waiting_for_a_person_asks_no_agent_and_records_nothing(rig: Rig) -> None:
    clock, sessions, timers = Skipping(), list[AgentTask](), list[int]()
    script, _ = asking(BLOCKED)

    def counted(task: AgentTask) -> Turn:
        sessions.append(task)
        return script(task)

    rig.script, rig.clock = counted, clock

    async def minutes() -> None:
        while True:
            await asyncio.sleep(60)
            timers.append(1)

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await held(rig, run)
            await asyncio.sleep(0.5)  # until the run, too, has nothing left to record
            asked, seen, counting = len(sessions), len(rig.seen), asyncio.create_task(minutes())
            for _ in range(DAY):
                clock.skipped += 60
                await asyncio.sleep(0.001)
            assert (asked, len(sessions)) == (1, 1)
            assert len(rig.seen) == seen
            assert len(timers) > DAY // 2, "timers of this loop did come due"
            counting.cancel()
            await said(context, run, Word.ANSWER, "tabs")
            return await asyncio.wait_for(wait_for(context, run), timeout=60)

    with asyncio.Runner(loop_factory=lambda: Loop(clock)) as runner:
        assert runner.run(scenario()).status is RunStatus.COMPLETED
    assert len(sessions) > 1, "the answer wakes it"
