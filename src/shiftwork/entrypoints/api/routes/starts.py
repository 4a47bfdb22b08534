"""Starts and plans runs, and changes the limits of one: what the commands `run --detach`, `plan` and `resume` do."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from shiftwork.app.views.documents.api_records import Accepted, RunStart
from shiftwork.app.views.documents.request_words import LIMITS
from shiftwork.app.views.run_views import Activity
from shiftwork.bootstrap.run_request import LONGEST_TEXT, argument, plan_file, work_of, workflow_words
from shiftwork.config.access.tokens import Role
from shiftwork.entrypoints.api.problems import Problem
from shiftwork.entrypoints.api.rendering import json_response
from shiftwork.entrypoints.api.routes.endpoint import endpoint
from shiftwork.entrypoints.api.routes.run_routes import RunName, Served
from shiftwork.entrypoints.api.served_project import Project

router = APIRouter(tags=["runs"])

_STATUS: Final = 202
_WAIT_SECONDS: Final = 5.0
"""How long a request waits for the end of its command; gates on the branch may take longer."""

_LIMITS_SECONDS: Final = 60.0
"""How long a request waits for its turn, and then for its command, which runs no gates."""

Money = Annotated[float | None, Field(gt=0, le=1_000_000_000, allow_inf_nan=False)]
Tokens = Annotated[int | None, Field(ge=1, le=10**15)]
Sessions = Annotated[int | None, Field(ge=1, le=1_000_000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class StepLimit(_Strict):
    """What each step may use; what is not named stays."""

    cost_usd: Money = None
    tokens: Tokens = None


class UseLimit(StepLimit):
    """What the run or each story may use; what is not named stays."""

    sessions: Sessions = None


class WantedLimits(_Strict):
    """Limits as in the document of a run."""

    of_run: UseLimit = Field(default_factory=UseLimit)
    of_story: UseLimit = Field(default_factory=UseLimit)
    of_step: StepLimit = Field(default_factory=StepLimit)

    def words(self) -> Iterator[str]:
        """The limits as options of a command."""
        for limit, whose in ((self.of_run, ""), (self.of_story, "story-"), (self.of_step, "step-")):
            for name, value in limit.model_dump(exclude_none=True).items():
                yield f"--max-{whose}{name.removesuffix('_usd')}={value}"


class RunOrder(_Strict):
    """The work: a `request` in plain words, or the path of a `spec` in the repository. With `plan`, the stories are
    shown and nothing starts: of a spec as they are; for a request, an agent plans them and writes the `file` that the
    plan names: prd.json, or prd-2.json and so on if that exists.
    """

    request: Annotated[str, Field(max_length=20_000)] = ""
    spec: Annotated[str, Field(max_length=800)] = ""
    plan: bool = False
    workflow: Annotated[str, Field(max_length=200)] = ""
    branch: Annotated[str, Field(max_length=200)] = ""
    parallel: Annotated[int | None, Field(ge=1, le=1000)] = None
    keep_going: bool = False
    review: bool = False
    limits: WantedLimits = Field(default_factory=WantedLimits)

    def words(self, work: str, out: str = "") -> tuple[str, ...]:
        """`out` is where the plan is written, if not to its usual place."""
        if self.plan:
            cost = self.limits.of_run.cost_usd
            place = (f"--out={out}",) if out and not self.spec else ()
            return ("plan", "--json", *place, *((f"--max-cost={cost}",) if cost is not None else ()), "--", work)
        return (
            *("run", "--detach", "--json"),
            *workflow_words(self.workflow),
            *((f"--branch={argument('branch', self.branch, LONGEST_TEXT)}",) if self.branch else ()),
            *((f"--parallel={self.parallel}",) if self.parallel is not None else ()),
            *(("--keep-going",) if self.keep_going else ()),
            *(("--review",) if self.review else ()),
            *self.limits.words(),
            *("--", work),
        )


@endpoint(router, "POST /runs", Role.OPERATOR, "start", status=_STATUS)
async def start(project: Served, order: RunOrder) -> Response:
    """Start a run, which is handed over to this server, or plan one. What is not trusted yet is refused with the
    command to type. Gates run on the branch first: if the answer is not over, ask `/starts/{start}`.
    """
    root = project.site.root
    words = order.words(work_of(root, order.request, order.spec), plan_file(root))
    name = await project.commands.begin(project.site.root, project.env, words)
    return await _answer(project, name, _STATUS)


@endpoint(router, "GET /starts/{start}", Role.OPERATOR, "start")
async def started(
    project: Served,
    start: Annotated[str, Path(max_length=16, pattern=r"^[0-9a-f]+$", description="From `POST /runs`.")],
) -> Response:
    """How far the start or the plan of a run is. Answers with its error if it has failed."""
    return await _answer(project, start, 200)


async def _answer(project: Project, name: str, status: int) -> Response:
    last = await project.commands.find(name).result(_WAIT_SECONDS)
    found: dict[str, Any] = last or {}
    is_plan = found.get("schema", "").startswith("shiftwork/plan/")
    document = RunStart(
        start=name,
        over=last is not None,
        run=found.get("run"),
        stop=found.get("stop", ""),
        plan=_without_tag(found) if is_plan else None,
    )
    return json_response(document, status=status)


def _without_tag(found: dict[str, Any]) -> Any:
    return {name: value for name, value in found.items() if name != "schema"}


@endpoint(router, "POST /runs/{run}/limits", Role.OPERATOR, "accepted", status=_STATUS)
async def set_limits(project: Served, run: RunName, limits: WantedLimits) -> Response:
    """Set other limits for a run. They are stored at once: no gate runs first, and a pause stays. The process that
    works on the run applies them; if there is none, the run is handed over to this server. A limit below what has been
    used is refused.
    """
    words = tuple(limits.words())
    if not words:
        raise Problem(422, "request", "the request names no limit", "send of_run, of_story or of_step")
    view = await project.run(run)
    run_id = view.run.run
    command = ("resume", "--only-limits", "--json", *words, "--", run_id)
    await project.commands.result(project.site.root, project.env, command, _LIMITS_SECONDS)
    if view.activity not in {Activity.OVER, Activity.PAUSED}:
        await project.with_inbox(lambda box: project.continue_run(box, view))
    return json_response(Accepted(run=run_id, story=None, asked=LIMITS), status=_STATUS)
