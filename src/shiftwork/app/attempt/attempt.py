"""One attempt at one step, as every part of it knows it: who makes it and where, and what its agent has said."""

from dataclasses import dataclass
from pathlib import Path

from shiftwork.app.runtime.recorder import StoryRecorder
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.ports.desk import Desk, Mail
from shiftwork.prompts.answer import contract


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What every part of an attempt needs to know; `tree` is where the agent works."""

    recorder: StoryRecorder
    step: Step
    number: int
    desk: Desk
    tree: Path

    @property
    def story(self) -> StoryState:
        state: StoryState = self.recorder.state
        return state

    @property
    def now(self) -> float:
        return self.recorder.world.clock.now()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Everything that an agent has said: in its last message, the stories it has planned there, and in its outbox."""

    answer: contract.Answer
    mail: Mail
    plan: tuple[Story, ...] = ()
