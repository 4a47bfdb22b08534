"""A world for a run: stories that end in any order, and a person who may call it off."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model import withdrawal_facts as t
from shiftwork.domain.model.ids import FRAME, Commit
from shiftwork.domain.model.memory import Learnt, Scope
from shiftwork.domain.model.notice_facts import NoticeTried
from shiftwork.domain.model.run import RunState
from shiftwork.domain.model.story import FailureCause, StoryStatus
from shiftwork.domain.model.usage import Usage
from shiftwork.domain.rules.intents import next_story_id
from shiftwork.testing.simulation import Chance, Ticking

type Facts = tuple[f.Fact, ...]


def _dispatched(effect: e.DispatchStory, at: float) -> f.Fact:
    given = effect.assignment
    if given.story.id == FRAME:
        return r.FrameBegun(at=at, go=effect.go)
    return r.StoryDispatched(at=at, story=given.story.id, slot=given.slot)


_PLAIN: Final[dict[type[e.Effect], Callable[[Any, float], f.Fact]]] = {
    e.DispatchStory: _dispatched,
    e.CloseLoop: lambda effect, at: r.LoopClosed(at=at, round=effect.round),
    e.ForwardCancel: lambda effect, at: r.CancelForwarded(at=at, story=effect.story),
    e.ForwardPause: lambda effect, at: r.PauseForwarded(at=at, story=effect.story, paused=effect.paused),
    e.RequestUndo: lambda effect, at: r.UndoPosted(at=at, story=effect.story),
    e.RevertStory: lambda effect, at: r.StoryUndone(at=at, story=effect.story),
    e.Notify: lambda effect, at: NoticeTried(
        at=at, number=effect.number, occasion=effect.occasion, reached=effect.channels
    ),
}
"""Effects of which only one thing can come."""


@dataclass(slots=True, kw_only=True)
class RunWorld:
    """Answers the effects of a run. `cancels` is how often a person may still ask for its end, `retries` for another go
    at a story that has failed, `notes` how many notes may still be shared, `wishes` how often something else may still
    be asked of the run.
    """

    chance: Chance
    cancels: int = 1
    retries: int = 2
    notes: int = 3
    wishes: int = 3
    rounds: int = 2
    ticking: Ticking = field(default_factory=Ticking)

    def answer(self, effect: e.Effect, run: RunState) -> Facts:
        at = self.ticking.now()
        match effect:
            case e.KeepMemory():
                return (r.MemoryKept(at=at, changes=effect.changes, reason=self.chance.pick(("", "no disk"))),)
            case e.TickSpec():
                return (self._ticked(effect, at),)
            case e.Effect() if type(effect) in _PLAIN:
                return (_PLAIN[type(effect)](effect, at),)
            case e.WithdrawUndo():
                return (t.LandingWithdrawalAsked(at=at, number=run.undoing[effect.story].number),)
            case e.Conclude():
                return (*effect.facts, *(self._late(run, at) if isinstance(effect, e.EndRun) else ()))
            case e.Receive():
                return (self._message(run, at), f.MessagesRead(at=at, upto=effect.cursor + 1))
            case _:
                raise LookupError(f"a run does not ask for {effect}")

    def bound(self, run: RunState) -> int:
        """Each story is dispatched, told of a cancel, heard of and ticked; a cancel is heard of; the run ends, perhaps
        after a last try at ticking. A retry is heard of, and one of the stories goes its way again. What a story
        leaves, at its end or before, is heard of and kept. A wish is heard of; it may be told to every story, be
        lifted again, be answered, or add a story that goes its way.
        """
        each_wish = 2 * len(run.stories) + 2 * self.wishes + 8
        framed = 8 * (self.rounds + self.retries + 1) if run.given.workflow.frame else 0
        return framed + 5 * len(run.stories) + 6 * self.retries + 2 * self.notes + each_wish * self.wishes + 3

    def _late(self, run: RunState, at: float) -> Facts:
        """What was asked for before the run was over, and is heard with its end."""
        wish = self._wish(run, at)
        return (wish, f.MessagesRead(at=at, upto=run.cursor + 1)) if wish else ()

    def _ticked(self, effect: e.TickSpec, at: float) -> f.Fact:
        if self.chance.pick((True, False)):
            return r.SpecTicked(at=at, stories=effect.stories)
        return r.SpecTickFailed(at=at, stories=effect.stories, reason="it is being edited", final=effect.final)

    def _message(self, run: RunState, at: float) -> f.Fact:
        flying = [story for story, known in run.stories.items() if known.status is StoryStatus.IN_PROGRESS]
        failed = [story for story, known in run.stories.items() if known.status is StoryStatus.FAILED]
        if wish := self._wish(run, at) or (None if flying else self._must(run, at) or self._frame(run, at)):
            return wish
        who = self.chance.pick((*flying, *[None] * self.cancels, *(failed if self.retries else ())))
        if who is None:
            self.cancels -= 1
            return r.CancelRequested(at=at)
        if self.notes and self.chance.pick((False, True)):
            self.notes -= 1
            text = self.chance.pick(("tabs, not blanks", "the tests need a port"))
            return r.NoteShared(at=at, story=who, scope=self.chance.pick((Scope.PATTERN, Scope.PROJECT)), text=text)
        if who in failed:
            self.retries -= 1
            return r.StoryRetryRequested(at=at, story=who)
        landed = self.chance.pick((True, False))
        return r.StoryEnded(
            at=at,
            story=who,
            status=StoryStatus.COMPLETED if landed else StoryStatus.FAILED,
            commit=self.ticking.commit() if landed else Commit(""),
            base=self.ticking.commit() if landed else Commit(""),
            reason="" if landed else "no luck",
            cause=None if landed else self.chance.pick(tuple(FailureCause)),
            usage=Usage(cost_usd=0.25),
            learnt=Learnt(title=who, text=f"- {who} is done") if landed else None,
        )

    def _wish(self, run: RunState, at: float) -> f.Fact | None:
        if not self.wishes or not self.chance.pick((False, True)):
            return None
        self.wishes -= 1
        story = self.chance.pick(tuple(run.stories))
        new = next_story_id(run.given.spec.stories)
        asked = run.asked(story)
        return self.chance.pick(
            (
                r.RunPaused(at=at),
                r.RunUnpaused(at=at),
                r.StoryCancellationRequested(at=at, story=story),
                r.StoryAdded(at=at, story=replace(asked, id=new, depends_on=(story,))),
                r.StoryEdited(at=at, story=replace(asked, title="changed", depends_on=())),
                r.StoriesReordered(at=at, stories=(story,)),
                r.StoryUndoRequested(at=at, story=story),
            )
        )

    def _frame(self, run: RunState, at: float) -> f.Fact | None:
        """What the run's own steps tell it, where it has any: that stories may start, or that they are over."""
        if not run.frame.going:
            return None
        if self.rounds and not run.cancelling and self.chance.pick((True, False)):
            self.rounds -= 1
            feedback = self.chance.pick(("", "no docs"))
            return r.LoopOpened(at=at, round=run.frame.round + 1, stories=(), feedback=feedback, context=())
        failure = "cancelled" if run.cancelling else self.chance.pick(("", "no luck"))
        return r.FrameEnded(at=at, failure=failure, usage=Usage(cost_usd=0.25))

    def _must(self, run: RunState, at: float) -> f.Fact | None:
        """What comes in the end where no story is left to be heard of."""
        if not run.undoing:
            return r.RunUnpaused(at=at) if run.paused else None
        story = next(iter(run.undoing))
        if self.chance.pick((True, False)):
            return r.UndoLanded(at=at, story=story, commit=self.ticking.commit())
        return r.UndoRefused(at=at, story=story, reason="it does not fit")
