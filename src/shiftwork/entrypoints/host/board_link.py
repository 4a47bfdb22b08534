"""The link that opens the board signed in. Its code stands in the fragment, which browsers send to no server."""

import os
from pathlib import Path
from typing import Final

from shiftwork.bootstrap.state.read_only import now
from shiftwork.config.access.login_codes import board_token, codes_at
from shiftwork.config.access.tokens import Tokens
from shiftwork.config.site import Site
from shiftwork.errors import MissingExtraError
from shiftwork.extras import ensure_installed

_OPENING: Final = "open-board.html"


def ensure_board() -> None:
    """Raises unless this installation can serve the board: the extra is installed, and the board was built."""
    ensure_installed("web", "the web board")
    from shiftwork.entrypoints.api.board_files import board_folder  # noqa: PLC0415 - needs the extra

    if not (board_folder() / "index.html").is_file():
        hint = "in its clone, with Node.js 20.19 or newer: uv tool install --reinstall -C board=build '.[web]'"
        raise MissingExtraError("this installation has no web board: it was installed without", hint=hint)


def board_link(site: Site, address: str) -> tuple[str, float]:
    """A link to the server at the address, for one use, and when it expires."""
    at = now()
    code, until = codes_at(site.state, address).create(board_token(Tokens(site.state), at), at)
    return f"{address}/#code={code}", until


def opening_file(site: Site, link: str) -> Path:
    """A page that leads to the link, in a file that only its user can read. All users of a machine see the arguments of
    a browser: one of them could use a link among these first.
    """
    file = site.state / _OPENING
    file.unlink(missing_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as page:
        page.write(
            f'<!doctype html><meta http-equiv="refresh" content="0; url={link}"><a href="{link}">The board</a>\n'
        )
    return file
