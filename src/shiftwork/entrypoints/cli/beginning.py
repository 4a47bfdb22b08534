"""Whether a run of a spec should begin at all."""

import asyncio

import click

from shiftwork.app.beginning import worked_on
from shiftwork.app.commands import foreseen
from shiftwork.app.queries import run_view, unended
from shiftwork.bootstrap.looking import open_mailbox
from shiftwork.bootstrap.reading import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.model.ids import RunId, repository_of
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
    """The run of the spec that a living process works on."""
    queries, alive = open_queries(site), liveness()
    views = [await run_view(queries, row.run, alive, every_step=False) for row in await unended(queries)]
    worked_on = [view.run.run for view in views if view.worker]
    if not worked_on:  # opening the history would make a database
        return None
    async with open_mailbox(site) as box:
        plans = [(await foreseen(box.events, box.inbox, RunId(run))).given for run in worked_on]
    here = site.repository
    return next((plan.run for plan in plans if plan.source == source and repository_of(plan.landing) == here), None)
