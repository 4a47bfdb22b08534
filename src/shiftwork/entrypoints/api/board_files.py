"""The files of the web board. They are read once and looked up by name, so no path can lead out of their folder."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from shiftwork.entrypoints.api.access.request_guard import is_api
from shiftwork.records import dataclass

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The pages have no code and no style of their own text, so nothing that an agent writes can become one."""

_INDEX: Final = "index.html"
_PLAIN_ROOT: Final = b"<html "
_FOREIGN_ROOT: Final = b'<html data-opened-by="another-site" '
"""How the page knows that another site has opened it: it then asks before it listens to clicks and keys, because those
may be meant for the other site.
"""
_HASHED: Final = "assets/"
_FOREVER: Final = "public, max-age=31536000, immutable"
_MEDIA: Final[Mapping[str, str]] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".woff2": "font/woff2",
}
_MISSING: Final = """\
<!doctype html>
<html lang="en"><title>Shiftwork</title>
<h1>The board was not built</h1>
<p>This was installed from its source without the board. With Node.js 20.19 or newer, install it again in its clone:
<code>uv tool install --reinstall -C board=build '.[web]'</code>; in a clone that is edited: <code>just web</code>.
Start the server again: <code>shiftwork serve --stop; shiftwork serve</code></p>
<p>The HTTP API works without it.</p>
</html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    content: bytes
    media: str
    caching: str


def board_folder() -> Path:
    """Where the board is in the package; a checkout in which it was not built has no such folder."""
    return Path(str(files("shiftwork"))) / "board"


class BoardFiles:
    """Answers what is not of the API: a file of the board, and for the address of a page the board itself."""

    def __init__(self, api: ASGIApp, folder: Path) -> None:
        self._api = api
        self._files = _read(folder)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_api(scope["path"]):
            await self._api(scope, receive, send)
        else:
            await self._answer(scope)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response:
        if scope["method"] not in {"GET", "HEAD"}:
            return _plain(405, "the board is only read")
        name = scope["path"].removeprefix("/")
        found = self._files.get(name)
        if found is None and _is_file(name):
            return _plain(404, "the board has no such file")
        found = found or self._files.get(_INDEX)
        if found is None:
            return _response(_MISSING.encode(), _MEDIA[".html"], "no-store", status=503)
        content = found.content
        if found.media == _MEDIA[".html"] and not _is_own_visit(Headers(scope=scope)):
            content = content.replace(_PLAIN_ROOT, _FOREIGN_ROOT, 1)
        return _response(content, found.media, found.caching)


def _is_own_visit(headers: Headers) -> bool:
    """Whether the user or a page of this server has opened a page; old browsers do not say."""
    return headers.get("sec-fetch-site", "none") in {"none", "same-origin"}


def _is_file(name: str) -> bool:
    """Whether this names a file and no page: an asset of another version must not get the text of a page."""
    return name.startswith(_HASHED) or Path(name).suffix in _MEDIA


def _read(folder: Path) -> dict[str, _File]:
    found = (file for file in folder.rglob("*") if file.is_file() and file.suffix in _MEDIA)
    return {name: _file(file, name) for file in found if (name := file.relative_to(folder).as_posix())}


def _file(file: Path, name: str) -> _File:
    caching = _FOREVER if name.startswith(_HASHED) else "no-cache"
    return _File(content=file.read_bytes(), media=_MEDIA[file.suffix], caching=caching)


def _response(content: bytes, media: str, caching: str, *, status: int = 200) -> Response:
    headers = {"content-security-policy": POLICY, "cache-control": caching}
    return Response(content, status_code=status, media_type=media, headers=headers)


def _plain(status: int, text: str) -> Response:
    return _response(f"{text}\n".encode(), "text/plain; charset=utf-8", "no-store", status=status)
