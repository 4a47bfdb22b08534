"""A world for a run: stories that end in any order, and a person who may call it off."""

from dataclasses import dataclass, field

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.ids import Commit
from shiftwork.domain.model.run import RunState
from shiftwork.domain.model.story import FailureCause, StoryStatus
from shiftwork.domain.model.usage import Usage
from shiftwork.testing.simulation import Chance, Ticking

type Facts = tuple[f.Fact, ...]


@dataclass(slots=True, kw_only=True)
class RunWorld:
    """Answers the effects of a run. `cancels` is how often a person may still ask for its end, `retries` for another go
    at a story that has failed.
    """

    chance: Chance
    cancels: int = 1
    retries: int = 2
    ticking: Ticking = field(default_factory=Ticking)

    def answer(self, effect: e.Effect, run: RunState) -> Facts:
        at = self.ticking.now()
        match effect:
            case e.DispatchStory():
                given = effect.assignment
                return (r.StoryDispatched(at=at, story=given.story.id, slot=given.slot),)
            case e.TickSpec():
                return (self._ticked(effect, at),)
            case e.ForwardCancel():
                return (r.CancelForwarded(at=at, story=effect.story),)
            case e.Conclude():
                return effect.facts
            case e.Receive():
                return (self._message(run, at), f.MessagesRead(at=at, upto=effect.cursor + 1))
            case _:
                raise LookupError(f"a run does not ask for {effect}")

    def bound(self, run: RunState) -> int:
        """Each story is dispatched, told of a cancel, heard of and ticked; a cancel is heard of; the run ends, perhaps
        after a last try at ticking. A retry is heard of, and one of the stories goes its way again.
        """
        return 4 * len(run.stories) + 5 * self.retries + 3

    def _ticked(self, effect: e.TickSpec, at: float) -> f.Fact:
        if self.chance.pick((True, False)):
            return r.SpecTicked(at=at, stories=effect.stories)
        return r.SpecTickFailed(at=at, stories=effect.stories, reason="it is being edited", final=effect.final)

    def _message(self, run: RunState, at: float) -> f.Fact:
        flying = [story for story, known in run.stories.items() if known.status is StoryStatus.IN_PROGRESS]
        failed = [story for story, known in run.stories.items() if known.status is StoryStatus.FAILED]
        who = self.chance.pick((*flying, *[None] * self.cancels, *(failed if self.retries else ())))
        if who is None:
            self.cancels -= 1
            return r.CancelRequested(at=at)
        if who in failed:
            self.retries -= 1
            return r.StoryRetryRequested(at=at, story=who)
        landed = self.chance.pick((True, False))
        return r.StoryEnded(
            at=at,
            story=who,
            status=StoryStatus.COMPLETED if landed else StoryStatus.FAILED,
            commit=self.ticking.commit() if landed else Commit(""),
            reason="" if landed else "no luck",
            cause=None if landed else self.chance.pick(tuple(FailureCause)),
            usage=Usage(cost_usd=0.25),
        )
