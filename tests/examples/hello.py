"""`shiftwork hello`: greets."""

import click

from shiftwork.entrypoints.cli.render.json import say


@click.command("hello", short_help="Greet somebody.")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str, *, as_json: bool) -> None:
    """Greet NAME."""
    if as_json:
        say({"greeted": name})
    else:
        click.echo(f"hello, {name}")
