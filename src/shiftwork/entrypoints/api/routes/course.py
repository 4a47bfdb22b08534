"""What happened in a run, and when: sentences from the newest, and a timeline."""

import math
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Query
from starlette.responses import Response

from shiftwork.app.views.feed.activity_reader import Wanted, place_of, read_activity
from shiftwork.app.views.feed.spans import SpanKind
from shiftwork.app.views.feed.timeline_reader import KINDS, Part, read_timeline
from shiftwork.bootstrap.state.read_only import now
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.ids import RunId
from shiftwork.entrypoints.api.problems import Problem
from shiftwork.entrypoints.api.rendering import json_response
from shiftwork.entrypoints.api.routes.endpoint import endpoint
from shiftwork.entrypoints.api.routes.run_routes import RunName, Served, StoryName
from shiftwork.entrypoints.api.served_project import Project
from shiftwork.records import replace

router = APIRouter(tags=["runs"])

_PLACE: Final = r"^([0-9]{1,12}\.[0-9]{1,9}/[A-Za-z0-9_.-]{0,64}/(run|gates|story)/[0-9]{1,12})?$"
_TIME: Final = r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)?$"

Before = Annotated[str, Query(pattern=_PLACE, max_length=120, description="`next_before` of the page before.")]
Most = Annotated[int, Query(ge=1, le=500)]
Since = Annotated[str, Query(pattern=_TIME, description="Only what lasts, or ended at this time or later.")]
Until = Annotated[str, Query(pattern=_TIME, description="Only what began at this time or before.")]
Only = Annotated[tuple[SpanKind, ...], Query(alias="kind", description="Only these kinds; without `attempt`, totals.")]


@endpoint(router, "GET /runs/{run}/activity", Role.VIEWER, "activity")
async def activity_of_run(project: Served, run: RunName, before: Before = "", limit: Most = 50) -> Response:
    """What happened in a run, in sentences, the newest first."""
    return await _activity(project, Wanted(run=RunId(await project.run_id(run)), limit=limit), before)


@endpoint(router, "GET /runs/{run}/stories/{story}/activity", Role.VIEWER, "activity")
async def activity_of_story(
    project: Served, run: RunName, story: StoryName, before: Before = "", limit: Most = 50
) -> Response:
    """What happened to a story, in sentences, the newest first."""
    return await _activity(project, Wanted(run=await project.run_of(run, story), story=story, limit=limit), before)


async def _activity(project: Project, wanted: Wanted, before: str) -> Response:
    if before:
        wanted = replace(wanted, before=place_of(before))
    return json_response(await read_activity(project.queries, project.queries.history, wanted))


@endpoint(router, "GET /runs/{run}/timeline", Role.VIEWER, "timeline")
async def timeline(  # noqa: PLR0913, PLR0917 - the parts of its address
    project: Served,
    run: RunName,
    since: Since = "",
    until: Until = "",
    story: Annotated[str, Query(max_length=64, description="Only this story.")] = "",
    kind: Only = (),
) -> Response:
    """When each story was worked on, checked, waited and landed. A page that shows a long run reads all but the
    attempts once, then the attempts of the time that it shows, and then what has changed since `settled_at`.
    """
    part = Part(
        story=story,
        since=_seconds("since", since, 0.0),
        until=_seconds("until", until, math.inf),
        kinds=frozenset(kind) or KINDS,
    )
    run_id, began = RunId(await project.run_id(run)), now()
    known = await project.known_facts(run_id)
    return json_response(await read_timeline(project.queries, known, part, began))


def _seconds(name: str, time: str, otherwise: float) -> float:
    """Raises Problem if there is no such day or hour."""
    if not time:
        return otherwise
    try:
        return datetime.fromisoformat(time).timestamp()
    except ValueError as error:
        raise Problem(
            422, "request", f"the request is not valid: {name}: {error}", "send a time of a document"
        ) from None
