"""`shiftwork export`: a run as a `workflow_state.json`."""

from json import dumps
from pathlib import Path

import click

from shiftwork.app.views.documents.commands.setup_documents import Export
from shiftwork.app.views.export import export
from shiftwork.app.views.history import account
from shiftwork.app.views.queries import run_view
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.domain.core.ids import RunId
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import written


@click.command("export", short_help="Print a run as workflow_state.json.")
@click.argument("run", default="", type=id_completion.RUN)
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write it to FILE instead.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document that holds it.")
def command(run: str, output: Path | None, *, as_json: bool) -> None:
    """Print a run as JSON in the shape of workflow_state.json: stories, steps, and the history of each; and all
    attempts, actual and estimated cost, and the proof of what landed.

    RUN is an id or its first characters; default: the newest run.
    """
    site = here()
    queries = open_queries(site, once=True)
    found = answer(lambda: run_view(queries, run, liveness())).run.run
    document = export(answer(lambda: account(queries.history, RunId(found))), site.root)
    if output is not None:
        written(output, dumps(document, indent=2) + "\n", private=True)
    if as_json:
        file = str(output) if output else None
        say(Export(run=found, file=file, workflow_state=document if output is None else None))
    else:
        click.echo(dumps(document, indent=2) if output is None else f"written to {output}")
