"""A limit that is set or changed in the middle of a run holds from then on for every story in progress.

A run and its stories under the product's rules, with inboxes between them that delay messages randomly. Some stories
receive a limit before their run does, as on resume; workers die.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from shiftwork.domain.budget import reservations
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.frame import in_progress
from shiftwork.domain.run.state import RunState
from shiftwork.domain.run.steering.intents import limits_key
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.state import ENDED, StoryState, StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow
from shiftwork.testing.builders import asked, fold_run, planned, run_plan

BASE = Commit("base")
STORIES = [StoryId(f"US-{number:03}") for number in (1, 2, 3)]
WORK = tuple(planned(f"coding-{number}") for number in range(9))
STEPS = Workflow(id="work", version=1, steps=(StepPlan(name="stories", type="stories", kind=StepKind.LOOP, body=WORK),))
cents = st.integers(1, 400).map(lambda number: number / 100)
limits = st.builds(
    Limits,
    run=st.builds(Budget, usd=st.none() | st.integers(0, 1500).map(lambda number: number / 100)),
    story=st.builds(Budget, usd=st.none() | st.integers(0, 800).map(lambda number: number / 100)),
)


@dataclass
class Box:
    """Unread messages, in their order; one of each key."""

    unread_messages: list[Fact] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    read: int = 0

    def post(self, key: str, fact: Fact) -> None:
        if key not in self.keys:
            self.keys.add(key)
            self.unread_messages.append(fact)

    def take(self) -> tuple[Fact, ...]:
        taken, self.unread_messages = tuple(self.unread_messages), []
        self.read += len(taken)
        return (*taken, MessagesRead(at=1, upto=self.read)) if taken else ()


class Run(RuleBasedStateMachine):
    """One step of one of them at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.run, self.box = RunState(), Box()
        self.stories: dict[StoryId, StoryState] = {}
        self.boxes = {story: Box() for story in STORIES}
        self.unclaimed = self.settled = 0.0

    @initialize(first=st.just(Limits()) | limits, parallel=st.integers(1, 3), before=st.integers(0, 14))
    def begin(self, first: Limits, parallel: int, before: int) -> None:
        given = Limits(run=first.run, story=first.story, attempt=Amount(usd=1.0, tokens=1))
        plan = run_plan(*map(asked, (1, 2, 3)), parallel=parallel, steps=STEPS)
        self.run = fold_run(self.run, run_facts.RunStarted(at=0, plan=replace(plan, limits=given)))
        for _ in range(before):  # something has been used before a limit is set
            self._run_moves()
            for story in tuple(self.stories):
                self._story_moves(story, 0.5, "done")

    @rule(wanted=limits)
    def change_limits(self, wanted: Limits) -> None:
        self.box.post(f"limits/{len(self.box.keys)}", run_facts.LimitsRaised(at=1, limits=wanted))

    @rule(story=st.sampled_from(STORIES))
    def tell_before_the_run_hears(self, story: StoryId) -> None:
        """As `resume` does."""
        wanted = fold_run(self.run, *self.box.unread_messages)
        if story in in_progress(self.run) and wanted.spending.raises:
            self.boxes[story].post(limits_key(wanted, story), _limits_of(wanted))

    # The run ---------------------------------------------------------------------------------------------------------

    @rule(steps=st.integers(1, 9))
    def run_goes_on(self, steps: int) -> None:
        for _ in range(steps):
            self._run_moves()

    def _run_moves(self) -> bool:
        before = self.run
        for effect in decide_run(self.run):
            for fact in self._of_run(effect):
                self.run = evolve_run(self.run, fact)
        return self.run is not before

    def _of_run(self, effect: e.Effect) -> Iterable[Fact]:
        match effect:
            case e.Receive():
                return self.box.take()
            case run_effects.DispatchStory():
                started = story_facts.StoryStarted(at=1, assignment=effect.assignment, steps=effect.steps)
                story = effect.assignment.story.id
                self.stories[story] = evolve_story(StoryState(), started)
                return (run_facts.StoryDispatched(at=1, story=story, slot=effect.assignment.slot),)
            case run_effects.ForwardLimits():
                self.boxes[effect.story].post(effect.key, _limits_of(self.run))
                return (run_facts.LimitsForwarded(at=1, story=effect.story),)
            case run_effects.GrantAllowance():
                self._nothing_is_granted_that_is_not_there(effect)
                self.boxes[effect.story].post(
                    effect.key, story_facts.AllowanceGranted(at=1, number=effect.number, cap=None)
                )
                return (run_facts.AmountReserved(at=1, story=effect.story, number=effect.number, amount=effect.amount),)
            case run_effects.RefuseAllowance():
                refused = story_facts.AllowanceRefused(at=1, number=effect.number, detail=effect.detail)
                self.boxes[effect.story].post(effect.key, refused)
                return (run_facts.ShortageReported(at=1, story=effect.story, number=effect.number),)
            case _:
                return _plain(effect)

    def _nothing_is_granted_that_is_not_there(self, effect: run_effects.GrantAllowance) -> None:
        ledger, limit = self.run.spending.ledger, self.run.given.limits.run
        assert ledger.spent.usd == pytest.approx(self.unclaimed + self._received(), abs=1e-6), (
            "all of it is in the books"
        )
        committed = reservations.committed(ledger).usd + effect.amount.usd
        assert limit.usd is None or committed <= limit.usd + 1e-6

    def _received(self) -> float:
        """Of what claimed attempts have used, what the run has read of."""
        unread = (
            fact for fact in self.box.unread_messages if isinstance(fact, run_facts.AttemptSettled) and fact.number
        )
        return self.settled - sum((settled.used.cost_usd or 0.0) for settled in unread if settled.used)

    # A story ---------------------------------------------------------------------------------------------------------

    @rule(
        story=st.sampled_from(STORIES),
        usd=cents,
        ends=st.sampled_from(("done", "done", "dies", "works on")),
        steps=st.integers(1, 9),
    )
    def story_goes_on(self, story: StoryId, usd: float, ends: str, steps: int) -> None:
        for _ in range(steps):
            self._story_moves(story, usd, ends)

    def _story_moves(self, story: StoryId, usd: float, ends: str) -> bool:
        known = self.stories.get(story)
        effects = decide_story(known) if known else ()
        if known is None or not effects:
            return False
        facts = tuple(self._of_story(story, known, effects[0], usd, ends))
        for fact in facts:
            self.stories[story] = evolve_story(self.stories[story], fact)
        return bool(facts)

    def _of_story(self, story: StoryId, known: StoryState, effect: e.Effect, usd: float, ends: str) -> Iterable[Fact]:
        match effect:
            case e.Receive():
                return self.boxes[story].take()
            case story_effects.RunAgent():
                return self._attempt(story, known, effect, usd, ends)
            case story_effects.ClaimAllowance():
                asked_for = run_facts.AllowanceAsked(
                    at=1, story=story, number=effect.number, kind="coding", bounded=False
                )
                self.box.post(f"{story}/claim/{effect.number}", asked_for)
                return (story_facts.AllowanceClaimed(at=1, number=effect.number),)
            case story_effects.SettleAllowance():
                self.settled += (effect.used.cost_usd or 0.0) if effect.number and effect.used else 0.0
                settled = run_facts.AttemptSettled(
                    at=1, story=story, number=effect.number, used=effect.used, unused=effect.unused
                )
                self.box.post(f"{story}/settle/{effect.number}", settled)
                return (story_facts.AllowanceSettled(at=1, number=effect.number),)
            case story_effects.RequestLanding():
                landed = story_facts.LandingAccepted(at=1, commit=Commit(f"landed-{story}"), ref="main", base=BASE)
                return self.boxes[story].take() or (
                    story_facts.LandingRequested(at=1, number=1, tip=effect.tip),
                    landed,
                )
            case _:
                if isinstance(effect, story_effects.ReportStory):
                    self.box.post(f"ended/{story}", _ended(story, known))
                return _plain(effect)

    def _attempt(
        self, story: StoryId, known: StoryState, effect: story_effects.RunAgent, usd: float, ends: str
    ) -> Iterable[Fact]:
        step = known.pipeline.find(effect.step)
        assert step is not None
        if step.status is StepStatus.PENDING:
            return self.boxes[story].take() or self._begun(story, known, effect)
        if ends == "works on":
            return ()
        used = Usage(input_tokens=1, cost_usd=usd)
        self.unclaimed += 0.0 if known.spending.allowance else usd
        values: dict[str, Any] = {"at": 1, "step": effect.step, "attempt": effect.attempt}
        if ends == "dies":  # and its cost was read from its log
            return (story_facts.StepInterrupted(**values, diff="", usage=used),)
        return (story_facts.StepCompleted(**values, commit=Commit("work"), notes="", outputs=(), usage=used),)

    def _begun(self, story: StoryId, known: StoryState, effect: story_effects.RunAgent) -> Iterable[Fact]:
        assert known.spending.allowance or not known.spending.limits.run.is_set, (
            "a story that knows the run's limit has asked"
        )
        own = known.spending.limits.story.usd
        assert own is None or (known.spending.usage.cost_usd or 0.0) < own, "a story keeps to its own limit once known"
        changing = story in self.run.spending.unaware or any(
            isinstance(fact, run_facts.LimitsRaised) for fact in self.box.unread_messages
        )
        assert changing or self._bounds(known.spending.limits) == self._bounds(self.run.given.limits), (
            "a notified story knows the limits"
        )
        return (story_facts.StepStarted(at=1, step=effect.step, attempt=effect.attempt, commit=BASE, log=""),)

    # What holds ------------------------------------------------------------------------------------------------------

    @rule()
    def all_is_heard(self) -> None:
        """When all messages are read and no story works, all know the same limits, and no story waits for nothing."""
        while self._anything():
            pass
        busy = any(self._at_work(story) for story in self.stories.values())
        for story in in_progress(self.run):
            known = self.stories[story]
            if self._at_work(known):
                continue
            assert self._bounds(known.spending.limits) == self._bounds(self.run.given.limits)
            assert busy or known.waiting.hold, "it waits for a person, or for another story's work"

    def _anything(self) -> bool:
        moved = [self._run_moves()]
        moved += [self._story_moves(story, 0.5, "works on") for story in self.stories]
        return any(moved)

    @staticmethod
    def _at_work(story: StoryState) -> bool:
        step = story.pipeline.current
        return step is not None and step.status is StepStatus.IN_PROGRESS and story.status not in ENDED

    @staticmethod
    def _bounds(limits: Limits) -> tuple[Budget, Budget, Budget]:
        return limits.run, limits.story, limits.step

    @invariant()
    def what_stories_have_used_is_what_they_were_charged(self) -> None:
        used = sum(story.spending.usage.cost_usd or 0.0 for story in self.stories.values())
        assert used >= self.unclaimed + self.settled - 1e-6


def _limits_of(run: RunState) -> story_facts.LimitsSet:
    return story_facts.LimitsSet(at=1, limits=run.given.limits, raises=run.spending.raises)


def _ended(story: StoryId, known: StoryState) -> run_facts.StoryEnded:
    return run_facts.StoryEnded(
        at=1,
        story=story,
        status=known.status if known.status is StoryStatus.COMPLETED else StoryStatus.FAILED,
        commit=known.landed_commit,
        reason=known.outcome.reason,
        cause=known.outcome.cause,
        usage=known.spending.usage,
        unrecorded=known.spending.unreserved or NOTHING_USED,
    )


def _plain(effect: e.Effect) -> Iterable[Fact]:
    """Of which only one thing can come."""
    match effect:
        case run_effects.KeepMemory():
            return (run_facts.MemoryKept(at=1, changes=effect.changes, reason=""),)
        case story_effects.PrepareWorkspace():
            return (story_facts.WorkspacePrepared(at=1, number=effect.number, base=BASE, head=BASE),)
        case story_effects.ReportStory():
            return (story_facts.StoryReported(at=1),)
        case story_effects.ReleaseWorkspace():
            return (story_facts.WorkspaceReleased(at=1, number=effect.number),)
        case story_effects.ReportWaiting():
            return (story_facts.WaitingReported(at=1, waiting=effect.waiting),)
        case e.Conclude():
            return effect.facts
        case _:
            raise LookupError(effect)


TestRun = Run.TestCase
