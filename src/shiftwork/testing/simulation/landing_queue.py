"""A world for a landing queue: stories that conflict, break, mend, waver or leave, a user who commits, sudden deaths.

A commit is known by the stories in it. Whether gates pass on it follows from them, so that what the queue did can be
held against what was true. One that takes the place of a candidate is called by that and by what it stands on.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
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
from shiftwork.domain.landing.batching import batch_size, spoken_for
from shiftwork.domain.landing.evolve import evolve_queue
from shiftwork.domain.landing.state import Entry, EntryStage, LandingPolicy, LandingRequest, QueueState
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.testing.builders import BASE, gate_report, landing_request
from shiftwork.testing.simulation.simulation import Chance, Ticking

type Facts = tuple[Fact, ...]
type Verdict = landing_facts.CandidateVerified | landing_facts.CandidateUnproved | landing_facts.CandidateFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What is true of a story: `breaks` turns gates red, `mends` turns them green whatever was broken before it, and
    a `flaky` one fails the first time. It conflicts with `rival`, and `changes` nothing where that is false. A `bare`
    one offers no evidence, and what a `needy` one depends on cannot be installed. A `reserved` one touches files of
    git's own, and one of `later` files changes only what would run later. A person is to be asked about one under
    `review`, unless its patch is `approved`.
    """

    breaks: bool = False
    mends: bool = False
    flaky: bool = False
    changes: bool = True
    bare: bool = False
    needy: bool = False
    reserved: bool = False
    later: bool = False
    review: bool = False
    approved: bool = False
    rival: str = ""


ORDINARY: Final = Traits()


@dataclass(slots=True, kw_only=True)
class QueueWorld:
    """Answers the effects of a landing queue. `requests` more may come, the user may commit `misses` times more,
    `withdrawals` more requests may be taken back at any moment, and the process may die `deaths` times more after it
    has done something and before that is recorded. What was asked back lies as a key in the inbox.
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
    told: dict[str, Refusal | None] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    ticking: Ticking = field(default_factory=Ticking)

    def answer(self, effect: e.Effect, queue: QueueState) -> Facts:
        while self.deaths and self.chance.pick((False, True)):
            self.deaths -= 1
            _ANSWERS[type(effect)](self, effect, queue)
            self._take_back()
        self._take_back()
        return _ANSWERS[type(effect)](self, effect, queue)

    def bound(self) -> int:
        """Each batch settles its first entry or is missed, and its effects are a few for each of its entries."""
        batches = self.requests + self.misses + self.withdrawals + 1
        return batches * (5 * min(self.requests, self.policy.batch) + 2)

    @staticmethod
    def tree(commit: Commit) -> str:
        """The candidate that the commit has the tree of."""
        return commit.partition("@")[0]

    def is_red(self, commit: Commit) -> bool:
        broken = False
        for story in self.stories[commit]:
            traits = self.traits.get(story, ORDINARY)
            broken = (broken or traits.breaks) and not traits.mends
        return broken

    def take(self, effect: landing_effects.TakeBatch, queue: QueueState) -> Facts:
        for _ in range(self.chance.pick(range(self.requests + 1))):
            self._ask()
        news, queue = self._news(queue, effect.cursor)
        at = self.ticking.now()
        waiting = queue.waiting[: batch_size(queue.recent, self.policy.batch)]
        taken = landing_facts.BatchTaken(at=at, number=queue.batch + 1, policy=self.policy)
        return (*news, taken, *self._chain(waiting)) if waiting else tuple(news)

    def _news(self, queue: QueueState, cursor: int) -> tuple[Facts, QueueState]:
        """What lies unread in the inbox, and the queue when it has heard of it."""
        at = self.ticking.now()
        news: list[Fact] = [
            landing_facts.EntryWithdrawn(at=at, request=one)
            if isinstance(one, str)
            else landing_facts.EntryQueued(at=at, branch="main", request=one)
            for one in self.inbox[cursor:]
        ]
        if news:
            news.append(MessagesRead(at=at, upto=len(self.inbox)))
        for fact in news:
            queue = evolve_queue(queue, fact)
        return tuple(news), queue

    def _take_back(self) -> None:
        asked = [one.key for one in self.inbox if isinstance(one, LandingRequest) and one.key not in self.inbox]
        if self.withdrawals and asked and self.chance.pick((False, True)):
            self.withdrawals -= 1
            self.inbox.append(self.chance.pick(asked))

    def _ask(self) -> None:
        self.requests -= 1
        request = landing_request(len(self.traits) + 1)
        rivals = ("", *self.traits)
        odd = (Traits(flaky=True), Traits(changes=False), Traits(bare=True), Traits(needy=True))
        refused = (Traits(reserved=True), Traits(later=True))
        held = (Traits(review=True), Traits(review=True, approved=True))
        kinds = (ORDINARY, Traits(breaks=True), Traits(mends=True), *odd, *refused, *held)
        traits = self.traits[request.key] = replace(self.chance.pick(kinds), rival=self.chance.pick(rivals))
        seen = self.chance.pick((None, Patch(base=BASE, commit=Commit("seen")))) if traits.review else None
        self.inbox.append(replace(request, review=traits.review, approved=seen))

    def _chain(self, waiting: tuple[Entry, ...]) -> list[Fact]:
        facts: list[Fact] = []
        top = self.at
        for entry in waiting:
            if cause := self._trouble(top, entry):
                facts += [self._refused(entry, cause)] if top == self.at else []
                continue
            built = self._built(top, entry)
            asks = entry.request.review and not built.approved
            facts += [] if asks and top != self.at else [built]
            if asks:
                break
            top = built.commit
        return facts

    def _built(self, top: Commit, entry: Entry) -> landing_facts.CandidateBuilt:
        commit, request = self.ticking.commit(), entry.request
        self.stories[commit] = (*self.stories[top], request.key)
        same = request.approved is not None and self._traits(entry).approved
        return landing_facts.CandidateBuilt(
            at=self.ticking.now(),
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
        """Some of the verdicts, as where the process died before it had recorded them all. What is withdrawn meanwhile
        is heard first.
        """
        verdicts = [self._verdict(entry, queue) for entry in effect.entries]
        some = verdicts[: self.chance.pick(range(len(verdicts), 0, -1))]
        self._take_back()
        if not any(isinstance(one, str) for one in self.inbox[queue.cursor :]):
            return tuple(some)
        news, queue = self._news(queue, queue.cursor)
        wanted = {entry.request.key for entry in queue.chain}
        return (*news, *(verdict for verdict in some if verdict.request in wanted))

    def _verdict(self, entry: Entry, queue: QueueState) -> Verdict:
        commit = entry.candidate
        if needy := [one for one in spoken_for(queue, entry) if self._traits(one).needy]:
            return uninstalled(needy[0], "no network", self.ticking.now())
        wavers = self._traits(entry).flaky and self.tree(commit) not in self.checked
        self.checked.append(self.tree(commit))
        report = gate_report(commit, passed=not (wavers or self.is_red(commit)))
        at, key = self.ticking.now(), entry.request.key
        if not report.passed:
            return landing_facts.CandidateFailed(at=at, request=key, report=report)
        for one in spoken_for(queue, entry):
            if self._traits(one).bare:
                proof = ProofReport(commit=one.candidate, tree="", policy=ProofPolicy.CITED)
                return landing_facts.CandidateUnproved(
                    at=at, request=one.request.key, report=report, proof=proof, lacking="nothing is shown"
                )
            if one.unapproved:
                proof = ProofReport(commit=one.candidate, tree="", policy=ProofPolicy.TRUSTING)
                return unapproved(one, report, proof, at)
        return landing_facts.CandidateVerified(at=at, request=key, report=tried_again(entry.report, report))

    def move(self, effect: landing_effects.MoveBase, queue: QueueState) -> Facts:
        at, entries = self.ticking.now(), effect.entries
        base, commits = entries[0].base, self._reworded(queue)
        commit = commits[len(entries) - 1]
        if self.misses and self.chance.pick((False, True)):
            self.misses -= 1
            mine = self.ticking.commit()
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
        """The same as often as it is asked for."""
        commits: list[Commit] = []
        top = queue.chain[0].base
        for entry in queue.chain:
            renamed = Commit(f"{self.tree(entry.candidate)}@{zlib.crc32(top.encode()):x}")
            self.stories[renamed] = self.stories[entry.candidate]
            commits.append(renamed)
            top = renamed
        return tuple(commits)

    def tell(self, effect: landing_effects.AnswerStories, queue: QueueState) -> Facts:  # noqa: ARG002
        for entry in effect.entries:
            key = entry.request.key
            if entry.stage is EntryStage.WITHDRAWN:
                self.left.append(key)
            else:
                self.told.setdefault(key, entry.refusal)
        return tuple(
            landing_facts.EntryClosed(at=self.ticking.now(), request=entry.request.key) for entry in effect.entries
        )

    def conclude(self, effect: e.Conclude, queue: QueueState) -> Facts:  # noqa: ARG002
        return effect.facts

    def _refused(self, entry: Entry, cause: Refusal) -> Fact:
        at, key = self.ticking.now(), entry.request.key
        return landing_facts.EntryRefused(
            at=at, request=key, cause=cause, detail="", files=(), base=self.at, report=None
        )


_ANSWERS: Final[dict[type[e.Effect], Callable[[QueueWorld, Any, QueueState], Facts]]] = {
    landing_effects.TakeBatch: QueueWorld.take,
    landing_effects.CheckCandidates: QueueWorld.check,
    landing_effects.MoveBase: QueueWorld.move,
    landing_effects.AnswerStories: QueueWorld.tell,
    e.Conclude: QueueWorld.conclude,
}
