"""Runs the gates on the candidates of a batch: several at a time from the front, until all are done or withdrawn."""

import asyncio
from collections.abc import Iterable

from shiftwork import failpoints
from shiftwork.app.landing import proof, withdrawal
from shiftwork.app.landing.batch import answer
from shiftwork.app.landing.gates import cancel_all, gates_on, verdict_key
from shiftwork.app.landing.message_check import check_messages
from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing import effects as landing_effects
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import SLOW_SECONDS, spoken_for
from shiftwork.domain.landing.decide import answers
from shiftwork.domain.landing.state import Entry
from shiftwork.errors import DependenciesError
from shiftwork.records import replace

type Verdict = landing_facts.CandidateVerified | landing_facts.CandidateUnproved | landing_facts.CandidateFailed


async def check(effect: landing_effects.CheckCandidates, recorder: QueueRecorder) -> tuple[Fact, ...]:
    """The verdicts on the candidates that were not withdrawn meanwhile: the gates of the others are ended, and their
    stories notified at once. A withdrawal after the last look is too late, because the branch moves next.
    """
    if await withdrawal.take_in(recorder):
        return ()
    checks = Checks(recorder, effect.entries)
    try:
        await checks.run()
    finally:
        await checks.end()
    failpoints.reach("landing.verified")
    await withdrawal.take_in(recorder)
    wanted = {entry.request.key for entry in recorder.state.chain}
    return tuple(verdict for verdict in checks.verdicts if verdict.request in wanted)


class Checks:
    """Runs as many checks at a time as the policy says. After a red check, or if checks are slow, no further check
    starts, because the results so far may be enough to decide.
    """

    def __init__(self, recorder: QueueRecorder, entries: Iterable[Entry]) -> None:
        self.verdicts: list[Verdict] = []
        self._recorder = recorder
        self._waiting = list(entries)
        self._running: dict[asyncio.Task[Verdict], Entry] = {}
        self._listening = asyncio.ensure_future(withdrawal.asked_for(recorder))
        self._clock = recorder.context.clock
        self._deadline = self._clock.elapsed() + SLOW_SECONDS

    async def run(self) -> None:
        for _ in range(min(self._recorder.state.policy.at_once, len(self._waiting))):
            self._begin()
        while self._running:
            done, _ = await asyncio.wait({*self._running, self._listening}, return_when=asyncio.FIRST_COMPLETED)
            for check in [task for task in self._running if task in done]:
                del self._running[check]
                self.verdicts.append(check.result())
                if self._waiting and self._goes_on():
                    self._begin()
            if self._listening.done():
                await self._listen()

    async def end(self) -> None:
        await cancel_all(*self._running, self._listening)

    def _begin(self) -> None:
        entry = self._waiting.pop(0)
        self._running[asyncio.ensure_future(_check(self._recorder, entry))] = entry

    def _goes_on(self) -> bool:
        red = any(
            isinstance(verdict, landing_facts.CandidateFailed | landing_facts.CandidateUnproved)
            for verdict in self.verdicts
        )
        return not red and self._clock.elapsed() < self._deadline

    async def _listen(self) -> None:
        self._listening.result()
        await withdrawal.take_in(self._recorder)
        wanted = self._recorder.state.chain
        self._waiting = [entry for entry in self._waiting if entry in wanted]
        await cancel_all(*(check for check, entry in self._running.items() if entry not in wanted))
        self._running = {check: entry for check, entry in self._running.items() if entry in wanted}
        for effect in answers(self._recorder.state):
            await self._recorder.write(effect.key, await answer(effect, self._recorder))
        self._listening = asyncio.ensure_future(withdrawal.asked_for(self._recorder))


async def _check(recorder: QueueRecorder, entry: Entry) -> Verdict:
    request = entry.request
    marker = f"{request.run}/{request.story}/verify/{request.number}.{entry.round}.{entry.reds + 1}"
    try:
        key = await verdict_key(recorder, entry)
        report = _passed_before(entry, key) or await gates_on(recorder, entry, marker)
    except DependenciesError as error:
        return proof.uninstalled(await _dependent(recorder, entry), error.message, recorder.context.clock.now())
    if report.passed:
        found = await proof.verdict(recorder, entry, report, key)
        if isinstance(found, landing_facts.CandidateUnproved):
            return found
        return await check_messages(recorder, entry, found, marker)
    return landing_facts.CandidateFailed(at=recorder.context.clock.now(), request=request.key, report=report)


def _passed_before(entry: Entry, key: str) -> GateReport | None:
    """The verdict after which a person was asked and has approved, if nothing that it depends on has changed since."""
    passed = entry.request.passed
    if passed is None or not key or passed.key != key or not entry.approved:
        return None
    return replace(passed.report, commit=entry.candidate, cached=True)


async def _dependent(recorder: QueueRecorder, entry: Entry) -> Entry:
    """The first of the entries that this check covers whose environment differs from that of its base."""
    canary = recorder.context.canary
    for item in spoken_for(recorder.state, entry):
        own, below = [(await canary.situation(commit)).environment for commit in (item.candidate, item.base)]
        if own != below:
            return item
    return entry
