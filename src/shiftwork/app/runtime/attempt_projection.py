"""The rows of the attempts that the facts of a story have ended."""

from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.app.runtime.story_projection import used_part
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.spending.attempt_usage import ENDS
from shiftwork.domain.story.spending.durations import took
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.usage.totals import one_attempt
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.ports.views import AttemptRow

COMPLETED: Final = "completed"
INTERRUPTED: Final = "interrupted"
RESTARTED: Final = "restarted by its own edit"
ASKED: Final = "asked a question"
DEFERRED: Final = "reached a limit of the agent"
CUT_SHORT: Final = "stopped at its cost limit"

_ENDINGS: Final[dict[type[Fact], str]] = {
    story_facts.StepCompleted: COMPLETED,
    story_facts.StepFailed: "failed",
    story_facts.StepCancelled: "cancelled",
    story_facts.StepInterrupted: INTERRUPTED,
    story_facts.StepYielded: RESTARTED,
    story_facts.QuestionAsked: ASKED,
    story_facts.StepDeferred: DEFERRED,
    story_facts.StepCutShort: CUT_SHORT,
    story_facts.SummaryMissed: "gave no summary",
}


def attempt_rows(before: StoryState, facts: Sequence[Fact]) -> Iterator[AttemptRow]:
    """A row for each attempt that the facts have ended, in order."""
    if not any(isinstance(fact, ENDS) for fact in facts):
        return  # most appends end no attempt, and need no second fold
    for fact in facts:
        after = evolve_story(before, fact)
        yield from attempt_row(before, fact, after)
        before = after


def attempt_row(before: StoryState, fact: Fact, after: StoryState) -> Iterator[AttemptRow]:
    """The row of the attempt that a fact has ended, if it did. Steps of gates and of people have no attempts."""
    if not isinstance(fact, ENDS) or after is before:
        return
    step = after.pipeline.find(fact.step)
    if step is None or step.plan.kind is not StepKind.AGENT:
        return
    held = before.spending.allowance
    yield AttemptRow(
        run=after.given.run,
        story=after.given.story.id,
        step=step.id,
        number=fact.attempt,
        position=after.spending.usage.attempts,
        agent=step.assigned_profile,
        model=step.model,
        ending=_ending(fact),
        started_at=step.started_at,
        ended_at=fact.at,
        seconds=took(step, fact),
        used=used_part(one_attempt(fact.usage)),
        claim=held.number if held else 0,
        log=step.log,
        diff=getattr(fact, "diff", ""),
    )


def _ending(fact: Fact) -> str:
    if isinstance(fact, story_facts.StepInterrupted) and fact.restarted:
        return "restarted by a person"
    trouble = f" ({fact.trouble})" if isinstance(fact, story_facts.StepFailed | story_facts.StepCancelled) else ""
    return f"{_ENDINGS[type(fact)]}{trouble}"
