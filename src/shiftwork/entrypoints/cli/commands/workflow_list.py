"""`shiftwork workflow list`: every workflow there is, and which one of a name is used."""

from pathlib import Path

import click

from shiftwork.bootstrap.workflows import Listed, Origin, choose, every
from shiftwork.config.site import environment
from shiftwork.config.user import user_folder
from shiftwork.entrypoints.cli.env.repository import root_or_folder
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import one_line
from shiftwork.errors import WorkflowError


@click.command("list", short_help="List the workflows there are.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> None:
    """List the workflows there are: of the repository, of your own folder, of the package. The first of a name wins."""
    root = root_or_folder()
    listed = every(root, user_folder(environment()))
    if as_json:
        say({"workflows": [_row(one, root) for one in listed]})
        return
    room = max(len(one.name) for one in listed)
    width = phrases.width()
    for one in listed:
        head = f"{one.name:<{room}}  {one.origin:<10}  "
        click.echo(head + one_line(_about(one, root), max(width - len(head), 20)))
        if one.origin != Origin.PACKAGE:
            click.echo(f"{'':{room}}  {'':10}  {_shown(one.path, root)}")


def _row(one: Listed, root: Path) -> dict[str, object]:
    about = _about(one, root)
    return {"name": one.name, "origin": one.origin, "path": _path(one), "hidden": one.hidden, "description": about}


def _about(one: Listed, root: Path) -> str:
    """What the workflow says of itself, or what keeps it from being used."""
    if one.hidden:
        return "(hidden by the one above of the same name)"
    try:
        found = choose(one.name, root, user_folder(environment())).workflow
    except WorkflowError:
        return f"(has mistakes: shiftwork workflow validate {one.name})"
    return found.description or found.name


def _path(one: Listed) -> str:
    return str(one.path) if one.path else ""


def _shown(path: Path | None, root: Path) -> str:
    if path is None:
        return ""
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
