"""What `status` foresees: pairs of stories under way that will not merge. Apart from it, because this runs git."""

import asyncio
from dataclasses import asdict
from typing import Any

from shiftwork.app.views.conflict_forecast import foreseen_conflicts
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.open_history import open_radar
from shiftwork.config.site import Site, environment
from shiftwork.errors import ShiftworkError


def foreseen(site: Site, view: RunView) -> list[dict[str, Any]]:
    """The stories and the files of each pair.

    Where that cannot be found out in time, nothing is foreseen: where the run stands can be told all the same.
    """
    try:
        return asyncio.run(_look(site, view))
    except (ShiftworkError, OSError):
        return []


async def _look(site: Site, view: RunView) -> list[dict[str, Any]]:
    radar = await open_radar(site, environment())
    return [asdict(clash) for clash in await foreseen_conflicts(view, radar)]
