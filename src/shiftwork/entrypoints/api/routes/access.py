"""Sessions of browsers, and the tokens of the project."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from shiftwork.app.views.documents.api_records import ApiSession, ApiTokens, NewToken, TokenFields
from shiftwork.app.views.documents.document import moment
from shiftwork.bootstrap.state.read_only import now
from shiftwork.config.access.tokens import Role, Token, role_of
from shiftwork.entrypoints.api.access.browser_sessions import HOURS
from shiftwork.entrypoints.api.access.request_guard import cookie_of, refused
from shiftwork.entrypoints.api.problems import Problem
from shiftwork.entrypoints.api.rendering import json_response
from shiftwork.entrypoints.api.routes.endpoint import endpoint, identity_of
from shiftwork.entrypoints.api.routes.run_routes import Served
from shiftwork.entrypoints.api.served_project import Project

router = APIRouter(tags=["access"])


class Login(BaseModel):
    """The token that the session stands for, or a code for one use that `shiftwork board` has printed."""

    model_config = ConfigDict(extra="forbid")

    token: Annotated[str, Field(max_length=200)] = ""
    code: Annotated[str, Field(max_length=200)] = ""


class TokenRequest(BaseModel):
    """What a new token is for."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["viewer", "operator", "admin"] = "viewer"
    name: Annotated[str, Field(max_length=200)] = ""


@endpoint(router, "POST /session", None, "session")
async def log_in(project: Served, request: Request, login: Login) -> Response:
    """Exchange a token or a code for a cookie that scripts cannot read, and for the value that changes need with it."""
    token = _of_code(project, login.code) if login.code else project.tokens.identify(login.token)
    if token is None:
        raise refused(project.access.limit, request.scope)
    word, csrf = project.access.sessions.open(token)
    response = json_response(_session(project, token, csrf=csrf))
    response.set_cookie(project.access.cookie, word, max_age=3600 * HOURS, httponly=True, samesite="strict")
    return response


@endpoint(router, "GET /session", Role.VIEWER, "session")
async def who_asks(project: Served, request: Request) -> Response:
    """Who asks, without the value of the session: see `browser_sessions`."""
    return json_response(_session(project, identity_of(request).token))


@endpoint(router, "DELETE /session", Role.VIEWER, "session")
async def log_out(project: Served, request: Request) -> Response:
    """End the session of the cookie; a token stays valid."""
    identity = identity_of(request)
    if identity.session:
        project.access.sessions.end(cookie_of(request.headers, project.access.cookie))
    response = json_response(_session(project, identity.token))
    response.delete_cookie(project.access.cookie, httponly=True, samesite="strict")
    return response


@endpoint(router, "GET /tokens", Role.ADMIN, "tokens")
async def list_tokens(project: Served) -> Response:
    tokens = [TokenFields(**_fields(token)) for token in project.tokens.all()]
    return json_response(ApiTokens(all_tokens=tokens))


@endpoint(router, "POST /tokens", Role.ADMIN, "token", status=201)
async def create_token(project: Served, wish: TokenRequest) -> Response:
    """The answer has the new token; it is not stored and cannot be read again."""
    token, word = project.tokens.create(role_of(wish.role) or Role.VIEWER, wish.name, now())
    return json_response(NewToken(**_fields(token), token=word), status=201)


@endpoint(router, "DELETE /tokens/{token}", Role.ADMIN, "tokens")
async def revoke_token(project: Served, token: Annotated[str, Path(max_length=16, pattern=r"^[0-9a-f]+$")]) -> Response:
    """The next request with the token is refused, and its sessions end."""
    if token not in {each.id for each in project.tokens.all()}:
        raise Problem(404, "unknown-token", f"there is no token {token}", "shiftwork token list")
    project.tokens.revoke(token)
    return await list_tokens(project)


def _of_code(project: Project, code: str) -> Token | None:
    used = project.access.codes.use(code, now())
    return next((token for token in project.tokens.all() if token.id == used), None)


def _session(project: Project, token: Token, *, csrf: str | None = None) -> ApiSession:
    named = project.site.name
    return ApiSession(token_id=token.id, name=token.name, role=token.role.word, project_name=named, csrf=csrf)


def _fields(token: Token) -> dict[str, Any]:
    return {
        "token_id": token.id,
        "name": token.name,
        "role": token.role.word,
        "created_at": moment(token.created_at),
    }
