"""`shiftwork config list`: every setting, its value and where that comes from."""

import click

from shiftwork.app.views.documents.commands.config_documents import SettingFields, Settings
from shiftwork.config.settings.in_force import Source
from shiftwork.entrypoints.cli.env.setting_values import every_value, origin
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import one_line
from shiftwork.entrypoints.cli.render.visible_text import marked


@click.command("list", short_help="List all settings with their values and where these come from.")
@click.option("--changed", is_flag=True, help="Only those that are not the default.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, changed: bool, as_json: bool) -> None:
    """List all settings: the name, the value, and whether it comes from shiftwork.toml (with the line), from an
    environment variable, from the project's own files, or is the default.
    """
    values = [value for value in every_value() if not changed or value.source is not Source.DEFAULT]
    if as_json:
        say(Settings(settings=[SettingFields(**value.fields) for value in values]))
        return
    if not values:
        click.echo("every setting has its default; all of them: shiftwork config list")
        return
    rows = [(marked(value.name), marked(value.text), marked(origin(value))) for value in values]
    names, sources = (max(len(row[column]) for row in rows) for column in (0, 2))
    room = max(phrases.width() - names - sources - 4, 20)
    widest = min(max(len(row[1]) for row in rows), room)
    for name, text, source in rows:
        click.echo(f"{name:<{names}}  {one_line(text, room):<{widest}}  {source}".rstrip())
