"""Edits of a story's steps by people: checked by the rules for agents, posted to the story, and followed."""

from collections.abc import Callable, Sequence
from typing import Final

from shiftwork.app.commands.intents import patiently
from shiftwork.app.commands.runs import forecast
from shiftwork.app.folds import RUN, STORY, load
from shiftwork.app.messaging import messages
from shiftwork.app.messaging.checked_post import Checked, post_checked
from shiftwork.app.runtime.state_labels import APPROVALS
from shiftwork.app.views.step_list import StepList, present, step_list
from shiftwork.domain.core.ids import RunId, StepId, StoryId, run_stream, story_stream
from shiftwork.domain.run.state import RUN_ENDED, RunState
from shiftwork.domain.spec.story_lookup import guess
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import LandingStage, StoryState, StoryStatus
from shiftwork.domain.story.steering import step_edits
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.guardrails import PERSON, Rejected
from shiftwork.domain.workflow.pipeline import FINISHED, Step, StepStatus
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.errors import IntentError
from shiftwork.ports.store import History, MessageBox
from shiftwork.records import dataclass, replace

type Wanted = Callable[[StoryState], Edit]
"""Makes the edit, from the story as it will be after all earlier requests."""

_ANSWERS: Final = (story_facts.WorkflowEdited, story_facts.WorkflowEditRejected)
_OF_PENDING: Final = frozenset({Operation.SPLIT, Operation.SKIP, Operation.EDIT_DESCRIPTION})
_REASON: Final = "a person asked for it"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRequest:
    """What a person asks of a story."""

    run: RunId
    story: StoryId
    wanted: Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """An edit in the inbox of a story. `version` is that of the story's history before it, `before` is the story
    without it, with all earlier requests applied. `begun` is whether the story has started.
    """

    run: RunId
    story: StoryId
    edit: Edit
    before: StoryState
    version: int
    begun: bool

    @property
    def running(self) -> Step | None:
        """The step whose attempt must end first; None if the edit does not wait for one."""
        step = self.before.pipeline.current
        if step is None or step.status is not StepStatus.IN_PROGRESS or step.plan.kind is not StepKind.AGENT:
            return None
        return None if self.edit.operation is Operation.RESTART else step

    @property
    def text(self) -> str:
        """What is true when it is done."""
        edit, new = self.edit, ", ".join(step.type for step in self.edit.steps)
        target = self.before.pipeline.find(edit.target)
        named = f"{target.id} {target.plan.name}" if target else ""
        sentences = {
            Operation.ADD_AFTER: f"{self.story} has a new step, {new}, after {named}",
            Operation.SPLIT: f"{named} of {self.story} is replaced by {len(edit.steps)} steps",
            Operation.SKIP: f"{named} of {self.story} is skipped",
            Operation.REORDER: f"the next steps of {self.story} are {', '.join(edit.order)}",
            Operation.EDIT_DESCRIPTION: f"{named} of {self.story} has a new description",
            Operation.RESTART: f"{named} of {self.story} starts again; what its attempt has changed is kept as a diff",
        }
        return sentences[edit.operation]


async def listed(events: History, inbox: MessageBox, run: RunId, story: StoryId) -> StepList:
    """Returns the steps of a story, with the edits that are still in its inbox; the run must have the story."""
    stream, its_run = story_stream(run, story), await load(events, RUN, run_stream(run))
    state, begun = await present(events, its_run, story), await events.version(stream) > 0
    unread = await inbox.receive(stream, after=state.cursor)
    asked = messages.of_kind(stream, unread, story_facts.WorkflowEditRequested)
    return step_list(its_run, state, asked, begun=begun)


# What people ask for -------------------------------------------------------------------------------------------------


def add(kind: str, description: str, after: str, reason: str = "") -> Wanted:
    """Without `after`, the new step is the next to run: after a step that has begun, but before one that must be last.
    Nothing can be added before the first step.
    """

    def edit(story: StoryState) -> Edit:
        target = _step(story, after).id if after else _next_place(story)
        new = NewStep(type=kind, description=description)
        return Edit(operation=Operation.ADD_AFTER, reason=reason or _REASON, target=target, steps=(new,))

    return edit


def split(step: str, descriptions: Sequence[str], reason: str = "") -> Wanted:
    """The steps that replace it have its type."""

    def edit(story: StoryState) -> Edit:
        old = _step(story, step)
        steps = tuple(NewStep(type=old.plan.type, description=text) for text in descriptions)
        return Edit(operation=Operation.SPLIT, reason=reason or _REASON, target=old.id, steps=steps)

    return edit


def skip(step: str, reason: str) -> Wanted:
    return lambda story: Edit(operation=Operation.SKIP, reason=reason, target=_step(story, step).id)


def reorder(steps: Sequence[str], reason: str = "") -> Wanted:
    """The named steps come first; the other pending steps follow in their order."""

    def edit(story: StoryState) -> Edit:
        named = tuple(_step(story, step).id for step in steps)
        rest = tuple(step.id for step in story.pipeline.pending if step.id not in named)
        return Edit(operation=Operation.REORDER, reason=reason or _REASON, order=(*named, *rest))

    return edit


def describe(step: str, description: str, reason: str = "") -> Wanted:
    return lambda story: Edit(
        operation=Operation.EDIT_DESCRIPTION,
        reason=reason or _REASON,
        target=_step(story, step).id,
        description=description,
    )


def restart(step: str, reason: str, description: str = "") -> Wanted:
    """Without a description, the step keeps its own."""
    return lambda story: Edit(
        operation=Operation.RESTART, reason=reason, target=_step(story, step).id, description=description
    )


def _next_place(story: StoryState) -> StepId:
    steps = story.pipeline.steps
    current = story.pipeline.current or steps[-1]
    place = story.pipeline.index(current.id)
    return current.id if current.attempts and not current.last else steps[max(place - 1, 0)].id


def _step(story: StoryState, typed: str) -> Step:
    """The step with that id, or the only one with that name, or else with that type; finished steps count only if no
    other has it.
    """
    steps, given = story.pipeline.steps, story.given
    look = f"shiftwork steps {given.story.id} --run {given.run}"
    if found := story.pipeline.find(StepId(typed)):
        return found
    named = [step for step in steps if typed.lower() == step.plan.name.lower()]
    named = named or [step for step in steps if typed.lower() == step.plan.type.lower()]
    left = [step for step in named if step.status not in FINISHED] or named
    if not left:
        close = guess(typed, [step.id for step in steps])
        raise IntentError(f"{given.story.id} has no step {typed}{close}", hint=look)
    if len(left) > 1:
        several = ", ".join(step.id for step in left)
        raise IntentError(f"{given.story.id} has several steps {typed}: {several}", hint=f"name one by its id; {look}")
    return left[0]


# The request ---------------------------------------------------------------------------------------------------------


async def request(events: History, inbox: MessageBox, asked: StepRequest, key: str) -> Requested:
    """Posts the edit to the story, once for each key; a running attempt reads it when it ends, unless it is restarted.

    Raises IntentError if the story, after all earlier requests, cannot use it.
    """

    async def check() -> Checked[Requested]:
        found = await _checked(events, inbox, asked)
        return Checked(key=f"steps/{key}", fact=_message(found.edit), upto=found.before.cursor, found=found)

    checked, _ = await post_checked(inbox, story_stream(asked.run, asked.story), check)
    return checked.found


async def _checked(events: History, inbox: MessageBox, asked: StepRequest) -> Requested:
    run, story = asked.run, asked.story
    its_run, stream = await forecast(events, inbox, run), story_stream(run, story)
    version = await events.version(stream)
    if not version and story not in its_run.stories:
        message = f"there is no story {story} in the run{guess(story, its_run.stories)}"
        raise IntentError(message, hint=f"shiftwork stories {run}")
    before = await _expected(events, inbox, its_run, story)
    if why := _over(its_run, before, begun=version > 0):
        raise why
    edit = asked.wanted(before)
    changed = step_edits.outcome(before, (edit,))
    if isinstance(changed, Rejected):
        raise _refused(before, edit, changed.reason)
    return Requested(run=run, story=story, edit=edit, before=before, version=version, begun=version > 0)


def _message(edit: Edit) -> story_facts.WorkflowEditRequested:
    return story_facts.WorkflowEditRequested(at=messages.UNREAD, edits=(edit,))


async def _expected(events: History, inbox: MessageBox, run: RunState, story: StoryId) -> StoryState:
    stream, state = story_stream(run.given.run, story), await present(events, run, story)
    unread = await inbox.receive(stream, after=state.cursor)
    state = STORY.fold(state, messages.facts_of(stream, unread, 0.0))
    while state.control.edits:
        state = STORY.evolve(state, step_edits.answer(state, state.control.edits[0]))
    return state


def _over(run: RunState, story: StoryState, *, begun: bool) -> IntentError | None:
    """Why no step of the story can be edited any more."""
    name, named = story.given.story.id, f"{story.given.story.id} --run {run.given.run}"
    ended = {
        StoryStatus.COMPLETED: ("has landed", f"shiftwork undo {named}"),
        StoryStatus.FAILED: ("has failed", f"shiftwork retry {named}, then edit its steps"),
        StoryStatus.CANCELLED: ("was cancelled", f"shiftwork retry {named}, then edit its steps"),
        StoryStatus.MISSING: ("has landed", f"shiftwork retry {named}, then edit its steps"),
        StoryStatus.UNDONE: ("was undone", f"shiftwork retry {named}, then edit its steps"),
    }
    if story.status in ended:
        what, hint = ended[story.status]
        return IntentError(f"{name} {what}: its steps can no longer be edited", hint=hint)
    if run.status in RUN_ENDED and not begun:
        message = f"run {run.given.run} is over, and {name} has not started in it"
        return IntentError(message, hint=f"shiftwork status {run.given.run}")
    if story.landing.progress is LandingStage.NONE:
        return None
    asked = story.asks and story.asks.cause in APPROVALS
    reject = f"shiftwork reject {named} --because …" if asked else f"shiftwork status {run.given.run}"
    return IntentError(f"{name} is landing: its steps are done and can no longer be edited", hint=reject)


def _refused(story: StoryState, edit: Edit, reason: str) -> IntentError:
    """The rule, without the number of the operation: a person requests one at a time."""
    given, target = story.given, story.pipeline.find(edit.target)
    named = f"{given.story.id} --run {given.run}"
    hint = f"shiftwork steps {named}"
    if target and target.status is StepStatus.IN_PROGRESS and edit.operation in _OF_PENDING:
        hint = f"shiftwork steps restart {given.story.id} {target.id} --reason … --run {given.run}"
    return IntentError(f"not done: {reason.removeprefix(f'operation 1 ({edit.operation}): ')}", hint=hint)


async def applied(events: History, requested: Requested, seconds: float) -> bool:
    """Waits until the story has applied the edit; returns False if that takes longer.

    Raises IntentError if the story could no longer use it by then.
    """
    found = await patiently(lambda: _answer(events, requested), seconds)
    if isinstance(found, story_facts.WorkflowEditRejected):
        reason = found.reason.removeprefix(f"operation 1 ({requested.edit.operation}): ")
        hint = f"shiftwork steps {requested.story} --run {requested.run}"
        raise IntentError(f"this request came too late: {reason}", hint=hint)
    return found is not None


async def _answer(events: History, requested: Requested) -> step_edits.Answer | None:
    """Requests are answered in their order: skips the answers to those that were read before this one."""
    stream = story_stream(requested.run, requested.story)
    state = await load(events, STORY, stream, requested.version)
    ahead: int | None = None
    for recorded in await events.read(stream, after=requested.version):
        fact = recorded.fact
        if ahead is None and replace(fact, at=messages.UNREAD) == _message(requested.edit):
            ahead = len(state.control.edits)
        elif ahead is not None and isinstance(fact, _ANSWERS) and fact.by == PERSON:
            if not ahead:
                return fact
            ahead -= 1
        state = STORY.evolve(state, fact)
    return None
