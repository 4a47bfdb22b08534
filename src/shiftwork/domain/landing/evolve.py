"""How facts change a landing queue. A fact that does not fit the state changes nothing."""

from collections.abc import Callable, Sequence
from typing import Final

from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.handlers import Handler, Handlers, handlers, on
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.core.refusal import Refusal, RefusalText
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import REMEMBERED, TRIES, lands_now, spoken_for
from shiftwork.domain.landing.owed_gates import OwedGate, Unchecked, owed_after, owed_after_run
from shiftwork.domain.landing.state import Entry, EntryStage, QueueState
from shiftwork.domain.landing.transitions import turn_entry
from shiftwork.domain.proof.evidence import step_gates
from shiftwork.records import replace

type _EntryFact = (
    landing_facts.CandidateBuilt
    | landing_facts.CandidateVerified
    | landing_facts.CandidateFailed
    | landing_facts.CandidateUnproved
    | landing_facts.EntryRefused
    | landing_facts.EntryWithdrawn
    | landing_facts.EntryClosed
)


def evolve_queue(queue: QueueState, fact: Fact) -> QueueState:
    handler = _HANDLERS.get(type(fact))
    return queue if handler is None else handler(queue, fact) or queue


# Facts about the whole queue -------------------------------------------------------------------------------------


def _messages_read(queue: QueueState, fact: MessagesRead) -> QueueState | None:
    return replace(queue, cursor=max(queue.cursor, fact.upto))


def _queued(queue: QueueState, fact: landing_facts.EntryQueued) -> QueueState | None:
    key = fact.request.key
    if any(entry.request.key == key for entry in queue.entries):
        return None
    return replace(queue, branch=fact.branch, entries=(*queue.entries, Entry(request=fact.request)))


def _taken(queue: QueueState, fact: landing_facts.BatchTaken) -> QueueState | None:
    """Batches follow each other, never two at a time."""
    if queue.chain or fact.number != queue.batch + 1:
        return None
    return replace(queue, batch=fact.number, policy=fact.policy, closed=False, verdicts=0)


def _batch_closed(queue: QueueState, fact: landing_facts.BatchClosed) -> QueueState | None:
    return replace(queue, closed=True) if fact.number == queue.batch else None


def _moved(queue: QueueState, fact: landing_facts.BaseMoved) -> QueueState | None:
    """Only the first entries of the chain land, all of them verified, and the branch is at the last of them. Findings
    on a candidate also hold for the commit with the same tree that replaced it.
    """
    count = len(fact.requests)
    if not count or tuple(entry.request.key for entry in queue.chain[:count]) != fact.requests:
        return None
    commits = fact.commits or tuple(entry.candidate for entry in queue.chain)
    if len(commits) != len(queue.chain) or commits[count - 1] != fact.commit:
        return None
    chain = _renamed(queue.chain, commits)
    landed = [turn_entry(replace(entry, landed_ref=fact.ref), Trigger.LAND) for entry in chain[:count]]
    known = replace(queue, owed=_owed_by(queue, chain[:count]))
    return _remember(_put(known, [*landed, *chain[count:]]), *(True for _ in landed))


def _owed_by(queue: QueueState, landed: Sequence[Entry]) -> tuple[OwedGate, ...]:
    owed = queue.owed
    for entry in landed:
        request = entry.request
        unchecked = Unchecked(run=request.run, story=request.story, base=entry.base, commit=entry.candidate)
        owed = owed_after(owed, entry.report, unchecked)
    return owed


def _owed_run(queue: QueueState, fact: landing_facts.OwedGatesRun) -> QueueState | None:
    return replace(queue, owed=owed_after_run(queue.owed, fact.report, fact.blamed, fact.gone))


def _renamed(chain: Sequence[Entry], commits: Sequence[Commit]) -> list[Entry]:
    """The entries with these commits in place of their candidates, wherever a candidate is referenced."""
    new = {entry.candidate: commit for entry, commit in zip(chain, commits, strict=True)}
    return [
        replace(
            entry,
            base=new.get(entry.base, entry.base),
            candidate=new[entry.candidate],
            report=entry.report and replace(entry.report, commit=new.get(entry.report.commit, entry.report.commit)),
            proof=entry.proof and replace(entry.proof, commit=new[entry.candidate]),
        )
        for entry in chain
    ]


def _missed(queue: QueueState, fact: landing_facts.BaseMissed) -> QueueState | None:
    return _dissolve(queue, queue.chain) if fact.batch == queue.batch else None


# Facts about one entry -------------------------------------------------------------------------------------------


def _built(queue: QueueState, entry: Entry, fact: landing_facts.CandidateBuilt) -> QueueState | None:
    """A candidate is appended to the chain: on top of the previous candidate, and behind it in the queue. A candidate
    that needs a person's approval is alone in its batch: it does not land now, and nothing may be built on it.
    """
    found = replace(entry, base=fact.base, candidate=fact.commit, approved=fact.approved, differs=fact.differs)
    built = turn_entry(found, Trigger.BUILD)
    if queue.chain:
        last = queue.chain[-1]
        if fact.base != last.candidate or queue.entries.index(entry) < queue.entries.index(last):
            return None
        if last.unapproved or (built and built.unapproved):
            return None
    return _put(queue, [built])


def _verified(queue: QueueState, entry: Entry, fact: landing_facts.CandidateVerified) -> QueueState | None:
    """A candidate is verified only by a report on the very commit that would land, with every gate green, and only
    where no approval is missing. With `Proof.TIP`, the last of a batch verifies those below it too.
    """
    if not _on_candidate(entry, fact.report) or not fact.report.passed:
        return None
    proved = spoken_for(queue, entry)
    if any(item.lacking or item.unapproved for item in proved):
        return None
    proofs = {proof.commit: proof for proof in fact.proofs}
    if fact.messages and len(fact.messages) != len(proved):
        return None
    lines = [
        replace(
            item,
            report=_own_report(fact.report, item, proved),
            proof=proofs.get(item.candidate),
            message=message,
            reds=0,
        )
        for item, message in zip(proved, fact.messages or [""] * len(proved), strict=True)
    ]
    return _judge(queue, [turn_entry(item, Trigger.VERIFY) for item in lines])


def _own_report(report: GateReport, entry: Entry, proved: Sequence[Entry]) -> GateReport:
    """The report without the verification steps of the other stories checked with it, the checks of other specs, and
    the gates that its own run leaves out.
    """
    others = {
        gate.name for item in proved if item is not entry for gate in step_gates(item.request.story, item.request.case)
    }
    left_out = others.union(entry.request.without_gates)
    own = {(gate.origin, gate.command) for gate in entry.request.gates}
    results = (
        result
        for result in report.results
        if result.name not in left_out and (not result.origin or (result.origin, result.command) in own)
    )
    not_needed = tuple(gate for gate in report.not_needed if gate.name not in left_out)
    excused = tuple(gate for gate in report.excused if gate.name not in left_out)
    return replace(report, results=tuple(results), not_needed=not_needed, excused=excused)


def _failed(queue: QueueState, entry: Entry, fact: landing_facts.CandidateFailed) -> QueueState | None:
    if not _on_candidate(entry, fact.report) or fact.report.passed:
        return None
    return _judge(queue, [replace(entry, report=fact.report, reds=entry.reds + 1)])


def _unproved(queue: QueueState, entry: Entry, fact: landing_facts.CandidateUnproved) -> QueueState | None:
    """A second check would find the same, so the verdict is final."""
    if entry.stage is not EntryStage.BUILT or fact.proof.commit != entry.candidate:
        return None
    lacking = RefusalText(detail=fact.lacking, feedback=fact.feedback)
    found = replace(entry, report=fact.report, proof=fact.proof, verdict_key=fact.key, message=fact.message)
    return _judge(queue, [replace(found, lacking=lacking, cause=fact.cause, reds=TRIES)])


def _on_candidate(entry: Entry, report: GateReport) -> bool:
    return entry.stage is EntryStage.BUILT and report.commit == entry.candidate


def _refused(queue: QueueState, entry: Entry, fact: landing_facts.EntryRefused) -> QueueState | None:
    """Candidates on top of the refused one are built again without it."""
    behind = _behind(queue, entry)
    text = RefusalText(detail=fact.detail, feedback=fact.feedback)
    refused = replace(entry, refusal=fact.cause, text=text, files=fact.files, base=fact.base, report=fact.report)
    changed = _put(queue, [turn_entry(refused, Trigger.REFUSE)])
    if changed is None:
        return None
    dissolved = _dissolve(changed, behind)
    return _remember(dissolved, False) if fact.cause is Refusal.GATES else dissolved


def _withdrawn(queue: QueueState, entry: Entry, fact: landing_facts.EntryWithdrawn) -> QueueState | None:  # noqa: ARG001 - one shape for all
    """An entry that lands at once cannot be withdrawn: a crashed worker may already have moved the branch to it."""
    if entry in lands_now(queue.chain, queue.policy):
        return None
    behind = _behind(queue, entry)
    changed = _put(queue, [turn_entry(entry, Trigger.WITHDRAW)])
    return None if changed is None else _dissolve(changed, behind)


def _closed(queue: QueueState, entry: Entry, fact: landing_facts.EntryClosed) -> QueueState | None:  # noqa: ARG001 - one shape for all
    if turn_entry(entry, Trigger.CLOSE) is None:
        return None
    return replace(queue, entries=tuple(item for item in queue.entries if item is not entry))


# Helpers ---------------------------------------------------------------------------------------------------------


def _put(queue: QueueState, changed: Sequence[Entry | None]) -> QueueState | None:
    """The queue with these entries updated; None where any of the changes was illegal."""
    new = {entry.request.key: entry for entry in changed if entry is not None}
    if len(new) < len(changed):
        return None
    return replace(queue, entries=tuple(new.get(entry.request.key, entry) for entry in queue.entries))


def _judge(queue: QueueState, changed: Sequence[Entry | None]) -> QueueState | None:
    """The queue with one more verdict."""
    judged = _put(queue, changed)
    return judged and replace(judged, verdicts=judged.verdicts + 1)


def _behind(queue: QueueState, entry: Entry) -> tuple[Entry, ...]:
    """The entries whose candidates are on top of this one."""
    return queue.chain[queue.chain.index(entry) + 1 :] if entry in queue.chain else ()


def _dissolve(queue: QueueState, entries: Sequence[Entry]) -> QueueState:
    """Puts the entries back into waiting, at the same place in the queue."""
    back = [turn_entry(_unbuilt(entry), Trigger.MISS) for entry in entries]
    return _put(queue, back) or queue


def _unbuilt(entry: Entry) -> Entry:
    """The entry without its candidate and what was found about that."""
    return replace(
        entry,
        round=entry.round + 1,
        base=Commit(""),
        candidate=Commit(""),
        report=None,
        proof=None,
        lacking=None,
        cause=Refusal.EVIDENCE,
        approved=False,
        differs=(),
        reds=0,
        verdict_key="",
        message="",
    )


def _remember(queue: QueueState | None, *landed: bool) -> QueueState | None:
    return None if queue is None else replace(queue, recent=(*queue.recent, *landed)[-REMEMBERED:])


def _on_entry[F: _EntryFact](
    kind: type[F], handler: Callable[[QueueState, Entry, F], QueueState | None]
) -> tuple[type[Fact], Handler[QueueState, QueueState | None]]:
    """A line of the table for a fact about one entry; it changes nothing if the queue does not have that entry."""

    def handle(queue: QueueState, fact: F) -> QueueState | None:
        entry = next((item for item in queue.entries if item.request.key == fact.request), None)
        return None if entry is None else handler(queue, entry, fact)

    return on(kind, handle)


_HANDLERS: Final[Handlers[QueueState, QueueState | None]] = handlers(
    on(MessagesRead, _messages_read),
    on(landing_facts.EntryQueued, _queued),
    on(landing_facts.BatchTaken, _taken),
    on(landing_facts.BatchClosed, _batch_closed),
    on(landing_facts.BaseMoved, _moved),
    on(landing_facts.BaseMissed, _missed),
    on(landing_facts.OwedGatesRun, _owed_run),
    _on_entry(landing_facts.CandidateBuilt, _built),
    _on_entry(landing_facts.CandidateVerified, _verified),
    _on_entry(landing_facts.CandidateFailed, _failed),
    _on_entry(landing_facts.CandidateUnproved, _unproved),
    _on_entry(landing_facts.EntryRefused, _refused),
    _on_entry(landing_facts.EntryWithdrawn, _withdrawn),
    _on_entry(landing_facts.EntryClosed, _closed),
)
