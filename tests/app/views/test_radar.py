"""Conflicts that are foreseen before anybody asks to land."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from shiftwork.app.views.conflict_forecast import COMPARED, foreseen_conflicts
from shiftwork.app.views.run_views import Pulse, RunView, StoryView
from shiftwork.ports.workspace import Clash
from shiftwork.testing.conformance.store_stage import run_row, story_row


class Recorded:
    """A radar that tells which stories it was asked about."""

    def __init__(self) -> None:
        self.asked: Sequence[str] = ()

    async def clashes(self, run: str, stories: Sequence[str]) -> Sequence[Clash]:
        self.asked = stories
        return [Clash(stories=(run, "B"), files=("a.txt",))]


def seen(statuses: Sequence[str], pulse: Pulse = Pulse.WORKING) -> RunView:
    stories = [replace(story_row("r1", f"US-{number}"), status=status) for number, status in enumerate(statuses)]
    views = [StoryView(story=story, steps=()) for story in stories]
    return RunView(run=run_row("r1"), pulse=pulse, worker=None, stories=views)


def test_the_radar_is_asked_about_stories_in_progress_alone() -> None:
    radar = Recorded()
    view = seen(["completed", "in_progress", "failed", "in_progress", "blocked", "unclaimed"])
    (clash,) = asyncio.run(foreseen_conflicts(view, radar))
    assert clash.stories == ("r1", "B")
    assert radar.asked == ("US-1", "US-3")


@pytest.mark.parametrize("pulse", [Pulse.INTERRUPTED, Pulse.OVER, Pulse.WAITING])
def test_of_a_run_that_nobody_works_on_nothing_is_under_way(pulse: Pulse) -> None:
    assert seen(["in_progress", "in_progress"], pulse).under_way == ()


def test_of_many_stories_only_so_many_are_compared() -> None:
    radar = Recorded()
    asyncio.run(foreseen_conflicts(seen(["in_progress"] * 200), radar))
    assert radar.asked == tuple(f"US-{number}" for number in range(COMPARED))
