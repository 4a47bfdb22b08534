"""A run at a glance: its stories in groups, the stage of each, and how long the rest may take."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from shiftwork.app.views.run_views import Activity, RunView, StoryView
from shiftwork.domain.agents.idle_time import worked_seconds
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.run.time_left import Pace, time_left
from shiftwork.ports.views import PAUSED, StepRow
from shiftwork.records import dataclass


class Group(StrEnum):
    """What a story is about to a user. `ENDED`: it was cancelled or undone."""

    NEEDS_YOU = "needs you"
    IN_PROGRESS = "in progress"
    QUEUED = "queued"
    FAILED = "failed"
    LANDED = "landed"
    ENDED = "ended"


_ADVANCING: Final = frozenset({Group.IN_PROGRESS, Group.QUEUED, Group.LANDED})

GATES: Final = "gates"
"""The stage of a story whose gates run, and that lands if they pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A story in its group. `stage` is the step or the gates, `attempt` the number of the attempt at the step, and
    `since` when the stage began. `waits_for` are stories that must land before it starts.
    """

    view: StoryView
    group: Group
    stage: str = ""
    attempt: int = 0
    since: float | None = None
    waits_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """All stories in the order of the spec; `left` is how many seconds the rest may take, if that can be estimated."""

    items: Sequence[Item]
    left: float | None

    def of(self, group: Group) -> list[Item]:
        return [item for item in self.items if item.group is group]

    @property
    def stories(self) -> int:
        """How many stories there are, without the run's own steps."""
        return sum(item.view.story.story != FRAME for item in self.items)

    @property
    def landed(self) -> int:
        return sum(item.group is Group.LANDED and item.view.story.story != FRAME for item in self.items)


def overview(view: RunView, now: float) -> Overview:
    items = [_item(view, story) for story in view.stories]
    return Overview(items=items, left=_left(view, items, now) if view.activity is Activity.WORKING else None)


def _item(run: RunView, view: StoryView) -> Item:
    group = _group(view)
    if group is Group.QUEUED:
        return Item(view=view, group=group, waits_for=_waits_for(run, view))
    if group not in {Group.IN_PROGRESS, Group.NEEDS_YOU}:
        return Item(view=view, group=group)
    if view.story.landing.progress == "requested":
        ends = [step.ended_at for step in view.steps if step.ended_at is not None]
        return Item(view=view, group=group, stage=GATES, since=max(ends, default=view.story.started_at))
    step = _current(view)
    if step is None:
        return Item(view=view, group=group, stage="preparing", since=view.story.started_at)
    began = step.started_at if step.status == "in_progress" else None
    return Item(view=view, group=group, stage=step.name, attempt=step.attempts, since=began)


def _group(view: StoryView) -> Group:
    story = view.story
    if story.status in {"in_progress", PAUSED}:
        return Group.NEEDS_YOU if story.waiting.needs_person else Group.IN_PROGRESS
    known = {"unclaimed": Group.QUEUED, "blocked": Group.QUEUED, "completed": Group.LANDED, "failed": Group.FAILED}
    return known.get(story.status, Group.ENDED)


def _current(view: StoryView) -> StepRow | None:
    return next((step for step in view.steps if step.step == view.story.step), None)


def _waits_for(run: RunView, view: StoryView) -> tuple[str, ...]:
    """Its dependencies that have not landed; in an ordered run without any, the story in progress."""
    states = {other.story.story: other.story.status for other in run.stories}
    needed = tuple(story for story in view.story.depends_on if states.get(story) != "completed")
    if needed or not run.options.get("ordered"):
        return needed
    first = (story for story, status in states.items() if status in {"in_progress", PAUSED} and story != FRAME)
    return tuple(first)[:1]


def _left(run: RunView, items: Sequence[Item], now: float) -> float | None:
    stories = [item for item in items if item.view.story.story != FRAME]
    held = _held(stories)
    ahead = [item for item in stories if item.view.story.story not in held]
    return time_left(
        Pace(
            took=[seconds for item in stories if item.group is Group.LANDED and (seconds := _worked(item, now))],
            spent=[_worked(item, now) for item in ahead if item.group is Group.IN_PROGRESS],
            queued=sum(item.group is Group.QUEUED for item in ahead),
            slots=1 if run.options.get("ordered") else max(run.options.get("parallel", 1), 1),
        )
    )


def _held(items: Sequence[Item]) -> set[str]:
    """The stories that do not land unless a person acts: those that wait, are paused, have failed or are blocked, and
    all that depend on them.
    """
    held = {item.view.story.story for item in items if item.group not in _ADVANCING or _is_stopped(item)}
    queued, before = [item.view.story for item in items if item.group is Group.QUEUED], -1
    while len(held) > before:
        before = len(held)
        for story in queued:
            if not held.isdisjoint(story.depends_on):
                held.add(story.story)
    return held


def _is_stopped(item: Item) -> bool:
    return item.view.story.status in {PAUSED, "blocked"}


def _worked(item: Item, now: float) -> float:
    """How long the story was worked on, without waits for a person or a limit."""
    story, idle = item.view.story, item.view.idle
    return worked_seconds(story.started_at or now, story.ended_at or now, idle)
