"""Runs the gates on the candidates of a batch: several at a time from the front, also beside the next effects."""

import asyncio
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from shiftwork import failpoints
from shiftwork.app.landing import proof, withdrawal
from shiftwork.app.landing.gates import gates_on, verdict_key
from shiftwork.app.landing.message_check import check_messages
from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.app.runtime.side_tasks import cancel_all
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing import effects as landing_effects
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import SLOW_SECONDS, spoken_for
from shiftwork.domain.landing.state import Entry
from shiftwork.errors import DependenciesError
from shiftwork.records import replace

type Verdict = landing_facts.CandidateVerified | landing_facts.CandidateUnproved | landing_facts.CandidateFailed


async def check(effect: landing_effects.CheckCandidates, recorder: QueueRecorder) -> tuple[Fact, ...]:
    """The verdicts that are known first; none where a message has come, which is recorded. What is withdrawn meanwhile
    has no verdict; a withdrawal after the last look is too late, because the branch moves next.
    """
    checks = Checks(recorder, effect.entries)
    if not await withdrawal.take_in(recorder):
        await checks.run()
        failpoints.reach("landing.verified")
        await withdrawal.take_in(recorder)
    return await checks.known_verdicts()


class Checks:
    """Runs as many checks at a time as the policy says, until all are done. If a check is red or the checks are slow,
    no further check starts, because the results so far may be enough to decide; those that run go on, and the next
    effect waits for them. Those that are not wanted any more are ended.
    """

    def __init__(self, recorder: QueueRecorder, entries: Iterable[Entry]) -> None:
        self._recorder = recorder
        self._wanted = {_check_key(entry): entry for entry in entries}
        self._running = recorder.context.checks[recorder.stream]
        self._clock = recorder.context.clock
        self._deadline = self._clock.elapsed() + SLOW_SECONDS

    async def run(self) -> None:
        await self._end_others(self._wanted.keys())
        listening = asyncio.ensure_future(withdrawal.news(self._recorder))
        try:
            while not listening.done() and self._goes_on():
                self._begin()
                seconds = max(self._deadline - self._clock.elapsed(), 0) if self._done() else None
                going = (task for task in self._running.values() if not task.done())
                await asyncio.wait({*going, listening}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if listening.done():
                listening.result()  # a store that cannot be read stops the queue
        finally:
            await cancel_all(listening)

    async def known_verdicts(self) -> tuple[Verdict, ...]:
        """Those on candidates of the present chain; all other checks are ended, before their stories are notified. The
        branch may have moved since a check began: then the candidate has the same tree and another name.
        """
        present = {_check_key(entry): entry for entry in self._recorder.state.chain}
        await self._end_others(present.keys())
        return tuple(_renamed(self._running.pop(key).result(), present[key]) for key in self._done())

    async def _end_others(self, wanted: AbstractSet[str]) -> None:
        await cancel_all(*(self._running.pop(key) for key in self._running.keys() - wanted))

    def _done(self) -> list[str]:
        return [key for key, task in self._running.items() if task.done()]

    def _begin(self) -> None:
        places = self._recorder.state.policy.at_once - (len(self._running) - len(self._done()))
        for key, entry in [item for item in self._wanted.items() if item[0] not in self._running][: max(places, 0)]:
            self._running[key] = asyncio.ensure_future(_check(self._recorder, entry))

    def _goes_on(self) -> bool:
        """Whether to wait for more: nothing is known, or all is green so far, quick, and not all of it is known."""
        known = [self._running[key] for key in self._done()]
        if not known:
            return True
        green = all(
            not task.exception() and isinstance(task.result(), landing_facts.CandidateVerified) for task in known
        )
        return green and len(known) < len(self._wanted) and self._clock.elapsed() < self._deadline


def _check_key(entry: Entry) -> str:
    return f"{entry.request.key}/{entry.round}/{entry.reds + 1}"


def _renamed(verdict: Verdict, entry: Entry) -> Verdict:
    """The verdict, by the present name of its candidate."""
    if verdict.report.commit == entry.candidate or verdict.request != entry.request.key:
        return verdict
    report = replace(verdict.report, commit=entry.candidate)
    if isinstance(verdict, landing_facts.CandidateFailed):
        return replace(verdict, report=report)
    if isinstance(verdict, landing_facts.CandidateUnproved):
        return replace(verdict, report=report, proof=replace(verdict.proof, commit=entry.candidate))
    proofs = tuple(replace(proof, commit=entry.candidate) for proof in verdict.proofs)
    return replace(verdict, report=report, proofs=proofs)


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
