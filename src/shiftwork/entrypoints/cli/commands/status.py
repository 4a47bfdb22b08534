"""`shiftwork status`: the state of a run, or a list of all runs. Without an event loop: people want it at once."""

from collections.abc import Mapping, Sequence
from typing import Final

import click

from shiftwork.app.views.queries import outlines
from shiftwork.app.views.run_views import Activity
from shiftwork.bootstrap.state.read_only import folders, liveness, open_queries, queries_of_all
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import left_out_files, next_steps
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.entrypoints.cli.run_status import printed, status_of
from shiftwork.errors import UsageError
from shiftwork.ports.views import RunRow

_LISTED: Final = 1000


@click.command("status", short_help="Show where a run stands.")
@click.argument("run", default="")
@click.option("--all", "everything", is_flag=True, help="List all runs instead.")
@click.option("--all-projects", "anywhere", is_flag=True, help="List the runs of all projects in the same database.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(run: str, *, everything: bool, anywhere: bool, as_json: bool) -> None:
    """Show the state of a run: its stories, their steps, what they cost, and what to type next.

    RUN is an id or its first characters; default: the newest run. --all-projects lists runs of other projects, which
    can only be worked on in their own folders.
    """
    if run and anywhere:
        raise UsageError(
            "--all-projects only lists runs", hint="shiftwork status --all-projects says where each belongs"
        )
    if everything or anywhere:
        site = here()
        queries = queries_of_all(site) if anywhere else open_queries(site, once=True)
        rows = answer(lambda: queries.runs(limit=_LISTED))
        runs = answer(lambda: outlines(queries, rows, liveness()))
        _list(runs, folders(site) if anywhere else None, as_json=as_json)
        return
    status = status_of(run, every_step=as_json)
    if not as_json:
        click.echo(printed(status))
        return
    from shiftwork.entrypoints.cli.render.json import run_document, say  # noqa: PLC0415 - see the first line

    reserved = left_out_files.document(status.site, status.view.run.run)
    say({**run_document(status.view), **reserved, "conflicts": status.conflicts, "left_running": status.left})


def _list(runs: Sequence[tuple[RunRow, Activity]], folders: Mapping[str, str] | None, *, as_json: bool) -> None:
    """With the `folders` of projects, each run is shown with its folder."""
    if as_json:
        from shiftwork.entrypoints.cli.render.json import row_document, say  # noqa: PLC0415 - see the first line

        say({"runs": [{**row_document(row), "activity": activity} for row, activity in runs]})
        return
    if not runs:
        click.echo('nothing has been run here yet; try: shiftwork run "what you want done"')
        return
    room = max(len(row.run) for row, _ in runs)
    for (row, _), line in zip(runs, next_steps.outlined(runs), strict=True):
        click.echo(line)
        if folders is not None:
            click.echo(f"{'':<{room}}  {_project(row, folders)}")


def _project(run: RunRow, folders: Mapping[str, str]) -> str:
    """The folder where commands reach the run, if this user has worked in it."""
    if folder := folders.get(run.project, ""):
        return f"in {plain(folder)}"
    return f"in project {run.project}, whose folder is unknown here" if run.project else "recorded without a project"
