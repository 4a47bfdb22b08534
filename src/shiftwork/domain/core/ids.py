"""Ids, streams, and the keys under which effects and messages are performed once."""

from typing import Final, NewType

from shiftwork.regexes import regex

RunId = NewType("RunId", str)
StoryId = NewType("StoryId", str)
StepId = NewType("StepId", str)
Stream = NewType("Stream", str)
Commit = NewType("Commit", str)

STORY_ID: Final = regex(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9])){0,63}")
"""Valid story ids: they become names of branches and folders."""

FRAME: Final = StoryId("_run")
"""The id of the run's own steps, those before and after its stories; no story can have it."""


def run_stream(run: RunId) -> Stream:
    return Stream(f"run/{run}")


def story_stream(run: RunId, story: StoryId) -> Stream:
    return Stream(f"story/{run}/{story}")


def landing_stream(repository: str, branch: str) -> Stream:
    return Stream(f"landing/{repository}/{branch}")


def repository_of(landing: Stream) -> str:
    """The repository whose branch the queue lands on."""
    return landing.split("/")[1]


def spec_claim(repository: str, worktree: str, source: str) -> Stream:
    """The lock that a process holds while it starts a run of a spec; nothing is ever written to it."""
    return Stream(f"spec/{repository}/{worktree}/{source}")


def server_stream(repository: str) -> Stream:
    """The requests to the server of a repository; nothing is ever written to it."""
    return Stream(f"server/{repository}")


def run_of(stream: Stream) -> RunId | None:
    """The run that a stream belongs to; None for a stream that runs share."""
    kind, *rest = stream.split("/")
    return RunId(rest[0]) if kind in {"run", "story"} else None


def numbered(name: str, start_number: int) -> str:
    """A name for something that happens once per attempt at a story; the first attempt's name has no suffix."""
    return name if start_number == 1 else f"{name}/{start_number}"


def step_id(number: int) -> StepId:
    """Numbers only increase within a story; the position in the pipeline is the order of the list."""
    return StepId(f"step-{number:03d}")
