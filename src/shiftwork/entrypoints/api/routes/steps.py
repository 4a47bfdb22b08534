"""Edits of the steps of a story, by the same rules as for agents and for the command line."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Body
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from shiftwork.app.commands import step_edits
from shiftwork.app.commands.step_edits import StepRequest, Wanted
from shiftwork.app.views.documents.api_records import Accepted
from shiftwork.app.views.documents.request_words import STEPS
from shiftwork.bootstrap.state.open_inbox import RunInbox
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.entrypoints.api.rendering import json_response
from shiftwork.entrypoints.api.routes.endpoint import endpoint
from shiftwork.entrypoints.api.routes.intents import LONGEST_TEXT, Text
from shiftwork.entrypoints.api.routes.run_routes import RunName, Served, StoryName
from shiftwork.entrypoints.api.served_project import story_in

router = APIRouter(tags=["decisions"])

_STATUS: Final = 202
_MOST: Final = 30

StepWord = Annotated[str, Field(min_length=1, max_length=200)]
Description = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, pattern=r"\S")]


class _Edit(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: Text = ""


class AddStep(_Edit):
    """A new step of a type of the workflow, after the named one or else as the next to run."""

    operation: Literal["add"]
    type: StepWord
    description: Description
    after: Annotated[str, Field(max_length=200)] = ""

    def wanted(self) -> Wanted:
        return step_edits.add(self.type, self.description, self.after, self.reason)


class SplitStep(_Edit):
    """Several steps instead of one, of the same type."""

    operation: Literal["split"]
    step: StepWord
    descriptions: Annotated[list[Description], Field(min_length=2, max_length=_MOST)]

    def wanted(self) -> Wanted:
        return step_edits.split(self.step, self.descriptions, self.reason)


class SkipStep(_Edit):
    """The step is not run."""

    operation: Literal["skip"]
    step: StepWord
    reason: Description

    def wanted(self) -> Wanted:
        return step_edits.skip(self.step, self.reason)


class ReorderSteps(_Edit):
    """The named steps come first."""

    operation: Literal["reorder"]
    steps: Annotated[list[StepWord], Field(min_length=1, max_length=_MOST)]

    def wanted(self) -> Wanted:
        return step_edits.reorder(self.steps, self.reason)


class DescribeStep(_Edit):
    """The step has another description."""

    operation: Literal["edit"]
    step: StepWord
    description: Description

    def wanted(self) -> Wanted:
        return step_edits.describe(self.step, self.description, self.reason)


class RestartStep(_Edit):
    """The running step starts again."""

    operation: Literal["restart"]
    step: StepWord
    reason: Description

    def wanted(self) -> Wanted:
        return step_edits.restart(self.step, self.reason)


StepEdit = Annotated[
    AddStep | SplitStep | SkipStep | ReorderSteps | DescribeStep | RestartStep, Body(discriminator="operation")
]


@endpoint(router, "POST /runs/{run}/stories/{story}/steps", Role.OPERATOR, "accepted", status=_STATUS)
async def edit_steps(project: Served, run: RunName, story: StoryName, edit: StepEdit) -> Response:
    """Change the steps of a story that have not run yet, or restart the running one."""
    view = await project.run(run)
    story_in(view, story)
    request = StepRequest(run=RunId(view.run.run), story=StoryId(story), wanted=edit.wanted())

    async def send(box: RunInbox) -> None:
        await step_edits.request(box.events, box.inbox, request, box.clock.fresh())  # done when the run continues

    await project.with_inbox(send)
    accepted = Accepted(run=view.run.run, story=story, asked=STEPS)
    return json_response(accepted, status=_STATUS)
