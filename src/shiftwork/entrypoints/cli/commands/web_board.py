"""`shiftwork board`: prints a link that opens the web board, and starts the server if there is none."""

import time
import webbrowser
from typing import Final

import click

from shiftwork.app.views.documents.commands.server_documents import BoardLink
from shiftwork.app.views.documents.document import moment
from shiftwork.bootstrap.server.living import ServerRecord, living_server
from shiftwork.bootstrap.server.serving import ensure_server
from shiftwork.config.access.login_codes import MINUTES
from shiftwork.config.site import Site, environment, open_state
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.host.board_link import board_link, ensure_board, opening_file
from shiftwork.errors import ServerError

_SECONDS: Final = 10.0
_LOOK_SECONDS: Final = 0.05


@click.command("board", short_help="Print a link that opens the web board.")
@click.option("--open", "opens", is_flag=True, help="Also open it in the browser of this machine.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, opens: bool, as_json: bool) -> None:
    """Print a link that opens the web board signed in: once, within ten minutes. Starts the server of this repository
    if there is none.

    The board shows all runs of the project, what needs you, and what each agent does; it is only reachable from this
    machine. Its sessions last twelve hours; `shiftwork token revoke board` ends them all.
    """
    ensure_board()
    site = here(settings=True)
    open_state(site)
    address = _answering(site, ensure_server(site, environment()))
    link, until = board_link(site, address)
    if as_json:
        say(BoardLink(address=address, link=link, expires_at=moment(until)))
    else:
        click.echo(f"{link}\nIt opens once, within {MINUTES} minutes. The server: shiftwork serve --status")
    if opens:
        webbrowser.open(opening_file(site, link).as_uri())


def _answering(site: Site, server: ServerRecord | None) -> str:
    """The address of the server; one that has just started publishes it a moment later."""
    until = time.monotonic() + _SECONDS
    while server is not None and time.monotonic() < until:
        if server.address:
            return server.address
        time.sleep(_LOOK_SECONDS)
        server = living_server(site)
    hint = "shiftwork serve --stop; then: shiftwork board"
    raise ServerError("the server of this repository serves no HTTP", hint=hint)
