"""A run's own steps before and after its stories: started like a story, and notified when the stories are done.

They have their own stream, under an id that no story can have. When they reach the loop, they ask the run to open it;
when no story is left, the run closes it, and they continue.
"""

from itertools import count
from typing import Final

from shiftwork.domain.core.decision import Effects, receive
from shiftwork.domain.core.handlers import Handlers, handlers, on
from shiftwork.domain.core.ids import FRAME, StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.assignment import assignment
from shiftwork.domain.run.scheduling import decided, with_stories
from shiftwork.domain.run.spending.allowance_answers import paid
from shiftwork.domain.run.spending.usage_before_limit import recorded
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.domain.story.state import StoryStatus
from shiftwork.domain.workflow.template_values import Context, merged
from shiftwork.records import replace

FRONT: Final = -1
"""The position of the run's own steps: before all stories."""

_REPAIR: Final = "Fix what was found after all stories had landed"


def holds_back(run: RunState) -> bool:
    """Whether no story may start: the loop is not reached yet, or is closed, or the frame has failed. After the frame
    has succeeded, a retried or added story needs no frame.
    """
    frame = run.frame
    if not run.given.workflow.frame or frame.open or _repairs_base(run):
        return False
    return frame.running or frame.again or not frame.round or bool(frame.failure)


def _repairs_base(run: RunState) -> bool:
    """Whether the base is repaired first. All other stories depend on that story, so none can start meanwhile."""
    first = run.stories.get(run.given.base_story)
    return first is not None and not run.frame.starts and first.status is not StoryStatus.COMPLETED


def frame_first(run: RunState) -> Effects:
    """The effects that are due before any story may start."""
    frame = run.frame
    if frame.running:
        return (receive(run.cursor),)
    return (_begin(run),) if frame.again or not frame.starts else ()


def in_progress(run: RunState) -> dict[StoryId, int]:
    """All streams of the run that are in progress, with how often each was started."""
    in_progress = {story: run.stories[story].dispatched for story in run.schedule.in_progress}
    return in_progress | ({FRAME: run.frame.starts} if run.frame.running else {})


def _begin(run: RunState) -> run_effects.DispatchStory:
    start_number = run.frame.starts + 1
    return run_effects.DispatchStory(
        key=f"frame/{start_number}",
        start_number=start_number,
        assignment=assignment(run, _story(run), FRONT),
        steps=run.given.workflow.frame,
        because=run.frame.because,
    )


def all_done(run: RunState) -> bool:
    """Whether the run has succeeded: every story has landed that was not cancelled, unless its own steps have skipped
    the stories.
    """
    passed_over = run.frame.starts > 0 and not run.frame.round
    wanted = [known.status for known in run.stories.values() if known.status is not StoryStatus.CANCELLED]
    return (run.totals.completed == len(wanted) or passed_over) and not run.frame.failure


def after_stories(run: RunState) -> Effects:
    """When no story is left to work on: the run's own steps continue, with the results of the stories."""
    if not run.frame.running:
        return ()
    if not run.frame.open or run.requests.cancelling:
        return (receive(run.cursor),)
    settled = {StoryStatus.COMPLETED, StoryStatus.CANCELLED}
    failed = tuple(story for story, known in run.stories.items() if known.status not in settled)
    return (
        run_effects.CloseLoop(
            key=f"close/{run.frame.round}",
            round=run.frame.round,
            landed=run.totals.completed,
            failed=failed,
            context=run.frame.context,
        ),
    )


def _story(run: RunState) -> Story:
    """The run's own steps as a story: it covers the whole task and need not change anything."""
    plan = run.given
    text = plan.spec.description or plan.spec.title
    return Story(
        id=FRAME,
        title=plan.workflow.name or plan.workflow.id,
        description=text,
        criteria=(Criterion(id="AC-1", text=text),),
        may_be_empty=True,
        named=False,
    )


# How facts change it --------------------------------------------------------------------------------------------------


def _begun(run: RunState, fact: run_facts.FrameBegun) -> RunState | None:
    if run.status is not RunStatus.RUNNING or fact.start_number != run.frame.starts + 1:
        return None
    return replace(run, frame=replace(run.frame, starts=fact.start_number, running=True, again=False, failure=""))


def _opened(run: RunState, fact: run_facts.LoopOpened) -> RunState | None:
    """Planned stories replace those of the spec. If the loop is repeated and all stories have landed, a story is added
    that repairs what was found.
    """
    frame = run.frame
    if not frame.running or frame.open or fact.round != frame.round + 1:
        return None
    context = merged(frame.context, fact.context)
    running = replace(run, frame=replace(frame, round=fact.round, open=True, context=context))
    if fact.round == 1:
        running = decided(running, fact.stories or run.given.spec.stories)
    if fact.stories and fact.round == 1:
        return running
    if fact.feedback and run.totals.completed == len(run.stories):
        return with_stories(running, (*run.given.spec.stories, _repair(run, fact)))
    return running


def _closed(run: RunState, fact: run_facts.LoopClosed) -> RunState | None:
    if not run.frame.open or fact.round != run.frame.round:
        return None
    return replace(run, frame=replace(run.frame, open=False))


def _ended(run: RunState, fact: run_facts.FrameEnded) -> RunState | None:
    if not run.frame.running:
        return None
    return replace(
        made := paid(recorded(run, FRAME, fact.unrecorded), FRAME, run.frame.usage, fact.usage),
        frame=replace(run.frame, running=False, open=False, failure=fact.failure, usage=fact.usage),
        requests=replace(
            made.requests,
            cancelled_stories=run.requests.cancelled_stories - {FRAME},
            paused_stories=run.requests.paused_stories - {FRAME},
        ),
        spending=replace(made.spending, unaware=run.spending.unaware - {FRAME}),
    )


def reopened(run: RunState, because: str = "") -> RunState:
    """Retries the run's own steps from the failed step, if they have failed."""
    if not run.frame.failure:
        return run
    return replace(run, frame=replace(run.frame, again=True, failure="", because=because))


def noted(run: RunState, outputs: Context) -> RunState:
    """Makes the values that a landed story has set available to the steps after the loop."""
    if not run.given.workflow.frame or not outputs:
        return run
    return replace(run, frame=replace(run.frame, context=merged(run.frame.context, outputs)))


def _repair(run: RunState, fact: run_facts.LoopOpened) -> Story:
    used = set(run.stories)
    name = next(name for number in count(1) if (name := StoryId(f"FIX-{number:03}")) not in used)
    message = fact.feedback.strip()
    return Story(
        id=name, title=_REPAIR, description=message, criteria=(Criterion(id="AC-1", text=message),), named=False
    )


HANDLERS: Final[Handlers[RunState, RunState | None]] = handlers(
    on(run_facts.FrameBegun, _begun),
    on(run_facts.LoopOpened, _opened),
    on(run_facts.LoopClosed, _closed),
    on(run_facts.FrameEnded, _ended),
)
