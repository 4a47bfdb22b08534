"""What a story's agents did: prompt and log of an attempt, in parts, the patch, the gates, and the proof."""

import json
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from fastapi import APIRouter, Query
from fastapi import Path as FromPath
from starlette.responses import Response

from shiftwork.app.commands.certificates import document, recorded
from shiftwork.app.folds import STORY, load
from shiftwork.app.views import proofs
from shiftwork.app.views.documents.api_records import LogPart, PromptPart
from shiftwork.app.views.documents.attempt_documents import gate_log_document
from shiftwork.app.views.gate_history import gate_checks
from shiftwork.app.views.story_patches import patch_of, step_patch
from shiftwork.bootstrap.state.open_git import open_changes
from shiftwork.bootstrap.state.read_only import log_of, prompt_of
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.ids import StepId, StoryId, story_stream
from shiftwork.entrypoints.api.file_parts import LARGEST_PART, read_part
from shiftwork.entrypoints.api.problems import Problem
from shiftwork.entrypoints.api.rendering import JSON, json_response
from shiftwork.entrypoints.api.routes.endpoint import endpoint
from shiftwork.entrypoints.api.routes.run_routes import RunName, Served, StoryName
from shiftwork.entrypoints.api.served_project import Project

router = APIRouter(tags=["work"])

AttemptNumber = Annotated[int, FromPath(alias="attempt", ge=1, le=10_000)]
Offset = Annotated[int, Query(ge=0, lt=1 << 53)]
PartSize = Annotated[int, Query(ge=1, le=LARGEST_PART)]
StepName = Annotated[str, FromPath(alias="step", max_length=16, pattern=r"^step-[0-9]+$")]


PATCH_COMMIT: Final = "x-commit"
PATCH_CUT: Final = "x-cut"
LARGEST_PATCH: Final = 8 << 20
"""Bytes of a patch in one answer: nobody reads more in a browser, and each request needs them in memory."""


@endpoint(router, "GET /runs/{run}/stories/{story}/diff", Role.VIEWER, "text/x-diff")
async def diff(
    project: Served,
    run: RunName,
    story: StoryName,
    step: Annotated[
        str, Query(max_length=16, pattern=r"^(step-[0-9]+)?$", description="Only what this step did.")
    ] = "",
) -> Response:
    """What the story has landed; else the patch that needs approval; else its work so far. With `step`, what the last
    completed attempt at that step has changed. The header `x-commit` names the commit: an approval with it counts only
    for what was shown. Of a patch of more than 8 MiB come the first lines, with the header `x-cut: true`; `shiftwork
    diff` prints all of it.
    """
    run_id, history = await project.run_of(run, story), project.queries.history
    if step:
        shown = await step_patch(history, run_id, StoryId(story), StepId(step))
    else:
        shown = patch_of(await load(history, STORY, story_stream(run_id, StoryId(story))))
    if shown is None or not shown.commit or shown.base == shown.commit:
        return Response("", media_type="text/x-diff")
    changes = await open_changes(project.site, project.env)
    found = await changes.beginning(shown.base, shown.commit, LARGEST_PATCH)
    headers = {PATCH_COMMIT: shown.commit, **({PATCH_CUT: "true"} if found.cut else {})}
    return Response(found.patch.encode(errors="surrogateescape"), media_type="text/x-diff", headers=headers)


@endpoint(router, "GET /runs/{run}/stories/{story}/steps/{step}/attempts/{attempt}/log", Role.VIEWER, "log-part")
async def log(  # noqa: PLR0913, PLR0917 - the parts of its address
    project: Served,
    run: RunName,
    story: StoryName,
    step: StepName,
    attempt: AttemptNumber,
    offset: Offset = 0,
    limit: PartSize = 1 << 16,
) -> Response:
    """Some bytes of the log of an attempt, as the agent wrote it. A part never ends within a character."""
    run_id = await project.run_id(run)
    newest = log_of(project.site, await _log_of_step(project, Tried(run_id, story, step, attempt)))
    file = newest.with_name(f"{step}-{attempt}{newest.suffix}")
    return json_response(LogPart(**_part(Tried(run_id, story, step, attempt), file, offset, limit)))


@endpoint(router, "GET /runs/{run}/stories/{story}/steps/{step}/attempts/{attempt}/prompt", Role.VIEWER, "prompt-part")
async def prompt(  # noqa: PLR0913, PLR0917 - the parts of its address
    project: Served,
    run: RunName,
    story: StoryName,
    step: StepName,
    attempt: AttemptNumber,
    offset: Offset = 0,
    limit: PartSize = 1 << 16,
) -> Response:
    """Some bytes of the prompt of an attempt, as it was sent. Empty once `shiftwork gc` has removed it."""
    tried = Tried(await project.run_id(run), story, step, attempt)
    await _log_of_step(project, tried)
    file = prompt_of(project.site, tried.run, story, f"{step}-{attempt}")
    return json_response(PromptPart(**_part(tried, file, offset, limit)))


class Tried(NamedTuple):
    """An attempt at a step."""

    run: str
    story: str
    step: str
    attempt: int


async def _log_of_step(project: Project, tried: Tried) -> str:
    """The path of the log of the newest attempt, as it is recorded. Raises Problem if there was no such attempt."""
    row = next((row for row in await project.queries.steps(tried.run, tried.story) if row.step == tried.step), None)
    if row is None or not row.log or tried.attempt > row.attempts:
        message = f"{tried.story} has no attempt {tried.attempt} at {tried.step}"
        raise Problem(404, "unknown-attempt", message, f"shiftwork status {tried.run}")
    return row.log


def _part(tried: Tried, file: Path, offset: int, limit: int) -> dict[str, Any]:
    size, read = read_part(str(file), offset, limit)
    place = {"offset": offset, "next_offset": offset + len(read), "size": size}
    return {**tried._asdict(), **place, "text": read.decode(errors="replace")}


@endpoint(router, "GET /runs/{run}/stories/{story}/gates", Role.VIEWER, "gate-log")
async def gates(project: Served, run: RunName, story: StoryName) -> Response:
    """What the gates printed about the work of a story, oldest first."""
    run_id, history = await project.run_of(run, story), project.queries.history
    landing = (await project.known_facts(run_id)).landing
    found = await gate_checks(history, landing, run_id, story) if landing else {}
    checks = found.get(StoryId(story), ())
    return json_response(gate_log_document(run_id, story, checks))


@endpoint(router, "GET /runs/{run}/stories/{story}/proof", Role.VIEWER, "story-proof")
async def proof(project: Served, run: RunName, story: StoryName) -> Response:
    """What proves a story: criteria with evidence, gates, tests, and the command that checks it again."""
    run_id = await project.run_of(run, story)
    return json_response(await proofs.of_story(project.queries.history, run_id, StoryId(story)))


@endpoint(router, "GET /runs/{run}/stories/{story}/certificate", Role.VIEWER, "application/json")
async def certificate(project: Served, run: RunName, story: StoryName) -> Response:
    """The certificate of a landed story as a file: `shiftwork proof --verify FILE` checks it in any clone."""
    run_id = await project.run_of(run, story)
    paper = await recorded(project.queries.history, run_id, StoryId(story))
    if paper is None:
        raise Problem(404, "no-certificate", f"{story} has landed nothing yet", f"shiftwork status {run_id}")
    named = {"content-disposition": f'attachment; filename="{story}-{run_id}.json"'}
    return Response(json.dumps(document(paper), indent=2) + "\n", media_type=JSON, headers=named)
