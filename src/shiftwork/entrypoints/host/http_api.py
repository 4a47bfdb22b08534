"""The HTTP interface of a server: its API and the web board, on this machine only."""

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Final

from shiftwork.bootstrap.state.read_only import now
from shiftwork.config.access.login_codes import MINUTES
from shiftwork.config.access.tokens import Role, Tokens
from shiftwork.config.site import Site, environment
from shiftwork.entrypoints.api.http_server import is_free, serve_project
from shiftwork.entrypoints.host.board_link import board_link
from shiftwork.entrypoints.host.http_settings import HttpSettings

_PORT: Final = "http-port"


async def serve_http(project: Site, settings: HttpSettings, stop: asyncio.Event) -> None:
    """Serves until `stop` is set. `settings.publish` announces the address once it can be reached."""

    def ready(address: str) -> None:
        with contextlib.suppress(OSError):
            remembered.write_text(address.rpartition(":")[2], encoding="utf-8")
        settings.publish(address)
        settings.say(f"HTTP API: {address}/api/v1")
        if not tokens.all():
            settings.say(_first(tokens))
        settings.say(_board(project, address))

    tokens, remembered = Tokens(project.state), project.state / _PORT
    port = settings.port or _earlier(remembered)
    await serve_project(project, environment(), port, ready, stop)


def _earlier(remembered: Path) -> int:
    """The port of the last server, if it is free: pages that are open find the next server there. Else any port."""
    try:
        port = int(remembered.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0
    return port if 0 < port < 1 << 16 and is_free(port) else 0


def _first(tokens: Tokens) -> str:
    """A first token for the user in front of the terminal. In a log it would stay, although only hashes are kept."""
    if not sys.stdout.isatty():
        return "there is no token yet: shiftwork token create --role admin"
    return f"token for an admin, shown once: {tokens.create(Role.ADMIN, 'first', now())[1]}"


def _board(project: Site, address: str) -> str:
    """A link for the user in front of the terminal; nobody would use one in a log."""
    if not sys.stdout.isatty():
        return "board: shiftwork board prints a link"
    link, _ = board_link(project, address)
    return f"board: {link}  (opens once, within {MINUTES} minutes; shiftwork board prints another)"
