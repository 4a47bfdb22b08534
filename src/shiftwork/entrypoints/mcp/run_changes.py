"""What has changed between two documents of a run, and what waits for a person."""

from collections.abc import Iterator
from typing import Any, Final

type Document = dict[str, Any]

_OF_A_RUN: Final = ("status", "activity")
_OF_A_STORY: Final = ("status", "state", "step", "landing", "commit", "refusal", "waiting", "hold", "failure")
_OF_A_STEP: Final = ("status", "attempts")


def changes(before: Document, now: Document) -> list[Document]:
    """Each part of the run that has changed, with the values that differ. Costs and times change all the time, and do
    not count.
    """
    found = list(_differing({"run": now.get("run")}, before, now, _OF_A_RUN))
    old = {story.get("story"): story for story in before.get("stories", ())}
    for story in now.get("stories", ()):
        former = old.get(story.get("story"), {})
        found += _differing({"story": story.get("story")}, former, story, _OF_A_STORY)
        steps = {step.get("step"): step for step in former.get("steps", ())}
        for step in story.get("steps", ()):
            named = {"story": story.get("story"), "step": step.get("step"), "name": step.get("name")}
            found += _differing(named, steps.get(step.get("step"), {}), step, _OF_A_STEP)
    return found


def _differing(named: Document, before: Document, now: Document, keys: tuple[str, ...]) -> Iterator[Document]:
    different = [key for key in keys if before.get(key) != now.get(key)]
    if different:
        yield {**named, **{key: {"before": before.get(key), "now": now.get(key)} for key in different}}


def needs(now: Document) -> list[Document]:
    """The stories that wait for a person, with what they ask; one that waits for a limit of its agent does not."""
    return [
        {key: story.get(key) for key in ("story", "title", "state", "hold", "waiting", "choices")}
        for story in now.get("stories", ())
        if story.get("hold")
    ]


def is_over(now: Document) -> bool:
    return bool(now.get("activity") == "over")
