"""`shiftwork workflow list`: all workflows, and which of the same name is used."""

from pathlib import Path

import click

from shiftwork.app.views.documents.commands.workflow_documents import WorkflowLine, Workflows
from shiftwork.bootstrap.workflows import Listed, Origin, choose, every
from shiftwork.config.site import environment
from shiftwork.config.user import user_folder
from shiftwork.entrypoints.cli.env.repository import root_or_folder, usual_workflow
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.terminal.style import Line, Style, has_colors, joined
from shiftwork.errors import WorkflowError


@click.command("list", short_help="List all workflows.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> None:
    """List all workflows: of the repository, of your own folder, of the package. The first of a name is used."""
    root, usual = root_or_folder(), usual_workflow()
    listed = every(root, user_folder(environment()))
    if as_json:
        say(Workflows(workflows=[_row(entry, root, usual) for entry in listed]))
        return
    room = max(len("workflow"), *(len(entry.name) for entry in listed))
    width, colors = phrases.width(), has_colors(environment())
    heading = Line(f"{'workflow':<{room}}  {'from':<10}  description", Style.DIM)
    click.echo(joined([heading], colors=colors), color=True)
    for item in listed:
        head = f"{item.name:<{room}}  {item.origin:<10}  "
        about = f"{'(default) ' if _is_usual(item, usual) else ''}{_about(item, root)}"
        click.echo(head + phrases.shortened(about, max(width - len(head), 20)))
        if item.origin != Origin.PACKAGE:
            click.echo(f"{'':{room}}  {'':10}  {_shown(item.path, root)}")


def _is_usual(listed: Listed, usual: str) -> bool:
    return listed.name == usual and not listed.hidden


def _row(listed: Listed, root: Path, usual: str) -> WorkflowLine:
    return WorkflowLine(
        name=listed.name,
        origin=listed.origin,
        path=_path(listed),
        hidden=listed.hidden,
        default=_is_usual(listed, usual),
        description=_about(listed, root),
    )


def _about(listed: Listed, root: Path) -> str:
    """The workflow's own description, or why it cannot be used."""
    if listed.hidden:
        return "(hidden by the one above of the same name)"
    try:
        found = choose(listed.name, root, user_folder(environment())).workflow
    except WorkflowError:
        return f"(has mistakes: shiftwork workflow validate {listed.name})"
    return found.description or found.name


def _path(listed: Listed) -> str:
    return str(listed.path) if listed.path else ""


def _shown(path: Path | None, root: Path) -> str:
    if path is None:
        return ""
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
