"""`shiftwork workflow list`: every workflow there is, and which one of a name is used."""

from pathlib import Path

import click

from shiftwork.bootstrap.workflows import Listed, every
from shiftwork.config.site import environment
from shiftwork.config.user import user_folder
from shiftwork.entrypoints.cli.documents import say
from shiftwork.entrypoints.cli.here import here


@click.command("list", short_help="List the workflows there are.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> None:
    """List the workflows there are: of the repository, of your own folder, of the package. The first of a name wins."""
    root = here().root
    listed = every(root, user_folder(environment()))
    if as_json:
        rows = [{"name": one.name, "origin": one.origin, "path": _path(one), "hidden": one.hidden} for one in listed]
        say({"workflows": rows})
        return
    room = max(len(one.name) for one in listed)
    for one in listed:
        place = _shown(one.path, root) if one.path else "built in"
        hidden = "  (hidden by the one above of the same name)" if one.hidden else ""
        click.echo(f"{one.name:<{room}}  {one.origin:<10}  {place}{hidden}")


def _path(one: Listed) -> str:
    return str(one.path) if one.path else ""


def _shown(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
