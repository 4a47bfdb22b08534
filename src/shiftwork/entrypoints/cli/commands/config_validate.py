"""`shiftwork config validate`: all mistakes in the settings at once, each with its line and the next command."""

import click

from shiftwork.app.views.documents.commands.config_documents import SettingMistake, SettingsCheck
from shiftwork.config.settings.file_check import Found, check_settings
from shiftwork.config.site import SETTINGS_FILE, environment
from shiftwork.entrypoints.cli.env.repository import root_or_folder
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import EXIT_DONE, EXIT_USAGE
from shiftwork.redaction import redacted


@click.command("validate", short_help="Check shiftwork.toml and the variables.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> int:
    """Check shiftwork.toml, and the variables that override it, without running anything. All mistakes are listed at
    once; the exit code is 64 if there are any.
    """
    root = root_or_folder(settings=False)
    found = check_settings(root, environment())
    if as_json:
        path = str(root / SETTINGS_FILE)
        mistakes = [
            SettingMistake(
                name=item.name, line=item.line or None, reason=redacted(item.reason), hint=redacted(item.hint)
            )
            for item in found
        ]
        say(SettingsCheck(valid=not found, path=path, mistakes=mistakes))
    elif found:
        click.echo(f"{SETTINGS_FILE} has {len(found)} mistake{'s' if len(found) > 1 else ''}:")
        for item in found:
            click.echo(plain(redacted(f"  {_place(item)}{item.reason}")))
            click.echo(plain(redacted(f"    try: {item.hint}")))
    else:
        click.echo(f"{SETTINGS_FILE} is valid" if (root / SETTINGS_FILE).exists() else f"there is no {SETTINGS_FILE}")
    return EXIT_USAGE if found else EXIT_DONE


def _place(item: Found) -> str:
    line = f"line {item.line}: " if item.line else ""
    return f"{line}{item.name}: " if item.name else line
