"""The conflict forecast of `status`: pairs of stories in progress that will not merge. A separate module, because it
runs git.
"""

import asyncio
from dataclasses import asdict
from typing import Any

from shiftwork.app.views.conflict_forecast import forecast_conflicts
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.open_git import open_conflict_forecast
from shiftwork.config.site import Site, environment
from shiftwork.errors import ShiftworkError


def forecast(site: Site, view: RunView) -> list[dict[str, Any]]:
    """The stories and files of each pair.

    Returns nothing if it takes too long or fails: `status` works without it.
    """
    try:
        return asyncio.run(_look(site, view))
    except (ShiftworkError, OSError):
        return []


async def _look(site: Site, view: RunView) -> list[dict[str, Any]]:
    forecast = await open_conflict_forecast(site, environment())
    return [asdict(conflict) for conflict in await forecast_conflicts(view, forecast)]
