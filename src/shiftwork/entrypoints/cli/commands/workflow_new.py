"""`shiftwork workflow new`: writes a commented workflow file to start from."""

import re
from pathlib import Path

import click

from shiftwork import umask
from shiftwork.app.views.documents.commands.workflow_documents import WorkflowFile
from shiftwork.bootstrap.workflows import OWN_FOLDER, SCHEMA_FILE, choose, packaged_schema
from shiftwork.config.site import environment
from shiftwork.config.user import user_folder
from shiftwork.entrypoints.cli.env.repository import around
from shiftwork.entrypoints.cli.env.trust import book
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import check_unlinked, written
from shiftwork.entrypoints.cli.workflow.template import workflow_file
from shiftwork.errors import UsageError


@click.command("new", short_help="Write a commented workflow file to start from.")
@click.argument("name", metavar="ID")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str, *, force: bool, as_json: bool) -> None:
    """Write shiftwork/workflows/ID.yml for you to change, and the schema that editors use to complete it.

    ID is the name for `shiftwork run --workflow`: lower-case letters, digits and '-'.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", name):
        raise UsageError(f"{name!r} cannot be an id", hint="use lower-case letters, digits and '-', and no underscores")
    root = around().root
    folder = root / OWN_FOLDER
    path = folder / f"{name}.yml"
    for file in (path, folder / SCHEMA_FILE):
        check_unlinked(root, file)
    if path.exists() and not force:
        raise UsageError(f"{path} already exists", hint="--force replaces it")
    made = [entry for entry in (folder.parent, folder) if not entry.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for item in made:
        umask.share(item)
    written(folder / SCHEMA_FILE, packaged_schema())
    written(path, workflow_file(name, SCHEMA_FILE))
    _trust(name, root)
    if as_json:
        say(WorkflowFile(file=str(path), schema_file=str(folder / SCHEMA_FILE)))
    else:
        click.echo(f"wrote {OWN_FOLDER}/{name}.yml; change it, then: shiftwork workflow validate {name}")


def _trust(name: str, root: Path) -> None:
    """Trusts the file: the user asked for it, and it contains nothing from the repository."""
    if claim := choose(name, root, user_folder(environment())).claim:
        book(environment()).trust(claim)
