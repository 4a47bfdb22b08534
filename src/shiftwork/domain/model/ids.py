"""Names of things: ids, streams, and the keys by which effects and messages are done once."""

from typing import NewType

RunId = NewType("RunId", str)
StoryId = NewType("StoryId", str)
StepId = NewType("StepId", str)
Stream = NewType("Stream", str)
Commit = NewType("Commit", str)


def run_stream(run: RunId) -> Stream:
    return Stream(f"run/{run}")


def story_stream(run: RunId, story: StoryId) -> Stream:
    return Stream(f"story/{run}/{story}")


def landing_stream(repository: str, branch: str) -> Stream:
    return Stream(f"landing/{repository}/{branch}")


def step_id(number: int) -> StepId:
    """Ids only ever count upwards within a story; position in the pipeline is the order of the list."""
    return StepId(f"step-{number:03d}")
