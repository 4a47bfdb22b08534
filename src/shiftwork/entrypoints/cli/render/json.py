"""Prints the documents of `--json`."""

from json import dumps

import click

from shiftwork.app.views.documents.document import Document, Time, moment, to_json
from shiftwork.app.views.documents.run_records import LeftOut
from shiftwork.bootstrap.state.read_only import now
from shiftwork.config.site import Site
from shiftwork.entrypoints.cli.render import left_out_files


def say(document: Document) -> None:
    """Prints the document on one line; non-ASCII characters are escaped, so no text in it can affect a terminal."""
    click.echo(dumps(to_json(document)))


def left_out(site: Site, run: str) -> LeftOut | None:
    found = left_out_files.found(site, run)
    return LeftOut(patch_file=found[0], command=found[1]) if found else None


def this_moment() -> Time:
    """The time of an event that happens now."""
    return moment(now())
