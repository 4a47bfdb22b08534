"""What a request changes in a run, known before the request is sent, and whether the run waits for one."""

from collections.abc import Sequence
from typing import Final

from shiftwork.app.attempt.memory import present_run
from shiftwork.app.commands.runs import Order
from shiftwork.app.folds import RUN
from shiftwork.app.runtime.context import Context
from shiftwork.app.views.live.board import Board
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId, run_stream
from shiftwork.domain.core.landed_work import LandedWork
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.proof.commit_trailers import NO_GATES
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import rests
from shiftwork.domain.run.lost_work import landed_work
from shiftwork.domain.run.state import RUN_ENDED, RunPlan, RunState
from shiftwork.domain.run.steering import intent_checks, intents, options
from shiftwork.domain.run.steering.base_repair import with_repair
from shiftwork.domain.spec.criterion_gates import GateChanges, gate_changes, with_commands, with_criteria
from shiftwork.domain.spec.spec import Criterion, Spec, Story, reworded, text_of
from shiftwork.domain.spec.story_lookup import guess
from shiftwork.errors import IntentError
from shiftwork.records import dataclass, replace

NOTHING: Final = run_facts.OptionsChanged(at=0)
"""No option is changed."""


def with_options(plan: RunPlan, named: run_facts.OptionsChanged) -> RunPlan:
    """The plan with the named options; the others stay."""
    return options.with_options(plan, named)


def followed(
    plan: RunPlan, agent: str, model: str, parallel: int, named: run_facts.OptionsChanged = NOTHING
) -> run_facts.OptionsChanged:
    """The options that change when the run continues: those that the user has `named` now, and those that the user has
    never named and that differ in the settings.
    """
    return options.joined(named, options.followed(plan, agent, model, parallel))


def repaired_first(order: Order, report: GateReport, gates: Sequence[Gate], branch: str) -> Order:
    """The order with a first story that makes the red gates of the report green on the branch."""
    spec, first = with_repair(order.spec, report, gates, branch)
    return replace(order, spec=spec, base_story=first)


# Stories -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStory:
    """A story that a person wants added. Without a description, the title is one; without criteria, the text is one."""

    title: str
    description: str = ""
    criteria: tuple[str, ...] = ()
    depends_on: tuple[StoryId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryChange:
    """What a person changes in a story: what is empty stays, and so do dependencies that are None."""

    title: str = ""
    description: str = ""
    criteria: tuple[str, ...] = ()
    depends_on: tuple[StoryId, ...] | None = None


def new_story(run: RunState, wanted: NewStory) -> Story:
    """The story with the next free id; it comes last."""
    text = wanted.description or wanted.title
    story = Story(
        id=next_story_id(run),
        title=wanted.title,
        description=text,
        criteria=_criteria(wanted.criteria or (text,)),
        depends_on=wanted.depends_on,
        priority=max(other.priority for other in run.given.spec.stories),
        named=any(other.named for other in run.given.spec.stories),
    )
    return with_commands(story)


def changed_story(story: Story, change: StoryChange) -> Story:
    """The story with the change; the gates of its criteria change with them."""
    text = reworded(story, title=change.title, description=change.description)
    return replace(
        with_criteria(story, _criteria(change.criteria) or text.criteria),
        title=text.title,
        description=text.description,
        depends_on=story.depends_on if change.depends_on is None else change.depends_on,
    )


def landed_by(run: RunState, story: StoryId) -> tuple[LandedWork, ...]:
    """What to look for on the branch before a story that has landed is retried."""
    return tuple(work for work in landed_work(run) if work.story == story)


def refiled_story(run: RunState, story: StoryId, spec: Spec) -> Story | None:
    """The story as the spec's file has it now, if the file has changed it since the run last read it: what a person has
    edited in the run stays otherwise.
    """
    now = next((other for other in spec.stories if other.id == story), None)
    if now is None or text_of(now) == text_of(run.filed.get(story, run.asked(story))):
        return None
    title, description, criteria, verification = text_of(now)
    changed = replace(
        run.asked(story), title=title, description=description, criteria=criteria, verification=verification
    )
    return None if changed == run.asked(story) else changed


def _criteria(texts: Sequence[str]) -> tuple[Criterion, ...]:
    return tuple(Criterion(id=f"AC-{number}", text=text) for number, text in enumerate(texts, start=1))


def gates_changed(run: RunState, story: Story) -> GateChanges:
    """Which gates of its criteria the story brings into the run or loses, compared with the run as it is."""
    return gate_changes(run.asked(story.id) if story.id in run.stories else None, story)


def next_story_id(run: RunState) -> StoryId:
    """The next free id in the style of the run's own."""
    return intent_checks.next_story_id(run.given.spec.stories)


def story_of(run: RunState, story: StoryId) -> Story:
    """The story as it is asked for; raises IntentError if the run has no such story."""
    if story not in run.stories:
        message = f"there is no story {story} in the run{guess(story, run.stories)}"
        raise IntentError(message, hint=f"shiftwork stories {run.given.run}")
    return run.asked(story)


def restarted(run: RunState, again: run_facts.StoryRetryRequested) -> str:
    """Why the retry starts from the first step although nobody asked for that; empty if it does not."""
    return "" if again.from_scratch else intents.restarted(run, again.story)


def refusal_of(run: RunState, intent: Fact) -> str:
    """Why the run cannot use the request; empty if it can."""
    why = intent_checks.objection(run, intent)
    return why.reason if why else ""


def unchecked(undone: run_facts.StoryUndone) -> bool:
    """Whether the revert has landed without any gate."""
    return undone.gates == NO_GATES


# The run -------------------------------------------------------------------------------------------------------------


def is_over_after(run: RunState, intent: Fact) -> bool:
    """Whether the run is over after this request; most requests reopen it."""
    return RUN.evolve(run, intent).status in RUN_ENDED


async def rests_now(board: Board, context: Context, run: RunId) -> bool:
    """Whether nothing is in progress, and no story can start, until a person has answered; the answer may just have
    arrived.
    """
    if not board.held:
        return False
    state = await present_run(context, run)
    waits = rests(state, board.waiting) and not await _unread(board, context, state)
    # While the inboxes were checked, a story may have taken its answer out of one.
    return waits and board.held


async def pauses_now(board: Board, context: Context, run: RunId) -> bool:
    """Whether the run is paused, every attempt has ended, and nothing is in progress until the pause ends."""
    state = await present_run(context, run)
    if not state.requests.paused or not board.idle:
        return False
    waits = rests(state, board.waiting) and not await _unread(board, context, state)
    return waits and board.idle  # as above


async def _unread(board: Board, context: Context, run: RunState) -> bool:
    """Whether an inbox has an unread message: an answer, or a raised limit."""
    stories = {stream: story.cursor for stream, story in board.stories.items()}
    cursors = {run_stream(run.given.run): run.cursor, **stories}
    return any([await context.inbox.receive(stream, after=cursor) for stream, cursor in cursors.items()])
