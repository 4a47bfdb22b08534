"""`shiftwork uninstall`: lists everything that Shiftwork has written on this machine, and removes it when asked."""

import asyncio
import sys
from collections.abc import Iterator, Sequence

import click

from shiftwork.app.views.documents.commands.setup_documents import Uninstall, WrittenEntry
from shiftwork.bootstrap.state.written_files import Written, find_work_in_progress, list_written, remove_written
from shiftwork.config.site import environment
from shiftwork.entrypoints.cli.render.byte_size import shown_size
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import ShiftworkError


@click.command("uninstall", short_help="List everything written on this machine, and remove it.")
@click.option("--yes", is_flag=True, help="Remove it without asking.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, yes: bool, as_json: bool) -> None:
    """List everything that Shiftwork has written on this machine, with its size, and remove it after you agreed.

    Your branches, with all landed commits, and each shiftwork.toml stay. The histories of all your repositories go, and
    with them saved work that has not landed. The program itself is removed by the tool that installed it.
    """
    env = environment()
    written = asyncio.run(list_written(env))
    goes = [entry for entry in written if not entry.stays]
    removes = bool(goes) and (yes or (not as_json and _is_agreed(written)))
    if removes:
        if busy := asyncio.run(find_work_in_progress(env)):
            raise ShiftworkError(
                f"a process works on a run in {busy}: nothing was removed",
                hint=f"shiftwork -C {busy} cancel, shiftwork -C {busy} serve --stop, or wait",
            )
        asyncio.run(remove_written(env))
    if as_json:
        say(Uninstall(is_removed=removes, everything=[_entry(item) for item in written]))
        return
    if yes or not goes:
        click.echo("\n".join(_lines(written)))
    if removes:
        click.echo(f"removed {shown_size(sum(entry.bytes for entry in goes))}")
        click.echo("the program: uv tool uninstall shiftwork, pipx uninstall shiftwork, or pip uninstall shiftwork")


def _is_agreed(written: Sequence[Written]) -> bool:
    """Shows the list and asks, at a terminal; elsewhere only names the option that removes it."""
    click.echo("\n".join(_lines(written)))
    if sys.stdin.isatty() and sys.stdout.isatty():
        return click.confirm("remove what is listed under 'goes'?")
    click.echo("nothing was removed; to remove it: shiftwork uninstall --yes")
    return False


def _lines(written: Sequence[Written]) -> Iterator[str]:
    if not written:
        yield "nothing was written on this machine"
    for title, entries in (
        ("goes", [entry for entry in written if not entry.stays]),
        ("stays", [entry for entry in written if entry.stays]),
    ):
        for entry in entries:
            where = f" in {plain(entry.repository)}" if entry.repository and entry.repository not in entry.name else ""
            size = shown_size(entry.bytes) if entry.bytes else ""
            yield f"{title:5}  {size:>9}  {plain(entry.name)}{where}  ({entry.purpose})"


def _entry(item: Written) -> WrittenEntry:
    return WrittenEntry(
        location=item.name, purpose=item.purpose, bytes=item.bytes, repository=item.repository, stays=item.stays
    )
