"""The endings of a simulated attempt: everything that a real agent could do."""

from typing import Final

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StepId
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.facts.steps import Trouble
from shiftwork.domain.story.holds import MAX_QUESTIONS
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.edit_request import Edit
from shiftwork.domain.workflow.guardrails import (
    Rejected,
    apply_edits,
    outline,
    restarts,
)
from shiftwork.domain.workflow.pipeline import Pipeline, StepStatus
from shiftwork.records import dataclass, replace
from shiftwork.testing.simulation.edits import edit_request, restart_request, work_request
from shiftwork.testing.simulation.simulation import Chance, SimulatedClock

type Facts = tuple[Fact, ...]

_FROM_OUTSIDE: Final = frozenset({Trouble.TIMED_OUT, Trouble.SILENT, Trouble.LOOPING, Trouble.CANCELLED})
_USAGES: Final = (NOTHING_USED, Usage(input_tokens=10, output_tokens=5, cost_usd=0.25), Usage(input_tokens=3))
MAX_DEFERRALS: Final = 3
"""How often a step hits a limit before it fails, in a simulation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptEndings:
    """Random endings of an attempt."""

    chance: Chance
    clock: SimulatedClock

    def ended(self, ending: str, effect: story_effects.RunAgent, running: StoryState) -> Facts:
        match ending:
            case "failed":
                return self.failed(effect, self.chance.pick(tuple(Trouble)))
            case "asked":
                return self._asked(effect, running)
            case "limited":
                return self._limited(effect, running)
            case "completed":
                return (*self._said(effect), *self._came_to(effect, running))
            case _:
                return self._edited(effect, running, ending)

    def failed(self, effect: story_effects.RunAgent | story_effects.RunGates, trouble: Trouble) -> Facts:
        kind = story_facts.StepCancelled if trouble in _FROM_OUTSIDE else story_facts.StepFailed
        ended = kind(
            at=self.clock.now(),
            step=effect.step,
            attempt=effect.attempt,
            trouble=trouble,
            error=str(trouble),
            usage=self.chance.pick(_USAGES),
            diff="",
        )
        cancel = (story_facts.StoryCancelRequested(at=self.clock.now()),) if trouble is Trouble.CANCELLED else ()
        return (ended, *cancel)

    def _limited(self, effect: story_effects.RunAgent, story: StoryState) -> Facts:
        step = story.pipeline.find(effect.step)
        if step is None or step.deferrals >= MAX_DEFERRALS:
            return self.failed(effect, Trouble.LIMITED)
        now = self.clock.now()
        return (
            story_facts.StepDeferred(
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

    def _said(self, effect: story_effects.RunAgent) -> Facts:
        claim = Evidence(criterion="AC-1", kind="test", reference="t.py::t")
        said = (
            story_facts.NoteWritten(at=self.clock.now(), by=effect.step, text="noted"),
            story_facts.EvidenceReported(at=self.clock.now(), by=effect.step, evidence=claim),
        )
        return self.chance.pick(((), said))

    def _asked(self, effect: story_effects.RunAgent, story: StoryState) -> Facts:
        step = story.pipeline.find(effect.step)
        if step is None or step.questions >= MAX_QUESTIONS:
            return self.failed(effect, Trouble.REJECTED)
        return (
            story_facts.QuestionAsked(
                at=self.clock.now(),
                step=effect.step,
                attempt=effect.attempt,
                question="Which one?",
                options=self.chance.pick(((), ("this", "that"))),
                commit=self.clock.commit(),
                usage=self.chance.pick(_USAGES),
            ),
        )

    def _came_to(self, effect: story_effects.RunAgent, story: StoryState) -> Facts:
        """The step's result; a deciding step may give an invalid decision."""
        step = story.pipeline.find(effect.step)
        values = tuple(route.value for route in step.plan.routes) if step else ()
        decision = self.chance.pick((*values, *values, "what?")) if values else ""
        if decision == "what?":
            return self.failed(effect, Trouble.CONTRACT)
        missed = step is not None and step.unsummarised is None and self.chance.pick((False,) * 7 + (True,))
        return (self._without_summary(effect, decision) if missed else self.completed(effect, decision),)

    def _without_summary(self, effect: story_effects.RunAgent, decision: str) -> Fact:
        return story_facts.SummaryMissed(
            at=self.clock.now(),
            step=effect.step,
            attempt=effect.attempt,
            commit=self.clock.commit(),
            outputs=(("plan", "short"),),
            usage=self.chance.pick(_USAGES),
            session="session",
            home="home",
            note="a file has changed",
            decision=decision,
            verdict="so it is",
        )

    def completed(self, effect: story_effects.RunAgent | story_effects.RunGates, decision: str = "") -> Fact:
        return story_facts.StepCompleted(
            at=self.clock.now(),
            step=effect.step,
            attempt=effect.attempt,
            commit=self.chance.pick((self.clock.commit(),) * 4 + (Commit(""),)),  # empty: it has changed nothing
            notes="done",
            outputs=self.chance.pick(((), (("plan", "short"), ("task", "mine")))),
            usage=self.chance.pick(_USAGES),
            decision=decision,
            verdict="so it is",
        )

    def _edited(self, effect: story_effects.RunAgent, story: StoryState, ending: str) -> Facts:
        """An attempt that finished and left one or two edit requests."""
        facts: Facts = ()
        pipeline, restarted = story.pipeline, False
        for _ in range(self.chance.pick((1, 1, 2))):
            edits = self._request(ending, pipeline)
            changed = apply_edits(pipeline, effect.step, edits)
            if isinstance(changed, Rejected) and restarts(edits):
                return self.failed(effect, Trouble.REJECTED)
            facts = (*facts, self.edit_fact(pipeline, effect.step, edits, changed))
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

    def edit_fact(
        self, before: Pipeline, by: StepId | str, edits: tuple[Edit, ...], after: Pipeline | Rejected
    ) -> Fact:
        at = self.clock.now()
        if isinstance(after, Rejected):
            return story_facts.WorkflowEditRejected(at=at, by=by, request="{}", reason=after.reason)
        return story_facts.WorkflowEdited(at=at, by=by, edits=edits, before=outline(before), after=outline(after))

    def _yielded(self, effect: story_effects.RunAgent, *, restarted: bool) -> Fact:
        return story_facts.StepYielded(
            at=self.clock.now(),
            step=effect.step,
            attempt=effect.attempt,
            commit=Commit("") if restarted else self.clock.commit(),
            usage=self.chance.pick(_USAGES),
            diff="",
        )
