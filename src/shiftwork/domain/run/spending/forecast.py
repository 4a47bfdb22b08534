"""Estimates the cost of work from the cost of earlier stories."""

from collections.abc import Iterable, Sequence
from typing import Final

from shiftwork.domain.spec.spec import USUAL_COMPLEXITY, Story
from shiftwork.domain.usage.forecast import Band, Forecast
from shiftwork.domain.workflow.workflow import Workflow

FEW: Final = 5
"""With fewer stories than this, the forecast uses their minimum and maximum instead of quantiles."""


def forecast(stories: Iterable[Story], costs: Sequence[float]) -> Forecast | None:
    """The middle half of the costs of earlier stories, times the new stories, each weighted by its complexity."""
    if not costs:
        return None
    ranked = sorted(costs)
    low, high = (ranked[0], ranked[-1]) if len(ranked) < FEW else _quartiles(ranked)
    usual = Band(low_usd=low, high_usd=high, known=len(ranked))
    return Forecast(whole=_times(usual, sum(map(_weight, stories))), usual=usual)


def _quartiles(costs: Sequence[float]) -> tuple[float, float]:
    from statistics import quantiles  # noqa: PLC0415 - slow to import, and most commands estimate nothing

    low, _, high = quantiles(costs, n=4, method="inclusive")
    return low, high


def of_story(forecast: Forecast, story: Story) -> Band:
    return _times(forecast.usual, _weight(story))


def _weight(story: Story) -> float:
    return story.complexity / USUAL_COMPLEXITY


def _times(band: Band, weight: float) -> Band:
    return Band(low_usd=band.low_usd * weight, high_usd=band.high_usd * weight, known=band.known)


def plans_itself(workflow: Workflow) -> bool:
    """Whether a step of the run plans the stories, so that the work is not known in advance."""
    return any(step.plans for step in workflow.frame)


def unforeseen(workflow: Workflow) -> str:
    """Why a run has no estimate."""
    if plans_itself(workflow):
        return "no estimate: the run plans its own stories"
    return "no estimate: no earlier story in this repository has a known total cost"
