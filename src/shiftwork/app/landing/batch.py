"""Lands a batch at a time: chain candidates, run the gates on their trees, move the base over them. Requests that come
meanwhile join the end of the chain.

The commits that land have the trees that were checked; only their messages are completed, with the results.

A request that conflicts with the tip of the branch is refused. A request that only conflicts with a candidate before it
in the batch waits for the next batch: that candidate may still be refused itself, and a story is sent back for repair
on top of what has landed, never on top of what may land.
"""

from collections.abc import Sequence

from shiftwork import failpoints
from shiftwork.app.messaging import messages
from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.landing import effects as landing_effects
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import batch_size, has_room
from shiftwork.domain.landing.commit_message import landed_message, message_of
from shiftwork.domain.landing.state import Entry
from shiftwork.domain.tampering.later_files import only_later
from shiftwork.ports.workspace import Candidate, Conflict, Missed, Reserved, Unchanged
from shiftwork.records import dataclass, replace


async def take(effect: landing_effects.TakeBatch, recorder: QueueRecorder) -> tuple[Fact, ...]:
    """Records batch and candidates in one write. Entries join a batch in progress at its end."""
    context = recorder.context
    policy = context.work_policy.landing
    received = await context.inbox.receive(recorder.stream, after=effect.cursor)
    news = messages.facts_of(recorder.stream, received, context.clock.now())
    queue = recorder.kind.state.fold(recorder.state, news)
    if queue.chain:
        room = batch_size(queue.recent, queue.policy.batch) - len(queue.chain)
        waiting = queue.waiting[:room] if has_room(queue) else ()
        joined = await _chain(recorder, Chain(top=queue.chain[-1].candidate, number=queue.batch), waiting)
        failpoints.reach("landing.built")
        return (*news, *joined)
    waiting = queue.waiting[: batch_size(queue.recent, policy.batch)]
    if not waiting:
        return news
    taken = landing_facts.BatchTaken(at=context.clock.now(), number=queue.batch + 1, policy=policy)
    tip = await context.repository.tip(queue.branch)
    chain = await _chain(recorder, Chain(top=tip, number=taken.number, landed=True), waiting)
    failpoints.reach("landing.built")
    return (*news, taken, *chain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The commit that the next candidate is built on, which has `landed` or is a candidate of this batch."""

    top: Commit
    number: int
    landed: bool = False


async def _chain(recorder: QueueRecorder, chain: Chain, waiting: Sequence[Entry]) -> list[Fact]:
    """A candidate that needs approval does not land now, so nothing is chained to it: it is a batch of its own, and
    waits for the next batch if others come first. So does one that conflicts with a candidate before it. Nothing joins
    a batch that such an entry waits for, otherwise it might wait for ever.
    """
    facts: list[Fact] = []
    passed_over = False
    for entry in waiting:
        built = await _candidate(recorder, chain.top, entry)
        if not isinstance(built, Candidate):
            facts += [_refused(recorder, entry, built)] if chain.landed else []
            passed_over |= not chain.landed
            continue
        fact = await _built(recorder, entry, built)
        asks = entry.request.review and not fact.approved
        facts += [fact] if chain.landed or not asks else []
        passed_over |= asks and not chain.landed
        if asks:
            break
        chain = replace(chain, top=fact.commit, landed=False)
    if passed_over:
        facts.append(landing_facts.BatchClosed(at=recorder.context.clock.now(), number=chain.number))
    return facts


async def _candidate(recorder: QueueRecorder, top: Commit, entry: Entry) -> Candidate | Conflict | Unchanged | Reserved:
    """An approved patch may already be on the branch, because the person who approved it put it there: it lands as the
    tip of the branch. For other work on the branch it is unknown who put it there, and whether they were allowed to.
    """
    request = entry.request
    tip = await _without_kept(recorder, entry)
    built = await recorder.context.repository.candidate(top, tip, message_of(request), base=request.base)
    if isinstance(built, Unchanged) and (request.may_be_empty or request.approved):
        return Candidate(commit=built.base, base=built.base)
    return built


async def _without_kept(recorder: QueueRecorder, entry: Entry) -> Commit:
    """The tip to land, without changes to files that only the harness may change."""
    request = entry.request
    if not request.inspection.kept:
        return request.tip
    return await recorder.context.protecting.restored(request.base, request.tip, (), request.inspection.kept)


async def _built(recorder: QueueRecorder, entry: Entry, candidate: Candidate) -> landing_facts.CandidateBuilt:
    approved = entry.request.approved
    differs = approved and await recorder.context.repository.departed(candidate, approved)
    return landing_facts.CandidateBuilt(
        at=recorder.context.clock.now(),
        request=entry.request.key,
        round=entry.round,
        base=candidate.base,
        commit=candidate.commit,
        approved=differs == (),
        differs=differs or (),
    )


def _refused(recorder: QueueRecorder, entry: Entry, why: Conflict | Unchanged | Reserved) -> Fact:
    if isinstance(why, Conflict):
        cause, files = Refusal.CONFLICT, why.files
        detail = "These files conflict with what has landed since: " + ", ".join(files)
    elif isinstance(why, Reserved):
        cause, files = Refusal.RESERVED, why.files
        detail = "These files belong to git or shiftwork, and no story may change them: " + ", ".join(files)
    elif entry.request.inspection.left_out:
        cause, files = Refusal.LEFT_OUT, entry.request.inspection.left_out
        detail = only_later(files)
    else:
        cause, files = Refusal.EMPTY, ()
        detail = "The story's steps have ended, but nothing in the repository has changed."
        if entry.request.tip != entry.request.base:
            detail = "All changes of the story are already on the branch: somebody else has made the same changes."
    return landing_facts.EntryRefused(
        at=recorder.context.clock.now(),
        request=entry.request.key,
        cause=cause,
        detail=detail,
        files=files,
        base=why.base,
        report=None,
    )


async def move(effect: landing_effects.MoveBase, recorder: QueueRecorder) -> tuple[Fact, ...]:
    """A process that was killed between the move and its record finds the same commits on the branch, because they
    follow from the recorded batch.
    """
    repository, base, landing = recorder.context.repository, effect.entries[0].base, len(effect.entries)
    commits = await repository.reworded(base, _messages(recorder.state.chain, landing))
    failpoints.reach("landing.reworded")
    tip = commits[landing - 1]
    moved = await repository.move(recorder.state.branch, Candidate(commit=tip, base=base))
    failpoints.reach("landing.moved")
    at = recorder.context.clock.now()
    if isinstance(moved, Missed):
        return (landing_facts.BaseMissed(at=at, batch=recorder.state.batch),)
    for request in (entry.request for entry in effect.entries if entry.request.inspection.left_out):
        between = (request.base, request.tip)
        await recorder.context.protecting.keep_left_out(
            request.run, request.story, between, request.inspection.left_out
        )
    requests = tuple(entry.request.key for entry in effect.entries)
    return (landing_facts.BaseMoved(at=at, requests=requests, commit=tip, ref=moved.ref, commits=commits),)


def _messages(chain: Sequence[Entry], landing: int) -> list[tuple[Commit, str]]:
    """Commits that land get a message with the results; those after them are still candidates."""
    return [
        (entry.candidate, landed_message(entry) if place < landing else message_of(entry.request))
        for place, entry in enumerate(chain)
    ]


async def answer(effect: landing_effects.AnswerStories, recorder: QueueRecorder) -> tuple[Fact, ...]:
    for entry in effect.entries:
        request = entry.request
        await messages.send(recorder.context.inbox, request.stream, f"answer/{request.number}", messages.answer(entry))
        failpoints.reach("landing.answered")
    return tuple(
        landing_facts.EntryClosed(at=recorder.context.clock.now(), request=entry.request.key)
        for entry in effect.entries
    )
