"""Runs, their stories, steps and attempts: the documents that commands print with --json."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from shiftwork.app.commands import step_edits
from shiftwork.app.views.documents.attempt_documents import (
    attempts_document,
    steps_document,
    story_attempts_document,
)
from shiftwork.app.views.documents.run_documents import (
    run_document,
    runs_document,
    stories_document,
    story_document,
)
from shiftwork.app.views.documents.served.needs_you_document import needs_you_document
from shiftwork.app.views.report.markdown_report import report
from shiftwork.app.views.report.record_reader import attempts_of, read_record
from shiftwork.app.views.story_list import roll
from shiftwork.bootstrap.state.read_only import now, open_queries
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.entrypoints.api.rendering import JSON, json_response
from shiftwork.entrypoints.api.routes.endpoint import endpoint
from shiftwork.entrypoints.api.served_project import Project, project_of

router = APIRouter(tags=["runs"])

_RECENT_SECONDS: Final = 86_400.0
"""For how long the failed stories of a run that has ended are listed."""

RunName = Annotated[str, Path(alias="run", max_length=64, pattern=r"^[0-9a-z]+$", description="An id or its start.")]
StoryName = Annotated[str, Path(alias="story", max_length=64, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$")]
Served = Annotated[Project, Depends(project_of)]


@endpoint(router, "GET /runs", Role.VIEWER, "runs")
async def runs(project: Served, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Response:
    """The runs of the project, newest first."""
    return json_response(runs_document(await project.listed(limit)))


@endpoint(router, "GET /needs-you", Role.VIEWER, "needs-you")
async def needs_you(project: Served) -> Response:
    """What needs an answer, an approval or a higher limit, in all unfinished runs; and what has failed in them, or in
    runs that ended within a day.
    """
    rows = await project.queries.open_stories(now() - _RECENT_SECONDS)
    runs = dict.fromkeys(row.run for row in rows if row.waiting.needs_person or row.status == "failed")
    return json_response(needs_you_document([await project.seen(run) for run in runs]))


@endpoint(router, "GET /runs/{run}", Role.VIEWER, "run")
async def run(project: Served, run: RunName, *, steps: bool = False) -> Response:
    """A run and its stories; with `steps`, also the steps of ended stories."""
    if steps:
        view = await project.run(run, every_step=True)
        return json_response(run_document(view, **await project.beside_view(view)))
    view = await project.seen(run)
    return Response(project.texts.text(view, **await project.beside_view(view)), media_type=JSON)


@endpoint(router, "GET /runs/{run}/stories", Role.VIEWER, "stories")
async def stories(project: Served, run: RunName) -> Response:
    view = await project.seen(run)
    lines = await roll(project.queries, project.queries.history, RunId(view.run.run))
    return json_response(stories_document(view, {line.story.story: line.waits_for for line in lines}))


@endpoint(router, "GET /runs/{run}/stories/{story}", Role.VIEWER, "story")
async def story(project: Served, run: RunName, story: StoryName) -> Response:
    """A story and its steps."""
    return json_response(story_document(*await project.story(run, story)))


@endpoint(router, "GET /runs/{run}/stories/{story}/steps", Role.VIEWER, "steps")
async def steps(project: Served, run: RunName, story: StoryName) -> Response:
    """The steps of a story, who added each, and the edits that are requested or rejected."""
    run_id = await project.run_of(run, story)
    history = open_queries(project.site).history  # read in another thread, as the inbox is
    listed = await project.with_inbox(lambda box: step_edits.listed(history, box.inbox, run_id, StoryId(story)))
    return json_response(steps_document(run_id, listed))


@endpoint(router, "GET /runs/{run}/attempts", Role.VIEWER, "attempts")
async def attempts(project: Served, run: RunName) -> Response:
    """The ended attempts of a run, with what each has used."""
    view = await project.run(run, every_step=True)
    return json_response(attempts_document(await read_record(project.queries, project.queries.history, view)))


@endpoint(router, "GET /runs/{run}/stories/{story}/attempts", Role.VIEWER, "attempts")
async def story_attempts(project: Served, run: RunName, story: StoryName) -> Response:
    """The ended attempts of one story; no other story is read."""
    run_id = await project.run_of(run, story)
    made = await attempts_of(project.queries, project.queries.history, run_id, story)
    return json_response(story_attempts_document(run_id, made))


@endpoint(router, "GET /runs/{run}/report", Role.VIEWER, "text/markdown")
async def run_report(project: Served, run: RunName) -> Response:
    """The run as a Markdown document."""
    view = await project.run(run, every_step=True)
    text = report(await read_record(project.queries, project.queries.history, view), moving=view.moves)
    return Response(text, media_type="text/markdown")
