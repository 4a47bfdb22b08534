"""Changes of the stories of a run: new ones, other texts, another order, and comments on lines of a patch."""

from collections.abc import Callable
from typing import Annotated, Final, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from shiftwork.app.commands.intents import ask_for
from shiftwork.app.commands.review.line_comments import Commented, LineComment, comment, comments_text
from shiftwork.app.commands.steering import NewStory, StoryChange, changed_story, gates_changed, new_story, story_of
from shiftwork.app.folds import STORY, load
from shiftwork.app.views.documents.api_records import Accepted
from shiftwork.app.views.documents.request_words import request_word
from shiftwork.app.views.story_patches import patch_of
from shiftwork.bootstrap.state.open_git import open_changes
from shiftwork.bootstrap.state.open_inbox import RunInbox
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId, story_stream
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.entrypoints.api.problems import Problem
from shiftwork.entrypoints.api.rendering import json_response
from shiftwork.entrypoints.api.routes.endpoint import endpoint
from shiftwork.entrypoints.api.routes.intents import LONGEST_TEXT
from shiftwork.entrypoints.api.routes.run_routes import RunName, Served, StoryName
from shiftwork.entrypoints.api.served_project import Project, story_in
from shiftwork.errors import TrustError
from shiftwork.records import dataclass

router = APIRouter(tags=["decisions"])

_STATUS: Final = 202
_MOST: Final = 100

Sentence = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
Words = Annotated[str, Field(max_length=LONGEST_TEXT)]
Criteria = Annotated[list[Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]], Field(max_length=_MOST)]
Names = Annotated[list[Annotated[str, Field(min_length=1, max_length=64)]], Field(max_length=1000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class AddStory(_Strict):
    """A new story. It starts when the stories that it depends on have landed; without criteria, its text is one."""

    title: Sentence
    description: Words = ""
    criteria: Criteria = Field(default_factory=list)
    depends_on: Names = Field(default_factory=list)


class EditStory(_Strict):
    """What changes in a story; null stays as it is."""

    title: Sentence | None = None
    description: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, pattern=r"\S")] | None = None
    criteria: Annotated[Criteria, Field(min_length=1)] | None = None
    depends_on: Names | None = None


class StoryOrder(_Strict):
    """The stories that start before all others, in this order."""

    stories: Annotated[Names, Field(min_length=1)]


class CommentOnLine(_Strict):
    """A comment on a line that the diff shows: `new` for the file as it is now, `old` for a removed line."""

    path: Annotated[str, Field(min_length=1, max_length=1000)]
    line: Annotated[int, Field(ge=1, le=10**9)]
    side: Literal["old", "new"]
    text: Annotated[str, Field(min_length=1, max_length=4000, pattern=r"\S")]


class Comments(_Strict):
    """Comments that become one repair. With `commit`, they count only for the diff of that commit."""

    comments: Annotated[list[CommentOnLine], Field(min_length=1, max_length=_MOST)]
    commit: Annotated[str, Field(max_length=64, pattern=r"^[0-9a-f]*$")] = ""


@endpoint(router, "POST /runs/{run}/stories", Role.OPERATOR, "accepted", status=_STATUS)
async def add_story(project: Served, run: RunName, story: AddStory) -> Response:
    """Add a story to a run, finished or not; the answer has its id."""
    wanted = NewStory(
        title=story.title,
        description=story.description.strip(),
        criteria=tuple(story.criteria),
        depends_on=tuple(map(StoryId, story.depends_on)),
    )

    def new(state: RunState) -> Fact:
        return run_facts.StoryAdded(at=0, story=_without_commands(state, new_story(state, wanted), "add"))

    added = await _ask(project, run, new, goes_on=True)
    return _accepted(added, added.intent.story.id)  # type: ignore[attr-defined]  # what was made above


def _without_commands(state: RunState, story: Story, command: str) -> Story:
    """The story, if its criteria name no new command: which commands run on a machine is decided at its terminal."""
    if steps := gates_changed(state, story).to_agree:
        named = ", ".join(step.action for step in steps)
        message = f"{named} would run on this machine each time {story.id} is to land, and nobody has agreed to that"
        raise TrustError(message, hint=f"at the machine: shiftwork {command} --criterion, in run {state.given.run}")
    return story


@endpoint(router, "PATCH /runs/{run}/stories/{story}", Role.OPERATOR, "accepted", status=_STATUS)
async def edit_story(project: Served, run: RunName, story: StoryName, changes: EditStory) -> Response:
    """Change a story that is not in progress. A retry of a failed story uses the new text."""
    given = changes.model_dump(exclude_none=True)
    if not given:
        raise Problem(422, "request", "the request changes nothing", "send title, description, criteria or depends_on")
    change = StoryChange(
        title=changes.title or "",
        description=changes.description or "",
        criteria=tuple(changes.criteria or ()),
        depends_on=None if changes.depends_on is None else tuple(map(StoryId, changes.depends_on)),
    )

    def edited(state: RunState) -> Fact:
        return run_facts.StoryEdited(
            at=0, story=_without_commands(state, changed_story(story_of(state, StoryId(story)), change), "edit")
        )

    return _accepted(await _ask(project, run, edited), story)


@endpoint(router, "POST /runs/{run}/order", Role.OPERATOR, "accepted", status=_STATUS)
async def reorder(project: Served, run: RunName, order: StoryOrder) -> Response:
    """Start these stories before all others, as soon as their dependencies have landed."""
    first = tuple(map(StoryId, order.stories))
    return _accepted(await _ask(project, run, lambda _: run_facts.StoriesReordered(at=0, stories=first)))


@endpoint(router, "POST /runs/{run}/stories/{story}/comments", Role.OPERATOR, "accepted", status=_STATUS)
async def comment_on_lines(project: Served, run: RunName, story: StoryName, said: Comments) -> Response:
    """Ask for changes on lines of the diff. While approval is asked, the patch is rejected with the comments; of a
    story in progress, they become its next step.
    """
    view = await project.run(run)
    story_in(view, story)
    run_id = RunId(view.run.run)
    shown = patch_of(await load(project.queries.history, STORY, story_stream(run_id, StoryId(story))))
    if said.commit and said.commit != shown.commit:
        message = f"the patch of {story} has changed since commit {said.commit[:10]}"
        raise Problem(409, "changed", message, f"shiftwork diff {story} --run {run_id}")
    patch = await _text_of(project, shown)

    async def send(box: RunInbox) -> str:
        text = comments_text(patch, [_on_line(each) for each in said.comments])  # in a thread: the patch may be long
        commented = Commented(run=run_id, story=StoryId(story), text=text, commit=said.commit)
        asked = await comment(box.events, box.inbox, commented, box.clock.fresh())
        await project.continue_run(box, view)
        return asked

    asked = await project.with_inbox(send)
    return json_response(Accepted(run=run_id, story=story, asked=asked), status=_STATUS)


def _on_line(given: CommentOnLine) -> LineComment:
    return LineComment(path=given.path, line=given.line, old=given.side == "old", text=given.text)


async def _text_of(project: Project, shown: Patch) -> str:
    if not shown.commit or shown.base == shown.commit:
        return ""
    return (await (await open_changes(project.site, project.env)).between(shown.base, shown.commit)).patch


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A request that is recorded."""

    run: RunId
    intent: Fact


async def _ask(project: Project, run: str, wanted: Callable[[RunState], Fact], *, goes_on: bool = False) -> _Asked:
    """Sends the request to the run as it will be after all earlier ones; with `goes_on`, the run continues."""
    view = await project.run(run)
    run_id = RunId(view.run.run)

    async def send(box: RunInbox) -> Fact:
        sent = await ask_for(box.events, box.inbox, run_id, wanted, box.clock.fresh())
        if goes_on:
            await project.continue_run(box, view)
        return sent.intent

    return _Asked(run=run_id, intent=await project.with_inbox(send))


def _accepted(asked: _Asked, story: str = "") -> Response:
    word = request_word(asked.intent)
    return json_response(Accepted(run=asked.run, story=story or None, asked=word), status=_STATUS)
