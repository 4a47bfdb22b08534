"""`shiftwork config unset`: removes one setting from shiftwork.toml."""

import click

from shiftwork.app.views.documents.commands.config_documents import SettingUnset
from shiftwork.config.settings.file_change import unset_value
from shiftwork.config.settings.in_force import value_in_file
from shiftwork.config.settings.setting_catalogue import setting, unknown
from shiftwork.config.settings.toml_text import name_of, place_of
from shiftwork.config.site import SETTINGS_FILE, environment
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.entrypoints.cli.env.repository import around
from shiftwork.entrypoints.cli.env.setting_values import TO_AGREE
from shiftwork.entrypoints.cli.env.trust import is_trusted
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.visible_text import marked


@click.command("unset", short_help="Remove a setting from shiftwork.toml.")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str, *, as_json: bool) -> None:
    """Remove NAME from shiftwork.toml, so that it has its default again. NAME may be a gate or a profile with all its
    settings, and a name that shiftwork does not know. Comments and the order of the file stay as they are.
    """
    site = around()
    place = place_of(name)
    if not place:
        raise unknown(name)
    removed = unset_value(site.root, place)
    if not removed:
        setting(place)  # raises if there is no such setting
    trusted = is_trusted(settings_claim(site.root), environment())
    none_left = place[0] == "gates" and value_in_file(site.root, ("gates",)) == {}
    if as_json:
        path = str(site.root / SETTINGS_FILE)
        say(SettingUnset(name=name_of(place), path=path, was_changed=removed, trusted=trusted))
        return
    done = f"removed {marked(name_of(place))}" if removed else f"{SETTINGS_FILE} does not set {marked(name_of(place))}"
    click.echo(done)
    if none_left:
        click.echo(f"no gate is left, and [gates] is empty: only the diff will be checked; name one in {SETTINGS_FILE}")
    if removed and not trusted:
        click.echo("\n".join(phrases.following([TO_AGREE])))
