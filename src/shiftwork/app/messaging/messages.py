"""Messages between streams and from people: how each is written into an inbox and which facts it becomes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from shiftwork.app.messaging import allowances
from shiftwork.domain.codec import decode, encode
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import FRAME, Commit, StoryId, Stream
from shiftwork.domain.core.plain import from_plain, to_plain
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import Entry, EntryStage, LandingRequest
from shiftwork.domain.memory.notes import Learnt, Remark, Scope
from shiftwork.domain.proof.commit_trailers import gates_told
from shiftwork.domain.proof.proof_status import ran_on
from shiftwork.domain.proof.verdict import ProofReport, ProofStatus
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.steering.undo import CALLED_OFF
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.certify import proof_of
from shiftwork.domain.story.loop_step import handed_on
from shiftwork.domain.story.notes import learnt
from shiftwork.domain.story.state import FailureCause, StoryState, StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.template_values import Context
from shiftwork.ports.store import Message

INTENT: Final = "intent"
CANCEL: Final = "cancel"
PAUSE: Final = "pause"
RELEASE: Final = "release"
WAITS: Final = "waits"
ENDED: Final = "ended"
NOTE: Final = "note"
LANDED: Final = "landed"
REFUSED: Final = "refused"
WITHDRAWN: Final = "withdrawn"
WITHDRAW: Final = "withdraw"
LAND: Final = "land"
OPEN: Final = "open"
CLOSED: Final = "closed"


def cancel() -> dict[str, Any]:
    return {"type": CANCEL}


def pause(*, paused: bool) -> dict[str, Any]:
    return {"type": PAUSE, "paused": paused}


def intent(wanted: Fact) -> dict[str, Any]:
    """What a person asks of a run, as the fact that it becomes when the run hears of it."""
    return {"type": INTENT, "fact": to_plain(encode(wanted))}


def release(*, granted: bool, answer: str = "", hold: int = 0) -> dict[str, Any]:
    return {"type": RELEASE, "granted": granted, "answer": answer, "hold": hold}


def waits(story: StoryId, *, waiting: bool) -> dict[str, Any]:
    return {"type": WAITS, "story": story, "waiting": waiting}


def ended(story: StoryState) -> dict[str, Any]:
    return {
        "type": ENDED,
        "story": story.given.story.id,
        "status": story.status.value,
        "commit": story.landed.commit,
        "base": story.landed.base,
        "reason": story.outcome.reason,
        "cause": story.outcome.cause.value if story.outcome.cause else None,
        "usage": to_plain(story.spending.usage),
        "proof": to_plain(proof_of(story)),
        "unbooked": to_plain(story.spending.unreserved or NOTHING_USED),
        "learnt": to_plain(learnt(story)),
        "context": to_plain(handed_on(story)),
    }


def note(story: StoryId, remark: Remark) -> dict[str, Any]:
    return {"type": NOTE, "story": story, "scope": remark.scope.value, "text": remark.text}


def open_loop(number: int, stories: Sequence[Story], feedback: str, context: Context) -> dict[str, Any]:
    return {
        "type": OPEN,
        "round": number,
        "stories": [to_plain(story) for story in stories],
        "feedback": feedback,
        "context": to_plain(context),
    }


def loop_closed(effect: run_effects.CloseLoop) -> dict[str, Any]:
    return {
        "type": CLOSED,
        "round": effect.round,
        "landed": effect.landed,
        "failed": list(effect.failed),
        "context": to_plain(effect.context),
    }


def land(branch: str, request: LandingRequest) -> dict[str, Any]:
    return {"type": LAND, "branch": branch, "request": to_plain(request)}


def withdraw(request: str) -> dict[str, Any]:
    return {"type": WITHDRAW, "request": request}


def answer(entry: Entry) -> dict[str, Any]:
    named = {"story": entry.request.story}
    if entry.stage is EntryStage.WITHDRAWN:
        return {"type": WITHDRAWN, **named, "number": entry.request.number}
    if entry.refusal is None:
        found = {"report": to_plain(entry.report), "proof": to_plain(entry.proof)}
        where = {"commit": entry.candidate, "ref": entry.landed_ref, "base": entry.base}
        return {"type": LANDED, **named, **where, **found}
    return {
        "type": REFUSED,
        **named,
        "cause": entry.refusal.value,
        "detail": entry.detail,
        "files": list(entry.files),
        "base": entry.base,
        "broken": list(entry.report.broken_before) if entry.report else [],
        "candidate": entry.candidate,
    }


def facts_of(stream: Stream, messages: Sequence[Message], at: float) -> tuple[Fact, ...]:
    """What the messages mean to their reader, closed by how far the inbox is now read; unknown ones mean nothing."""
    readers = _READERS[stream.partition("/")[0]]
    understood = [
        readers[message.body["type"]](message.body, at) for message in messages if message.body.get("type") in readers
    ]
    return (*understood, MessagesRead(at=at, upto=messages[-1].position)) if messages else ()


def _opened(body: dict[str, Any], at: float) -> Fact:
    return run_facts.LoopOpened(
        at=at,
        round=body["round"],
        stories=from_plain(tuple[Story, ...], body["stories"]),
        feedback=body["feedback"],
        context=from_plain(Context.__value__, body["context"]),
    )


def _closed(body: dict[str, Any], at: float) -> Fact:
    return story_facts.LoopEnded(
        at=at,
        round=body["round"],
        landed=body["landed"],
        failed=tuple(StoryId(story) for story in body["failed"]),
        context=from_plain(Context.__value__, body["context"]),
    )


def _story_ended(body: dict[str, Any], at: float) -> Fact:
    usage, unbooked = from_plain(Usage, body["usage"]), from_plain(Usage, body.get("unbooked", {}))
    if body["story"] == FRAME:
        return run_facts.FrameEnded(at=at, failure=body["reason"], usage=usage, unbooked=unbooked)
    return run_facts.StoryEnded(
        at=at,
        story=StoryId(body["story"]),
        status=StoryStatus(body["status"]),
        commit=Commit(body["commit"]),
        base=Commit(body["base"]),
        reason=body["reason"],
        cause=FailureCause(body["cause"]) if body["cause"] else None,
        usage=usage,
        unbooked=unbooked,
        learnt=from_plain(Learnt | None, body["learnt"]),
        context=from_plain(Context.__value__, body["context"]),
        proof=from_plain(ProofStatus | None, body.get("proof")),
    )


def _noted(body: dict[str, Any], at: float) -> Fact:
    return run_facts.NoteShared(at=at, story=StoryId(body["story"]), scope=Scope(body["scope"]), text=body["text"])


def _landed(body: dict[str, Any], at: float) -> Fact:
    return story_facts.LandingAccepted(
        at=at,
        commit=Commit(body["commit"]),
        ref=body["ref"],
        base=Commit(body["base"]),
        report=from_plain(GateReport | None, body["report"]),
        proof=from_plain(ProofReport | None, body["proof"]),
    )


def _refused(body: dict[str, Any], at: float) -> Fact:
    return story_facts.LandingRefused(
        at=at,
        cause=Refusal(body["cause"]),
        detail=body["detail"],
        files=tuple(body["files"]),
        base=Commit(body["base"]),
        broken=tuple(body["broken"]),
        candidate=Commit(body.get("candidate", "")),
    )


def _paused(body: dict[str, Any], at: float) -> Fact:
    return story_facts.StoryPaused(at=at) if body["paused"] else story_facts.StoryUnpaused(at=at)


def _intended(body: dict[str, Any], at: float) -> Fact:
    return replace(decode(**body["fact"]), at=at)


def _undone(body: dict[str, Any], at: float) -> Fact:
    gates = gates_told(ran_on(body["story"], from_plain(GateReport | None, body["report"]), ()))
    return run_facts.UndoLanded(at=at, story=StoryId(body["story"]), commit=Commit(body["commit"]), gates=gates)


def _undo_refused(body: dict[str, Any], at: float) -> Fact:
    reason = f"{_NOT_UNDONE[Refusal(body['cause'])]}: {body['detail']}"
    return run_facts.UndoRefused(at=at, story=StoryId(body["story"]), reason=reason)


_NOT_UNDONE: Final = {
    Refusal.CONFLICT: "the revert does not fit what has landed since",
    Refusal.GATES: "gates are red without it",
    Refusal.EMPTY: "nothing of it is left",
    Refusal.EVIDENCE: "it is not proved",
    Refusal.DEPENDENCIES: "what it depends on cannot be installed",
    Refusal.APPROVAL: "it is not approved",
    Refusal.RESERVED: "it changes files of git's or shiftwork's own",
    Refusal.LEFT_OUT: "it changes only files that would run on your machine later",
}


def _undo_withdrawn(body: dict[str, Any], at: float) -> Fact:
    return run_facts.UndoRefused(at=at, story=StoryId(body["story"]), reason=CALLED_OFF)


def _released(body: dict[str, Any], at: float) -> Fact:
    return story_facts.StoryReleased(at=at, granted=body["granted"], answer=body["answer"], hold=body["hold"])


def _waits(body: dict[str, Any], at: float) -> Fact:
    return run_facts.StoryWaits(at=at, story=StoryId(body["story"]), waiting=body["waiting"])


def _queued(body: dict[str, Any], at: float) -> Fact:
    return landing_facts.EntryQueued(at=at, branch=body["branch"], request=from_plain(LandingRequest, body["request"]))


_READERS: Final[dict[str, dict[str, Callable[[dict[str, Any], float], Fact]]]] = {
    "run": {
        ENDED: _story_ended,
        NOTE: _noted,
        WAITS: _waits,
        OPEN: _opened,
        CANCEL: lambda _, at: run_facts.CancelRequested(at=at),
        INTENT: _intended,
        LANDED: _undone,
        REFUSED: _undo_refused,
        WITHDRAWN: _undo_withdrawn,
        **allowances.RUN_READERS,
    },
    "story": {
        LANDED: _landed,
        REFUSED: _refused,
        WITHDRAWN: lambda body, at: story_facts.LandingWithdrawn(at=at, number=body["number"]),
        RELEASE: _released,
        CLOSED: _closed,
        CANCEL: lambda _, at: story_facts.StoryCancelRequested(at=at),
        PAUSE: _paused,
        **allowances.STORY_READERS,
    },
    "landing": {
        LAND: _queued,
        WITHDRAW: lambda body, at: landing_facts.EntryWithdrawn(at=at, request=body["request"]),
    },
}
