"""The events of the project as a stream that a client can resume."""

import resource
from typing import Annotated, Final

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response, StreamingResponse

from shiftwork.config.access.tokens import Role
from shiftwork.entrypoints.api.access.request_guard import cookie_of
from shiftwork.entrypoints.api.events.stream import events
from shiftwork.entrypoints.api.problems import Problem
from shiftwork.entrypoints.api.routes.endpoint import endpoint, identity_of
from shiftwork.entrypoints.api.routes.run_routes import Served

router = APIRouter(tags=["events"])

_MOST_CLIENTS: Final = 1000
MEDIA: Final = "text/event-stream"

Position = Annotated[int | None, Query(ge=0, lt=1 << 53, description="Like Last-Event-ID, for a first connection.")]
LastEventId = Annotated[int | None, Header(alias="Last-Event-ID", ge=0, lt=1 << 53)]


@endpoint(router, "GET /events", Role.VIEWER, MEDIA)
async def feed(
    project: Served,
    request: Request,
    after: Position = None,
    last_event_id: LastEventId = None,
    run: Annotated[str, Query(max_length=64, pattern=r"^[0-9a-z]*$", description="Only the events of a run.")] = "",
) -> Response:
    """Everything that is recorded, as it is recorded: an `event` document in each `change`. A stream begins with
    `ready`. With Last-Event-ID it continues after that event; if that is too long ago, it begins with `reset`, and the
    client must read the state again.
    """
    if project.window.clients >= (most := _most_clients()):
        raise Problem(503, "busy", f"{most} clients follow the events already", "try again later")
    named = await project.run_id(run) if run else ""
    position = after if last_event_id is None else last_event_id
    identity, cookie = identity_of(request), cookie_of(request.headers, project.access.cookie)

    def valid() -> bool:
        """A session may end while its token stays."""
        if identity.session:
            return project.access.sessions.find(cookie) is not None
        return identity.token in project.tokens.all()

    stream = events(project.window, position, named, valid=valid)
    return StreamingResponse(stream, media_type=MEDIA)


def _most_clients() -> int:
    """Streams take at most half of the file descriptors that all clients get: others can still connect."""
    return min(_MOST_CLIENTS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4)
