"""The option `--as`: whether the boxes of a Markdown list are the criteria of one story, or a story each."""

import click

list_form = click.option(
    "--as",
    "form",
    type=click.Choice(("one", "many")),
    callback=lambda _context, _option, typed: typed or "",
    help="Whether a list of boxes is one story or many; default: as its text suggests.",
)
