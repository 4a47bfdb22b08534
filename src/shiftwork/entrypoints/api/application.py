"""Puts the application together: routes below one prefix, the guard around them, errors as documents."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp

from shiftwork.config.site import Site
from shiftwork.entrypoints.api.access.request_guard import PREFIX, Access, Guard
from shiftwork.entrypoints.api.board_files import BoardFiles, board_folder
from shiftwork.entrypoints.api.openapi import described
from shiftwork.entrypoints.api.problems import Problem, internal_problem, problem_of, problem_of_files
from shiftwork.entrypoints.api.routes import (
    access,
    course,
    feed,
    intents,
    project_routes,
    run_routes,
    starts,
    steps,
    stories,
    work,
)
from shiftwork.entrypoints.api.served_project import Project
from shiftwork.errors import ShiftworkError

ROUTERS = (
    run_routes.router,
    starts.router,
    work.router,
    course.router,
    feed.router,
    intents.router,
    steps.router,
    stories.router,
    project_routes.router,
    access.router,
)


def create_app(site: Site, env: Mapping[str, str], allowed: Access) -> tuple[ASGIApp, Project]:
    """The application behind its guard, and the project that it serves."""
    project = Project(site, env, allowed)
    app = routes()
    app.state.project = project
    return Guard(BoardFiles(app, board_folder()), allowed), project


def routes() -> FastAPI:
    """The routes without a project: what the description is made from."""
    app = FastAPI(
        title="Shiftwork", openapi_url=f"{PREFIX}/openapi.json", docs_url=None, redoc_url=None, redirect_slashes=False
    )
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    app.add_exception_handler(ShiftworkError, _failed)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(OSError, _unusable)
    app.add_exception_handler(Exception, _broken)
    app.openapi = lambda: described(app)  # type: ignore[method-assign]  # how FastAPI is extended
    return app


async def _failed(_: Request, error: Exception) -> Response:
    assert isinstance(error, ShiftworkError)  # noqa: S101 - registered for it
    return problem_of(error).response()


async def _unusable(_: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)  # noqa: S101 - registered for it
    return problem_of_files(error).response()


async def _broken(_: Request, __: Exception) -> Response:
    """The error is raised again after this, and so gets into the log."""
    return internal_problem().response()


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    if isinstance(error, Problem):
        return error.response()
    phrase = HTTPStatus(error.status_code).phrase.lower()
    more = "" if error.detail.lower() == phrase else f": {error.detail}"  # by default the detail is the phrase
    return Problem(error.status_code, phrase.replace(" ", "-"), f"{phrase}{more}").response()


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for it
    reasons = "; ".join(f"{_place(each['loc'])}: {each['msg']}" for each in error.errors())
    return Problem(422, "request", f"the request is not valid: {reasons}", f"GET {PREFIX}/openapi.json").response()


def _place(parts: tuple[Any, ...]) -> str:
    return ".".join(str(part) for part in parts)
