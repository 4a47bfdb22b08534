"""`shiftwork check`: runs the gates that landings have skipped and that have not run on their branch since."""

import asyncio

import click

from shiftwork.app.landing.owed_payment import run_owed_gates
from shiftwork.app.views.documents.commands.result_documents import OwedGates
from shiftwork.app.views.documents.gate_records import OwedGateLine
from shiftwork.app.views.owed_views import next_commands, owed_lines, owed_on
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.bootstrap.work.ports import open_context
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import landing_stream
from shiftwork.entrypoints.cli.env.conditions import trusted_conditions
from shiftwork.entrypoints.cli.env.repository import around
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
    undone by itself. The exit code is 1 if a gate is red.
    """
    site = around()
    settings = trusted_conditions(site, environment()).settings
    before = asyncio.run(_owed(site))
    if before and not as_json:
        click.echo("\n".join(plain(f"running {line.gate} on {line.branch}") for line in before if not line.red))
    left = asyncio.run(_paid(site, settings, tuple(dict.fromkeys(line.branch for line in before))))
    ran = [line.gate for line in before]
    if as_json:
        say(OwedGates(ran=ran, owed_gates=left))
    elif not before:
        click.echo("nothing to run: every gate has run on what has landed")
    else:
        click.echo("\n".join(_lines(ran, left)))
    return EXIT_FAILED if left else EXIT_DONE


def _lines(ran: list[str], left: tuple[OwedGateLine, ...]) -> list[str]:
    red = {line.gate for line in left}
    passed = [f"{gate} passed" for gate in ran if gate not in red]
    return [*passed, *(plain(line.note) for line in left), *phrases.following(next_commands(left))]


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
