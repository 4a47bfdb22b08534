"""What prevents merging landed work into its branch. A separate module, because it runs git."""

import asyncio

from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.open_git import obstacle
from shiftwork.config.site import Site, environment
from shiftwork.domain.landing.obstacle import Obstacle
from shiftwork.entrypoints.cli.render.next_steps import is_beside, landed_on
from shiftwork.errors import ShiftworkError


def in_the_way(site: Site, view: RunView) -> Obstacle | None:
    """What prevents merging what landed beside the run's branch.

    None if it has been merged since, or no longer exists.
    """
    if not is_beside(view):
        return Obstacle()
    try:
        return asyncio.run(obstacle(site, environment(), view.run.branch, landed_on(view)))
    except (ShiftworkError, OSError):
        return None
