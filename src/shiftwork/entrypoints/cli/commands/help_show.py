"""`shiftwork help`: lists the commands, or explains one of them."""

import click

from shiftwork.entrypoints.cli.options.first_day import show_everything
from shiftwork.entrypoints.cli.registry import FIRST_DAY, GROUPS
from shiftwork.errors import UsageError


@click.command("help", short_help="List the commands, or explain one; --all leaves nothing out.")
@click.argument("names", nargs=-1, metavar="[COMMAND]")
@click.option("--all", "everything", is_flag=True, help="List every command, or every option of COMMAND.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document with all commands.")
@click.pass_context
def command(context: click.Context, names: tuple[str, ...], *, everything: bool, as_json: bool) -> None:
    """List the commands that a first day needs, or explain COMMAND."""
    if as_json:
        from shiftwork.app.views.documents.commands.setup_documents import CommandLine, Help  # noqa: PLC0415 - most callers want the text
        from shiftwork.entrypoints.cli.render.json import say  # noqa: PLC0415 - as above

        lines = [
            CommandLine(command=entry.name, purpose=title, summary=entry.help, first_day=entry in FIRST_DAY)
            for title, entries in GROUPS.items()
            for entry in entries
        ]
        say(Help(all_commands=lines))
        return
    asked = context.find_root()
    if everything:
        show_everything(asked)
    for name in names:
        above = asked.command
        below = above.get_command(asked, name) if isinstance(above, click.Group) else None
        if below is None:
            raise UsageError(f"there is no command {' '.join(names)!r}", hint="shiftwork help --all")
        asked = click.Context(below, info_name=name, parent=asked)
    click.echo(asked.get_help())
