"""Checks whether a run of a spec should start at all."""

import asyncio

import click

from shiftwork.app.commands.spec_lock import check_unbegun
from shiftwork.app.views.documents.run_records import EmptyResult
from shiftwork.app.views.queries import unended
from shiftwork.bootstrap.state.open_inbox import open_leases
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import RunId, spec_claim
from shiftwork.domain.workflow.workflow import Workflow
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import EXIT_DONE
from shiftwork.ports.specs import Sheet


def nothing_to_do(sheet: Sheet, workflow: Workflow) -> bool:
    """Whether nothing is to do: a workflow with steps of the run's own has work even without stories."""
    return not workflow.frame and all(story.id in sheet.done for story in sheet.spec.stories)


def report_nothing(sheet: Sheet, *, as_json: bool) -> None:
    if as_json:
        say(EmptyResult(stop="over", exit_code=EXIT_DONE))
    else:
        name = sheet.source.partition(":")[2]
        click.echo(f"nothing to do: every story of {plain(name)} has already landed, so no run was started")


def check_alone(site: Site, sheet: Sheet) -> None:
    """Checked before anything is printed; the start of the run checks again that no process works on another run."""
    if sheet.source:
        asyncio.run(_check(site, sheet.source))


async def _check(site: Site, source: str) -> None:
    rows = await unended(open_queries(site))
    if not rows:  # opening the history would create a database
        return
    with open_leases(site) as (events, leases):
        runs, claim = [RunId(row.run) for row in rows], spec_claim(site.project, site.worktree, source)
        await check_unbegun(events, leases, liveness(), runs, claim)
