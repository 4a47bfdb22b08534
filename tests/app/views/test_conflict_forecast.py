"""The conflict forecast: conflicts reported before a story is ready to merge."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from shiftwork.app.views.conflict_forecast import COMPARED, forecast_conflicts
from shiftwork.app.views.run_views import Activity, RunView, StoryView
from shiftwork.ports.workspace import StoryConflict
from shiftwork.testing.conformance.store_stage import run_row, story_row


class Recorded:
    """A conflict forecast that records which stories it was asked about."""

    def __init__(self) -> None:
        self.asked: Sequence[str] = ()

    async def conflicts(self, run: str, stories: Sequence[str]) -> Sequence[StoryConflict]:
        self.asked = stories
        return [StoryConflict(stories=(run, "B"), files=("a.txt",))]


def seen(statuses: Sequence[str], activity: Activity = Activity.WORKING) -> RunView:
    stories = [replace(story_row("r1", f"US-{number}"), status=status) for number, status in enumerate(statuses)]
    views = [StoryView(story=story, steps=()) for story in stories]
    return RunView(run=run_row("r1"), activity=activity, worker=None, stories=views)


def test_the_radar_is_asked_about_stories_in_progress_alone() -> None:
    forecast = Recorded()
    view = seen(["completed", "in_progress", "failed", "in_progress", "blocked", "unclaimed"])
    (conflict,) = asyncio.run(forecast_conflicts(view, forecast))
    assert conflict.stories == ("r1", "B")
    assert forecast.asked == ("US-1", "US-3")


@pytest.mark.parametrize("activity", [Activity.INTERRUPTED, Activity.OVER, Activity.WAITING])
def test_of_a_run_that_no_one_works_on_nothing_is_in_progress(activity: Activity) -> None:
    assert seen(["in_progress", "in_progress"], activity).in_progress == ()


def test_of_many_stories_only_so_many_are_compared() -> None:
    forecast = Recorded()
    asyncio.run(forecast_conflicts(seen(["in_progress"] * 200), forecast))
    assert forecast.asked == tuple(f"US-{number}" for number in range(COMPARED))
