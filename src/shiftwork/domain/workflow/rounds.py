"""Rounds: the steps that a team repeats, until nothing new is said, the story is complete, or the last round is over.

No end of the rounds is a failure: the story continues with the steps after them and its gates, which decide.
"""

from enum import StrEnum
from typing import Final

from shiftwork.domain.core.ids import StepId
from shiftwork.domain.workflow.pipeline import Pipeline, Step
from shiftwork.domain.workflow.workflow import Route
from shiftwork.records import dataclass

STORY_COMPLETE: Final = "story_complete"
"""The decision of a step that says so in its answer, if it may end the rounds."""

_SAME_TURNS: Final = 3
"""So many turns in a row that say the same end the rounds, even of different agents."""


class RoundsEnd(StrEnum):
    """Why rounds have ended."""

    CONVERGED = "converged"
    COMPLETE = "complete"
    LAST = "last round"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """The steps of a team, and how many rounds it may take at most."""

    team: tuple[Step, ...]
    most: int

    @property
    def number(self) -> int:
        """The number of the present round, from 1."""
        return self.team[0].rounds + 1

    def closed_by(self, step: Step) -> bool:
        return self.team[-1].id == step.id


def rounds_of(pipeline: Pipeline, step: Step, followed: Route | None = None) -> Rounds | None:
    """The rounds that the step belongs to: those of the route that is `followed` if it has any, else those of the first
    route with rounds that repeats the step.
    """
    own = followed if followed and followed.rounds else None
    steps = pipeline.steps
    place = pipeline.index(step.id)
    for last in range(place, len(steps)):
        for route in (own,) if own else steps[last].plan.routes:
            target = pipeline.find(StepId(route.target)) if route.rounds else None
            if target and (first := pipeline.index(target.id)) <= place:
                return Rounds(team=steps[first : last + 1], most=route.rounds)
    return None


def says_nothing_new(rounds: Rounds, step: Step, said: str) -> bool:
    """Whether the turn ends a round with the words that ended the round before, or repeats the turns before it."""
    place = next(place for place, other in enumerate(rounds.team) if other.id == step.id)
    earlier = (*rounds.team[place:], *rounds.team[:place])[1 - _SAME_TURNS :]
    alike = all(other.said == said for other in earlier)
    return bool(said) and (alike or (rounds.closed_by(step) and step.said == said))
