"""What work may cost, judging by what stories have cost before."""

from collections.abc import Iterable, Sequence
from statistics import quantiles
from typing import Final

from shiftwork.domain.spec.spec import USUAL_COMPLEXITY, Story
from shiftwork.domain.usage.forecast import Band, Forecast
from shiftwork.domain.workflow.workflow import Workflow

FEW: Final = 5
"""Fewer stories than this are no ground for a quantile: their extremes are told instead."""


def forecast(stories: Iterable[Story], costs: Sequence[float]) -> Forecast | None:
    """The middle half of what stories have cost, times the stories at hand, each weighed by its complexity."""
    if not costs:
        return None
    ranked = sorted(costs)
    low, high = (ranked[0], ranked[-1]) if len(ranked) < FEW else quantiles(ranked, n=4, method="inclusive")[::2]
    usual = Band(low_usd=low, high_usd=high, known=len(ranked))
    return Forecast(whole=_times(usual, sum(map(_weight, stories))), usual=usual)


def of_story(foreseen: Forecast, story: Story) -> Band:
    return _times(foreseen.usual, _weight(story))


def _weight(story: Story) -> float:
    return story.complexity / USUAL_COMPLEXITY


def _times(band: Band, weight: float) -> Band:
    return Band(low_usd=band.low_usd * weight, high_usd=band.high_usd * weight, known=band.known)


def plans_itself(workflow: Workflow) -> bool:
    """Whether a step of the run breaks the work into stories, so that what there is to do is not known before."""
    return any(step.plans for step in workflow.frame)


def unforeseen(workflow: Workflow) -> str:
    """Why nothing was foreseen of a run."""
    if plans_itself(workflow):
        return "no estimate: the run was to find out by itself which stories there are"
    return "no estimate: no story had told its whole cost in this repository before"
