"""`shiftwork schema`: the JSON Schema of each kind of document that `--json` prints."""

from json import loads

import click

from shiftwork.app.views.documents.commands.workflow_documents import JsonSchema, SchemaLine, Schemas
from shiftwork.bootstrap.document_schemas import kinds, packaged
from shiftwork.entrypoints.cli.registry import PRINTS
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.errors import UsageError


@click.command("schema", short_help="Print the JSON Schema of what --json prints.")
@click.argument("kind", default="")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document that holds it.")
def command(kind: str, *, as_json: bool) -> None:
    """Print the JSON Schema of a KIND of document, or list all kinds and the commands that print them.

    Each document that --json prints names its kind and version under `schema`, as in shiftwork/run/1.
    """
    if not kind:
        _list(as_json=as_json)
        return
    if kind not in kinds():
        raise UsageError(f"there is no kind of document called {kind}", hint="shiftwork schema lists all kinds")
    if as_json:
        say(JsonSchema(name=kind, json_schema=loads(packaged(kind))))
    else:
        click.echo(packaged(kind), nl=False)


def _list(*, as_json: bool) -> None:
    lines = [SchemaLine(name=kind, printed_by=_printing(kind)) for kind in kinds()]
    if as_json:
        say(Schemas(documents=lines))
        return
    room = max(len(line.name) for line in lines)
    for line in lines:
        click.echo(f"{line.name:<{room}}  {', '.join(line.printed_by)}".rstrip())


def _printing(kind: str) -> list[str]:
    return ["every command that fails"] if kind == "error" else [name for name, said in PRINTS.items() if kind in said]
