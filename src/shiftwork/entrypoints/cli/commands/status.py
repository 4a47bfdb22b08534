"""`shiftwork status`: the state of a run, or a list of all runs. Without an event loop: people want it at once."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import click

from shiftwork.app.views.queries import outlines
from shiftwork.app.views.run_views import MOVING, Activity
from shiftwork.bootstrap.state.read_only import folders, liveness, open_queries, queries_of_all
from shiftwork.config.site import environment
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import next_steps
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.entrypoints.cli.run_status import is_served, printed, status_of
from shiftwork.entrypoints.cli.terminal.style import Line, Style, has_colors, joined
from shiftwork.errors import UsageError
from shiftwork.ports.views import RunRow

_LISTED: Final = 1000
_ENDS: Final = {"completed": Style.GREEN, "failed": Style.RED}


@click.command("status", short_help="Show where a run stands.")
@click.argument("run", default="", type=id_completion.RUN)
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
        rows = answer(lambda: queries.runs(limit=_LISTED + 1))
        runs = answer(lambda: outlines(queries, rows[:_LISTED], liveness(), served=partial(is_served, site)))
        _list(runs, folders(site) if anywhere else None, as_json=as_json)
        if len(rows) > _LISTED and not as_json:
            click.echo(
                f"only the newest {_LISTED:,} runs are listed\nnext: shiftwork status RUN    (any run, by its id)"
            )
        return
    status = status_of(run, every_step=as_json)
    if not as_json:
        click.echo(printed(status), color=True)
        return
    from shiftwork.app.views.documents.run_documents import run_document  # noqa: PLC0415 - see the first line
    from shiftwork.app.views.documents.run_records import Conflict  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.render.json import left_out, say  # noqa: PLC0415 - as above

    conflicts = [Conflict(between=pair["stories"], files=pair["files"]) for pair in status.conflicts]
    patch = left_out(status.site, status.view.run.run)
    refused = status.refused[0] if status.refused else ""
    more = {
        "left_out": patch,
        "conflicts": conflicts,
        "left_running": status.left,
        "refused": refused,
        "owed_gates": status.owed,
    }
    say(run_document(status.view, **more))


def _list(runs: Sequence[tuple[RunRow, Activity]], folders: Mapping[str, str] | None, *, as_json: bool) -> None:
    """With the `folders` of projects, each run is shown with its folder."""
    if as_json:
        from shiftwork.app.views.documents.run_documents import runs_document  # noqa: PLC0415 - see the first line
        from shiftwork.entrypoints.cli.render.json import say  # noqa: PLC0415 - as above

        say(runs_document(runs))
        return
    if not runs:
        click.echo('nothing has been run here yet; try: shiftwork run "what you want done"')
        return
    room = max(len(row.run) for row, _ in runs)
    head, *lines = next_steps.outlined(runs)
    colors = has_colors(environment())
    click.echo(joined([Line(head, Style.DIM)], colors=colors), color=True)
    for (row, activity), line in zip(runs, lines, strict=True):
        click.echo(joined([Line(line, _style(row, activity))], colors=colors), color=True)
        if folders is not None:
            click.echo(f"{'':<{room}}  {_project(row, folders)}")


def _style(run: RunRow, activity: Activity) -> Style:
    if activity is Activity.OVER:
        return _ENDS.get(run.status, Style.PLAIN)
    return Style.YELLOW if activity is Activity.WAITING else Style.BLUE if activity in MOVING else Style.PLAIN


def _project(run: RunRow, folders: Mapping[str, str]) -> str:
    """The folder where commands reach the run, if this user has worked in it."""
    if folder := folders.get(run.project, ""):
        return f"in {plain(folder)}"
    return f"in project {run.project}, whose folder is unknown here" if run.project else "recorded without a project"
