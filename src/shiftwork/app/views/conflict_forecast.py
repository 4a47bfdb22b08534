"""Which stories under way will not merge: asked for by people, before the landing queue finds out."""

from collections.abc import Sequence
from typing import Final

from shiftwork.app.views.run_views import RunView
from shiftwork.ports.workspace import Clash, Radar

COMPARED: Final = 24
"""How many stories at most: every two of them are merged, so that these are 276 merges already."""


async def foreseen_conflicts(view: RunView, radar: Radar) -> Sequence[Clash]:
    """The pairs of a run's stories under way whose work so far conflicts."""
    return await radar.clashes(view.run.run, view.under_way[:COMPARED])
