"""What concerns the whole project: settings, the record of agents, costs, and the landing queues."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Final

from fastapi import APIRouter, Query
from starlette.responses import Response

from shiftwork import redaction
from shiftwork.app.folds import LANDING, load
from shiftwork.app.views.documents.commands.config_documents import SettingFields, Settings
from shiftwork.app.views.documents.served.landing_document import KINDS, landing_document
from shiftwork.app.views.documents.served.project_records import (
    KnownProfile,
    RecentRuns,
    agents_document,
    costs_document,
)
from shiftwork.app.views.queries import LOOKED_THROUGH
from shiftwork.config.access.tokens import Role
from shiftwork.config.secrets import of_environment
from shiftwork.config.settings.in_force import values_in_force
from shiftwork.config.settings.settings import load_settings
from shiftwork.domain.core.ids import landing_stream
from shiftwork.entrypoints.api.rendering import json_response
from shiftwork.entrypoints.api.routes.endpoint import endpoint
from shiftwork.entrypoints.api.routes.run_routes import Served
from shiftwork.entrypoints.api.served_project import Project
from shiftwork.ports.views import RunRow, SpentRow

router = APIRouter(tags=["project"])

_LAST_FACTS: Final = 2000
"""Of a landing queue: enough for the last landings and for everything that waits."""

Newest = Annotated[int, Query(ge=1, le=100, description="How many of the newest runs are counted.")]


@endpoint(router, "GET /settings", Role.VIEWER, "settings")
async def settings(project: Served) -> Response:
    """Every setting with its value and where that comes from, as `shiftwork config list`; secrets are hidden."""
    redaction.learn(of_environment(project.env))
    values = await asyncio.to_thread(values_in_force, project.site.root, project.env)
    return json_response(Settings(settings=[SettingFields(**value.fields) for value in values]))


@endpoint(router, "GET /agents", Role.VIEWER, "agent-records")
async def agents(project: Served, runs: Newest = 20) -> Response:
    """The profiles: how many stories of each have landed, what a landed story has cost, and limits that it reached."""
    known = await asyncio.to_thread(load_settings, project.site.root, project.env)
    everybody = {known.agent.use: known.agent, **known.profiles}
    profiles = {name: KnownProfile(use=profile.use, model=profile.model) for name, profile in everybody.items()}
    return json_response(agents_document(await _past(project, runs), known.agent.choose, profiles))


@endpoint(router, "GET /costs", Role.VIEWER, "costs")
async def costs(project: Served, runs: Newest = 20) -> Response:
    """What the newest runs have cost, and what each profile and each model has used in them."""
    rows = await project.queries.runs(limit=runs)
    return json_response(costs_document(rows, await _spent(project, rows)))


async def _past(project: Project, limit: int) -> RecentRuns:
    queries = project.queries
    runs = await queries.runs(limit=limit)
    return RecentRuns(
        runs=runs,
        stories=[row for run in runs for row in await queries.stories(run.run)],
        spent=await _spent(project, runs),
        attempts=[row for run in runs for row in await queries.attempts(run.run)],
    )


async def _spent(project: Project, runs: Sequence[RunRow]) -> list[SpentRow]:
    return [row for run in runs for row in await project.queries.spent(run.run)]


@endpoint(router, "GET /landing", Role.VIEWER, "landing-queue")
async def landing(project: Served) -> Response:
    """What wants to land on each branch, what is being proved, and what has landed last."""
    history, known = project.queries.history, project.site.known_project
    branches = dict.fromkeys(row.branch for row in await project.queries.runs(limit=LOOKED_THROUGH))
    queues = []
    for branch in branches:
        stream = landing_stream(known, branch)
        after = max(await history.version(stream) - _LAST_FACTS, 0)
        facts = [recorded.fact for recorded in await history.read(stream, after=after, kinds=KINDS)]
        queues.append((await load(history, LANDING, stream), facts))
    return json_response(landing_document(queues))
