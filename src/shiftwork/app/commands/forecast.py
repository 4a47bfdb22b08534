"""What a run may cost, judging by the stories that have landed here lately."""

from typing import Final

from shiftwork.app.views.amounts import usage_of
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run.spending.forecast import forecast, plans_itself
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.usage.forecast import Forecast
from shiftwork.domain.workflow.workflow import Workflow
from shiftwork.ports.views import Queries

_RECENT_RUNS: Final = 20


async def past_costs(queries: Queries) -> list[float]:
    """Of the stories that nothing or not all is known of, nothing is told."""
    runs = await queries.runs(limit=_RECENT_RUNS)
    rows = [row for run in runs for row in await queries.stories(run.run) if row.status == "completed"]
    return [row.cost_usd for row in rows if row.cost_usd and not usage_of(row).unpriced]


async def expected(queries: Queries, spec: Spec, workflow: Workflow, done: frozenset[StoryId]) -> Forecast | None:
    """What the stories that are left may cost; nothing where the run itself is to find out which ones there are."""
    if plans_itself(workflow):
        return None
    left = [story for story in spec.stories if story.id not in done]
    return forecast(left, await past_costs(queries))
