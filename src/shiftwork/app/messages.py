"""Messages between streams and from people: how each is written into an inbox and which facts it becomes."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from shiftwork.domain.model import facts as f
from shiftwork.domain.model import queue_facts as q
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.codec import from_plain, to_plain
from shiftwork.domain.model.ids import Commit, StoryId, Stream
from shiftwork.domain.model.queue import Entry, LandingRequest
from shiftwork.domain.model.story import FailureCause, Refusal, StoryState, StoryStatus
from shiftwork.domain.model.usage import Usage
from shiftwork.ports.store import Message

CANCEL: Final = "cancel"
RELEASE: Final = "release"
ENDED: Final = "ended"
LANDED: Final = "landed"
REFUSED: Final = "refused"
LAND: Final = "land"


def cancel() -> dict[str, Any]:
    return {"type": CANCEL}


def release(*, granted: bool, answer: str = "", limit_usd: float | None = None) -> dict[str, Any]:
    return {"type": RELEASE, "granted": granted, "answer": answer, "limit_usd": limit_usd}


def ended(story: StoryState) -> dict[str, Any]:
    return {
        "type": ENDED,
        "story": story.given.story.id,
        "status": story.status.value,
        "commit": story.landed,
        "reason": story.failure,
        "cause": story.cause.value if story.cause else None,
        "usage": to_plain(story.usage),
    }


def land(branch: str, request: LandingRequest) -> dict[str, Any]:
    return {"type": LAND, "branch": branch, "request": to_plain(request)}


def answer(entry: Entry) -> dict[str, Any]:
    if entry.refusal is None:
        return {"type": LANDED, "commit": entry.candidate, "ref": entry.landed_ref}
    return {
        "type": REFUSED,
        "cause": entry.refusal.value,
        "detail": entry.detail,
        "files": list(entry.files),
        "base": entry.base,
    }


def facts_of(stream: Stream, messages: Sequence[Message], at: float) -> tuple[f.Fact, ...]:
    """What the messages mean to their reader, closed by how far the inbox is now read; unknown ones mean nothing."""
    readers = _READERS[stream.partition("/")[0]]
    understood = [
        readers[message.body["type"]](message.body, at) for message in messages if message.body.get("type") in readers
    ]
    return (*understood, f.MessagesRead(at=at, upto=messages[-1].position)) if messages else ()


def _story_ended(body: dict[str, Any], at: float) -> f.Fact:
    return r.StoryEnded(
        at=at,
        story=StoryId(body["story"]),
        status=StoryStatus(body["status"]),
        commit=Commit(body["commit"]),
        reason=body["reason"],
        cause=FailureCause(body["cause"]) if body["cause"] else None,
        usage=from_plain(Usage, body["usage"]),
    )


def _landed(body: dict[str, Any], at: float) -> f.Fact:
    return f.LandingAccepted(at=at, commit=Commit(body["commit"]), ref=body["ref"])


def _refused(body: dict[str, Any], at: float) -> f.Fact:
    return f.LandingRefused(
        at=at,
        cause=Refusal(body["cause"]),
        detail=body["detail"],
        files=tuple(body["files"]),
        base=Commit(body["base"]),
    )


def _released(body: dict[str, Any], at: float) -> f.Fact:
    return f.StoryReleased(at=at, granted=body["granted"], answer=body["answer"], limit_usd=body["limit_usd"])


def _queued(body: dict[str, Any], at: float) -> f.Fact:
    return q.EntryQueued(at=at, branch=body["branch"], request=from_plain(LandingRequest, body["request"]))


_READERS: Final[dict[str, dict[str, Callable[[dict[str, Any], float], f.Fact]]]] = {
    "run": {ENDED: _story_ended, CANCEL: lambda _, at: r.CancelRequested(at=at)},
    "story": {
        LANDED: _landed,
        REFUSED: _refused,
        RELEASE: _released,
        CANCEL: lambda _, at: f.StoryCancelRequested(at=at),
    },
    "landing": {LAND: _queued},
}
