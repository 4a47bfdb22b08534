"""`shiftwork workflow validate`: every mistake in a workflow file at once, with its line and column."""

from dataclasses import asdict

import click

from shiftwork.bootstrap.workflows import choose
from shiftwork.config.site import environment
from shiftwork.config.user import user_folder
from shiftwork.entrypoints.cli.env.repository import root_or_folder
from shiftwork.entrypoints.cli.render.json import say


@click.command("validate", short_help="Check a workflow file.")
@click.argument("workflow")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(workflow: str, *, as_json: bool) -> None:
    """Check WORKFLOW, a name or a path, without running anything. All mistakes are told at once; the exit code is 64 if
    there are any. Fields that are accepted and have no effect are told as notes.
    """
    chosen = choose(workflow, root_or_folder(), user_folder(environment()))
    if as_json:
        path = str(chosen.path) if chosen.path else ""
        say({"valid": True, "path": path, "id": chosen.workflow.id, "notes": [asdict(one) for one in chosen.notes]})
        return
    for note in chosen.notes:
        click.echo(f"note: line {note.line}, column {note.column}: {note.text}")
    if chosen.workflow.id != chosen.name:
        click.echo(f"note: it is asked for as {chosen.name}, by the name of its file; its id is {chosen.workflow.id}")
    click.echo(f"{chosen.workflow.id} is right")
