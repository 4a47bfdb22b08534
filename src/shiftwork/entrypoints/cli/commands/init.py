"""`shiftwork init`: writes a commented settings file with the checks that the project already has."""

from dataclasses import asdict

import click

from shiftwork.config.detect import Detected, detect
from shiftwork.config.site import SETTINGS_FILE
from shiftwork.config.template import settings_file
from shiftwork.entrypoints.cli import words
from shiftwork.entrypoints.cli.documents import say
from shiftwork.entrypoints.cli.here import here
from shiftwork.errors import UsageError


@click.command("init", short_help="Write a commented shiftwork.toml.")
@click.option("--print", "only_print", is_flag=True, help="Print the file instead of writing it.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, only_print: bool, force: bool, as_json: bool) -> None:
    """Write a commented shiftwork.toml with the checks this project already has.

    Found are checks of Python, Node, Rust and Go projects, and the words test, lint and check of a Makefile or a
    justfile. Nothing is run.
    """
    root = here().root
    found = detect(root)
    text, path = settings_file(found), root / SETTINGS_FILE
    if not only_print:
        if path.exists() and not force:
            raise UsageError(f"{path} is there already", hint="shiftwork init --force replaces it; --print only shows")
        path.write_text(text, encoding="utf-8")
    if as_json:
        gates = [asdict(gate) for gate in found.gates]
        say({"path": str(path), "written": not only_print, "gates": gates, "setup": found.setup, "text": text})
    elif only_print:
        click.echo(text, nl=False)
    else:
        click.echo(_told(found))


def _told(found: Detected) -> str:
    if found.gates:
        gates = [(gate.name, f"{gate.command}    (from {gate.source})") for gate in found.gates]
        setup = [("setup", found.setup)] if found.setup else []
        lines = ["found:", words.facts(gates + setup)]
    else:
        lines = ["found no checks: until [gates] names one, only that something changed is checked"]
    return "\n".join((*lines, f"wrote {SETTINGS_FILE}; look it over, commit it, then: shiftwork doctor"))
