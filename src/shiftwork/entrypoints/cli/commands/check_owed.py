"""`shiftwork check`: runs the gates that landings have skipped and that have not run on their branch since."""

import asyncio
from functools import partial

import click

from shiftwork.app.landing.owed_payment import run_owed_gates
from shiftwork.app.views.documents.commands.result_documents import OwedGates, missing_stories
from shiftwork.app.views.documents.gate_records import OwedGateLine
from shiftwork.app.views.missing_stories import missing_lines
from shiftwork.app.views.owed_views import next_commands, owed_lines, owed_on
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.branch_look import seen_on_branch
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.bootstrap.work.ports import open_context
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import landing_stream
from shiftwork.entrypoints.cli.env.conditions import trusted_conditions
from shiftwork.entrypoints.cli.env.repository import around
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import EXIT_DONE, EXIT_FAILED

_RUNS = 1000


@click.command("check", short_help="Run the gates that landings have skipped.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> int:
    """Run the gates that landings have skipped, because they changed nothing below the gates' paths, and that have not
    run since: on the tips of their branches, without a session.

    The last landing of a run pays this debt, or the end of the run. Where neither came, status says which gate has not
    run since which commit. If a gate is red, the story that made it so is found by halving the landings; nothing is
    undone by itself. What the newest run of a branch has landed, and the branch no longer has, is listed, too. The exit
    code is 1 if a gate is red or something is no longer found.
    """
    site = around()
    settings = trusted_conditions(site, environment()).settings
    views = _newest_runs(site)
    gone = [line for view in views for line in missing_lines(view)]
    before = asyncio.run(_owed(site))
    if before and not as_json:
        click.echo("\n".join(plain(f"running {line.gate} on {line.branch}") for line in before if not line.red))
    left = asyncio.run(_paid(site, settings, tuple(dict.fromkeys(line.branch for line in before))))
    ran = [line.gate for line in before]
    if as_json:
        say(
            OwedGates(
                ran=ran, owed_gates=left, missing_stories=[each for view in views for each in missing_stories(view)]
            )
        )
    else:
        click.echo("\n".join(_lines(ran, left, gone)))
    return EXIT_FAILED if left or gone else EXIT_DONE


def _lines(ran: list[str], left: tuple[OwedGateLine, ...], gone: list[str]) -> list[str]:
    red = {line.gate for line in left}
    passed = [f"{gate} passed" for gate in ran if gate not in red]
    outcome = passed if ran else ["nothing to run: every gate has run on what has landed"]
    notes = (line.note for line in left)
    return [*outcome, *map(plain, (*notes, *gone)), *phrases.following(next_commands(left))]


def _newest_runs(site: Site) -> list[RunView]:
    """For each branch the newest run that has landed something, with what the branch no longer has."""
    queries = open_queries(site)
    newest: dict[str, str] = {}
    for row in answer(lambda: queries.runs(limit=_RUNS)):
        if row.completed:
            newest.setdefault(row.branch, row.run)
    views = [answer(partial(run_view, queries, run, liveness())) for run in newest.values()]
    return [seen_on_branch(site, environment(), queries.history, view) for view in views]


async def _owed(site: Site) -> tuple[OwedGateLine, ...]:
    queries = open_queries(site)
    branches = dict.fromkeys(row.branch for row in await queries.runs(limit=_RUNS))
    return tuple([line for name in branches for line in await owed_on(queries.history, site.known_project, name)])


async def _paid(site: Site, settings: Settings, branches: tuple[str, ...]) -> tuple[OwedGateLine, ...]:
    if not branches:
        return ()
    left: list[OwedGateLine] = []
    async with open_context(site, settings, environment()) as context:
        for branch in branches:
            queue = await run_owed_gates(context, landing_stream(site.project, branch))
            left += owed_lines(queue, branch)
    return tuple(left)
