"""Whether a run of a spec should begin at all."""

import asyncio

import click

from shiftwork.app.beginning import at_work, worked_on
from shiftwork.app.queries import run_view, unended
from shiftwork.bootstrap.looking import open_mailbox
from shiftwork.bootstrap.reading import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.model.ids import RunId
from shiftwork.domain.model.workflow import Workflow
from shiftwork.entrypoints.cli.clean import plain
from shiftwork.entrypoints.cli.documents import say
from shiftwork.errors import EXIT_DONE
from shiftwork.ports.specs import Sheet


def nothing_to_do(sheet: Sheet, workflow: Workflow) -> bool:
    """A workflow with steps of the run's own has something to do without stories, too."""
    return not workflow.frame and all(story.id in sheet.done for story in sheet.spec.stories)


def tell_nothing(sheet: Sheet, *, as_json: bool) -> None:
    if as_json:
        say({"event": "result", "run": None, "stop": "over", "exit_code": EXIT_DONE})
    else:
        name = sheet.source.partition(":")[2]
        click.echo(f"nothing to do: every story of {plain(name)} has landed before, so no run was begun")


def check_alone(site: Site, sheet: Sheet) -> None:
    """Two runs of one spec would pay for the same stories, and the second would meet the first one's work.

    Asked before anything is opened or said; it is made sure of when the run begins.
    """
    if sheet.source and (run := asyncio.run(_at_work(site, sheet.source))):
        raise worked_on(run, sheet.source)


async def _at_work(site: Site, source: str) -> RunId | None:
    queries, alive = open_queries(site), liveness()
    views = [await run_view(queries, row.run, alive, every_step=False) for row in await unended(queries)]
    if not any(view.worker for view in views):  # opening the history would make a database
        return None
    async with open_mailbox(site) as box:
        return await at_work(box.events, box.leases, alive, site.repository, source)
