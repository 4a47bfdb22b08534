"""`shiftwork config explain`: what a setting means, its value, and how to change it."""

from collections.abc import Iterator, Sequence

import click

from shiftwork.app.views.documents.commands.config_documents import SettingMeaning
from shiftwork.config.settings.setting_catalogue import Setting, named, plain_default, settings_in
from shiftwork.entrypoints.cli.env.setting_values import one_value, origin
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.visible_text import marked


@click.command("explain", short_help="Say what a setting means and which values it takes.")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str, *, as_json: bool) -> None:
    """Say what the setting NAME means, which values it takes, its value here and where that comes from, and whether a
    change needs your consent. Names of gates and profiles are yours: gates.NAME. Of a table such as gates, list the
    settings.
    """
    if not as_json and (within := settings_in(name)):
        click.echo("\n".join(_table(name, within)))
        return
    place, setting = named(name)
    value = one_value(place)
    if as_json:
        say(
            SettingMeaning(
                **value.fields,
                meaning=setting.meaning,
                type=setting.type,
                allowed=setting.allowed,
                variable=setting.variable,
                needs_consent=setting.needs_consent,
            )
        )
        return
    tighter = f"; a {setting.tighter_values} value needs none" if setting.tighter_values else ""
    consent = f"a change in shiftwork.toml has no effect before you agree to it: shiftwork trust{tighter}"
    rows = [
        ("value", f"{marked(value.text)}  ({marked(origin(value))})"),
        ("type", setting.type),
        ("allowed", setting.allowed),
        ("default", plain_default(setting)),
        ("variable", f"${setting.variable}" if setting.variable else ""),
        ("consent", consent if setting.needs_consent else "not needed"),
    ]
    meaning = phrases.wrapped(setting.meaning, phrases.layout() - 2, most=8)
    click.echo("\n".join((marked(value.name), *(f"  {line}" for line in meaning))))
    click.echo(phrases.facts(rows))
    example = "VALUE…" if setting.is_list else "VALUE"
    click.echo(f"  change it: shiftwork config set {name} {example}")


def _table(name: str, settings: Sequence[Setting]) -> Iterator[str]:
    yield f"{marked(name)} is a table with these settings:"
    yield phrases.facts([(setting.name, setting.meaning) for setting in settings])
    yield from phrases.following(((f"shiftwork config explain {settings[0].name}", ""),))
