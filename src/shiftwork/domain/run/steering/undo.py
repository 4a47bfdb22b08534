"""How a run reverts a story that has landed."""

from collections.abc import Callable
from typing import Final

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.decision import NOW, Effects
from shiftwork.domain.core.ids import Commit, StoryId, run_stream
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.landing.commit_message import revert_of, revert_subject
from shiftwork.domain.landing.state import REVERT, LandingRequest
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run import scheduling
from shiftwork.domain.run.memory import reverted
from shiftwork.domain.run.spec_writeback import owe
from shiftwork.domain.run.state import RunState, Undo
from shiftwork.domain.run.transitions import turn_story_of
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, LandingStage
from shiftwork.records import replace

CANCELLED_FIRST: Final = "it was cancelled first"
"""Why a cancelled revert has not landed."""


_REVERTED: Final = "its work was reverted"
"""Why a retried story does not continue with its earlier work."""


def undo_effects(run: RunState) -> Effects:
    due = (_next_of_undo(run, story, undo) for story, undo in run.requests.undoing.items())
    return tuple(effect for effect in due if effect)


def _next_of_undo(run: RunState, story: StoryId, undo: Undo) -> e.Effect | None:
    """After the run or the revert is cancelled, no revert is requested, and an open request is withdrawn. If the revert
    has already landed, its story is notified as usual.
    """
    cancelled = run.requests.cancelling or story in run.requests.unwanted
    match undo.landing:
        case LandingStage.LANDED:
            return run_effects.RevertStory(key=f"revert/{undo.number}", story=story, commit=undo.commit)
        case LandingStage.NONE if cancelled:
            refused = run_facts.UndoRefused(at=NOW, story=story, reason=CANCELLED_FIRST)
            return e.Conclude(key=f"undo/{undo.number}/cancelled", facts=(refused,))
        case LandingStage.NONE:
            return run_effects.RequestUndo(key=f"undo/{undo.number}", story=story)
        case _ if cancelled and not undo.withdrawing:
            return run_effects.WithdrawUndo(key=f"undo/{undo.number}/withdraw", story=story)
        case _:
            return None


def undo_request(run: RunState, story: StoryId) -> LandingRequest:
    """The landing request for a revert. It may be empty, because the user may have reverted the changes already. The
    spec's own checks are left out, because they check the work that the revert removes.
    """
    known, plan = run.stories[story], run.given
    return LandingRequest(
        run=plan.run,
        story=story,
        number=run.requests.undoing[story].number,
        stream=run_stream(plan.run),
        tip=known.base,
        title=run.asked(story).title,
        body=revert_of(known.commit),
        may_be_empty=True,
        base=known.commit,
        type=REVERT,
        subject=revert_subject(run.asked(story)),
        without_gates=plan.without_gates,
    )


def undo_posted(run: RunState, fact: run_facts.UndoPosted) -> RunState | None:
    return _undo_came_to(run, fact.story, LandingStage.NONE, lambda undo: replace(undo, landing=LandingStage.REQUESTED))


def undo_landed(run: RunState, fact: run_facts.UndoLanded) -> RunState | None:
    return _undo_came_to(
        run,
        fact.story,
        LandingStage.REQUESTED,
        lambda undo: replace(undo, landing=LandingStage.LANDED, commit=fact.commit, gates=fact.gates),
    )


def _undo_came_to(
    run: RunState, story: StoryId, before: LandingStage, change: Callable[[Undo], Undo]
) -> RunState | None:
    undo = run.requests.undoing.get(story)
    if undo is None or undo.landing is not before:
        return None
    return replace(run, requests=replace(run.requests, undoing={**run.requests.undoing, story: change(undo)}))


def undone(run: RunState, fact: run_facts.StoryUndone) -> RunState | None:
    undo = run.requests.undoing.get(fact.story)
    if undo is None or undo.landing is not LandingStage.LANDED:
        return None
    turned = turn_story_of(
        reverted(run, fact.story, undo.commit, fact.at),
        fact.story,
        Trigger.UNDO,
        lambda known: replace(
            known,
            cause=FailureCause.UNDONE,
            reason=f"reverted by {undo.commit[:12]}",
            stale=_REVERTED,
            commit=Commit(""),
            base=Commit(""),
            proof=None,
        ),
    )
    return turned and owe(scheduling.scheduled(_without_undo(turned, fact.story)), fact.story)


def undo_withdrawal_asked(run: RunState, fact: story_facts.LandingWithdrawalAsked) -> RunState | None:
    story = next((story for story, undo in run.requests.undoing.items() if undo.number == fact.number), StoryId(""))
    return _undo_came_to(run, story, LandingStage.REQUESTED, lambda undo: replace(undo, withdrawing=True))


def undo_refused(run: RunState, fact: run_facts.UndoRefused) -> RunState | None:
    undo = run.requests.undoing.get(fact.story)
    if undo is None or undo.landing is LandingStage.LANDED:
        return None
    return scheduling.scheduled(_without_undo(run, fact.story))


def _without_undo(run: RunState, story: StoryId) -> RunState:
    undoing = {other: undo for other, undo in run.requests.undoing.items() if other != story}
    return replace(run, requests=replace(run.requests, undoing=undoing, unwanted=run.requests.unwanted - {story}))
