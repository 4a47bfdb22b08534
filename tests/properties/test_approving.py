"""Through repairs, moved bases, conflicts, approvals and rejections, only what was last approved lands.

The story and the landing queue are the product's own rules. In the simulation around them, a number stands for the
patch of a commit: two commits have the same patch if they have the same number. The test records what the person has
seen and said, and compares it with what lands.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.app.landing.proof import unapproved
from shiftwork.app.messaging import messages
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.codec import encode
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import Commit, Stream, story_stream
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.landing import effects as landing_effects
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.decide import decide_queue
from shiftwork.domain.landing.state import Entry, LandingPolicy, LandingRequest, QueueState
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.story import approval
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.state import LandingStage, StoryState, StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.domain.workflow.workflow import Route, StepKind, StepPlan
from shiftwork.ports.store import Message
from shiftwork.testing.builders import RUN, assignment, fold_queue, fold_story, gate_report, landing_request, planned
from shiftwork.testing.simulation.simulation import Chance, SimulatedClock
from shiftwork.testing.strategies import QUICK, DrawnChance

SIGN = planned("sign_off", StepKind.APPROVAL, description="Ship it?")
BACK = replace(SIGN, routes=(Route(value="rejected", target="coding", back=True),))
CODING = planned("coding", max_retries=3)
WORKFLOWS: tuple[tuple[bool, tuple[StepPlan, ...]], ...] = (
    (False, (CODING, SIGN)),
    (False, (CODING, BACK)),
    (True, (CODING,)),
    (True, (CODING, planned("final_review"))),
    (True, (planned("planning"), SIGN, CODING)),
    (True, (CODING, BACK)),
)
MOST = 900
"""More effects than any of these stories can need."""


@dataclass(slots=True, kw_only=True)
class Reviewed:
    """One story, its queue, its branch and its person. After so many `whims` everything goes well, so that it ends."""

    chance: Chance
    story: StoryState
    whims: int = 25
    queue: QueueState = field(default_factory=QueueState)
    request: LandingRequest | None = None
    tip: Commit = Commit("base")
    patches: dict[Commit, int] = field(default_factory=lambda: {Commit("base"): 0})
    green: set[Commit] = field(default_factory=set)
    red: set[Commit] = field(default_factory=set)
    approved: int | None = None
    asked: list[int] = field(default_factory=list)
    landed: list[int] = field(default_factory=list)
    happened: set[str] = field(default_factory=set)
    clock: SimulatedClock = field(default_factory=SimulatedClock)

    def run(self) -> None:
        for _ in range(MOST):
            effects = decide_story(self.story)
            if not effects:
                return
            (effect,) = effects
            self.story = fold_story(self.story, *_STORY[type(effect)](self, effect))
        raise AssertionError(f"no end: {self.story}")

    def whim(self, *others: str) -> str:
        """What happens: nothing out of the ordinary, or one of these."""
        if not self.whims:
            return ""
        self.whims -= 1
        what = self.chance.pick(("", *others))
        self.happened.add(what)
        return what

    def commit(self, patch: int) -> Commit:
        commit = self.clock.commit()
        self.patches[commit] = patch
        return commit

    def moves(self) -> None:
        if self.whim("the base moves"):
            self.tip = self.commit(0)

    # The story --------------------------------------------------------------------------------------------------------

    def conclude(self, effect: e.Conclude) -> tuple[Fact, ...]:
        return effect.facts

    def prepare(self, effect: story_effects.PrepareWorkspace) -> tuple[Fact, ...]:
        base = effect.base or self.tip
        return (story_facts.WorkspacePrepared(at=1, number=effect.number, base=base, head=effect.head or base),)

    def run_agent(self, effect: story_effects.RunAgent) -> tuple[Fact, ...]:
        """An agent does something new, nothing at all, or what it had done before."""
        head = self.story.work.head
        started = story_facts.StepStarted(at=1, step=effect.step, attempt=effect.attempt, commit=head, log="")
        does = self.whim("changes nothing", "returns to an earlier patch") if head != self.story.work.base else ""
        if does == "changes nothing":
            return (started, self._completed(effect, head))
        patch = self.chance.pick(self.asked) if does and self.asked else max(self.patches.values()) + 1
        return (started, self._completed(effect, self.commit(patch)))

    def _completed(self, effect: story_effects.RunAgent, commit: Commit) -> Fact:
        return story_facts.StepCompleted(
            at=1, step=effect.step, attempt=effect.attempt, commit=commit, notes="", outputs=(), usage=NOTHING_USED
        )

    def merge_base(self, effect: story_effects.MergeBase) -> tuple[Fact, ...]:
        """A conflict makes another patch, because it must be resolved."""
        conflict = self.story.landing.refused is not None and self.story.landing.refused.cause is Refusal.CONFLICT
        patch = max(self.patches.values()) + 1 if conflict else self.patches[effect.head]
        return (story_facts.BaseMerged(at=1, commit=self.commit(patch), base=effect.base, files=()),)

    def request_landing(self, effect: story_effects.RequestLanding) -> tuple[Fact, ...]:
        self.request = replace(
            landing_request(effect.number),
            tip=effect.tip,
            base=self.story.work.base,
            review=approval.reviewed(self.story),
            approved=approval.approved(self.story),
        )
        return (story_facts.LandingRequested(at=1, number=effect.number, tip=effect.tip),)

    def receive(self, effect: e.Receive) -> tuple[Fact, ...]:
        self.moves()
        said = self._person() if self.story.waiting.hold else self._answer()
        return (*said, MessagesRead(at=1, upto=effect.cursor + 1))

    def announce(self, effect: story_effects.ReportWaiting) -> tuple[Fact, ...]:
        return (story_facts.WaitingReported(at=1, waiting=effect.waiting),)

    def release(self, effect: story_effects.ReleaseWorkspace) -> tuple[Fact, ...]:
        return (story_facts.WorkspaceReleased(at=1, number=effect.number),)

    def report(self, effect: story_effects.ReportStory) -> tuple[Fact, ...]:
        return (story_facts.StoryReported(at=1),)

    # The person -------------------------------------------------------------------------------------------------------

    def _person(self) -> tuple[Fact, ...]:
        """The person sees the patch that `diff` shows. Their answer is recorded here, independently of the product."""
        rejected = self.whim(*3 * ("",), "rejects", *3 * ("rejects with a reason",))
        if (patch := approval.asked_about(self.story)) is not None:
            assert patch.commit in self.green, "gates first, then the person"
            seen = self.patches[patch.commit]
            assert seen != self.approved, "they have approved this very patch"
            self.asked.append(seen)
            self.approved = None if rejected else seen
        return (story_facts.StoryReleased(at=1, granted=not rejected, answer="why" if "reason" in rejected else ""),)

    # The queue --------------------------------------------------------------------------------------------------------

    def _answer(self) -> tuple[Fact, ...]:
        """Play the queue until it has answered the story's request."""
        assert self.request is not None
        asked = landing_facts.EntryQueued(at=1, branch="main", request=self.request)
        self.queue, result = fold_queue(self.queue, asked), list[Fact]()
        while not result:
            (effect,) = decide_queue(self.queue)
            result = self._tells(effect)
            self.queue = fold_queue(self.queue, *_QUEUE[type(effect)](self, effect))
        return tuple(result)

    def _tells(self, effect: e.Effect) -> list[Fact]:
        """As the product writes and reads it."""
        entries = effect.entries if isinstance(effect, landing_effects.AnswerStories) else ()
        stream: Stream = story_stream(RUN, landing_request().story)
        bodies = [Message(position=1, key="", body=to_plain(encode(messages.answer(entry)))) for entry in entries]
        return list(messages.facts_of(stream, bodies, 1.0))[:-1]

    def take(self, effect: landing_effects.TakeBatch) -> tuple[Fact, ...]:
        (entry,) = self.queue.waiting
        request, taken = (
            entry.request,
            landing_facts.BatchTaken(at=1, number=self.queue.batch + 1, policy=LandingPolicy()),
        )
        if request.base != self.tip and self.whim("conflicts"):
            refused = landing_facts.EntryRefused(
                at=1, request=request.key, cause=Refusal.CONFLICT, detail="", files=(), base=self.tip, report=None
            )
            return (taken, refused)
        patch, seen = self.patches[request.tip], request.approved
        same = seen is not None and self.patches[seen.commit] == patch
        if same:
            self.happened.add("approved and moved" if seen and seen.base != self.tip else "approved")
        built = landing_facts.CandidateBuilt(
            at=1,
            request=request.key,
            round=entry.round,
            base=self.tip,
            commit=self.commit(patch),
            approved=same,
            differs=() if same or seen is None else ("a.py",),
        )
        return (taken, built)

    def check(self, effect: landing_effects.CheckCandidates) -> tuple[Fact, ...]:
        (entry,) = effect.entries
        commit, key = entry.candidate, entry.request.key
        if not entry.reds and self.whim("gates are red"):
            self.red.add(commit)
        found = gate_report(commit, passed=commit not in self.red)
        # A gate that says the same twice would end the story.
        report = replace(
            found, results=tuple(replace(result, output="no " * len(self.red)) for result in found.results)
        )
        if not report.passed:
            return (landing_facts.CandidateFailed(at=1, request=key, report=report),)
        self.green.add(commit)
        proof = ProofReport(commit=commit, tree="", policy=ProofPolicy.TRUSTING)
        if entry.unapproved:
            return (unapproved(entry, report, proof, 1.0),)
        return (landing_facts.CandidateVerified(at=1, request=key, report=report, proofs=(proof,)),)

    def move(self, effect: landing_effects.MoveBase) -> tuple[Fact, ...]:
        (entry,) = effect.entries
        self.moves()
        if self.tip != entry.base:
            return (landing_facts.BaseMissed(at=1, batch=self.queue.batch),)
        self.tip = entry.candidate
        self.landed.append(self.patches[entry.candidate])
        return (landing_facts.BaseMoved(at=1, requests=(entry.request.key,), commit=entry.candidate, ref="main"),)

    def close(self, effect: landing_effects.AnswerStories) -> tuple[Fact, ...]:
        entries: tuple[Entry, ...] = effect.entries
        return tuple(landing_facts.EntryClosed(at=1, request=entry.request.key) for entry in entries)


type Answers = dict[type[e.Effect], Callable[[Reviewed, Any], tuple[Fact, ...]]]

_STORY: Answers = {
    e.Conclude: Reviewed.conclude,
    story_effects.PrepareWorkspace: Reviewed.prepare,
    story_effects.RunAgent: Reviewed.run_agent,
    story_effects.MergeBase: Reviewed.merge_base,
    story_effects.RequestLanding: Reviewed.request_landing,
    e.Receive: Reviewed.receive,
    story_effects.ReportWaiting: Reviewed.announce,
    story_effects.ReleaseWorkspace: Reviewed.release,
    story_effects.ReportStory: Reviewed.report,
}
_QUEUE: Answers = {
    e.Conclude: Reviewed.conclude,
    landing_effects.TakeBatch: Reviewed.take,
    landing_effects.CheckCandidates: Reviewed.check,
    landing_effects.MoveBase: Reviewed.move,
    landing_effects.AnswerStories: Reviewed.close,
}


def played(data: st.DataObject) -> Reviewed:
    review, steps = data.draw(st.sampled_from(WORKFLOWS))
    given_to = replace(assignment(limits=Limits(repairs=4, conflicts=4)), review=review)
    story = fold_story(StoryState(), story_facts.StoryStarted(at=1, assignment=given_to, steps=steps))
    simulation = Reviewed(chance=DrawnChance(data), story=story)
    simulation.run()
    return simulation


@given(st.data())
@settings(QUICK, max_examples=150)
def test_what_lands_is_what_was_last_approved(data: st.DataObject) -> None:
    simulation = played(data)
    completed = simulation.story.status is StoryStatus.COMPLETED
    assert simulation.landed == ([simulation.approved] if completed else [])
    assert (simulation.story.landing.progress is LandingStage.LANDED) == completed
    assert set(simulation.landed) <= set(simulation.asked)


def test_simulations_differ_enough_to_prove_something() -> None:
    seen: set[str] = set()

    @given(st.data())
    @settings(QUICK, max_examples=150, derandomize=True)
    def look(data: st.DataObject) -> None:
        simulation = played(data)
        seen.update(simulation.happened, {simulation.story.status})
        seen.update("asked again" for _ in simulation.asked[1:] if simulation.landed)
        seen.update("landed though it was repaired" for _ in simulation.landed if simulation.story.landing.repairs)

    look()
    wanted = {"the base moves", "changes nothing", "returns to an earlier patch", "conflicts", "gates are red"}
    wanted |= {"rejects", "rejects with a reason", "approved", "approved and moved", "asked again"}
    assert wanted | {"landed though it was repaired", StoryStatus.COMPLETED, StoryStatus.FAILED} <= seen
