"""A world for one story: agents, gates, the landing queue and a person, who do anything that they could really do."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from shiftwork.domain.model import budget_facts as b
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import waiting_facts as w
from shiftwork.domain.model import withdrawal_facts as t
from shiftwork.domain.model.budget import Budget
from shiftwork.domain.model.editing import Edit
from shiftwork.domain.model.facts import Trouble
from shiftwork.domain.model.ids import Commit, StepId
from shiftwork.domain.model.pipeline import Pipeline, StepStatus
from shiftwork.domain.model.proof import ProofPolicy, ProofReport
from shiftwork.domain.model.story import Evidence, FailureCause, HoldCause, Limits, Refusal, StoryState
from shiftwork.domain.model.usage import NOTHING_USED, Usage
from shiftwork.domain.rules import approving
from shiftwork.domain.rules.asking import MAX_QUESTIONS
from shiftwork.domain.rules.editing import MAX_RESTARTS, MAX_STEPS, PERSON, Rejected, apply_edits, outline, restarts
from shiftwork.domain.rules.evolve_story import evolve_story
from shiftwork.domain.rules.routing import FAILED, PASSED, route_for
from shiftwork.testing.simulated_books import answered
from shiftwork.testing.simulated_edits import edit_request, restart_request, work_request
from shiftwork.testing.simulation import Chance, Ticking

type Facts = tuple[f.Fact, ...]

_FROM_OUTSIDE: Final = frozenset({Trouble.TIMED_OUT, Trouble.SILENT, Trouble.LOOPING, Trouble.CANCELLED})
_USAGES: Final = (NOTHING_USED, Usage(input_tokens=10, output_tokens=5, cost_usd=0.25), Usage(input_tokens=3))
_BASES: Final = (Commit("base-1"), Commit("base-2"), Commit("base-3"))
ENDINGS: Final = ("completed", "edited", "edited", "completed", "failed", "asked", "limited")
VERDICTS: Final = ("landed", *Refusal)
MAX_DEFERRALS: Final = 3
"""How often one step runs into a limit before it fails, in this world."""
_MISHAPS: Final = ("dies", "finds no workspace", "leaves no workspace")


@dataclass(slots=True, kw_only=True)
class StoryWorld:
    """Answers the effects of one story. `mishaps` is how often a worker may still die in the middle of an attempt or
    lose its workspace, `answers` how often a person may still do something else than give up: without an end to these
    nothing ends. `endings` and `verdicts` are what agents and the landing queue are inclined to: a world that always
    fails, restarts, adds work or refuses is as good as any.
    """

    chance: Chance
    mishaps: int = 2
    answers: int = 3
    endings: Sequence[str] = ENDINGS
    verdicts: Sequence[str] = VERDICTS
    ticking: Ticking = field(default_factory=Ticking)

    def answer(self, effect: e.Effect, story: StoryState) -> Facts:
        return _ANSWERS[type(effect)](self, effect, story)

    def bound(self, story: StoryState) -> int:
        """How many effects a story can need at most, from what each of its counters allows."""
        steps = max(MAX_STEPS, len(story.pipeline.steps))
        tries = 1 + max((step.max_retries for step in story.pipeline.steps), default=1)
        mendings = story.given.limits.repairs + story.given.limits.conflicts
        put_back = steps  # each time that the last step is put back a step has been added before it
        going_back = any(step.routes for step in story.pipeline.steps)
        rounds = (steps * tries + self.answers) * len(story.pipeline.steps) if going_back else 0
        asked = steps * MAX_QUESTIONS if "asked" in self.endings else 0
        attempts = steps * (tries + MAX_RESTARTS) + put_back + (mendings + self.answers) * tries + self.mishaps
        attempts += rounds + asked
        if "limited" in self.endings:
            attempts += (steps + self.answers) * MAX_DEFERRALS
        # Begin, ask, tell the run, be answered, tell it again, and what follows from its end; claim and settle.
        each_attempt = 7 + 5 * story.limits.run.is_set
        landing = 4 * (mendings + 1)
        return attempts * each_attempt + landing + 3 * self.mishaps + 4 * (self.answers + 1) + 4

    # What performers do ----------------------------------------------------------------------------------------------

    def conclude(self, effect: e.Conclude, story: StoryState) -> Facts:  # noqa: ARG002 - one shape for all
        return effect.facts

    def prepare(self, effect: e.PrepareWorkspace, story: StoryState) -> Facts:  # noqa: ARG002
        if self.chance.pick(("ready",) * 19 + ("no workspace",)) == "no workspace":
            return (f.StoryFailed(at=self.ticking.now(), cause=FailureCause.WORKSPACE, reason="no disk"),)
        base = effect.base or _BASES[0]
        return (f.WorkspacePrepared(at=self.ticking.now(), number=effect.number, base=base, head=effect.head or base),)

    def run_agent(self, effect: e.RunAgent, story: StoryState) -> Facts:
        now = self.ticking.now
        step = story.pipeline.find(effect.step)
        if step is not None and step.status is StepStatus.IN_PROGRESS:
            return (f.StepInterrupted(at=now(), step=effect.step, attempt=effect.attempt, diff=""),)
        started = f.StepStarted(at=now(), step=effect.step, attempt=effect.attempt, commit=story.head, log="log")
        ending = self.chance.pick((*self.endings, *(_MISHAPS if self.mishaps else ())))
        if ending in _MISHAPS:
            return self._mishap(ending, effect, started, story.workspace)
        running = evolve_story(story, started)
        return (started, *self._ended(ending, effect, running))

    def _ended(self, ending: str, effect: e.RunAgent, running: StoryState) -> Facts:
        match ending:
            case "failed":
                return self._went_wrong(effect, self.chance.pick(tuple(Trouble)))
            case "asked":
                return self._asked(effect, running)
            case "limited":
                return self._limited(effect, running)
            case "completed":
                return (*self._said(effect), *self._came_to(effect, running))
            case _:
                return self._edited(effect, running, ending)

    def run_gates(self, effect: e.RunGates, story: StoryState) -> Facts:
        now = self.ticking.now
        started = f.StepStarted(at=now(), step=effect.step, attempt=effect.attempt, commit=story.head, log="")
        step = story.pipeline.find(effect.step)
        passed = self.chance.pick((True, True, False))
        if passed or (step and route_for(step, FAILED)):
            return (started, self._completed(effect, PASSED if passed else FAILED))
        return (started, *self._went_wrong(effect, Trouble.GATES))

    def merge_base(self, effect: e.MergeBase, story: StoryState) -> Facts:  # noqa: ARG002
        merged = self.ticking.commit()
        return (f.BaseMerged(at=self.ticking.now(), commit=merged, base=effect.base, files=("a.py",)),)

    def request_landing(self, effect: e.RequestLanding, story: StoryState) -> Facts:  # noqa: ARG002
        return (f.LandingRequested(at=self.ticking.now(), number=effect.number, tip=effect.tip),)

    def release(self, effect: e.ReleaseWorkspace, story: StoryState) -> Facts:  # noqa: ARG002
        return (f.WorkspaceReleased(at=self.ticking.now(), number=effect.number),)

    def tell_waiting(self, effect: e.TellWaiting, story: StoryState) -> Facts:  # noqa: ARG002
        return (f.WaitingTold(at=self.ticking.now(), waiting=effect.waiting),)

    def report(self, effect: e.ReportStory, story: StoryState) -> Facts:  # noqa: ARG002
        return (f.StoryReported(at=self.ticking.now()),)

    def receive(self, effect: e.Receive, story: StoryState) -> Facts:
        at = self.ticking.now()
        claims = answered(self.chance, story, at) if story.claiming and not story.hold else ()
        said = claims or (self._person(story) if story.hold else self._queue(story))
        upto = effect.cursor + self.chance.pick((1, 2))
        return (*said, f.MessagesRead(at=self.ticking.now(), upto=upto))

    def _mishap(self, what: str, effect: e.RunAgent, started: f.StepStarted, workspace: int) -> Facts:
        self.mishaps -= 1
        lost = f.WorkspaceLost(at=self.ticking.now(), number=workspace, reason="gone")
        match what:
            case "dies":
                return (started,)
            case "finds no workspace":
                return (lost,)
            case _:
                return (started, *self._went_wrong(effect, Trouble.CRASHED), lost)

    def claim(self, effect: e.ClaimAllowance, story: StoryState) -> Facts:  # noqa: ARG002
        return (b.AllowanceClaimed(at=self.ticking.now(), number=effect.number),)

    def settle(self, effect: e.SettleAllowance, story: StoryState) -> Facts:  # noqa: ARG002
        return (b.AllowanceSettled(at=self.ticking.now(), number=effect.number),)

    def wait_until(self, effect: e.WaitUntil, story: StoryState) -> Facts:
        """A person's message may come first."""
        what = self.chance.pick(("over", "over", "over", *(("cancelled",) if self.answers else ())))
        at = self.ticking.now()
        if what == "over":
            return (w.WaitEnded(at=at, number=effect.number),)
        self.answers -= 1
        return (f.StoryCancelRequested(at=at), f.MessagesRead(at=at, upto=story.cursor + 1))

    # The ends of an attempt ------------------------------------------------------------------------------------------

    def _went_wrong(self, effect: e.RunAgent | e.RunGates, trouble: Trouble) -> Facts:
        kind = f.StepCancelled if trouble in _FROM_OUTSIDE else f.StepFailed
        ended = kind(
            at=self.ticking.now(),
            step=effect.step,
            attempt=effect.attempt,
            trouble=trouble,
            error=str(trouble),
            usage=self.chance.pick(_USAGES),
            diff="",
        )
        cancel = (f.StoryCancelRequested(at=self.ticking.now()),) if trouble is Trouble.CANCELLED else ()
        return (ended, *cancel)

    def _limited(self, effect: e.RunAgent, story: StoryState) -> Facts:
        step = story.pipeline.find(effect.step)
        if step is None or step.deferrals >= MAX_DEFERRALS:
            return self._went_wrong(effect, Trouble.LIMITED)
        now = self.ticking.now()
        return (
            w.StepDeferred(
                at=now,
                step=effect.step,
                attempt=effect.attempt,
                agent=self.chance.pick(("one", "other")),
                resets_at=now + 30.0,
                until=now + self.chance.pick((0.0, 30.0)),
                reason="429",
                usage=self.chance.pick(_USAGES),
                diff="",
            ),
        )

    def _said(self, effect: e.RunAgent) -> Facts:
        claim = Evidence(criterion="AC-1", kind="test", reference="t.py::t")
        said = (
            f.NoteWritten(at=self.ticking.now(), by=effect.step, text="noted"),
            f.EvidenceReported(at=self.ticking.now(), by=effect.step, evidence=claim),
        )
        return self.chance.pick(((), said))

    def _asked(self, effect: e.RunAgent, story: StoryState) -> Facts:
        step = story.pipeline.find(effect.step)
        if step is None or step.questions >= MAX_QUESTIONS:
            return self._went_wrong(effect, Trouble.REJECTED)
        return (
            f.QuestionAsked(
                at=self.ticking.now(),
                step=effect.step,
                attempt=effect.attempt,
                question="Which one?",
                options=self.chance.pick(((), ("this", "that"))),
                commit=self.ticking.commit(),
                usage=self.chance.pick(_USAGES),
            ),
        )

    def _came_to(self, effect: e.RunAgent, story: StoryState) -> Facts:
        """The step's result; one that is to decide may say nothing that can be followed."""
        step = story.pipeline.find(effect.step)
        values = tuple(route.value for route in step.routes) if step else ()
        decision = self.chance.pick((*values, *values, "what?")) if values else ""
        return (
            self._went_wrong(effect, Trouble.CONTRACT) if decision == "what?" else (self._completed(effect, decision),)
        )

    def _completed(self, effect: e.RunAgent | e.RunGates, decision: str = "") -> f.Fact:
        return f.StepCompleted(
            at=self.ticking.now(),
            step=effect.step,
            attempt=effect.attempt,
            commit=self.chance.pick((self.ticking.commit(),) * 4 + (Commit(""),)),  # none: it has changed nothing
            notes="done",
            outputs=self.chance.pick(((), (("plan", "short"), ("task", "mine")))),
            usage=self.chance.pick(_USAGES),
            decision=decision,
            verdict="so it is",
        )

    def _edited(self, effect: e.RunAgent, story: StoryState, ending: str) -> Facts:
        """An attempt that finished and left one or two requests."""
        facts: Facts = ()
        pipeline, restarted = story.pipeline, False
        for _ in range(self.chance.pick((1, 1, 2))):
            edits = self._request(ending, pipeline)
            changed = apply_edits(pipeline, effect.step, edits)
            if isinstance(changed, Rejected) and restarts(edits):
                return self._went_wrong(effect, Trouble.REJECTED)
            facts = (*facts, self._edit_fact(pipeline, effect.step, edits, changed))
            restarted = restarted or (restarts(edits) and not isinstance(changed, Rejected))
            pipeline = pipeline if isinstance(changed, Rejected) else changed
        step = pipeline.find(effect.step)
        if step is not None and step.status is StepStatus.IN_PROGRESS:
            return (*facts, *self._came_to(effect, replace(story, pipeline=pipeline)))
        return (*facts, self._yielded(effect, restarted=restarted))

    def _request(self, ending: str, pipeline: Pipeline) -> tuple[Edit, ...]:
        match ending:
            case "restarted":
                return restart_request(pipeline)
            case "extended":
                return work_request(pipeline)
            case _:
                return edit_request(self.chance, pipeline)

    def _edit_fact(
        self, before: Pipeline, by: StepId | str, edits: tuple[Edit, ...], after: Pipeline | Rejected
    ) -> f.Fact:
        at = self.ticking.now()
        if isinstance(after, Rejected):
            return f.WorkflowEditRejected(at=at, by=by, request="{}", reason=after.reason)
        return f.WorkflowEdited(at=at, by=by, edits=edits, before=outline(before), after=outline(after))

    def _yielded(self, effect: e.RunAgent, *, restarted: bool) -> f.Fact:
        return f.StepYielded(
            at=self.ticking.now(),
            step=effect.step,
            attempt=effect.attempt,
            commit=Commit("") if restarted else self.ticking.commit(),
            usage=self.chance.pick(_USAGES),
            diff="",
        )

    # Messages --------------------------------------------------------------------------------------------------------

    def _person(self, story: StoryState) -> Facts:
        what = self.chance.pick(("grant", "grant", "grant", "edit", "deny", "cancel")) if self.answers else "deny"
        self.answers = max(self.answers - 1, 0)
        at = self.ticking.now()
        match what:
            case "cancel":
                return (f.StoryCancelRequested(at=at),)
            case "edit":
                edits = edit_request(self.chance, story.pipeline)
                return (self._edit_fact(story.pipeline, PERSON, edits, apply_edits(story.pipeline, PERSON, edits)),)
            case "grant" if story.hold and story.hold.cause is HoldCause.LIMIT:
                limit = self.chance.pick((None, 0.0, 0.5, 100.0))
                return (b.LimitsSet(at=at, limits=Limits(story=Budget(usd=limit))),)
            case _:
                answer = "said" if self.answers else ""  # who rejects without a reason ends the story
                return (f.StoryReleased(at=at, granted=what == "grant", answer=answer),)

    def withdraw(self, effect: e.WithdrawLanding, story: StoryState) -> Facts:  # noqa: ARG002
        return (t.LandingWithdrawalAsked(at=self.ticking.now(), number=effect.number),)

    def _queue(self, story: StoryState) -> Facts:
        """What the landing queue answers; a person's message may come before it."""
        asked_back = ("withdrawn",) if 0 < story.withdrawing == story.landings else ()
        mail = ("release", "cancel") if self.answers else ()
        verdicts = self._possible(story)
        what = self.chance.pick((*verdicts, *verdicts, *mail, *asked_back))
        at = self.ticking.now()
        if what == "withdrawn":
            return (t.LandingWithdrawn(at=at, number=story.landings),)
        if what in {"cancel", "release"}:
            self.answers -= 1
            released = f.StoryReleased(at=at, granted=True, answer="")
            return (f.StoryCancelRequested(at=at) if what == "cancel" else released,)
        if what == "landed":
            commit = self.ticking.commit()
            proof = ProofReport(commit=commit, tree="t", policy=ProofPolicy.TRUSTING)
            return (f.LandingAccepted(at=at, commit=commit, ref="main", proof=proof),)
        base, candidate = self.chance.pick(_BASES), self.ticking.commit()
        refused = f.LandingRefused(
            at=at, cause=Refusal(what), detail="red", files=("a.py",), base=base, candidate=candidate
        )
        return (refused,)

    def _possible(self, story: StoryState) -> Sequence[str]:
        """Nothing lands that a person is to be asked about, and no person is asked where no approval is needed."""
        asks = approving.reviewed(story) and approving.approved(story) is None
        never = {"landed"} if asks else set() if approving.reviewed(story) else {Refusal.APPROVAL}
        possible = tuple(one for one in self.verdicts if one not in never)
        return possible or (Refusal.APPROVAL,)


_ANSWERS: Final[dict[type[e.Effect], Callable[[StoryWorld, Any, StoryState], Facts]]] = {
    e.Conclude: StoryWorld.conclude,
    e.Receive: StoryWorld.receive,
    e.PrepareWorkspace: StoryWorld.prepare,
    e.RunAgent: StoryWorld.run_agent,
    e.RunGates: StoryWorld.run_gates,
    e.MergeBase: StoryWorld.merge_base,
    e.RequestLanding: StoryWorld.request_landing,
    e.WithdrawLanding: StoryWorld.withdraw,
    e.ReleaseWorkspace: StoryWorld.release,
    e.TellWaiting: StoryWorld.tell_waiting,
    e.WaitUntil: StoryWorld.wait_until,
    e.ReportStory: StoryWorld.report,
    e.ClaimAllowance: StoryWorld.claim,
    e.SettleAllowance: StoryWorld.settle,
}
