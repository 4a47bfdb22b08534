"""`shiftwork config get`: the value of one setting, for scripts."""

import click

from shiftwork.app.views.documents.commands.config_documents import Setting
from shiftwork.config.settings.setting_catalogue import named
from shiftwork.entrypoints.cli.env.setting_values import one_value
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain


@click.command("get", short_help="Print the value of a setting.")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str, *, as_json: bool) -> None:
    """Print the value of the setting NAME, such as limits.run_usd: text without quotes, all else as in the file. A
    setting without a value prints an empty line. Addresses that may contain a password are not shown.
    """
    place, _ = named(name)
    value = one_value(place)
    if as_json:
        say(Setting(**value.fields))
    elif isinstance(value.shown, str):
        click.echo(plain(value.shown))
    else:
        click.echo("" if value.value is None else plain(value.text))
