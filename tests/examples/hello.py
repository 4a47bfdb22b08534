"""`shiftwork hello`: greets."""

from typing import ClassVar

import click

from shiftwork.app.views.documents.document import Document
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting(Document):
    """Who was greeted."""

    SCHEMA: ClassVar[str] = "greeting"

    name: str


@click.command("hello", short_help="Greet somebody.")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str, *, as_json: bool) -> None:
    """Greet NAME."""
    if as_json:
        say(Greeting(name=name))
    else:
        click.echo(f"hello, {name}")
