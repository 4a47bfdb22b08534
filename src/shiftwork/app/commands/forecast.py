"""Estimates the cost of a run from the stories that have landed here recently."""

import contextlib
from typing import Final

from shiftwork.domain.budget import reservations
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run.spending.forecast import forecast, plans_itself
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.usage.forecast import Forecast
from shiftwork.domain.usage.totals import dollars
from shiftwork.domain.workflow.workflow import Workflow
from shiftwork.errors import StoreError
from shiftwork.ports.views import Queries, StoryRow

_RECENT_RUNS: Final = 20


async def past_costs(queries: Queries) -> list[float]:
    """Returns the costs of recently landed stories whose cost is fully known."""
    rows = list[StoryRow]()
    for run in await queries.runs(limit=_RECENT_RUNS):
        with contextlib.suppress(StoreError):  # its archive is damaged, or on another machine
            rows += await queries.stories(run.run)
    known = [row.used for row in rows if row.status == "completed" and not row.used.unpriced]
    return [used.cost_usd for used in known if used.cost_usd]


def excess_note(limits: Limits, *, bounded: bool) -> str:
    """What to know about a limit that is smaller than what one attempt may need; empty if there is none."""
    found = reservations.possible_excess(limits, bounded=bounded)
    if found is None:
        return ""
    limit, excess = (dollars(amount) for amount in found)
    how = "it checks its costs after each answer" if bounded else "its agent cannot be stopped at a limit"
    return (
        f"the limit of {limit} USD is less than one attempt may need ({dollars(limits.attempt.usd)} USD): "
        f"an attempt may pass it by about {excess} USD, because {how}"
    )


async def expected(queries: Queries, spec: Spec, workflow: Workflow, done: frozenset[StoryId]) -> Forecast | None:
    """Returns the estimated cost of the remaining stories; None if the run itself plans its stories."""
    if plans_itself(workflow):
        return None
    left = [story for story in spec.stories if story.id not in done]
    return forecast(left, await past_costs(queries))
