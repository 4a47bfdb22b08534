"""`shiftwork export`: a run as a `workflow_state.json`."""

from json import dumps
from pathlib import Path
from typing import Any

import click

from shiftwork.app.views.export import export
from shiftwork.app.views.history import account
from shiftwork.app.views.queries import run_view
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.domain.core.ids import RunId
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import written


@click.command("export", short_help="Print a run as workflow_state.json.")
@click.argument("run", default="")
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write it to FILE instead.")
@click.option("--json", "as_json", is_flag=True, help="Print it on one line.")
def command(run: str, output: Path | None, *, as_json: bool) -> None:
    """Print a run as JSON in the shape of workflow_state.json: stories, steps, and the history of each; and all
    attempts, actual and estimated cost, and the proof of what landed.

    RUN is an id or its first characters; default: the newest run.
    """
    site = here()
    queries = open_queries(site, once=True)
    found = answer(lambda: run_view(queries, run, liveness())).run.run
    document: dict[str, Any] = export(answer(lambda: account(queries.history, RunId(found))), site.root)
    if output is not None:
        written(output, dumps(document, indent=2) + "\n", private=True)
        document = {"run": found, "file": str(output)}
    if as_json:
        say(document)
    else:
        click.echo(dumps(document, indent=2) if output is None else f"written to {output}")
