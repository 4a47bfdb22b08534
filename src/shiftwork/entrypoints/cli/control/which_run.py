"""Asks the user which run to use if none is named and several are unfinished, or shows what to type."""

from typing import Final

import click

from shiftwork.app.views.queries import outlines, unended
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.env.trust import at_a_terminal
from shiftwork.entrypoints.cli.render.next_steps import outlined
from shiftwork.errors import SeveralRunsError

_LISTED: Final = 9


def chosen(site: Site, command: str) -> str:
    """The unfinished run that the user chooses; empty if there are not several. `command` is the command to type, with
    `{run}` in place of the run's id. Raises SeveralRunsError without a terminal.
    """
    queries = open_queries(site)
    rows = answer(lambda: unended(queries))
    if len(rows) <= 1:
        return ""
    runs = answer(lambda: outlines(queries, rows[:_LISTED], liveness()))
    more = [f"{len(rows) - len(runs)} more: shiftwork status --all"] if len(rows) > len(runs) else []
    lines = [*outlined(runs), *more]
    if not at_a_terminal():
        reason = "\n".join((f"{len(rows)} runs are unfinished, and none is named:", *(f"  {line}" for line in lines)))
        raise SeveralRunsError(reason, hint="\n       ".join(command.format(run=row.run) for row, _ in runs))
    click.echo(f"{len(rows)} runs are unfinished:")
    for number, line in enumerate(lines, start=1):
        click.echo(f"  {number if number <= len(runs) else ' '}  {line}")
    number = click.prompt("which run", type=click.IntRange(1, len(runs)))
    return runs[number - 1][0].run
