"""`shiftwork init`: writes a commented settings file with the checks that the project already has."""

from dataclasses import asdict
from pathlib import Path

import click

from shiftwork.config.detect import Detected, detect
from shiftwork.config.prd_template import PRD_FILE, prd_file
from shiftwork.config.site import SETTINGS_FILE, environment
from shiftwork.config.template import settings_file
from shiftwork.config.trust import settings_claim
from shiftwork.entrypoints.cli import words
from shiftwork.entrypoints.cli.documents import say
from shiftwork.entrypoints.cli.here import around
from shiftwork.entrypoints.cli.trusting import book
from shiftwork.errors import UsageError


@click.command("init", short_help="Write a commented shiftwork.toml.")
@click.option("--prd", is_flag=True, help="Write a commented prd.json instead, to be filled in.")
@click.option("--print", "only_print", is_flag=True, help="Print the file instead of writing it.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, prd: bool, only_print: bool, force: bool, as_json: bool) -> None:
    """Write a commented shiftwork.toml with the checks this project already has.

    Found are checks of Python, Node, Rust and Go projects, and the words test, lint and check of a Makefile or a
    justfile. Nothing is run. With --prd a spec is written, to be filled in and handed over with `shiftwork run`.
    """
    root = around().root
    found = Detected(gates=(), setup="") if prd else detect(root)
    text, path = (prd_file(root.name), root / PRD_FILE) if prd else (settings_file(found), root / SETTINGS_FILE)
    if not only_print:
        _write(path, text, force=force)
        if not prd:
            book(environment()).trust(settings_claim(root))  # whoever has it written has asked for it
    if as_json:
        more = {} if prd else {"gates": [asdict(gate) for gate in found.gates], "setup": found.setup}
        say({"path": str(path), "written": not only_print, **more, "text": text})
    elif only_print:
        click.echo(text, nl=False)
    else:
        click.echo(f"wrote {PRD_FILE}; fill it in, then: shiftwork run {PRD_FILE}" if prd else _told(found))


def _write(path: Path, text: str, *, force: bool) -> None:
    if path.exists() and not force:
        raise UsageError(f"{path} is there already", hint="--force replaces it; --print only shows")
    path.write_text(text, encoding="utf-8")


def _told(found: Detected) -> str:
    if found.gates:
        gates = [(gate.name, f"{gate.command}    (from {gate.source})") for gate in found.gates]
        setup = [("setup", found.setup)] if found.setup else []
        lines = ["found:", words.facts(gates + setup)]
    else:
        lines = ["found no checks: until [gates] names one, only that something changed is checked"]
    return "\n".join((*lines, f"wrote {SETTINGS_FILE}; look it over, commit it, then: shiftwork doctor"))
