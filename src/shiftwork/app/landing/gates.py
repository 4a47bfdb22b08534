"""Runs the gates on a candidate: as it is, with the original tests, without its change; if red, also on its base."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from shiftwork.app.landing import fail_to_pass
from shiftwork.app.landing.base_survey import surveyed
from shiftwork.app.landing.canary import Examiner, with_sights
from shiftwork.app.landing.gate_choice import gates_for
from shiftwork.app.landing.loaded_code import with_measured
from shiftwork.app.landing.proof import own_gates
from shiftwork.app.runtime.context import Context, GateBegun, Sighting
from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.domain.core.ids import Commit, story_stream
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.gates.attribution import attributed, fixed, tried_again, with_restored
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.gates.test_gate import only_reads, runs_tests
from shiftwork.domain.landing.batching import TRIES, landed_base, spoken_for
from shiftwork.domain.landing.state import Entry, Proof
from shiftwork.domain.proof.red_excuse import drop_thresholds, excuse_as_on_base, excuse_coverage
from shiftwork.domain.proof.void_verdict import held_against, is_uncertain, objected
from shiftwork.domain.spec.named_gates import gates_of_run
from shiftwork.domain.spec.spec import SpecPaths
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.tampering.exemptions import exempt
from shiftwork.domain.tampering.file_size_limit import with_large
from shiftwork.domain.tampering.findings import Inspection, Touched
from shiftwork.domain.tampering.inspect import inspect, leaves_early, watched
from shiftwork.domain.tampering.later_files import with_later
from shiftwork.domain.tampering.restore import Restored, only_new_tests
from shiftwork.domain.tampering.spec_edits import spec_edits
from shiftwork.ports.workspace import Begun
from shiftwork.records import replace


async def inspected(context: Context, story: StoryState, tip: Commit, touched: Sequence[Touched]) -> Inspection:
    """What the story, which has `touched` these files, has done to tests, gate configuration and the spec."""
    given, work_policy = story.given, context.work_policy
    gates = gates_of_run(work_policy.gates, given.gates, given.without_gates)
    protection = replace(work_policy.protection, commands=tuple(gate.command for gate in gates))
    protection = await surveyed(context, story.work.base, touched, protection, f"{given.run}/{given.story.id}/survey")
    protection = await with_measured(context.canary, story.work.base, touched, protection, gates)
    paths = [change.path for change in watched(touched, protection)]
    patch = await context.protecting.patch(story.work.base, tip, paths)
    allowed = exempt(given.story.allowed, [change.path for change in touched], protection)
    changed = [change.path for change in touched]
    # An assignment of an earlier version knows the file alone.
    belongs = given.spec_paths if given.spec_paths.own else SpecPaths(own=(given.source.partition(":")[2],))
    found = inspect(touched, patch, protection, allowed, spec_edits(changed, belongs, given.story, allowed))
    found = with_later(found, changed, given.story, work_policy.later_files)
    return with_large(found, touched, work_policy.large_file_mb)


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


async def verdict_key(recorder: QueueRecorder, entry: Entry) -> str:
    """A digest of what the verdict on a candidate depends on: the tip below it, its tree, the environment, the gates
    and what the story does to tests. Empty where nothing waits for an approval, or where the check covers others too.
    """
    request, covered = entry.request, spoken_for(recorder.state, entry)
    if not request.review or len(covered) > 1:
        return ""
    gates = (await gates_for(recorder, entry)).gates
    situation = await recorder.context.canary.situation(entry.candidate)
    own = own_gates(recorder.state, entry, gates)
    judged = [to_plain(gate) for gate in (*gates, *own)]
    given = [request.borrowing, to_plain(request.inspection)]
    said = [entry.base, situation.tree, situation.setup, situation.environment, judged, given]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


async def cancel_all(*tasks: asyncio.Task[Any]) -> None:
    """Cancel the tasks and wait until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _verdict(recorder: QueueRecorder, entry: Entry, marker: str) -> GateReport:
    """If the candidate is still red on the last try, the gates also run on its base."""
    choice = await gates_for(recorder, entry)
    gates, own = choice.gates, own_gates(recorder.state, entry, choice.gates)
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
    begun = _shown(recorder, entry, "with broken sources")
    sights = await examiner.candidate_sights(plain, marker, entry.base, begun, suspect=suspect)
    touched = (
        await context.protecting.touched(entry.base, entry.candidate) if any(sight.missed for sight in sights) else ()
    )
    roots = await examiner.changed_roots(entry.candidate, [change.path for change in touched])
    return with_sights(report, sights, gates, roots)


async def _with_restored(
    recorder: QueueRecorder, entry: Entry, report: GateReport, gates: Sequence[Gate], marker: str
) -> GateReport:
    """Runs the gates with the original tests. If the last of a batch is proof for all, restores the tests of all."""
    behind = (
        recorder.state.chain[: recorder.state.chain.index(entry) + 1]
        if recorder.state.policy.proof is Proof.TIP
        else (entry,)
    )
    without = Restored(
        back=tuple(path for item in behind for path in item.request.inspection.back),
        out=tuple(path for item in behind for path in item.request.inspection.out),
        keyed=tuple(path for item in behind for path in item.request.inspection.keyed),
        support=tuple(path for item in behind for path in item.request.inspection.support),
    )
    for number, trial in enumerate(without.list_trials(), start=1):
        report = await _with_trial(
            recorder, entry, report, gates, (behind[0].base, trial), f"{marker}.restored{number}"
        )
        if not report.passed:
            break
    return report


async def _with_trial(  # noqa: PLR0913, PLR0917 - as above, with what is restored from which commit
    recorder: QueueRecorder,
    entry: Entry,
    report: GateReport,
    gates: Sequence[Gate],
    restoring: tuple[Commit, Restored],
    marker: str,
) -> GateReport:
    """The report, with one further run of the gates, unless it would be on the same commit."""
    context, (base, without) = recorder.context, restoring
    files = await context.protecting.restored(base, entry.candidate, without.back, without.out)
    restored = await context.protecting.keyed(base, files, without.keyed)
    if restored == entry.candidate:
        return report
    commands = tuple(gate.command for gate in gates)
    plain = files == restored and only_new_tests(without, replace(context.work_policy.protection, commands=commands))

    async def check_restored(chosen: Sequence[Gate], marker: str) -> GateReport:
        return await context.gates.check(
            restored,
            chosen,
            marker,
            base=landed_base(recorder.state, entry),
            borrowing=entry.request.borrowing,
            begun=_shown(recorder, entry, "(your original tests against the new code)"),
        )

    chosen = tuple(gate for gate in gates if not (plain and only_reads(gate)))
    judged = await check_restored(chosen, marker)
    if plain and not judged.passed:
        if lowered := drop_thresholds(judged, chosen):
            judged = excuse_coverage(judged, await check_restored(lowered, f"{marker}.lowered"), chosen)
        if not judged.passed:
            judged = excuse_as_on_base(judged, await _on_base(recorder, entry, gates, marker))
    return with_restored(report, judged, (*without.back, *without.out, *without.keyed))


async def _on_base(recorder: QueueRecorder, entry: Entry, gates: Sequence[Gate], marker: str) -> GateReport:
    """The gates' report on the base; gates that were red there in this process do not run again."""
    landed, begun = landed_base(recorder.state, entry), _shown(recorder, entry, "on the base")
    return await recorder.context.gates.check(
        entry.base, gates, f"{marker}.base", base=landed, again=False, begun=begun
    )
