"""Runs the gates on a candidate: as it is, with the original tests, without its change; if red, also on its base."""

import hashlib
import json
from collections.abc import Callable, Sequence

from shiftwork.app.landing import fail_to_pass
from shiftwork.app.landing.base_survey import surveyed
from shiftwork.app.landing.canary import Examiner, with_sights
from shiftwork.app.landing.gate_choice import gates_for
from shiftwork.app.landing.loaded_code import with_measured
from shiftwork.app.landing.proof import own_gates
from shiftwork.app.runtime.context import Context, GateBegun, Sighting
from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.app.runtime.side_tasks import Beside
from shiftwork.domain.core.ids import Commit, story_stream
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.gates.attribution import attributed, fixed, tried_again, with_restored
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.gates.test_gate import only_reads, runs_tests
from shiftwork.domain.landing.batching import TRIES, landed_base, spoken_for
from shiftwork.domain.landing.state import Entry, Proof
from shiftwork.domain.proof.red_excuse import (
    drop_thresholds,
    excuse_as_on_base,
    excuse_coverage,
    names_left_out,
    ran_no_test,
)
from shiftwork.domain.proof.void_verdict import held_against, is_uncertain, objected
from shiftwork.domain.spec.named_gates import gates_of_run
from shiftwork.domain.spec.spec import SpecPaths
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.tampering.exemptions import exempt
from shiftwork.domain.tampering.file_size_limit import with_large
from shiftwork.domain.tampering.findings import Inspection, Touched
from shiftwork.domain.tampering.inspect import inspect, leaves_early, watched
from shiftwork.domain.tampering.later_files import with_later
from shiftwork.domain.tampering.protected_paths import is_written_test
from shiftwork.domain.tampering.restore import Restored, only_new_tests
from shiftwork.domain.tampering.spec_edits import spec_edits
from shiftwork.ports.workspace import Begun
from shiftwork.records import dataclass, replace


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
    found = with_later(found, changed, given.story, work_policy.later_files, await context.commit_hooks.hooks_folder())
    return with_large(found, touched, work_policy.large_file_mb)


async def gates_on(recorder: QueueRecorder, entry: Entry, marker: str) -> GateReport:
    """The verdict on a candidate, and whether the tests that it changes fail without its change."""
    without = Beside(
        lambda begun: fail_to_pass.of_candidate(recorder, entry, marker, begun),
        _shown(recorder, entry, "without the change"),
    )
    without.start()
    try:
        report = await _verdict(recorder, entry, marker)
        return replace(report, fail_to_pass=await without.result())
    finally:
        await without.end()


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


async def _verdict(recorder: QueueRecorder, entry: Entry, marker: str) -> GateReport:
    """If the candidate is still red on the last try, the gates also run on its base."""
    choice = await gates_for(recorder, entry)
    gates = choice.gates
    report = replace(await _on_candidate(recorder, entry, gates, marker), not_needed=choice.not_needed)
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


async def _on_candidate(recorder: QueueRecorder, entry: Entry, gates: tuple[Gate, ...], marker: str) -> GateReport:
    """The gates on the candidate as it is, and with the original tests. These runs begin beside the first, and count
    only if that is green. On a second try one follows the other.
    """
    own = own_gates(recorder.state, entry, gates)
    trials = _list_trials(recorder, entry, (*gates, *filter(runs_tests, own)), marker)
    try:
        for trial in trials if not entry.reds else ():
            trial.run.start()
        report = await recorder.context.gates.check(
            entry.candidate,
            (*gates, *own),
            marker,
            base=landed_base(recorder.state, entry),
            borrowing=entry.request.borrowing,
            begun=_shown(recorder, entry),
        )
        for trial in trials:
            if report.passed:
                report = await trial.added_to(report)
    finally:
        for trial in trials:
            await trial.run.end()
    return report


# With the original tests ------------------------------------------------------------------------------------------


def _list_trials(
    recorder: QueueRecorder, entry: Entry, gates: tuple[Gate, ...], marker: str
) -> tuple["_OriginalsTrial", ...]:
    """The runs with the original tests. If the last of a batch is proof for all, the tests of all are restored."""
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
    return tuple(
        _OriginalsTrial(recorder, entry, gates, (behind[0].base, trial), f"{marker}.restored{number}")
        for number, trial in enumerate(without.list_trials(), start=1)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _OriginalsRun:
    """A report on the candidate with the original tests. It is `plain` if only the story's new tests are left out."""

    report: GateReport
    commit: Commit
    gates: tuple[Gate, ...]
    plain: bool


class _OriginalsTrial:
    """One further run of the gates on the candidate, with files restored from a base."""

    def __init__(
        self,
        recorder: QueueRecorder,
        entry: Entry,
        gates: tuple[Gate, ...],
        restoring: tuple[Commit, Restored],
        marker: str,
    ) -> None:
        self._recorder, self._entry, self._gates, self._marker = recorder, entry, gates, marker
        self._base, self._without = restoring
        self._shown = _shown(recorder, entry, "(your original tests against the new code)")
        self.run = Beside(self._check, self._shown)

    async def added_to(self, report: GateReport) -> GateReport:
        """The candidate's report, with what this run has found."""
        tried, without = await self.run.result(), self._without
        if tried is None:
            return report
        judged = tried.report
        if tried.plain and not judged.passed:
            if lowered := drop_thresholds(judged, tried.gates):
                again = await self._run(tried.commit, lowered, f"{self._marker}.lowered", self._shown)
                judged = excuse_coverage(judged, again, tried.gates)
            if not judged.passed:
                on_base = await _on_base(self._recorder, self._entry, self._gates, self._marker)
                judged = excuse_as_on_base(judged, on_base, await self._excuse())
        return with_restored(report, judged, (*without.back, *without.out, *without.keyed))

    async def _excuse(self) -> Callable[[GateResult], bool]:
        """Whether a result that is red on the base too is so for want of tests."""
        context, left_out = self._recorder.context, self._without.out
        files = (await context.canary.situation(self._base)).files
        has_tests = any(is_written_test(path, context.work_policy.protection) for path, _ in files)

        def wants_tests(result: GateResult) -> bool:
            return ran_no_test(result.output, has_tests=has_tests) or names_left_out(result.command, left_out)

        return wants_tests

    async def _check(self, begun: Begun) -> _OriginalsRun | None:
        """None where it would be a run on the same commit."""
        context, without = self._recorder.context, self._without
        files = await context.protecting.restored(self._base, self._entry.candidate, without.back, without.out)
        restored = await context.protecting.keyed(self._base, files, without.keyed)
        if restored == self._entry.candidate:
            return None
        commands = tuple(gate.command for gate in self._gates)
        protection = replace(context.work_policy.protection, commands=commands)
        plain = files == restored and only_new_tests(without, protection)
        chosen = tuple(gate for gate in self._gates if not (plain and only_reads(gate)))
        report = await self._run(restored, chosen, self._marker, begun)
        return _OriginalsRun(report=report, commit=restored, gates=chosen, plain=plain)

    async def _run(self, commit: Commit, gates: Sequence[Gate], marker: str, begun: Begun) -> GateReport:
        return await self._recorder.context.gates.check(
            commit,
            gates,
            marker,
            base=landed_base(self._recorder.state, self._entry),
            borrowing=self._entry.request.borrowing,
            begun=begun,
        )


async def _on_base(recorder: QueueRecorder, entry: Entry, gates: Sequence[Gate], marker: str) -> GateReport:
    """The gates' report on the base; gates that were red there in this process do not run again."""
    landed, begun = landed_base(recorder.state, entry), _shown(recorder, entry, "on the base")
    return await recorder.context.gates.check(
        entry.base, gates, f"{marker}.base", base=landed, again=False, begun=begun
    )
