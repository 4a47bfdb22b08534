"""Names of things: ids, streams, and the keys by which effects and messages are done once."""

import re
from typing import Final, NewType

RunId = NewType("RunId", str)
StoryId = NewType("StoryId", str)
StepId = NewType("StepId", str)
Stream = NewType("Stream", str)
Commit = NewType("Commit", str)

STORY_ID: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9])){0,63}")
"""What a story may be called: ids become names of branches and folders."""

FRAME: Final = StoryId("_run")
"""Under this id the run's own steps are worked on, those before and after its stories; no story can have it."""


def run_stream(run: RunId) -> Stream:
    return Stream(f"run/{run}")


def story_stream(run: RunId, story: StoryId) -> Stream:
    return Stream(f"story/{run}/{story}")


def landing_stream(repository: str, branch: str) -> Stream:
    return Stream(f"landing/{repository}/{branch}")


def repository_of(landing: Stream) -> str:
    """The repository that is landed on."""
    return landing.split("/")[1]


def spec_claim(repository: str, worktree: str, source: str) -> Stream:
    """What is held by whoever begins a run of a spec; nothing is ever written to it."""
    return Stream(f"spec/{repository}/{worktree}/{source}")


def in_go(name: str, go: int) -> str:
    """A name for something that is done once in each go at a story; that of the first is plain."""
    return name if go == 1 else f"{name}/{go}"


def step_id(number: int) -> StepId:
    """Ids only ever count upwards within a story; position in the pipeline is the order of the list."""
    return StepId(f"step-{number:03d}")
