"""Whatever happens to a story and its base (repairs, moves, conflicts, a yes or a no), what was last approved lands.

The story and the landing queue are the product's own rules. Around them is a world in which a commit is known by the
patch that it holds, as a number: two commits hold the same patch if it is the same number. What the person has seen and
said is kept beside that, and held against what lands.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.app import messages
from shiftwork.app.proving import unapproved
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import queue_facts as q
from shiftwork.domain.model.ids import Commit, Stream, story_stream
from shiftwork.domain.model.proof import ProofPolicy, ProofReport
from shiftwork.domain.model.queue import Entry, LandingPolicy, LandingRequest, QueueState
from shiftwork.domain.model.story import LandingStage, Limits, Refusal, StoryState, StoryStatus
from shiftwork.domain.model.usage import NOTHING_USED
from shiftwork.domain.model.workflow import Route, StepKind, StepPlan
from shiftwork.domain.rules import approving
from shiftwork.domain.rules.decide_queue import decide_queue
from shiftwork.domain.rules.decide_story import decide_story
from shiftwork.ports.store import Message
from shiftwork.testing.builders import RUN, assignment, fold_queue, fold_story, gate_report, landing_request, planned
from shiftwork.testing.simulation import Chance, Ticking
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
    ticking: Ticking = field(default_factory=Ticking)

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
        commit = self.ticking.commit()
        self.patches[commit] = patch
        return commit

    def moves(self) -> None:
        if self.whim("the base moves"):
            self.tip = self.commit(0)

    # The story --------------------------------------------------------------------------------------------------------

    def conclude(self, effect: e.Conclude) -> tuple[f.Fact, ...]:
        return effect.facts

    def prepare(self, effect: e.PrepareWorkspace) -> tuple[f.Fact, ...]:
        base = effect.base or self.tip
        return (f.WorkspacePrepared(at=1, number=effect.number, base=base, head=effect.head or base),)

    def run_agent(self, effect: e.RunAgent) -> tuple[f.Fact, ...]:
        """An agent does something new, nothing at all, or what it had done before."""
        head = self.story.head
        started = f.StepStarted(at=1, step=effect.step, attempt=effect.attempt, commit=head, log="")
        does = self.whim("changes nothing", "returns to an earlier patch") if head != self.story.base else ""
        if does == "changes nothing":
            return (started, self._completed(effect, head))
        patch = self.chance.pick(self.asked) if does and self.asked else max(self.patches.values()) + 1
        return (started, self._completed(effect, self.commit(patch)))

    def _completed(self, effect: e.RunAgent, commit: Commit) -> f.Fact:
        return f.StepCompleted(
            at=1, step=effect.step, attempt=effect.attempt, commit=commit, notes="", outputs=(), usage=NOTHING_USED
        )

    def merge_base(self, effect: e.MergeBase) -> tuple[f.Fact, ...]:
        """What conflicts is another patch, because somebody has to resolve it."""
        conflict = self.story.refused is not None and self.story.refused.cause is Refusal.CONFLICT
        patch = max(self.patches.values()) + 1 if conflict else self.patches[effect.head]
        return (f.BaseMerged(at=1, commit=self.commit(patch), base=effect.base, files=()),)

    def request_landing(self, effect: e.RequestLanding) -> tuple[f.Fact, ...]:
        self.request = replace(
            landing_request(effect.number),
            tip=effect.tip,
            base=self.story.base,
            review=approving.reviewed(self.story),
            approved=approving.approved(self.story),
        )
        return (f.LandingRequested(at=1, number=effect.number, tip=effect.tip),)

    def receive(self, effect: e.Receive) -> tuple[f.Fact, ...]:
        self.moves()
        said = self._person() if self.story.hold else self._answer()
        return (*said, f.MessagesRead(at=1, upto=effect.cursor + 1))

    def tell(self, effect: e.TellWaiting) -> tuple[f.Fact, ...]:
        return (f.WaitingTold(at=1, waiting=effect.waiting),)

    def release(self, effect: e.ReleaseWorkspace) -> tuple[f.Fact, ...]:
        return (f.WorkspaceReleased(at=1, number=effect.number),)

    def report(self, effect: e.ReportStory) -> tuple[f.Fact, ...]:
        return (f.StoryReported(at=1),)

    # The person -------------------------------------------------------------------------------------------------------

    def _person(self) -> tuple[f.Fact, ...]:
        """They see the patch that `diff` shows. What they said is remembered here, whatever the product makes of it."""
        rejected = self.whim(*3 * ("",), "rejects", *3 * ("rejects with a reason",))
        if (patch := approving.asked_about(self.story)) is not None:
            assert patch.commit in self.green, "gates first, then the person"
            seen = self.patches[patch.commit]
            assert seen != self.approved, "they have approved this very patch"
            self.asked.append(seen)
            self.approved = None if rejected else seen
        return (f.StoryReleased(at=1, granted=not rejected, answer="why" if "reason" in rejected else ""),)

    # The queue --------------------------------------------------------------------------------------------------------

    def _answer(self) -> tuple[f.Fact, ...]:
        """Play the queue until it has answered the story's request."""
        assert self.request is not None
        asked = q.EntryQueued(at=1, branch="main", request=self.request)
        self.queue, result = fold_queue(self.queue, asked), list[f.Fact]()
        while not result:
            (effect,) = decide_queue(self.queue)
            result = self._tells(effect)
            self.queue = fold_queue(self.queue, *_QUEUE[type(effect)](self, effect))
        return tuple(result)

    def _tells(self, effect: e.Effect) -> list[f.Fact]:
        """As the product writes and reads it."""
        entries = effect.entries if isinstance(effect, e.AnswerStories) else ()
        stream: Stream = story_stream(RUN, landing_request().story)
        bodies = [Message(position=1, key="", body=messages.answer(entry)) for entry in entries]
        return list(messages.facts_of(stream, bodies, 1.0))[:-1]

    def take(self, effect: e.TakeBatch) -> tuple[f.Fact, ...]:
        (entry,) = self.queue.waiting
        request, taken = entry.request, q.BatchTaken(at=1, number=self.queue.batch + 1, policy=LandingPolicy())
        if request.base != self.tip and self.whim("conflicts"):
            refused = q.EntryRefused(
                at=1, request=request.key, cause=Refusal.CONFLICT, detail="", files=(), base=self.tip, report=None
            )
            return (taken, refused)
        patch, seen = self.patches[request.tip], request.approved
        same = seen is not None and self.patches[seen.commit] == patch
        if same:
            self.happened.add("approved and moved" if seen and seen.base != self.tip else "approved")
        built = q.CandidateBuilt(
            at=1,
            request=request.key,
            round=entry.round,
            base=self.tip,
            commit=self.commit(patch),
            approved=same,
            differs=() if same or seen is None else ("a.py",),
        )
        return (taken, built)

    def check(self, effect: e.CheckCandidates) -> tuple[f.Fact, ...]:
        (entry,) = effect.entries
        commit, key = entry.candidate, entry.request.key
        if not entry.reds and self.whim("gates are red"):
            self.red.add(commit)
        found = gate_report(commit, passed=commit not in self.red)
        # A gate that says the same twice would end the story.
        report = replace(found, results=tuple(replace(one, output="no " * len(self.red)) for one in found.results))
        if not report.passed:
            return (q.CandidateFailed(at=1, request=key, report=report),)
        self.green.add(commit)
        proof = ProofReport(commit=commit, tree="", policy=ProofPolicy.TRUSTING)
        if entry.unapproved:
            return (unapproved(entry, report, proof, 1.0),)
        return (q.CandidateVerified(at=1, request=key, report=report, proofs=(proof,)),)

    def move(self, effect: e.MoveBase) -> tuple[f.Fact, ...]:
        (entry,) = effect.entries
        self.moves()
        if self.tip != entry.base:
            return (q.BaseMissed(at=1, batch=self.queue.batch),)
        self.tip = entry.candidate
        self.landed.append(self.patches[entry.candidate])
        return (q.BaseMoved(at=1, requests=(entry.request.key,), commit=entry.candidate, ref="main"),)

    def close(self, effect: e.AnswerStories) -> tuple[f.Fact, ...]:
        entries: tuple[Entry, ...] = effect.entries
        return tuple(q.EntryClosed(at=1, request=entry.request.key) for entry in entries)


type Answers = dict[type[e.Effect], Callable[[Reviewed, Any], tuple[f.Fact, ...]]]

_STORY: Answers = {
    e.Conclude: Reviewed.conclude,
    e.PrepareWorkspace: Reviewed.prepare,
    e.RunAgent: Reviewed.run_agent,
    e.MergeBase: Reviewed.merge_base,
    e.RequestLanding: Reviewed.request_landing,
    e.Receive: Reviewed.receive,
    e.TellWaiting: Reviewed.tell,
    e.ReleaseWorkspace: Reviewed.release,
    e.ReportStory: Reviewed.report,
}
_QUEUE: Answers = {
    e.Conclude: Reviewed.conclude,
    e.TakeBatch: Reviewed.take,
    e.CheckCandidates: Reviewed.check,
    e.MoveBase: Reviewed.move,
    e.AnswerStories: Reviewed.close,
}


def played(data: st.DataObject) -> Reviewed:
    review, steps = data.draw(st.sampled_from(WORKFLOWS))
    given_to = replace(assignment(limits=Limits(repairs=4, conflicts=4)), review=review)
    story = fold_story(StoryState(), f.StoryStarted(at=1, assignment=given_to, steps=steps))
    world = Reviewed(chance=DrawnChance(data), story=story)
    world.run()
    return world


@given(st.data())
@settings(QUICK, max_examples=150)
def test_what_lands_is_what_was_last_approved(data: st.DataObject) -> None:
    world = played(data)
    completed = world.story.status is StoryStatus.COMPLETED
    assert world.landed == ([world.approved] if completed else [])
    assert (world.story.landing is LandingStage.LANDED) == completed
    assert set(world.landed) <= set(world.asked)


def test_worlds_differ_enough_to_prove_something() -> None:
    seen: set[str] = set()

    @given(st.data())
    @settings(QUICK, max_examples=150, derandomize=True)
    def look(data: st.DataObject) -> None:
        world = played(data)
        seen.update(world.happened, {world.story.status})
        seen.update("asked again" for _ in world.asked[1:] if world.landed)
        seen.update("landed though it was repaired" for _ in world.landed if world.story.repairs)

    look()
    wanted = {"the base moves", "changes nothing", "returns to an earlier patch", "conflicts", "gates are red"}
    wanted |= {"rejects", "rejects with a reason", "approved", "approved and moved", "asked again"}
    assert wanted | {"landed though it was repaired", StoryStatus.COMPLETED, StoryStatus.FAILED} <= seen
