"""Simulates the surroundings of a landing queue: stories that conflict, break gates, repair them, are flaky or are
withdrawn, a user who commits, and crashes.

A commit is defined by its stories. They decide whether gates pass on it, so that the queue's results can be compared
with the truth. A commit that replaces a candidate is named after it and after its parent.
"""

import zlib
from collections.abc import Callable
from typing import Any, Final

from shiftwork.app.landing.proof import unapproved, uninstalled
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.attribution import tried_again
from shiftwork.domain.landing import effects as landing_effects
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import batch_size, has_room, spoken_for
from shiftwork.domain.landing.evolve import evolve_queue
from shiftwork.domain.landing.state import Entry, EntryStage, LandingPolicy, LandingRequest, QueueState
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.records import dataclass, field, replace
from shiftwork.testing.builders import BASE, gate_report, landing_request
from shiftwork.testing.simulation.simulation import Chance, SimulatedClock

type Facts = tuple[Fact, ...]
type Verdict = landing_facts.CandidateVerified | landing_facts.CandidateUnproved | landing_facts.CandidateFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What is true of a story: `breaks` makes gates fail, `repairs` makes them pass whatever was broken before, and a
    `flaky` story fails the first time. It conflicts with `rival`, and has no effect if `changes` is False. A `bare`
    story has no evidence, and the dependencies of a `needy` story cannot be installed. A `reserved` story touches git's
    own files, and a story with `later` only changes files that would run later. A story under `review` needs a person's
    approval, unless its patch is `approved`. A hook refuses the message of an `unworded` story.
    """

    breaks: bool = False
    repairs: bool = False
    flaky: bool = False
    changes: bool = True
    bare: bool = False
    needy: bool = False
    reserved: bool = False
    later: bool = False
    unworded: bool = False
    review: bool = False
    approved: bool = False
    rival: str = ""


ORDINARY: Final = Traits()


@dataclass(slots=True, kw_only=True)
class QueueSimulation:
    """Answers the effects of a landing queue. Up to `requests` more requests may arrive, the user may commit `misses`
    more times, `withdrawals` more requests may be withdrawn at any moment, and the process may die `deaths` more times
    between an action and its record. A withdrawn request is a key in the inbox.
    """

    chance: Chance
    policy: LandingPolicy = LandingPolicy()
    requests: int = 3
    misses: int = 2
    deaths: int = 0
    withdrawals: int = 0
    inbox: list[LandingRequest | str] = field(default_factory=list)
    traits: dict[str, Traits] = field(default_factory=dict)
    stories: dict[Commit, tuple[str, ...]] = field(default_factory=lambda: {BASE: ()})
    at: Commit = BASE
    been: list[Commit] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    refusals: dict[str, Refusal | None] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    clock: SimulatedClock = field(default_factory=SimulatedClock)

    def answer(self, effect: e.Effect, queue: QueueState) -> Facts:
        while self.deaths and self.chance.pick((False, True)):
            self.deaths -= 1
            _ANSWERS[type(effect)](self, effect, queue)
            self._withdraw(queue)
        self._withdraw(queue)
        return _ANSWERS[type(effect)](self, effect, queue)

    def bound(self) -> int:
        """Each batch settles its first entry or is missed, and has a few effects for each of its entries."""
        batches = self.requests + self.misses + self.withdrawals + 1
        return batches * (8 * min(self.requests, self.policy.batch) + 2)

    @staticmethod
    def tree(commit: Commit) -> str:
        """The candidate with the same tree as the commit."""
        return commit.partition("@")[0]

    def is_red(self, commit: Commit) -> bool:
        broken = False
        for story in self.stories[commit]:
            traits = self.traits.get(story, ORDINARY)
            broken = (broken or traits.breaks) and not traits.repairs
        return broken

    def take(self, effect: landing_effects.TakeBatch, queue: QueueState) -> Facts:
        for _ in range(self.chance.pick(range(self.requests + 1))):
            self._ask()
        news, queue = self._news(queue, effect.cursor)
        at = self.clock.now()
        if queue.chain:
            room = batch_size(queue.recent, self.policy.batch) - len(queue.chain)
            waiting = queue.waiting[:room] if has_room(queue) else ()
            return (*news, *self._chain(queue.chain[-1].candidate, queue.batch, waiting))
        waiting = queue.waiting[: batch_size(queue.recent, self.policy.batch)]
        taken = landing_facts.BatchTaken(at=at, number=queue.batch + 1, policy=self.policy)
        return (*news, taken, *self._chain(self.at, taken.number, waiting)) if waiting else tuple(news)

    def _news(self, queue: QueueState, cursor: int) -> tuple[Facts, QueueState]:
        """The unread messages in the inbox, and the queue after it has read them."""
        at = self.clock.now()
        news: list[Fact] = [
            landing_facts.EntryWithdrawn(at=at, request=request)
            if isinstance(request, str)
            else landing_facts.EntryQueued(at=at, branch="main", request=request)
            for request in self.inbox[cursor:]
        ]
        if news:
            news.append(MessagesRead(at=at, upto=len(self.inbox)))
        for fact in news:
            queue = evolve_queue(queue, fact)
        return tuple(news), queue

    def _withdraw(self, queue: QueueState) -> None:
        """Those that were verified before others are few, so they are chosen more often."""
        verified = {entry.request.key for entry in queue.chain if entry.stage is EntryStage.VERIFIED}
        asked = [
            request.key
            for request in self.inbox
            if isinstance(request, LandingRequest) and request.key not in self.inbox
        ]
        often = (False, True) if verified else (False, False, False, False, True)
        if self.withdrawals and asked and self.chance.pick(often):
            self.withdrawals -= 1
            self.inbox.append(self.chance.pick([key for key in asked if key in verified] or asked))

    def _ask(self) -> None:
        self.requests -= 1
        request = landing_request(len(self.traits) + 1)
        rivals = ("", *self.traits)
        odd = (Traits(flaky=True), Traits(changes=False), Traits(bare=True), Traits(needy=True))
        refused = (Traits(reserved=True), Traits(later=True), Traits(unworded=True))
        held = (Traits(review=True), Traits(review=True, approved=True))
        kinds = (ORDINARY, ORDINARY, Traits(breaks=True), Traits(repairs=True), *odd, *refused, *held)
        traits = self.traits[request.key] = replace(self.chance.pick(kinds), rival=self.chance.pick(rivals))
        seen = self.chance.pick((None, Patch(base=BASE, commit=Commit("seen")))) if traits.review else None
        self.inbox.append(replace(request, review=traits.review, approved=seen))

    def _chain(self, top: Commit, number: int, waiting: tuple[Entry, ...]) -> list[Fact]:
        facts: list[Fact] = []
        passed_over = False
        landed = top if top == self.at else None
        for entry in waiting:
            if cause := self._trouble(top, entry):
                facts += [self._refused(entry, cause)] if top == landed else []
                passed_over |= top != landed
                continue
            built = self._built(top, entry)
            asks = entry.request.review and not built.approved
            facts += [] if asks and top != landed else [built]
            passed_over |= asks and top != landed
            if asks:
                break
            top = built.commit
        closed = landing_facts.BatchClosed(at=self.clock.now(), number=number)
        return [*facts, closed] if passed_over else facts

    def _built(self, top: Commit, entry: Entry) -> landing_facts.CandidateBuilt:
        commit, request = self.clock.commit(), entry.request
        self.stories[commit] = (*self.stories[top], request.key)
        same = request.approved is not None and self._traits(entry).approved
        return landing_facts.CandidateBuilt(
            at=self.clock.now(),
            request=request.key,
            round=entry.round,
            base=top,
            commit=commit,
            approved=same,
            differs=() if same or request.approved is None else ("a.py",),
        )

    def _trouble(self, top: Commit, entry: Entry) -> Refusal | None:
        traits = self._traits(entry)
        if traits.rival in self.stories[top]:
            return Refusal.CONFLICT
        if not traits.changes:
            return Refusal.EMPTY
        if traits.later:
            return Refusal.LEFT_OUT
        return Refusal.RESERVED if traits.reserved else None

    def _traits(self, entry: Entry) -> Traits:
        return self.traits.get(entry.request.key, ORDINARY)

    def check(self, effect: landing_effects.CheckCandidates, queue: QueueState) -> Facts:
        """Some of the verdicts, in any order: the other checks go on, or the process died before it recorded all of
        them. Messages are recorded first, and then there may be no verdict yet.
        """
        self._withdraw(queue)
        for _ in range(min(self.requests, self.chance.pick((0, 1, 2)))):
            self._ask()
        if len(self.inbox) > queue.cursor and self.chance.pick((True, False)):
            return self._news(queue, queue.cursor)[0]
        some = [self._verdict(effect.entries[place], queue) for place in self._done(len(effect.entries))]
        if len(self.inbox) == queue.cursor:
            return tuple(some)
        news, queue = self._news(queue, queue.cursor)
        wanted = {entry.request.key for entry in queue.chain}
        return (*news, *(verdict for verdict in some if verdict.request in wanted))

    def _done(self, running: int) -> list[int]:
        places = [*range(running)]
        count = self.chance.pick((1, *range(running, 0, -1)))
        while len(places) > count:
            places.remove(self.chance.pick(places))
        return places

    def _verdict(self, entry: Entry, queue: QueueState) -> Verdict:
        commit = entry.candidate
        if needy := [each for each in spoken_for(queue, entry) if self._traits(each).needy]:
            return uninstalled(needy[0], "no network", self.clock.now())
        wavers = self._traits(entry).flaky and self.tree(commit) not in self.checked
        self.checked.append(self.tree(commit))
        report = gate_report(
            commit, passed=not (wavers or self.is_red(commit)), seconds=self.chance.pick((0.01, 0.02, 1.5))
        )
        at, key = self.clock.now(), entry.request.key
        if not report.passed:
            return landing_facts.CandidateFailed(at=at, request=key, report=report)
        for item in spoken_for(queue, entry):
            if self._traits(item).bare or self._traits(item).unworded:
                proof = ProofReport(commit=item.candidate, tree="", policy=ProofPolicy.CITED)
                cause = Refusal.EVIDENCE if self._traits(item).bare else Refusal.MESSAGE
                return landing_facts.CandidateUnproved(
                    at=at, request=item.request.key, report=report, proof=proof, lacking="nothing is shown", cause=cause
                )
            if item.unapproved:
                proof = ProofReport(commit=item.candidate, tree="", policy=ProofPolicy.TRUSTING)
                return unapproved(item, report, proof, at)
        return landing_facts.CandidateVerified(at=at, request=key, report=tried_again(entry.report, report))

    def move(self, effect: landing_effects.MoveBase, queue: QueueState) -> Facts:
        at, entries = self.clock.now(), effect.entries
        base, commits = entries[0].base, self._reworded(queue)
        commit = commits[len(entries) - 1]
        if self.misses and self.chance.pick((False, True)):
            self.misses -= 1
            mine = self.clock.commit()
            self.stories[mine] = (*self.stories[self.at], f"the user's own {mine}")
            self.at = mine
        if self.at == base:
            self.at = commit
            self.been.append(commit)
        if self.stories[commit] != self.stories[self.at][: len(self.stories[commit])]:
            return (landing_facts.BaseMissed(at=at, batch=queue.batch),)
        requests = tuple(entry.request.key for entry in entries)
        return (landing_facts.BaseMoved(at=at, requests=requests, commit=commit, ref="main", commits=commits),)

    def _reworded(self, queue: QueueState) -> tuple[Commit, ...]:
        """The same result for each call."""
        commits: list[Commit] = []
        top = queue.chain[0].base
        for entry in queue.chain:
            renamed = Commit(f"{self.tree(entry.candidate)}@{zlib.crc32(top.encode()):x}")
            self.stories[renamed] = self.stories[entry.candidate]
            commits.append(renamed)
            top = renamed
        return tuple(commits)

    def announce(self, effect: landing_effects.AnswerStories, queue: QueueState) -> Facts:  # noqa: ARG002
        for entry in effect.entries:
            key = entry.request.key
            if entry.stage is EntryStage.WITHDRAWN:
                self.left.append(key)
            else:
                self.refusals.setdefault(key, entry.refusal)
        return tuple(
            landing_facts.EntryClosed(at=self.clock.now(), request=entry.request.key) for entry in effect.entries
        )

    def conclude(self, effect: e.Conclude, queue: QueueState) -> Facts:  # noqa: ARG002
        return effect.facts

    def _refused(self, entry: Entry, cause: Refusal) -> Fact:
        at, key = self.clock.now(), entry.request.key
        return landing_facts.EntryRefused(
            at=at, request=key, cause=cause, detail="", files=(), base=self.at, report=None
        )


_ANSWERS: Final[dict[type[e.Effect], Callable[[QueueSimulation, Any, QueueState], Facts]]] = {
    landing_effects.TakeBatch: QueueSimulation.take,
    landing_effects.CheckCandidates: QueueSimulation.check,
    landing_effects.MoveBase: QueueSimulation.move,
    landing_effects.AnswerStories: QueueSimulation.announce,
    e.Conclude: QueueSimulation.conclude,
}
