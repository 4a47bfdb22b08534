"""What people ask of a run, by the same requests as the commands: answers, approvals, pause, cancel, retry, undo."""

from typing import Annotated, Final

from fastapi import APIRouter, Body
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from shiftwork.app.commands.intents import ask, unpause
from shiftwork.app.commands.replies import Reply, Word, asks_another, reply
from shiftwork.app.commands.runs import cancel_run
from shiftwork.app.views.documents.api_records import Accepted
from shiftwork.app.views.documents.request_words import CANCEL, RESUME, request_word
from shiftwork.app.views.run_views import Activity, RunView, asks, waiting_text
from shiftwork.bootstrap.state.open_inbox import RunInbox
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.entrypoints.api.rendering import json_response
from shiftwork.entrypoints.api.routes.endpoint import endpoint
from shiftwork.entrypoints.api.routes.run_routes import RunName, Served, StoryName
from shiftwork.entrypoints.api.served_project import Project, story_in
from shiftwork.errors import IntentError
from shiftwork.records import replace

router = APIRouter(tags=["decisions"])

LONGEST_TEXT: Final = 20_000
_STATUS: Final = 202
_ANY: Final = RunId("")
"""Until the run is found by the start of its id."""

Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
SeenCommit = Annotated[
    str,
    Field(
        max_length=64,
        pattern=r"^([0-9a-f]{7,64})?$",
        description="Of the diff that was seen, or at least its first 7 characters: fewer fit to many commits.",
    ),
]


class _Reply(BaseModel):
    """With `waiting`, as the story has it in its document, a reply counts only for what is asked there."""

    model_config = ConfigDict(extra="forbid")

    waiting: Annotated[str, Field(max_length=200_000)] = ""


class Answer(_Reply):
    """`text` is the answer; the number of an option stands for that option, except in `own_words`. With `waiting`, as
    in the document of the story, it counts only for that question.
    """

    own_words: bool = False
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, pattern=r"\S")]


class Decision(_Reply):
    """`because` is a message for the next steps. With `commit`, the decision counts only for that commit; with
    `waiting`, as in the document of the story, only for what is asked there.
    """

    because: Text = ""
    commit: SeenCommit = ""


class Retry(BaseModel):
    """`from_scratch` starts at the first step; otherwise the story continues from what failed. `because` is a message
    for the next attempts.
    """

    model_config = ConfigDict(extra="forbid")

    because: Text = ""
    from_scratch: bool = False


@endpoint(router, "POST /runs/{run}/stories/{story}/answer", Role.OPERATOR, "accepted", status=_STATUS)
async def answer(project: Served, run: RunName, story: StoryName, said: Answer) -> Response:
    """Answer the question of a story."""
    spoken = Reply(run=_ANY, story=StoryId(story), word=Word.ANSWER, text=said.text, own_words=said.own_words)
    return await _replied(project, run, spoken, said.waiting)


@endpoint(router, "POST /runs/{run}/stories/{story}/approve", Role.OPERATOR, "accepted", status=_STATUS)
async def approve(
    project: Served, run: RunName, story: StoryName, said: Annotated[Decision, Body(default_factory=Decision)]
) -> Response:
    """Approve what a story asks approval for."""
    return await _decided(project, run, StoryId(story), (Word.APPROVE, said))


@endpoint(router, "POST /runs/{run}/stories/{story}/reject", Role.OPERATOR, "accepted", status=_STATUS)
async def reject(
    project: Served, run: RunName, story: StoryName, said: Annotated[Decision, Body(default_factory=Decision)]
) -> Response:
    """Reject what a story asks approval for."""
    return await _decided(project, run, StoryId(story), (Word.REJECT, said))


async def _decided(project: Project, run: str, story: StoryId, said: tuple[Word, Decision]) -> Response:
    word, why = said
    spoken = Reply(run=_ANY, story=story, word=word, text=why.because, commit=why.commit)
    return await _replied(project, run, spoken, why.waiting)


async def _replied(project: Project, run: str, said: Reply, shown: str) -> Response:
    """Sends a reply to a story of the run; `shown` is what the story asked when it was shown."""
    view = await project.run(run)
    asking = story_in(view, said.story).story
    if shown and asks(asking) and shown != waiting_text(asking):
        raise asks_another(view.run.run, said.story)
    spoken = replace(said, run=RunId(view.run.run), question=(asking.waiting.detail or shown) if shown else "")

    async def send(box: RunInbox) -> None:
        await reply(box.events, box.inbox, spoken)
        await project.continue_run(box, view)

    await project.with_inbox(send)
    return _accepted(view, spoken.word.value, spoken.story)


@endpoint(router, "POST /runs/{run}/pause", Role.OPERATOR, "accepted", status=_STATUS)
async def pause(project: Served, run: RunName) -> Response:
    """Start nothing new until the run is resumed."""
    return await _asked(project, run, run_facts.RunPaused(at=0))


@endpoint(router, "POST /runs/{run}/resume", Role.OPERATOR, "accepted", status=_STATUS)
async def resume(project: Served, run: RunName) -> Response:
    """Continue a run that was interrupted or paused."""
    view = await project.run(run)
    _check_open(view)

    async def send(box: RunInbox) -> None:
        await unpause(box.events, box.inbox, RunId(view.run.run), box.clock.fresh())
        await project.continue_run(box, view)

    await project.with_inbox(send)
    return _accepted(view, RESUME)


@endpoint(router, "POST /runs/{run}/cancel", Role.OPERATOR, "accepted", status=_STATUS)
async def cancel(project: Served, run: RunName) -> Response:
    """End a run: its agents are stopped, and nothing new starts."""
    view = await project.run(run)
    _check_open(view)

    async def send(box: RunInbox) -> None:
        await cancel_run(box.inbox, RunId(view.run.run), box.clock.fresh())
        await project.continue_run(box, view)

    await project.with_inbox(send)
    return _accepted(view, CANCEL)


def _check_open(view: RunView) -> None:
    if view.activity is Activity.OVER:
        raise IntentError(f"run {view.run.run} is over already", hint=f"shiftwork status {view.run.run}")


@endpoint(router, "POST /runs/{run}/stories/{story}/cancel", Role.OPERATOR, "accepted", status=_STATUS)
async def cancel_story(project: Served, run: RunName, story: StoryName) -> Response:
    """End a story, dismiss one that has failed, or withdraw its undo; the other stories continue."""
    failed = story_in(await project.run(run), story).story.status == "failed"
    kind = run_facts.StoryDismissalRequested if failed else run_facts.StoryCancellationRequested
    return await _asked(project, run, kind(at=0, story=StoryId(story)), story)


@endpoint(router, "POST /runs/{run}/stories/{story}/retry", Role.OPERATOR, "accepted", status=_STATUS)
async def retry(
    project: Served, run: RunName, story: StoryName, wanted: Annotated[Retry, Body(default_factory=Retry)]
) -> Response:
    """Retry a story that failed, was cancelled or was undone."""
    again = run_facts.StoryRetryRequested(
        at=0, story=StoryId(story), from_scratch=wanted.from_scratch, because=wanted.because
    )
    return await _asked(project, run, again, story)


@endpoint(router, "POST /runs/{run}/stories/{story}/undo", Role.OPERATOR, "accepted", status=_STATUS)
async def undo(project: Served, run: RunName, story: StoryName) -> Response:
    """Revert what a story has landed; the revert lands only if the gates pass on it."""
    return await _asked(project, run, run_facts.StoryUndoRequested(at=0, story=StoryId(story)), story)


async def _asked(project: Project, run: str, intent: Fact, story: str = "") -> Response:
    view = await project.run(run)
    if story:
        story_in(view, story)

    async def send(box: RunInbox) -> None:
        await ask(box.events, box.inbox, RunId(view.run.run), intent, box.clock.fresh())
        if not isinstance(intent, run_facts.RunPaused):  # what no process works on has stopped already
            await project.continue_run(box, view)

    await project.with_inbox(send)
    return _accepted(view, request_word(intent), story)


def _accepted(view: RunView, asked: str, story: str = "") -> Response:
    return json_response(Accepted(run=view.run.run, story=story or None, asked=asked), status=_STATUS)
