"""Chooses a profile for each role of a story."""

from collections.abc import Iterable, Sequence

from shiftwork.domain.agents.bandit import choose, roles
from shiftwork.domain.agents.tally import Pick, Tally
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.workflow.workflow import StepPlan
from shiftwork.records import replace


def picked(
    given: Assignment, steps: Iterable[StepPlan], candidates: Sequence[str], tallies: Sequence[Tally]
) -> Assignment:
    """The assignment with a profile for each role."""
    chosen = ((role, choose(role, candidates, tallies)) for role in roles(steps, given.agents))
    picks = tuple(Pick(role=role, profile=choice.profile, why=choice.why) for role, choice in chosen)
    return replace(given, picks=picks)
