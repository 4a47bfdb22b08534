"""Whether a run of a spec should begin at all."""

import asyncio

from shiftwork.app.commands import foreseen
from shiftwork.app.queries import run_view, unended
from shiftwork.bootstrap.looking import open_mailbox
from shiftwork.bootstrap.reading import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.model.ids import RunId, landing_stream
from shiftwork.errors import RunBusyError
from shiftwork.ports.specs import Sheet


def check_alone(site: Site, sheet: Sheet) -> None:
    """Two runs of one spec would pay for the same stories, and the second would meet the first one's work."""
    if sheet.source and (run := asyncio.run(_at_work(site, sheet.source))):
        raise RunBusyError(
            f"run {run} works on {sheet.source.partition(':')[2]} already",
            hint=f"shiftwork status {run} shows it; shiftwork cancel {run} ends it",
        )


async def _at_work(site: Site, source: str) -> str:
    """The run of the spec that a living process works on; empty where there is none."""
    queries, alive = open_queries(site), liveness()
    views = [await run_view(queries, row.run, alive, every_step=False) for row in await unended(queries)]
    worked_on = [view.run.run for view in views if view.worker]
    if not worked_on:  # opening the history would make a database
        return ""
    async with open_mailbox(site) as box:
        plans = [(await foreseen(box.events, box.inbox, RunId(run))).given for run in worked_on]
    here = landing_stream(site.repository, "")
    return next((plan.run for plan in plans if plan.source == source and plan.landing.startswith(here)), "")
