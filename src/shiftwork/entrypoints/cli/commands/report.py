"""`shiftwork report`: a run as a Markdown document."""

from pathlib import Path

import click

from shiftwork.app.views.history import account
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.report import report
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.domain.core.ids import RunId
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import left_out_files
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import written
from shiftwork.entrypoints.cli.render.sanitize import plain


@click.command("report", short_help="Print a run as a Markdown document.")
@click.argument("run", default="")
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write it to FILE instead.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document that holds it.")
def command(run: str, output: Path | None, *, as_json: bool) -> None:
    """Print a run as a Markdown document: its stories, steps and attempts, actual and estimated cost by profile, the
    proof of what landed, edits, refusals, repairs, gates, saved diffs and logs.

    RUN is an id or its first characters; default: the newest run.
    """
    site = here()
    queries = open_queries(site, once=True)
    view = answer(lambda: run_view(queries, run, liveness()))
    found = view.run.run
    message = report(answer(lambda: account(queries.history, RunId(found))), moving=view.moves)
    text = plain("\n".join((message.rstrip("\n"), *left_out_files.lines(site, RunId(found)), "")))
    if output is not None:
        written(output, text, private=True)
    if as_json:
        context = view.options.get("context", {})
        say({"run": found, "file": str(output) if output else None, "context": context, "markdown": text})
    else:
        click.echo(text if output is None else f"written to {output}", nl=output is not None)
