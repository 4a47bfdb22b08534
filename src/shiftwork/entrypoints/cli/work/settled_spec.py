"""The spec as the history of its project settles it, before a run of it starts."""

import asyncio

from shiftwork.app.commands.stories_before import Settled, StoriesBefore, settle_spec, stories_before
from shiftwork.app.views.queries import LOOKED_THROUGH
from shiftwork.bootstrap.state.open_git import missing_landed
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.config.site import Site, environment
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.ports.specs import Sheet


def settle(site: Site, sheet: Sheet, branch: str) -> Settled:
    """Compares the marks of the file with the history, and what has landed with its branches."""
    if not sheet.source:
        return Settled(sheet=sheet)
    queries = open_queries(site)
    runs = [row.run for row in answer(lambda: queries.runs(limit=LOOKED_THROUGH)) if not row.archived]
    if not runs:
        return Settled(sheet=sheet)
    before = answer(lambda: stories_before(queries.history, runs, sheet, site.worktree))
    return settle_spec(sheet, before, asyncio.run(_gone(site, before)), branch)


async def _gone(site: Site, before: StoriesBefore) -> frozenset[str]:
    found = [await missing_landed(site, environment(), branch, works) for branch, works in before.landed_works.items()]
    return frozenset[str]().union(*found)
