"""How a route is declared: who may call it, and which document it answers with."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from shiftwork.config.access.tokens import Role
from shiftwork.entrypoints.api.access.request_guard import Identity
from shiftwork.entrypoints.api.problems import Problem
from shiftwork.entrypoints.api.rendering import JSON

ROLE: Final = "x-role"
"""Where the description of a route says which role it needs."""

_ERRORS: Final = {
    400: "the request is not HTTP or JSON",
    401: "no valid token or session",
    403: "the role does not allow it, or a browser asks from another page",
    404: "there is no such thing",
    405: "there is no such method",
    409: "the present state does not allow it",
    413: "the request is too large",
    421: "the request is addressed to another host",
    422: "the request is not valid",
    429: "too many wrong tokens",
    500: "an error of the server; its log has the details",
    503: "the state of the project cannot be read or written now, or too many clients follow it",
}

type Handler = Callable[..., Awaitable[Response]]


def endpoint(
    router: APIRouter, call: str, role: Role | None, gives: str, *, status: int = 200
) -> Callable[[Handler], Handler]:
    """Declares a route. `call` is its method and path, `gives` a kind of document or a media type. Only the
    login needs no role.
    """
    method, path = call.split(" ")

    def declared(handler: Handler) -> Handler:
        router.add_api_route(
            path,
            handler,
            methods=[method],
            status_code=status,
            response_class=Response,
            dependencies=[Depends(needs(role))] if role else [],
            responses={status: _success(gives), **{code: _error(text) for code, text in _ERRORS.items()}},
            openapi_extra={ROLE: role.word if role else "none"},
        )
        return handler

    return declared


def identity_of(request: Request) -> Identity:
    found: Identity | None = request.state.identity
    if found is None:
        raise Problem(401, "unauthenticated", "this needs a token", "send Authorization: Bearer TOKEN")
    return found


def needs(role: Role) -> Callable[[Request], None]:
    """Raises Problem unless the caller has the role."""

    def check(request: Request) -> None:
        if identity_of(request).role < role:
            message = f"this needs the role {role.word}, and the token has the role {identity_of(request).role.word}"
            raise Problem(403, "role", message, f"shiftwork token create --role {role.word}")

    return check


def _success(gives: str) -> dict[str, Any]:
    is_media = "/" in gives
    schema = (
        {"type": "object" if gives == JSON else "string"} if is_media else {"$ref": f"#/components/schemas/{gives}"}
    )
    return {"description": gives, "content": {gives if is_media else "application/json": {"schema": schema}}}


def _error(text: str) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/error"}}}}
