"""Chooses the gates of a candidate by what it changes, where the settings name paths for gates."""

from collections.abc import Iterator
from itertools import takewhile

from shiftwork.app.folds import RUN, STORY, load
from shiftwork.app.landing.proof import shared_gates
from shiftwork.app.messaging import run_inbox
from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.domain.core.ids import RunId, StoryId, run_stream, story_stream
from shiftwork.domain.gates.needed_gates import Choice, chosen
from shiftwork.domain.landing.batching import landed_base, spoken_for
from shiftwork.domain.landing.state import Entry, request_key
from shiftwork.domain.story.state import ENDED, LandingStage
from shiftwork.domain.tampering.findings import Inspection, Protection, Touched
from shiftwork.domain.tampering.inspect import leaves_early
from shiftwork.domain.tampering.restore import configures
from shiftwork.records import replace


async def gates_for(recorder: QueueRecorder, entry: Entry) -> Choice:
    """All gates judge the last story of a run, a suspicious change, and one in an environment that
    is not its own; otherwise those that the candidate's changed files need.
    """
    gates, covered = shared_gates(recorder, entry), spoken_for(recorder.state, entry)
    suspicious = any(item.request.borrowing or _is_suspicious(item.request.inspection) for item in covered)
    if not any(gate.paths for gate in gates) or suspicious or await _completes_a_run(recorder, entry):
        return Choice(gates=gates)
    inspector, landed = recorder.context.inspector, landed_base(recorder.state, entry)
    changed = {
        path for base in dict.fromkeys((landed, entry.base)) for path in await inspector.affected(base, entry.candidate)
    }
    commands = tuple(gate.command for gate in gates)
    protection = replace(recorder.context.work_policy.protection, commands=commands)
    unusual = {path for item in covered for path in _unusual_paths(item.request.inspection, protection)}
    return chosen(gates, changed, unusual)


def _is_suspicious(inspection: Inspection) -> bool:
    return bool(inspection.objections) or leaves_early(inspection)


def _unusual_paths(inspection: Inspection, protection: Protection) -> Iterator[str]:
    """The changed files that may affect every gate, wherever they are. A new test is not among them: only gates that
    collect it run it.
    """
    yield from (*inspection.back, *inspection.keyed)
    yield from (path for path in inspection.out if configures(Touched(path=path, letter="A"), protection))


async def _completes_a_run(recorder: QueueRecorder, entry: Entry) -> bool:
    """Whether no other story of a run that this check is about can still land after it."""
    runs = {item.request.run for item in spoken_for(recorder.state, entry)}
    return any([not await _more_to_come(recorder, entry, run) for run in sorted(runs)])


async def _more_to_come(recorder: QueueRecorder, entry: Entry, run: RunId) -> bool:
    """A story that has asked to land and is not behind this entry in the queue counts as landed: its run may not know
    it yet, so all gates run.
    """
    queue, events = recorder.state, recorder.context.events
    ahead = takewhile(lambda item: item.request.key != entry.request.key, queue.chain)
    first = {item.request.key for item in (*ahead, entry)}
    queued = (item.request for item in (*queue.waiting, *queue.chain) if item.request.key not in first)
    behind = {request.story for request in queued if request.run == run}
    state = await load(events, RUN, run_stream(run))
    for story, known in state.stories.items():
        if known.status in ENDED or story in state.schedule.blocked or story == entry.request.story:
            continue
        if story in behind or not await _has_asked(recorder, run, story):
            return True
    return False


async def _has_asked(recorder: QueueRecorder, run: RunId, story: StoryId) -> bool:
    """A story records its request after it has posted it, and the queue may be faster."""
    state = await load(recorder.context.events, STORY, story_stream(run, story))
    if state.landing.progress in {LandingStage.REQUESTED, LandingStage.LANDED}:
        return True
    unrecorded = request_key(run, story, state.landing.requests + 1)
    return await run_inbox.has_asked(recorder.context.inbox, recorder.stream, unrecorded)
