"""Forecasts which stories in progress will conflict, on request, before the landing queue finds out."""

from collections.abc import Sequence
from typing import Final

from shiftwork.app.views.run_views import RunView
from shiftwork.ports.workspace import ConflictForecast, StoryConflict

COMPARED: Final = 24
"""The most stories compared: each pair is merged, so 24 stories need 276 merges."""


async def forecast_conflicts(view: RunView, forecast: ConflictForecast) -> Sequence[StoryConflict]:
    """Returns the pairs of stories in progress whose work so far conflicts."""
    return await forecast.conflicts(view.run.run, view.in_progress[:COMPARED])
