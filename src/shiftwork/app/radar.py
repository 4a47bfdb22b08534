"""Which stories under way will not merge: asked for by people, before the landing queue finds out."""

from collections.abc import Sequence

from shiftwork.domain.model.story import StoryStatus
from shiftwork.ports.views import Queries
from shiftwork.ports.workspace import Clash, Radar


async def foreseen_conflicts(queries: Queries, radar: Radar, run: str) -> Sequence[Clash]:
    """The pairs of a run's stories in progress whose work so far conflicts."""
    stories = await queries.stories(run)
    return await radar.clashes(run, [row.story for row in stories if row.status == StoryStatus.IN_PROGRESS])
