"""The data of one attempt at one step: its step, folder and workspace, and the output of its agent."""

from pathlib import Path

from shiftwork.app.runtime.recorder import StoryRecorder
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.ports.attempt_folder import AttemptFolder, AttemptOutputs
from shiftwork.prompts.answer import contract
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What every part of an attempt needs; `tree` is the folder in which the agent works, and `frontend` says that the
    work so far changes a user interface, if its prompt asks for that. `scratch` is what the agent has
    added to files of notes in the tree.
    """

    recorder: StoryRecorder
    step: Step
    number: int
    attempt_folder: AttemptFolder
    tree: Path
    frontend: bool = False
    scratch: AttemptOutputs = AttemptOutputs()

    @property
    def story(self) -> StoryState:
        state: StoryState = self.recorder.state
        return state

    @property
    def now(self) -> float:
        return self.recorder.context.clock.now()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Everything that an agent has produced: its last message, the stories planned there, and its output files."""

    answer: contract.Answer
    outputs: AttemptOutputs
    plan: tuple[Story, ...] = ()
