"""`shiftwork config set`: changes one setting in shiftwork.toml and keeps the rest of the file as it is."""

from pathlib import Path

import click

from shiftwork.app.views.documents.commands.config_documents import SettingSet
from shiftwork.config.detection.project_gates import detect
from shiftwork.config.settings.file_change import set_value
from shiftwork.config.settings.in_force import Source, place_in_file, value_in_file
from shiftwork.config.settings.setting_catalogue import named
from shiftwork.config.settings.toml_text import Place
from shiftwork.config.settings.typed_value import typed_value
from shiftwork.config.site import SETTINGS_FILE, environment
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.entrypoints.cli.env.repository import around
from shiftwork.entrypoints.cli.env.setting_values import TO_AGREE, one_value
from shiftwork.entrypoints.cli.env.trust import is_trusted, offer_consent
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.visible_text import marked


@click.command(
    "set", short_help="Change a setting in shiftwork.toml.", context_settings={"ignore_unknown_options": True}
)
@click.argument("name")
@click.argument("words", metavar="VALUE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str, words: tuple[str, ...], *, as_json: bool) -> None:
    """Set NAME to VALUE in shiftwork.toml. Comments and the order of the file stay as they are.

    A list is several values, or one as in TOML: '["a", "b"]'. The value is checked first, and a mistake changes
    nothing. A lower limit and a stricter policy than you agreed to need no consent. Anything else that runs a command,
    widens the sandbox or changes a guard or a limit has no effect before you agree: at a terminal you are shown it and
    asked at once, if you had agreed to the file as it was. Else, and in the session of an agent, type shiftwork trust.
    """
    site = around()
    typed, setting = named(name)
    place = place_in_file(site.root, typed)
    value = typed_value(setting, words)
    replaced = _replaced_gates(site.root, place)
    before, was_trusted = value_in_file(site.root, place), is_trusted(settings_claim(site.root), environment())
    set_value(site.root, place, value)
    now = one_value(place)
    claim = settings_claim(site.root)
    trusted = is_trusted(claim, environment())
    overrides = now.where if now.source is Source.ENVIRONMENT else ""
    if as_json:
        path, changed = str(site.root / SETTINGS_FILE), before != value
        values = now.fields
        say(SettingSet(**values, path=path, was_changed=changed, trusted=trusted, overridden_by=overrides))
        return
    click.echo(f"{marked(now.name)} is now {marked(now.text)}" if not overrides else f"wrote {marked(now.name)}")
    if overrides:
        click.echo(f"{overrides} overrides it: unset that variable")
    if replaced:
        click.echo(f"gates found in the project no longer run, because {SETTINGS_FILE} names gates now: {replaced}")
    if not trusted and not (was_trusted and offer_consent(claim, environment())):
        click.echo("\n".join(phrases.following([TO_AGREE])))


def _replaced_gates(root: Path, place: Place) -> str:
    """The gates that are found in the project and end with the first gate in the file."""
    if place[0] != "gates" or value_in_file(root, ("gates",)) is not None:
        return ""
    return ", ".join(gate.name for gate in detect(root, environment()).gates if gate.name != place[1])
