"""Messages between streams and from people: a message is the fact that the receiver records when it reads it."""

from collections.abc import Sequence
from typing import Final

from shiftwork.domain.codec import decode, encode
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import FRAME, Commit, Stream
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import PassedGates
from shiftwork.domain.landing.state import Entry, EntryStage
from shiftwork.domain.proof.commit_trailers import gates_shown
from shiftwork.domain.proof.proof_status import ran_on
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.steering.undo import CANCELLED_FIRST
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.certify import proof_of
from shiftwork.domain.story.loop_step import handed_on
from shiftwork.domain.story.notes import learnt
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.errors import CodecError
from shiftwork.ports.store import Message, MessageBox
from shiftwork.records import replace

UNREAD: Final = 0.0
"""The time of a fact that is still a message: its receiver records it with the time of reading."""


async def send(inbox: MessageBox, target: Stream, key: str, fact: Fact, *, after: int | None = None) -> bool:
    """Posts a message, once for each target and key, and with `after` only if the target has no message after that
    position. Returns whether it is stored now.
    """
    return await inbox.post(target, key, to_plain(encode(fact)), after=after)


async def stored(inbox: MessageBox, target: Stream, key: str) -> Fact | None:
    """Returns the message with that key, received or not; None if there is none."""
    found = [message for message in await inbox.receive(target, after=0) if message.key == key]
    return read(target, found[0]) if found else None


def read(stream: Stream, message: Message) -> Fact:
    """Returns the fact of a message. Raises CodecError for a message that this release does not know or that is meant
    for another kind of stream: the message stays unread.
    """
    try:
        fact = decode(**message.body)
    except TypeError as error:
        raise CodecError(f"the message {message.key!r} to {stream} cannot be read: {error}") from error
    receiver = type(fact).__module__.split(".")[2]
    if receiver != stream.partition("/")[0]:
        raise CodecError(
            f"the message {message.key!r} to {stream} is a {type(fact).__name__}, which a {receiver} reads"
        )
    return fact


def facts_of(stream: Stream, messages: Sequence[Message], at: float) -> tuple[Fact, ...]:
    """Returns the facts of the messages, then the new read position. Raises CodecError for a message that cannot be
    read, so that no message is skipped.
    """
    facts = [replace(read(stream, message), at=at) for message in messages]
    return (*facts, MessagesRead(at=at, upto=messages[-1].position)) if messages else ()


def holds(messages: Sequence[Message], kind: type[Fact]) -> bool:
    return any(message.body.get("kind") == kind.__name__ for message in messages)


def of_kind[F: Fact](stream: Stream, messages: Sequence[Message], kind: type[F]) -> list[F]:
    """Returns the facts of that kind among the messages; the others are not read."""
    facts = (read(stream, message) for message in messages if message.body.get("kind") == kind.__name__)
    return [fact for fact in facts if isinstance(fact, kind)]


def ended(story: StoryState) -> Fact:
    """What a story, or the run's own steps, reports to its run at the end."""
    usage, unrecorded = story.spending.usage, story.spending.unreserved or NOTHING_USED
    if story.given.story.id == FRAME:
        return run_facts.FrameEnded(at=UNREAD, failure=story.outcome.reason, usage=usage, unrecorded=unrecorded)
    return run_facts.StoryEnded(
        at=UNREAD,
        story=story.given.story.id,
        status=story.status,
        commit=story.landed_commit,
        base=story.landed.base if story.landed else Commit(""),
        reason=story.outcome.reason,
        cause=story.outcome.cause,
        usage=usage,
        unrecorded=unrecorded,
        learnt=learnt(story),
        context=handed_on(story),
        proof=proof_of(story),
    )


def answer(entry: Entry) -> Fact:
    """What the landing queue answers to a request: to the story that made it, or to the run if it is a revert."""
    return _to_run(entry) if entry.request.stream.startswith("run/") else _to_story(entry)


def _to_story(entry: Entry) -> Fact:
    if entry.stage is EntryStage.WITHDRAWN:
        return story_facts.LandingWithdrawn(at=UNREAD, number=entry.request.number)
    if entry.refusal is None:
        return story_facts.LandingAccepted(
            at=UNREAD,
            commit=entry.candidate,
            ref=entry.landed_ref,
            base=entry.base,
            report=entry.report,
            proof=entry.proof,
        )
    return story_facts.LandingRefused(
        at=UNREAD,
        cause=entry.refusal,
        detail=entry.text.detail,
        files=entry.files,
        base=entry.base,
        broken=entry.report.broken_before if entry.report else (),
        candidate=entry.candidate,
        feedback=entry.text.feedback,
        passed=_passed(entry),
        message=entry.message,
    )


def _passed(entry: Entry) -> PassedGates | None:
    return PassedGates(report=entry.report, key=entry.verdict_key) if entry.report and entry.verdict_key else None


def _to_run(entry: Entry) -> Fact:
    story = entry.request.story
    if entry.stage is EntryStage.WITHDRAWN:
        return run_facts.UndoRefused(at=UNREAD, story=story, reason=CANCELLED_FIRST)
    if entry.refusal is None:
        gates = gates_shown(ran_on(story, entry.report, ()))
        return run_facts.UndoLanded(at=UNREAD, story=story, commit=entry.candidate, gates=gates)
    return run_facts.UndoRefused(at=UNREAD, story=story, reason=f"{_NOT_UNDONE[entry.refusal]}: {entry.text.detail}")


_NOT_UNDONE: Final = {
    Refusal.CONFLICT: "the revert conflicts with what has landed since",
    Refusal.GATES: "gates fail without it",
    Refusal.EMPTY: "none of its changes are left",
    Refusal.EVIDENCE: "its evidence is not sufficient",
    Refusal.DEPENDENCIES: "its dependencies cannot be installed",
    Refusal.APPROVAL: "it is not approved",
    Refusal.RESERVED: "it changes files that belong to git or shiftwork",
    Refusal.LEFT_OUT: "it changes only files that would run on your machine later",
    Refusal.MESSAGE: "its commit message is refused",
}
