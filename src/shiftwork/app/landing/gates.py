"""The gates on a candidate: as it is, with the base's own tests, without its change; where red, on its base."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shiftwork.app.landing import fail_to_pass
from shiftwork.app.landing.base_survey import surveyed
from shiftwork.app.landing.canary import Examiner, with_sights
from shiftwork.app.landing.proof import own_gates, shared_gates
from shiftwork.app.runtime.context import GateBegun, Sighting, World
from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.domain.core.ids import Commit, story_stream
from shiftwork.domain.gates.attribution import attributed, mended, tried_again, with_restored
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.gates.test_gate import only_reads, runs_tests
from shiftwork.domain.landing.batching import TRIES, landed_base, spoken_for
from shiftwork.domain.landing.state import Entry, Proof
from shiftwork.domain.proof.test_count import lacks_coverage_alone
from shiftwork.domain.proof.void_verdict import held_against, is_in_doubt, objected
from shiftwork.domain.spec.named_gates import gates_of_run
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.tampering.exemptions import exempt
from shiftwork.domain.tampering.findings import Inspection
from shiftwork.domain.tampering.inspect import inspect, leaves_early, watched
from shiftwork.domain.tampering.later_files import with_later
from shiftwork.domain.tampering.restore import Restored, only_new_tests
from shiftwork.ports.workspace import Begun


async def inspected(world: World, story: StoryState, tip: Commit) -> Inspection:
    """What the story has done to tests, gate configuration and the spec."""
    given, conduct = story.given, world.conduct
    gates = gates_of_run(conduct.gates, given.gates, given.without_gates)
    protection = replace(conduct.protection, commands=tuple(gate.command for gate in gates))
    touched = await world.protecting.touched(story.work.base, tip)
    protection = await surveyed(world, story.work.base, touched, protection, f"{given.run}/{given.story.id}/survey")
    paths = [one.path for one in watched(touched, protection)]
    patch = await world.protecting.patch(story.work.base, tip, paths)
    allowed = exempt(given.story.allowed, [one.path for one in touched], protection)
    found = inspect(touched, patch, protection, allowed, given.source.partition(":")[2])
    return with_later(found, [one.path for one in touched], given.story, conduct.later_files)


async def gates_on(recorder: QueueRecorder, entry: Entry, marker: str) -> GateReport:
    """The verdict on a candidate, and beside it whether the tests that it changes fail without its change."""
    begun: list[str] = []
    beside = asyncio.ensure_future(fail_to_pass.of_candidate(recorder, entry, marker, begun.append))
    try:
        report = await _verdict(recorder, entry, marker)
        if begun and not beside.done():
            _shown(recorder, entry, "without the change")(begun[-1])
        return replace(report, fail_to_pass=await beside)
    finally:
        await let_go(beside)


async def let_go(*tasks: asyncio.Task[Any]) -> None:
    """Nothing that they have started outlives this."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _verdict(recorder: QueueRecorder, entry: Entry, marker: str) -> GateReport:
    """Once its redness is believed, the base is asked whether it is red as well."""
    gates = shared_gates(recorder, entry)
    own = own_gates(recorder.state, entry)
    landed = landed_base(recorder.state, entry)
    report = await recorder.world.gates.check(
        entry.candidate,
        (*gates, *own),
        marker,
        base=landed,
        borrowing=entry.request.borrowing,
        begun=_shown(recorder, entry),
    )
    if report.passed:
        report = await _with_restored(recorder, entry, report, (*gates, *filter(runs_tests, own)), marker)
    if report.passed:
        report = await _held_against_base(recorder, entry, report, marker)
    if report.passed:
        report = await _with_sights(recorder, entry, report, gates, f"{marker}.canary")
    report = tried_again(entry.report, report)
    if report.passed:
        return mended(report, entry.request.broken) if entry.request.broken else report
    if entry.reds + 1 < TRIES:
        return report
    return attributed(report, await _on_base(recorder, entry, marker))


def _shown(recorder: QueueRecorder, entry: Entry, where: str = "") -> Begun:
    world, stream = recorder.world, story_stream(entry.request.run, entry.request.story)

    def begun(gate: str) -> None:
        world.observe(Sighting(stream=stream, what=GateBegun(at=world.clock.now(), gate=gate, where=where)))

    return begun


async def _held_against_base(recorder: QueueRecorder, entry: Entry, report: GateReport, marker: str) -> GateReport:
    """The base's gates are run for it only where there is doubt; otherwise what is remembered of them is enough."""
    world, gates = recorder.world, shared_gates(recorder, entry)
    examiner = Examiner(runner=world.gates, canary=world.canary, gates=gates, protection=world.conduct.protection)
    known = await examiner.known_base(entry.base)
    doubtful = is_in_doubt(report) or any(
        leaves_early(one.request.inspection) for one in spoken_for(recorder.state, entry)
    )
    if doubtful and len(known) < len(gates):
        known = (await _on_base(recorder, entry, marker)).results
    objections = [told for one in spoken_for(recorder.state, entry) for told in one.request.inspection.objections]
    return objected(held_against(report, known), objections, gates)


async def _with_sights(
    recorder: QueueRecorder, entry: Entry, report: GateReport, gates: tuple[Gate, ...], marker: str
) -> GateReport:
    """A gate that the change, or anything before it, has made blind proves nothing."""
    world = recorder.world
    examiner = Examiner(runner=world.gates, canary=world.canary, gates=gates, protection=world.conduct.protection)
    plain = replace(report, commit=entry.candidate, results=tuple(one for one in report.results if not one.restored))
    if not entry.request.borrowing:  # otherwise the environment is not the one that its files ask for
        await examiner.keep_green(plain)
    suspect = any(leaves_early(one.request.inspection) for one in spoken_for(recorder.state, entry))
    sights = await examiner.candidate_sights(plain, marker, entry.base, suspect=suspect)
    touched = await world.protecting.touched(entry.base, entry.candidate) if any(one.missed for one in sights) else ()
    roots = await examiner.changed_roots(entry.candidate, [one.path for one in touched])
    return with_sights(report, sights, gates, roots)


async def _with_restored(
    recorder: QueueRecorder, entry: Entry, report: GateReport, gates: Sequence[Gate], marker: str
) -> GateReport:
    """Where the last of a batch is proof for all, what all of them have done to tests is undone."""
    world = recorder.world
    behind = (
        recorder.state.chain[: recorder.state.chain.index(entry) + 1]
        if recorder.state.policy.proof is Proof.TIP
        else (entry,)
    )
    without = Restored(
        back=tuple(path for one in behind for path in one.request.inspection.back),
        out=tuple(path for one in behind for path in one.request.inspection.out),
        keyed=tuple(path for one in behind for path in one.request.inspection.keyed),
    )
    files = await world.protecting.restored(behind[0].base, entry.candidate, without.back, without.out)
    restored = await world.protecting.keyed(behind[0].base, files, without.keyed)
    if restored == entry.candidate:
        return report
    commands = tuple(gate.command for gate in gates)
    plain = files == restored and only_new_tests(without, replace(world.conduct.protection, commands=commands))
    judged = await world.gates.check(
        restored,
        tuple(gate for gate in gates if not (plain and only_reads(gate))),
        f"{marker}.restored",
        base=landed_base(recorder.state, entry),
        borrowing=entry.request.borrowing,
        begun=_shown(recorder, entry, "with the tests of the base"),
    )
    if plain and not judged.passed:
        judged = await _without_what_says_nothing(recorder, entry, judged, marker)
    return with_restored(report, judged, (*without.back, *without.out, *without.keyed))


async def _without_what_says_nothing(
    recorder: QueueRecorder, entry: Entry, judged: GateReport, marker: str
) -> GateReport:
    """Of a run that did without the new tests alone: a gate that is red on the base as well, as one is that finds no
    tests there, and one that finds too little of the code covered, say nothing about the story.
    """
    red = {result.name for result in judged.results if not result.passed and not lacks_coverage_alone(result.output)}
    base = await _on_base(recorder, entry, marker) if red else judged
    held = red - {result.name for result in base.results if not result.passed}
    return replace(judged, results=tuple(one for one in judged.results if one.passed or one.name in held))


async def _on_base(recorder: QueueRecorder, entry: Entry, marker: str) -> GateReport:
    """What the gates say of the base; what was red there in this process is not run again."""
    gates, landed, begun = (
        shared_gates(recorder, entry),
        landed_base(recorder.state, entry),
        _shown(recorder, entry, "on the base"),
    )
    return await recorder.world.gates.check(entry.base, gates, f"{marker}.base", base=landed, again=False, begun=begun)
