"""What earlier runs in this repository have learnt about its code: a new run starts with it."""

import asyncio

from shiftwork.app.attempt.memory import carried_patterns
from shiftwork.bootstrap.state.open_history import open_history
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import landing_stream


def learnt_before(site: Site) -> tuple[str, ...]:
    return asyncio.run(_patterns(site))


async def _patterns(site: Site) -> tuple[str, ...]:
    queries = open_queries(site)
    if not await queries.runs(limit=1):  # opening the history would create a database
        return ()
    async with open_history(site) as events:
        return await carried_patterns(queries, events, landing_stream(site.project, ""))
