"""Worlds for a run and for a landing queue: stories that end in any order, bases that move under one's feet."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model.ids import Commit
from shiftwork.domain.model.queue import Entry, QueueState
from shiftwork.domain.model.run import RunState
from shiftwork.domain.model.story import FailureCause, Refusal, StoryStatus
from shiftwork.domain.model.usage import Usage
from shiftwork.testing.builders import gate_report, landing_request
from shiftwork.testing.simulation import Chance, Ticking

type Facts = tuple[f.Fact, ...]


@dataclass(slots=True, kw_only=True)
class RunWorld:
    """Answers the effects of a run. `cancels` is how often a person may still ask for its end."""

    chance: Chance
    cancels: int = 1
    ticking: Ticking = field(default_factory=Ticking)

    def answer(self, effect: e.Effect, run: RunState) -> Facts:
        at = self.ticking.now()
        match effect:
            case e.DispatchStory():
                return (f.StoryDispatched(at=at, story=effect.assignment.story.id),)
            case e.ForwardCancel():
                return (f.CancelForwarded(at=at, story=effect.story),)
            case e.Conclude():
                return effect.facts
            case e.Receive():
                return (self._message(run, at), f.MessagesRead(at=at, upto=effect.cursor + 1))
            case _:
                raise LookupError(f"a run does not ask for {effect}")

    @staticmethod
    def bound(run: RunState) -> int:
        """Each story is dispatched, told of a cancel and heard of; a cancel is heard of; the run ends."""
        return 3 * len(run.stories) + 2

    def _message(self, run: RunState, at: float) -> f.Fact:
        flying = [story for story, known in run.stories.items() if known.status is StoryStatus.IN_PROGRESS]
        who = self.chance.pick((*flying, *[None] * self.cancels))
        if who is None:
            self.cancels -= 1
            return f.CancelRequested(at=at)
        landed = self.chance.pick((True, False))
        return f.StoryEnded(
            at=at,
            story=who,
            status=StoryStatus.COMPLETED if landed else StoryStatus.FAILED,
            commit=self.ticking.commit() if landed else Commit(""),
            reason="" if landed else "no luck",
            cause=None if landed else self.chance.pick(tuple(FailureCause)),
            usage=Usage(cost_usd=0.25),
        )


@dataclass(slots=True, kw_only=True)
class QueueWorld:
    """Answers the effects of a landing queue: `requests` more may come, and the base may move `misses` times more."""

    chance: Chance
    requests: int = 3
    misses: int = 2
    asked: int = 0
    ticking: Ticking = field(default_factory=Ticking)

    def answer(self, effect: e.Effect, queue: QueueState) -> Facts:
        return _ANSWERS[type(effect)](self, effect, queue)

    def bound(self) -> int:
        """Each request is received, built, verified, moved and answered; each miss is three of these again."""
        return 5 * self.requests + 3 * self.misses + 1

    def receive(self, effect: e.Receive, queue: QueueState) -> Facts:  # noqa: ARG002 - one shape for all
        count = self.chance.pick(range(self.requests + 1))
        queued = tuple(self._queued() for _ in range(count))
        return (*queued, f.MessagesRead(at=self.ticking.now(), upto=effect.cursor + count)) if count else ()

    def _queued(self) -> f.Fact:
        self.requests -= 1
        self.asked += 1
        return f.EntryQueued(at=self.ticking.now(), branch="main", request=landing_request(self.asked))

    def build(self, effect: e.BuildCandidate, queue: QueueState) -> Facts:  # noqa: ARG002
        entry, base = effect.entry, Commit(f"base-{effect.entry.round}")
        match self.chance.pick(("built", "built", Refusal.CONFLICT, Refusal.EMPTY)):
            case Refusal() as cause:
                return (self._refused(entry, cause, base),)
            case _:
                commit, at = self.ticking.commit(), self.ticking.now()
                key = entry.request.key
                return (f.CandidateBuilt(at=at, request=key, round=entry.round, base=base, commit=commit),)

    def verify(self, effect: e.VerifyCandidate, queue: QueueState) -> Facts:  # noqa: ARG002
        entry = effect.entry
        if not self.chance.pick((True, False)):
            return (self._refused(entry, Refusal.GATES, entry.base),)
        report = gate_report(entry.candidate)
        return (f.CandidateVerified(at=self.ticking.now(), request=entry.request.key, report=report),)

    def move(self, effect: e.MoveBase, queue: QueueState) -> Facts:  # noqa: ARG002
        entry, at = effect.entry, self.ticking.now()
        if self.misses and self.chance.pick((False, True)):
            self.misses -= 1
            return (f.BaseMissed(at=at, request=entry.request.key),)
        return (f.BaseMoved(at=at, request=entry.request.key, commit=entry.candidate, ref="main"),)

    def close(self, effect: e.AnswerStory, queue: QueueState) -> Facts:  # noqa: ARG002
        return (f.EntryClosed(at=self.ticking.now(), request=effect.entry.request.key),)

    def _refused(self, entry: Entry, cause: Refusal, base: Commit) -> f.Fact:
        red = gate_report(entry.candidate, passed=False) if cause is Refusal.GATES else None
        return f.EntryRefused(
            at=self.ticking.now(), request=entry.request.key, cause=cause, detail="", files=(), base=base, report=red
        )


_ANSWERS: Final[dict[type[e.Effect], Callable[[QueueWorld, Any, QueueState], Facts]]] = {
    e.Receive: QueueWorld.receive,
    e.BuildCandidate: QueueWorld.build,
    e.VerifyCandidate: QueueWorld.verify,
    e.MoveBase: QueueWorld.move,
    e.AnswerStory: QueueWorld.close,
}
