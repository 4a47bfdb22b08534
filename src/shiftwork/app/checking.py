"""The gates on the candidates of a batch: several at a time from the front, until they are done or are not wanted."""

import asyncio
from collections.abc import Iterable

from shiftwork import failpoints
from shiftwork.app import proving, withdrawing
from shiftwork.app.gating import gates_on, let_go
from shiftwork.app.landing import answer
from shiftwork.app.pen import Pen
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import queue_facts as q
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.queue import Entry
from shiftwork.domain.rules.decide_queue import answers
from shiftwork.domain.rules.landing import SLOW_SECONDS, spoken_for
from shiftwork.errors import DependenciesError

type Verdict = q.CandidateVerified | q.CandidateUnproved | q.CandidateFailed


async def check(effect: e.CheckCandidates, pen: Pen) -> tuple[Fact, ...]:
    """The verdicts on them, or on those that nobody has withdrawn meanwhile: gates of the others are ended, and their
    stories told at once. Whoever withdraws after the last look comes too late, as the branch moves next.
    """
    if await withdrawing.take_in(pen):
        return ()
    checks = Checks(pen, effect.entries)
    try:
        await checks.run()
    finally:
        await checks.end()
    failpoints.reach("landing.verified")
    await withdrawing.take_in(pen)
    wanted = {entry.request.key for entry in pen.state.chain}
    return tuple(verdict for verdict in checks.verdicts if verdict.request in wanted)


class Checks:
    """As many at a time as the policy says. Once one is red, or they have turned out to be slow, no further one is
    begun: what is known then may settle what is to be done.
    """

    def __init__(self, pen: Pen, entries: Iterable[Entry]) -> None:
        self.verdicts: list[Verdict] = []
        self._pen = pen
        self._waiting = list(entries)
        self._running: dict[asyncio.Task[Verdict], Entry] = {}
        self._listening = asyncio.ensure_future(withdrawing.asked_for(pen))
        self._deadline = asyncio.get_running_loop().time() + SLOW_SECONDS

    async def run(self) -> None:
        for _ in range(min(self._pen.state.policy.at_once, len(self._waiting))):
            self._begin()
        while self._running:
            done, _ = await asyncio.wait({*self._running, self._listening}, return_when=asyncio.FIRST_COMPLETED)
            for check in [one for one in self._running if one in done]:
                del self._running[check]
                self.verdicts.append(check.result())
                if self._waiting and self._goes_on():
                    self._begin()
            if self._listening.done():
                await self._listen()

    async def end(self) -> None:
        await let_go(*self._running, self._listening)

    def _begin(self) -> None:
        entry = self._waiting.pop(0)
        self._running[asyncio.ensure_future(_check(self._pen, entry))] = entry

    def _goes_on(self) -> bool:
        red = any(isinstance(one, q.CandidateFailed | q.CandidateUnproved) for one in self.verdicts)
        return not red and asyncio.get_running_loop().time() < self._deadline

    async def _listen(self) -> None:
        self._listening.result()
        await withdrawing.take_in(self._pen)
        wanted = self._pen.state.chain
        self._waiting = [entry for entry in self._waiting if entry in wanted]
        await let_go(*(check for check, entry in self._running.items() if entry not in wanted))
        self._running = {check: entry for check, entry in self._running.items() if entry in wanted}
        for effect in answers(self._pen.state):
            await self._pen.write(effect.key, await answer(effect, self._pen))
        self._listening = asyncio.ensure_future(withdrawing.asked_for(self._pen))


async def _check(pen: Pen, entry: Entry) -> Verdict:
    request = entry.request
    marker = f"{request.run}/{request.story}/verify/{request.number}.{entry.round}.{entry.reds + 1}"
    try:
        report = await gates_on(pen, entry, marker)
    except DependenciesError as error:
        return proving.uninstalled(await _dependent(pen, entry), error.message, pen.world.clock.now())
    if report.passed:
        return await proving.verdict(pen, entry, report)
    return q.CandidateFailed(at=pen.world.clock.now(), request=request.key, report=report)


async def _dependent(pen: Pen, entry: Entry) -> Entry:
    """The first that needs another environment than what it stands on, of those for which this check speaks."""
    canary = pen.world.canary
    for one in spoken_for(pen.state, entry):
        own, below = [(await canary.situation(commit)).environment for commit in (one.candidate, one.base)]
        if own != below:
            return one
    return entry
