"""Simulates the surroundings of a run: stories that end in any order, and a person who may cancel it."""

from collections.abc import Callable
from typing import Any, Final

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import FRAME, Commit
from shiftwork.domain.memory.notes import Learnt, Scope
from shiftwork.domain.notices import effects as notices_effects
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.run.steering.intent_checks import next_story_id
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.domain.usage.usage import Usage
from shiftwork.records import dataclass, field, replace
from shiftwork.testing.simulation.simulation import Chance, SimulatedClock

type Facts = tuple[Fact, ...]


def _dispatched(effect: run_effects.DispatchStory, at: float) -> Fact:
    given = effect.assignment
    if given.story.id == FRAME:
        return run_facts.FrameBegun(at=at, start_number=effect.start_number)
    return run_facts.StoryDispatched(at=at, story=given.story.id, slot=given.slot)


_PLAIN: Final[dict[type[e.Effect], Callable[[Any, float], Fact]]] = {
    run_effects.DispatchStory: _dispatched,
    run_effects.CloseLoop: lambda effect, at: run_facts.LoopClosed(at=at, round=effect.round),
    run_effects.ForwardCancel: lambda effect, at: run_facts.CancelForwarded(at=at, story=effect.story),
    run_effects.ForwardDismissal: lambda effect, at: run_facts.DismissalForwarded(at=at, story=effect.story),
    run_effects.ForwardPause: lambda effect, at: run_facts.PauseForwarded(
        at=at, story=effect.story, paused=effect.paused
    ),
    run_effects.RequestUndo: lambda effect, at: run_facts.UndoPosted(at=at, story=effect.story),
    run_effects.RevertStory: lambda effect, at: run_facts.StoryUndone(at=at, story=effect.story),
    notices_effects.Notify: lambda effect, at: NoticeTried(
        at=at, number=effect.number, occasion=effect.occasion, reached=effect.channels
    ),
}
"""Effects with only one possible result."""


@dataclass(slots=True, kw_only=True)
class RunSimulation:
    """Answers the effects of a run. `cancels` is how often a person may still cancel it, `retries` how often a failed
    story may still be retried, `notes` how many notes may still be shared, `wishes` how many other requests may still
    be made.
    """

    chance: Chance
    cancels: int = 1
    retries: int = 2
    notes: int = 3
    wishes: int = 3
    rounds: int = 2
    clock: SimulatedClock = field(default_factory=SimulatedClock)

    def answer(self, effect: e.Effect, run: RunState) -> Facts:
        at = self.clock.now()
        match effect:
            case run_effects.KeepMemory():
                return (run_facts.MemoryKept(at=at, changes=effect.changes, reason=self.chance.pick(("", "no disk"))),)
            case run_effects.UpdateSpec():
                return (self._marked(effect, at),)
            case e.Effect() if type(effect) in _PLAIN:
                return (_PLAIN[type(effect)](effect, at),)
            case run_effects.WithdrawUndo():
                return (story_facts.LandingWithdrawalAsked(at=at, number=run.requests.undoing[effect.story].number),)
            case e.Conclude():
                return (*effect.facts, *(self._late(run, at) if isinstance(effect, run_effects.EndRun) else ()))
            case e.Receive():
                return (self._message(run, at), MessagesRead(at=at, upto=effect.cursor + 1))
            case _:
                raise LookupError(f"a run does not ask for {effect}")

    def bound(self, run: RunState) -> int:
        """Each story is dispatched, receives a cancel, reports its end and is marked as done; a cancel is received; the
        run ends, perhaps after a last try to update the spec. A retry is received, and a story runs again. What a story
        leaves, at its end or before, is received and stored. A request is received; it may be forwarded to every story,
        be lifted again, be answered, or add a story that runs too.
        """
        each_wish = 2 * len(run.stories) + 2 * self.wishes + 8
        framed = 8 * (self.rounds + self.retries + 1) if run.given.workflow.frame else 0
        return framed + 5 * len(run.stories) + 6 * self.retries + 2 * self.notes + each_wish * self.wishes + 3

    def _late(self, run: RunState, at: float) -> Facts:
        """A request made before the run ended, and received with its end."""
        wish = self._wish(run, at)
        return (wish, MessagesRead(at=at, upto=run.cursor + 1)) if wish else ()

    def _marked(self, effect: run_effects.UpdateSpec, at: float) -> Fact:
        if self.chance.pick((True, False)):
            return run_facts.SpecUpdated(at=at, stories=effect.stories)
        return run_facts.SpecUpdateFailed(
            at=at, stories=effect.stories, reason="it is being edited", final=effect.final
        )

    def _message(self, run: RunState, at: float) -> Fact:
        in_progress = [story for story, known in run.stories.items() if known.status is StoryStatus.IN_PROGRESS]
        failed = [
            story for story, known in run.stories.items() if known.status in {StoryStatus.FAILED, StoryStatus.CANCELLED}
        ]
        if wish := self._wish(run, at) or (None if in_progress else self._must(run, at) or self._frame(run, at)):
            return wish
        who = self.chance.pick((*in_progress, *[None] * self.cancels, *(failed if self.retries else ())))
        if who is None:
            self.cancels -= 1
            return run_facts.CancelRequested(at=at)
        if self.notes and self.chance.pick((False, True)):
            self.notes -= 1
            text = self.chance.pick(("tabs, not blanks", "the tests need a port"))
            return run_facts.NoteShared(
                at=at, story=who, scope=self.chance.pick((Scope.PATTERN, Scope.PROJECT)), text=text
            )
        if who in failed:
            self.retries -= 1
            return run_facts.StoryRetryRequested(at=at, story=who)
        landed = self.chance.pick((True, False))
        return run_facts.StoryEnded(
            at=at,
            story=who,
            status=StoryStatus.COMPLETED if landed else StoryStatus.FAILED,
            commit=self.clock.commit() if landed else Commit(""),
            base=self.clock.commit() if landed else Commit(""),
            reason="" if landed else "no luck",
            cause=None if landed else self.chance.pick(tuple(FailureCause)),
            usage=Usage(cost_usd=0.25),
            learnt=Learnt(title=who, text=f"- {who} is done") if landed else None,
        )

    def _wish(self, run: RunState, at: float) -> Fact | None:
        if not self.wishes or not self.chance.pick((False, True)):
            return None
        self.wishes -= 1
        story = self.chance.pick(tuple(run.stories))
        new = next_story_id(run.given.spec.stories)
        asked = run.asked(story)
        return self.chance.pick(
            (
                run_facts.RunPaused(at=at),
                run_facts.RunUnpaused(at=at),
                run_facts.StoryCancellationRequested(at=at, story=story),
                run_facts.StoryAdded(at=at, story=replace(asked, id=new, depends_on=(story,))),
                run_facts.StoryEdited(at=at, story=replace(asked, title="changed", depends_on=())),
                run_facts.StoriesReordered(at=at, stories=(story,)),
                run_facts.StoryUndoRequested(at=at, story=story),
            )
        )

    def _frame(self, run: RunState, at: float) -> Fact | None:
        """The message of the run's own steps, if it has any: that stories may start, or that the steps have ended."""
        if not run.frame.running:
            return None
        if self.rounds and not run.requests.cancelling and self.chance.pick((True, False)):
            self.rounds -= 1
            feedback = self.chance.pick(("", "no docs"))
            return run_facts.LoopOpened(at=at, round=run.frame.round + 1, stories=(), feedback=feedback, context=())
        failure = "cancelled" if run.requests.cancelling else self.chance.pick(("", "no luck"))
        return run_facts.FrameEnded(at=at, failure=failure, usage=Usage(cost_usd=0.25))

    def _must(self, run: RunState, at: float) -> Fact | None:
        """The message that comes in the end when no story is left to report."""
        if not run.requests.undoing:
            return run_facts.RunUnpaused(at=at) if run.requests.paused else None
        story = next(iter(run.requests.undoing))
        if self.chance.pick((True, False)):
            return run_facts.UndoLanded(at=at, story=story, commit=self.clock.commit())
        return run_facts.UndoRefused(at=at, story=story, reason="it does not fit")
