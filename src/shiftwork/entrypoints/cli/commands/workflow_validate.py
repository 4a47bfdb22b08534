"""`shiftwork workflow validate`: all mistakes in a workflow file at once, with line and column."""

from dataclasses import asdict

import click

from shiftwork.app.views.documents.commands.plan_documents import FieldNote
from shiftwork.app.views.documents.commands.workflow_documents import WorkflowCheck
from shiftwork.bootstrap.workflows import choose
from shiftwork.config.site import environment
from shiftwork.config.user import user_folder
from shiftwork.entrypoints.cli.env.repository import root_or_folder
from shiftwork.entrypoints.cli.render.json import say


@click.command("validate", short_help="Check a workflow file.")
@click.argument("workflow")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(workflow: str, *, as_json: bool) -> None:
    """Check WORKFLOW, a name or a path, without running anything. All mistakes are listed at once; the exit code is 64
    if there are any. Fields that are accepted and have no effect are listed as notes.
    """
    chosen = choose(workflow, root_or_folder(), user_folder(environment()))
    if as_json:
        path = str(chosen.path) if chosen.path else ""
        notes = [FieldNote(**asdict(item)) for item in chosen.notes]
        say(WorkflowCheck(workflow=chosen.workflow.id, path=path, valid=True, field_notes=notes))
        return
    for note in chosen.notes:
        click.echo(f"note: line {note.line}, column {note.column}: {note.text}")
    if chosen.workflow.id != chosen.name:
        click.echo(f"note: its name is {chosen.name}, from its file name; its id is {chosen.workflow.id}")
    click.echo(f"{chosen.path.name if chosen.path else chosen.workflow.id} is valid")
