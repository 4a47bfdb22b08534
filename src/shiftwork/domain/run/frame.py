"""A run's own steps, before and after its stories: begun like a story, and told when the stories are done.

They are worked on in a stream of their own, under an id that no story can have. When they come to the loop they ask the
run to open it; when no story is left, the run closes it, and they go on.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any, Final

from shiftwork.domain.core.decision import Effects, receive
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.assignment import assignment
from shiftwork.domain.run.scheduling import with_stories
from shiftwork.domain.run.spending.allowance_answers import paid
from shiftwork.domain.run.spending.usage_before_limit import booked
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.domain.story.state import StoryStatus
from shiftwork.domain.workflow.template_values import Context, merged

FRONT: Final = -1
"""The run's own steps are listed in front of all stories."""

_MENDING: Final = "Mend what was found after all stories had landed"


def holds_back(run: RunState) -> bool:
    """Whether no story may start: the loop has not been come to, or is closed, or its frame has failed. Once all went
    well, a story that is retried or added needs no frame.
    """
    frame = run.frame
    if not run.given.workflow.frame or frame.open or _repairs_base(run):
        return False
    return frame.going or frame.again or not frame.round or bool(frame.failure)


def _repairs_base(run: RunState) -> bool:
    """Whether the base is repaired first. All other stories depend on that one, so no other can start meanwhile."""
    first = run.stories.get(run.given.base_story)
    return first is not None and not run.frame.goes and first.status is not StoryStatus.COMPLETED


def frame_first(run: RunState) -> Effects:
    """What is due before any story may start."""
    frame = run.frame
    if frame.going:
        return (receive(run.cursor),)
    return (_begin(run),) if frame.again or not frame.goes else ()


def afoot(run: RunState) -> dict[StoryId, int]:
    """All streams that are worked on for the run, with how often each was begun."""
    flying = {story: run.stories[story].dispatched for story in run.schedule.in_progress}
    return flying | ({FRAME: run.frame.goes} if run.frame.going else {})


def _begin(run: RunState) -> run_effects.DispatchStory:
    go = run.frame.goes + 1
    return run_effects.DispatchStory(
        key=f"frame/{go}", go=go, assignment=assignment(run, _story(run), FRONT), steps=run.given.workflow.frame
    )


def all_done(run: RunState) -> bool:
    """Whether the run has come to what it is for: every story landed, unless its own steps have passed them over."""
    passed_over = run.frame.goes > 0 and not run.frame.round
    return (run.totals.completed == len(run.stories) or passed_over) and not run.frame.failure


def after_stories(run: RunState) -> Effects:
    """Once no story is left to be worked on: the run's own steps go on, knowing what became of the stories."""
    if not run.frame.going:
        return ()
    if not run.frame.open or run.requests.cancelling:
        return (receive(run.cursor),)
    failed = tuple(story for story, known in run.stories.items() if known.status is not StoryStatus.COMPLETED)
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
    """The run's own steps as if they were a story's: about the whole of the work, and free to change nothing."""
    plan = run.given
    text = plan.spec.description or plan.spec.title
    return Story(
        id=FRAME,
        title=plan.workflow.name or plan.workflow.id,
        description=text,
        criteria=(Criterion(id="AC-1", text=text),),
        may_be_empty=True,
    )


# How facts change it --------------------------------------------------------------------------------------------------


def _begun(run: RunState, fact: run_facts.FrameBegun) -> RunState | None:
    if run.status is not RunStatus.RUNNING or fact.go != run.frame.goes + 1:
        return None
    return replace(run, frame=replace(run.frame, goes=fact.go, going=True, again=False, failure=""))


def _opened(run: RunState, fact: run_facts.LoopOpened) -> RunState | None:
    """Planned stories take the place of the spec's; gone through again with nothing left to do, there is one to mend
    what was found.
    """
    frame = run.frame
    if not frame.going or frame.open or fact.round != frame.round + 1:
        return None
    context = merged(frame.context, fact.context)
    going = replace(run, frame=replace(frame, round=fact.round, open=True, context=context))
    if fact.stories and fact.round == 1:
        return with_stories(going, fact.stories)
    if fact.feedback and run.totals.completed == len(run.stories):
        return with_stories(going, (*run.given.spec.stories, _mending(run, fact)))
    return going


def _closed(run: RunState, fact: run_facts.LoopClosed) -> RunState | None:
    if not run.frame.open or fact.round != run.frame.round:
        return None
    return replace(run, frame=replace(run.frame, open=False))


def _ended(run: RunState, fact: run_facts.FrameEnded) -> RunState | None:
    if not run.frame.going:
        return None
    return replace(
        made := paid(booked(run, FRAME, fact.unbooked), FRAME, run.frame.usage, fact.usage),
        frame=replace(run.frame, going=False, open=False, failure=fact.failure, usage=fact.usage),
        requests=replace(
            made.requests,
            cancelled_stories=run.requests.cancelled_stories - {FRAME},
            paused_stories=run.requests.paused_stories - {FRAME},
        ),
        spending=replace(made.spending, unaware=run.spending.unaware - {FRAME}),
    )


def reopened(run: RunState) -> RunState:
    """The run's own steps have another go, from the one that failed, where one has."""
    return replace(run, frame=replace(run.frame, again=True, failure="")) if run.frame.failure else run


def noted(run: RunState, outputs: Context) -> RunState:
    """What a story that landed has set is there for the steps after the loop."""
    if not run.given.workflow.frame or not outputs:
        return run
    return replace(run, frame=replace(run.frame, context=merged(run.frame.context, outputs)))


def _mending(run: RunState, fact: run_facts.LoopOpened) -> Story:
    used = set(run.stories)
    name = next(name for number in count(1) if (name := StoryId(f"FIX-{number:03}")) not in used)
    told = fact.feedback.strip()
    return Story(id=name, title=_MENDING, description=told, criteria=(Criterion(id="AC-1", text=told),))


HANDLERS: Final[dict[type[Fact], Callable[[RunState, Any], RunState | None]]] = {
    run_facts.FrameBegun: _begun,
    run_facts.LoopOpened: _opened,
    run_facts.LoopClosed: _closed,
    run_facts.FrameEnded: _ended,
}
