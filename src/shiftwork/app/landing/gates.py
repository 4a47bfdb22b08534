"""Runs the gates on a candidate: as it is, with the original tests, without its change; if red, also on its base."""

import asyncio
from collections.abc import Sequence
from typing import Any

from shiftwork.app.landing import fail_to_pass
from shiftwork.app.landing.base_survey import surveyed
from shiftwork.app.landing.canary import Examiner, with_sights
from shiftwork.app.landing.gate_choice import gates_for
from shiftwork.app.landing.proof import own_gates
from shiftwork.app.runtime.context import Context, GateBegun, Sighting
from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.domain.core.ids import Commit, story_stream
from shiftwork.domain.gates.attribution import attributed, fixed, tried_again, with_restored
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.gates.test_gate import only_reads, runs_tests
from shiftwork.domain.landing.batching import TRIES, landed_base, spoken_for
from shiftwork.domain.landing.state import Entry, Proof
from shiftwork.domain.proof.test_count import lacks_coverage_alone
from shiftwork.domain.proof.void_verdict import held_against, is_uncertain, objected
from shiftwork.domain.spec.named_gates import gates_of_run
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.tampering.exemptions import exempt
from shiftwork.domain.tampering.findings import Inspection
from shiftwork.domain.tampering.inspect import inspect, leaves_early, watched
from shiftwork.domain.tampering.later_files import with_later
from shiftwork.domain.tampering.restore import Restored, only_new_tests
from shiftwork.ports.workspace import Begun
from shiftwork.records import replace


async def inspected(context: Context, story: StoryState, tip: Commit) -> Inspection:
    """What the story has done to tests, gate configuration and the spec."""
    given, work_policy = story.given, context.work_policy
    gates = gates_of_run(work_policy.gates, given.gates, given.without_gates)
    protection = replace(work_policy.protection, commands=tuple(gate.command for gate in gates))
    touched = await context.protecting.touched(story.work.base, tip)
    protection = await surveyed(context, story.work.base, touched, protection, f"{given.run}/{given.story.id}/survey")
    paths = [change.path for change in watched(touched, protection)]
    patch = await context.protecting.patch(story.work.base, tip, paths)
    allowed = exempt(given.story.allowed, [change.path for change in touched], protection)
    found = inspect(touched, patch, protection, allowed, given.source.partition(":")[2])
    return with_later(found, [change.path for change in touched], given.story, work_policy.later_files)


async def gates_on(recorder: QueueRecorder, entry: Entry, marker: str) -> GateReport:
    """The verdict on a candidate, and whether the tests that it changes fail without its change."""
    begun: list[str] = []
    beside = asyncio.ensure_future(fail_to_pass.of_candidate(recorder, entry, marker, begun.append))
    try:
        report = await _verdict(recorder, entry, marker)
        if begun and not beside.done():
            _shown(recorder, entry, "without the change")(begun[-1])
        return replace(report, fail_to_pass=await beside)
    finally:
        await cancel_all(beside)


async def cancel_all(*tasks: asyncio.Task[Any]) -> None:
    """Cancel the tasks and wait until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _verdict(recorder: QueueRecorder, entry: Entry, marker: str) -> GateReport:
    """If the candidate is still red on the last try, the gates also run on its base."""
    choice = await gates_for(recorder, entry)
    gates, own = choice.gates, own_gates(recorder.state, entry)
    landed = landed_base(recorder.state, entry)
    report = await recorder.context.gates.check(
        entry.candidate,
        (*gates, *own),
        marker,
        base=landed,
        borrowing=entry.request.borrowing,
        begun=_shown(recorder, entry),
    )
    report = replace(report, not_needed=choice.not_needed)
    if report.passed:
        report = await _with_restored(recorder, entry, report, (*gates, *filter(runs_tests, own)), marker)
    if report.passed:
        report = await _held_against_base(recorder, entry, report, gates, marker)
    if report.passed:
        report = await _with_sights(recorder, entry, report, gates, f"{marker}.canary")
    report = tried_again(entry.report, report)
    if report.passed:
        return fixed(report, entry.request.broken) if entry.request.broken else report
    if entry.reds + 1 < TRIES:
        return report
    return attributed(report, await _on_base(recorder, entry, gates, marker))


def _shown(recorder: QueueRecorder, entry: Entry, where: str = "") -> Begun:
    context, stream = recorder.context, story_stream(entry.request.run, entry.request.story)

    def begun(gate: str) -> None:
        context.observe(Sighting(stream=stream, what=GateBegun(at=context.clock.now(), gate=gate, where=where)))

    return begun


async def _held_against_base(
    recorder: QueueRecorder, entry: Entry, report: GateReport, gates: tuple[Gate, ...], marker: str
) -> GateReport:
    """Runs the gates on the base only if the report is suspicious; otherwise the cached results are enough."""
    context = recorder.context
    examiner = Examiner(
        runner=context.gates, canary=context.canary, gates=gates, protection=context.work_policy.protection
    )
    known = await examiner.known_base(entry.base)
    doubtful = is_uncertain(report) or any(
        leaves_early(item.request.inspection) for item in spoken_for(recorder.state, entry)
    )
    if doubtful and len(known) < len(gates):
        known = (await _on_base(recorder, entry, gates, marker)).results
    objections = [
        message for item in spoken_for(recorder.state, entry) for message in item.request.inspection.objections
    ]
    return objected(held_against(report, known), objections, gates)


async def _with_sights(
    recorder: QueueRecorder, entry: Entry, report: GateReport, gates: tuple[Gate, ...], marker: str
) -> GateReport:
    """Marks gates that are blind because of this or an earlier change: they prove nothing."""
    context = recorder.context
    examiner = Examiner(
        runner=context.gates, canary=context.canary, gates=gates, protection=context.work_policy.protection
    )
    plain = replace(
        report, commit=entry.candidate, results=tuple(result for result in report.results if not result.restored)
    )
    if not entry.request.borrowing:  # otherwise the environment is not that of its own files
        await examiner.keep_green(plain)
    suspect = any(leaves_early(item.request.inspection) for item in spoken_for(recorder.state, entry))
    sights = await examiner.candidate_sights(plain, marker, entry.base, suspect=suspect)
    touched = (
        await context.protecting.touched(entry.base, entry.candidate) if any(sight.missed for sight in sights) else ()
    )
    roots = await examiner.changed_roots(entry.candidate, [change.path for change in touched])
    return with_sights(report, sights, gates, roots)


async def _with_restored(
    recorder: QueueRecorder, entry: Entry, report: GateReport, gates: Sequence[Gate], marker: str
) -> GateReport:
    """Runs the gates with the original tests. If the last of a batch is proof for all, restores the tests of all."""
    context = recorder.context
    behind = (
        recorder.state.chain[: recorder.state.chain.index(entry) + 1]
        if recorder.state.policy.proof is Proof.TIP
        else (entry,)
    )
    without = Restored(
        back=tuple(path for item in behind for path in item.request.inspection.back),
        out=tuple(path for item in behind for path in item.request.inspection.out),
        keyed=tuple(path for item in behind for path in item.request.inspection.keyed),
    )
    files = await context.protecting.restored(behind[0].base, entry.candidate, without.back, without.out)
    restored = await context.protecting.keyed(behind[0].base, files, without.keyed)
    if restored == entry.candidate:
        return report
    commands = tuple(gate.command for gate in gates)
    plain = files == restored and only_new_tests(without, replace(context.work_policy.protection, commands=commands))
    judged = await context.gates.check(
        restored,
        tuple(gate for gate in gates if not (plain and only_reads(gate))),
        f"{marker}.restored",
        base=landed_base(recorder.state, entry),
        borrowing=entry.request.borrowing,
        begun=_shown(recorder, entry, "(your original tests against the new code)"),
    )
    if plain and not judged.passed:
        judged = await _without_what_says_nothing(recorder, entry, judged, gates, marker)
    return with_restored(report, judged, (*without.back, *without.out, *without.keyed))


async def _without_what_says_nothing(
    recorder: QueueRecorder, entry: Entry, judged: GateReport, gates: Sequence[Gate], marker: str
) -> GateReport:
    """Drops red gates that say nothing about the story if only new tests were left out: gates that are also red on the
    base, for example because they find no tests there, and gates that only report too little coverage.
    """
    red = {result.name for result in judged.results if not result.passed and not lacks_coverage_alone(result.output)}
    base = await _on_base(recorder, entry, gates, marker) if red else judged
    held = red - {result.name for result in base.results if not result.passed}
    return replace(judged, results=tuple(result for result in judged.results if result.passed or result.name in held))


async def _on_base(recorder: QueueRecorder, entry: Entry, gates: Sequence[Gate], marker: str) -> GateReport:
    """The gates' report on the base; gates that were red there in this process do not run again."""
    landed, begun = landed_base(recorder.state, entry), _shown(recorder, entry, "on the base")
    return await recorder.context.gates.check(
        entry.base, gates, f"{marker}.base", base=landed, again=False, begun=begun
    )
