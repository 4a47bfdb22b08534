"""What every request passes before a route sees it: the host, the size, who asks, and where a browser asks from."""

from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shiftwork.config.access.login_codes import LoginCodes
from shiftwork.config.access.tokens import Role, Token, Tokens
from shiftwork.entrypoints.api.access.attempt_limit import AttemptLimit
from shiftwork.entrypoints.api.access.browser_sessions import Session, Sessions
from shiftwork.entrypoints.api.problems import Problem, problem_of, problem_of_files
from shiftwork.errors import ShiftworkError
from shiftwork.records import dataclass

PREFIX: Final = "/api/v1"
LOGIN: Final = f"{PREFIX}/session"
CSRF_HEADER: Final = "x-csrf-token"

LARGEST_BODY: Final = 1 << 18
"""The maximum size of a request's body in bytes."""

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS: Final = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What the guard knows: the names under which this server may be addressed, and who may use it. `cookie` differs
    between servers, because browsers send the cookies of a host to all its ports.
    """

    hosts: frozenset[str]
    cookie: str
    tokens: Tokens
    codes: LoginCodes
    sessions: Sessions
    limit: AttemptLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who asks: the holder of a token, in a session if the request has its cookie."""

    token: Token
    session: Session | None = None

    @property
    def role(self) -> Role:
        return self.token.role


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        sent = _with_headers(send)
        try:
            self._admit(scope)
            await self._app(scope, _bounded(receive), sent)
        except Problem as problem:
            await problem.response()(scope, receive, sent)
        except ShiftworkError as error:
            await problem_of(error).response()(scope, receive, sent)

    def _admit(self, scope: Scope) -> None:
        try:
            self._check(scope)
        except OSError as error:
            raise problem_of_files(error) from error

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self._access.hosts]:
            raise Problem(421, "host", "this server has another name", "use the address that shiftwork serve prints")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            raise _too_large()
        scope.setdefault("state", {})["identity"] = self._identity(scope, headers)

    def _identity(self, scope: Scope, headers: Headers) -> Identity | None:
        """Raises Problem if the request may not be here. A login and the files of the board need no identity."""
        if not is_api(scope["path"]):
            return None
        if scope["path"] == LOGIN and scope["method"] == "POST":
            if "origin" in headers and headers["origin"] != own_origin(headers):
                raise _foreign()
            return None
        scheme, _, word = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return Identity(token=self.holder(scope, word.strip()))
        if cookie := cookie_of(headers, self._access.cookie):
            return self._in_session(scope, headers, cookie)
        raise Problem(401, "unauthenticated", "this needs a token", "send Authorization: Bearer TOKEN")

    def holder(self, scope: Scope, word: str) -> Token:
        """The token with this word; a wrong one is counted."""
        token = self._access.tokens.identify(word)
        if token is None:
            raise refused(self._access.limit, scope)
        return token

    def _in_session(self, scope: Scope, headers: Headers, cookie: str) -> Identity:
        found = self._access.sessions.find(cookie)
        if found is None:
            raise refused(self._access.limit, scope)
        session, token = found
        is_safe = scope["method"] in _SAFE
        if not _is_from_own_site(headers, is_safe=is_safe):
            raise _foreign()
        if not is_safe and not session.allows(headers.get(CSRF_HEADER, "")):
            raise Problem(403, "csrf", f"the header {CSRF_HEADER} is not that of the session", "log in again")
        return Identity(token=token, session=session)


def is_api(path: str) -> bool:
    """Whether a path belongs to the API, and not to the board."""
    return path == "/api" or path.startswith("/api/")


def refused(limit: AttemptLimit, scope: Scope) -> Problem:
    """For wrong credentials: too many from one address must wait."""
    client = scope.get("client")
    if seconds := limit.wait_after_failure(client[0] if client else ""):
        wait = str(int(seconds) + 1)
        message = "too many wrong tokens came from this address"
        return Problem(429, "rate-limited", message, f"try again in {wait} seconds", {"retry-after": wait})
    return Problem(401, "unauthenticated", "the token or the session is not valid", "shiftwork token create")


def own_origin(headers: Headers) -> str:
    """The origin of this server's pages; the host was checked before."""
    return f"http://{headers['host']}"


def cookie_of(headers: Headers, name: str) -> str:
    """The value of our own cookie. All servers of this machine share their cookies, which may have any form."""
    pairs = (pair.partition("=") for pair in headers.get("cookie", "").split(";"))
    return {given.strip(): value.strip() for given, _, value in pairs}.get(name, "")


def _is_from_own_site(headers: Headers, *, is_safe: bool) -> bool:
    """A browser names the origin of a request, except when a page only reads from its own server: then it says that."""
    if "origin" in headers:
        return headers["origin"] == own_origin(headers)
    return is_safe and headers.get("sec-fetch-site") == "same-origin"


def _foreign() -> Problem:
    return Problem(403, "origin", "a cookie counts only in requests of this server's own pages", "send a token instead")


def _too_large() -> Problem:
    return Problem(413, "too-large", f"a request may have {LARGEST_BODY} bytes", "send less")


def _bounded(receive: Receive) -> Receive:
    """Counts the body too: its length may be missing or wrong."""
    left = LARGEST_BODY

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise _too_large()
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return with_headers
