"""Estimates the cost of a run from the stories that have landed here recently."""

import contextlib
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run.spending.forecast import forecast, plans_itself
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.usage.forecast import Forecast
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


async def expected(queries: Queries, spec: Spec, workflow: Workflow, done: frozenset[StoryId]) -> Forecast | None:
    """Returns the estimated cost of the remaining stories; None if the run itself plans its stories."""
    if plans_itself(workflow):
        return None
    left = [story for story in spec.stories if story.id not in done]
    return forecast(left, await past_costs(queries))
