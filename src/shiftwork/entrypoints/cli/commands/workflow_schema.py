"""`shiftwork workflow schema`: the JSON Schema of workflow files, for editors."""

import json

import click

from shiftwork.app.views.documents.commands.workflow_documents import JsonSchema
from shiftwork.bootstrap.workflows import packaged_schema
from shiftwork.entrypoints.cli.render.json import say


@click.command("schema", short_help="Print the JSON Schema of workflow files.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document that holds it.")
def command(*, as_json: bool) -> None:
    """Print the JSON Schema of workflow files, which editors use to complete and check them."""
    if as_json:
        say(JsonSchema(name="workflow", json_schema=json.loads(packaged_schema())))
    else:
        click.echo(packaged_schema(), nl=False)
