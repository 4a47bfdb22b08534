"""Simulates the surroundings of a story: agents, gates, the landing queue and a person, with all their possible
actions.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.story import approval
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.facts.steps import Trouble
from shiftwork.domain.story.holds import MAX_QUESTIONS
from shiftwork.domain.story.routing import FAILED, PASSED, route_for
from shiftwork.domain.story.state import FailureCause, HoldCause, StoryState
from shiftwork.domain.workflow.guardrails import (
    MAX_RESTARTS,
    MAX_STEPS,
)
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.records import dataclass, field
from shiftwork.testing.simulation.attempt_endings import MAX_DEFERRALS, AttemptEndings, Facts
from shiftwork.testing.simulation.budget import answered
from shiftwork.testing.simulation.edits import edit_request
from shiftwork.testing.simulation.simulation import Chance, SimulatedClock

_BASES: Final = (Commit("base-1"), Commit("base-2"), Commit("base-3"))
ENDINGS: Final = ("completed", "edited", "edited", "completed", "failed", "asked", "limited")
VERDICTS: Final = ("landed", *Refusal)
_MISHAPS: Final = ("dies", "finds no workspace", "leaves no workspace")


@dataclass(slots=True, kw_only=True)
class StorySimulation:
    """Answers the effects of a story. `mishaps` is how often a worker may still die during an attempt or lose its
    workspace, `answers` how often a person may still do anything but give up: without these limits nothing ends.
    `endings` and `verdicts` are the options of agents and of the landing queue, so that a simulation can also always
    fail, restart, add work or refuse.
    """

    chance: Chance
    mishaps: int = 2
    answers: int = 3
    endings: Sequence[str] = ENDINGS
    verdicts: Sequence[str] = VERDICTS
    clock: SimulatedClock = field(default_factory=SimulatedClock)

    @property
    def attempts(self) -> AttemptEndings:
        return AttemptEndings(chance=self.chance, clock=self.clock)

    def answer(self, effect: e.Effect, story: StoryState) -> Facts:
        return _ANSWERS[type(effect)](self, effect, story)

    def bound(self, story: StoryState) -> int:
        """How many effects a story can need at most, from the limit of each of its counters."""
        steps = max(MAX_STEPS, len(story.pipeline.steps))
        tries = 1 + max((step.plan.max_retries for step in story.pipeline.steps), default=1)
        mendings = story.given.limits.repairs + story.given.limits.conflicts
        put_back = steps  # each time the last step is moved back, a step was added before it
        going_back = any(step.plan.routes for step in story.pipeline.steps)
        rounds = (steps * tries + self.answers) * len(story.pipeline.steps) if going_back else 0
        asked = steps * MAX_QUESTIONS if "asked" in self.endings else 0
        attempts = steps * (tries + MAX_RESTARTS) + put_back + (mendings + self.answers) * tries + self.mishaps
        attempts += rounds + asked
        if "limited" in self.endings:
            attempts += (steps + self.answers) * MAX_DEFERRALS
        # Start, ask, report to the run, get an answer, report again, and the effects of its end; claim and settle.
        each_attempt = 7 + 5 * story.spending.limits.run.is_set
        landing = 4 * (mendings + 1)
        return attempts * each_attempt + landing + 3 * self.mishaps + 4 * (self.answers + 1) + 4

    # Effects ---------------------------------------------------------------------------------------------------------

    def conclude(self, effect: e.Conclude, story: StoryState) -> Facts:  # noqa: ARG002 - all have the same signature
        return effect.facts

    def prepare(self, effect: story_effects.PrepareWorkspace, story: StoryState) -> Facts:  # noqa: ARG002
        if self.chance.pick(("ready",) * 19 + ("no workspace",)) == "no workspace":
            return (story_facts.StoryFailed(at=self.clock.now(), cause=FailureCause.WORKSPACE, reason="no disk"),)
        base = effect.base or _BASES[0]
        return (
            story_facts.WorkspacePrepared(
                at=self.clock.now(), number=effect.number, base=base, head=effect.head or base
            ),
        )

    def run_agent(self, effect: story_effects.RunAgent, story: StoryState) -> Facts:
        now = self.clock.now
        step = story.pipeline.find(effect.step)
        if step is not None and step.status is StepStatus.IN_PROGRESS:
            return (story_facts.StepInterrupted(at=now(), step=effect.step, attempt=effect.attempt, diff=""),)
        started = story_facts.StepStarted(
            at=now(), step=effect.step, attempt=effect.attempt, commit=story.work.head, log="log"
        )
        ending = self.chance.pick((*self.endings, *(_MISHAPS if self.mishaps else ())))
        if ending in _MISHAPS:
            return self._mishap(ending, effect, started, story.work.workspace)
        running = evolve_story(story, started)
        return (started, *self.attempts.ended(ending, effect, running))

    def run_gates(self, effect: story_effects.RunGates, story: StoryState) -> Facts:
        now = self.clock.now
        started = story_facts.StepStarted(
            at=now(), step=effect.step, attempt=effect.attempt, commit=story.work.head, log=""
        )
        step = story.pipeline.find(effect.step)
        passed = self.chance.pick((True, True, False))
        if passed or (step and route_for(step, FAILED)):
            return (started, self.attempts.completed(effect, PASSED if passed else FAILED))
        return (started, *self.attempts.failed(effect, Trouble.GATES))

    def merge_base(self, effect: story_effects.MergeBase, story: StoryState) -> Facts:  # noqa: ARG002
        merged = self.clock.commit()
        return (story_facts.BaseMerged(at=self.clock.now(), commit=merged, base=effect.base, files=("a.py",)),)

    def request_landing(self, effect: story_effects.RequestLanding, story: StoryState) -> Facts:  # noqa: ARG002
        return (story_facts.LandingRequested(at=self.clock.now(), number=effect.number, tip=effect.tip),)

    def release(self, effect: story_effects.ReleaseWorkspace, story: StoryState) -> Facts:  # noqa: ARG002
        return (story_facts.WorkspaceReleased(at=self.clock.now(), number=effect.number),)

    def report_waiting(self, effect: story_effects.ReportWaiting, story: StoryState) -> Facts:  # noqa: ARG002
        return (story_facts.WaitingReported(at=self.clock.now(), waiting=effect.waiting),)

    def report(self, effect: story_effects.ReportStory, story: StoryState) -> Facts:  # noqa: ARG002
        return (story_facts.StoryReported(at=self.clock.now()),)

    def receive(self, effect: e.Receive, story: StoryState) -> Facts:
        at = self.clock.now()
        claims = answered(self.chance, story, at) if story.spending.claiming and not story.waiting.hold else ()
        said = claims or (self._person(story) if story.waiting.hold else self._queue(story))
        upto = effect.cursor + self.chance.pick((1, 2))
        return (*said, MessagesRead(at=self.clock.now(), upto=upto))

    def _mishap(
        self, what: str, effect: story_effects.RunAgent, started: story_facts.StepStarted, workspace: int
    ) -> Facts:
        self.mishaps -= 1
        lost = story_facts.WorkspaceLost(at=self.clock.now(), number=workspace, reason="gone")
        match what:
            case "dies":
                return (started,)
            case "finds no workspace":
                return (lost,)
            case _:
                return (started, *self.attempts.failed(effect, Trouble.CRASHED), lost)

    def claim(self, effect: story_effects.ClaimAllowance, story: StoryState) -> Facts:  # noqa: ARG002
        return (story_facts.AllowanceClaimed(at=self.clock.now(), number=effect.number),)

    def settle(self, effect: story_effects.SettleAllowance, story: StoryState) -> Facts:  # noqa: ARG002
        return (story_facts.AllowanceSettled(at=self.clock.now(), number=effect.number),)

    def wait_until(self, effect: story_effects.WaitUntil, story: StoryState) -> Facts:
        """A person's message may arrive first."""
        what = self.chance.pick(("over", "over", "over", *(("cancelled", "edited") if self.answers else ())))
        at = self.clock.now()
        if what == "over":
            return (story_facts.WaitEnded(at=at, number=effect.number),)
        self.answers -= 1
        said = self._edit_requests(story) if what == "edited" else (story_facts.StoryCancelRequested(at=at),)
        return (*said, MessagesRead(at=at, upto=story.cursor + 1))

    # Messages --------------------------------------------------------------------------------------------------------

    def _person(self, story: StoryState) -> Facts:
        # A workflow may lead a rejected patch to landing again: a person without answers left cancels then.
        last = "cancel" if story.waiting.hold and story.waiting.hold.cause is HoldCause.CHANGED else "deny"
        what = self.chance.pick(("grant", "grant", "grant", "edit", "deny", "cancel")) if self.answers else last
        self.answers = max(self.answers - 1, 0)
        at = self.clock.now()
        match what:
            case "cancel":
                return (story_facts.StoryCancelRequested(at=at),)
            case "edit":
                return self._edit_requests(story)
            case "grant" if story.waiting.hold and story.waiting.hold.cause is HoldCause.LIMIT:
                limit = self.chance.pick((None, 0.0, 0.5, 100.0))
                return (story_facts.LimitsSet(at=at, limits=Limits(story=Budget(usd=limit))),)
            case _:
                answer = "said" if self.answers else ""  # a rejection without a reason ends the story
                return (story_facts.StoryReleased(at=at, granted=what == "grant", answer=answer),)

    def _edit_requests(self, story: StoryState) -> Facts:
        """One or two requests that are read together."""
        requests = (edit_request(self.chance, story.pipeline) for _ in range(self.chance.pick((1, 1, 2))))
        return tuple(story_facts.WorkflowEditRequested(at=self.clock.now(), edits=edits) for edits in requests)

    def withdraw(self, effect: story_effects.WithdrawLanding, story: StoryState) -> Facts:  # noqa: ARG002
        return (story_facts.LandingWithdrawalAsked(at=self.clock.now(), number=effect.number),)

    def _queue(self, story: StoryState) -> Facts:
        """The landing queue's answer; a person's message may arrive first."""
        asked_back = ("withdrawn",) if 0 < story.landing.withdrawing == story.landing.requests else ()
        outputs = ("release", "cancel", "edit") if self.answers else ()
        verdicts = self._possible(story)
        what = self.chance.pick((*verdicts, *verdicts, *outputs, *asked_back))
        at = self.clock.now()
        if what == "withdrawn":
            return (story_facts.LandingWithdrawn(at=at, number=story.landing.requests),)
        if what == "edit":
            self.answers -= 1
            return self._edit_requests(story)
        if what in {"cancel", "release"}:
            self.answers -= 1
            released = story_facts.StoryReleased(at=at, granted=True, answer="")
            return (story_facts.StoryCancelRequested(at=at) if what == "cancel" else released,)
        if what == "landed":
            commit = self.clock.commit()
            proof = ProofReport(commit=commit, tree="t", policy=ProofPolicy.TRUSTING)
            return (story_facts.LandingAccepted(at=at, commit=commit, ref="main", proof=proof),)
        base, candidate = self.chance.pick(_BASES), self.clock.commit()
        refused = story_facts.LandingRefused(
            at=at, cause=Refusal(what), detail="red", files=("a.py",), base=base, candidate=candidate
        )
        return (refused,)

    def _possible(self, story: StoryState) -> Sequence[str]:
        """A story that needs approval cannot land, and a story without review cannot be refused for lack of
        approval.
        """
        asks = approval.reviewed(story) and approval.approved(story) is None
        never = {"landed"} if asks else set() if approval.reviewed(story) else {Refusal.APPROVAL}
        possible = tuple(verdict for verdict in self.verdicts if verdict not in never)
        return possible or (Refusal.APPROVAL,)


_ANSWERS: Final[dict[type[e.Effect], Callable[[StorySimulation, Any, StoryState], Facts]]] = {
    e.Conclude: StorySimulation.conclude,
    e.Receive: StorySimulation.receive,
    story_effects.PrepareWorkspace: StorySimulation.prepare,
    story_effects.RunAgent: StorySimulation.run_agent,
    story_effects.RunGates: StorySimulation.run_gates,
    story_effects.MergeBase: StorySimulation.merge_base,
    story_effects.RequestLanding: StorySimulation.request_landing,
    story_effects.WithdrawLanding: StorySimulation.withdraw,
    story_effects.ReleaseWorkspace: StorySimulation.release,
    story_effects.ReportWaiting: StorySimulation.report_waiting,
    story_effects.WaitUntil: StorySimulation.wait_until,
    story_effects.ReportStory: StorySimulation.report,
    story_effects.ClaimAllowance: StorySimulation.claim,
    story_effects.SettleAllowance: StorySimulation.settle,
}
