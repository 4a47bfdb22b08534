"""From what was typed after `run` or `resume` to work that is under way."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import click

from shiftwork.app.commands import Order, raise_limit, resume_run, start_run
from shiftwork.app.queries import Pulse, RunView, run_view
from shiftwork.app.world import World
from shiftwork.bootstrap.reading import liveness, open_queries
from shiftwork.config.settings import Settings
from shiftwork.config.site import Site, environment
from shiftwork.domain.model.ids import RunId, StoryId, landing_stream, story_stream
from shiftwork.domain.model.story import Limits
from shiftwork.domain.model.workflow import DYNAMIC
from shiftwork.entrypoints.cli.answer import answer
from shiftwork.entrypoints.cli.asking import asked_for, counted
from shiftwork.entrypoints.cli.conditions import checked_out, conditions
from shiftwork.entrypoints.cli.result import conclude
from shiftwork.entrypoints.cli.session import Shift, Stop, carry, chosen_view
from shiftwork.errors import UsageError
from shiftwork.ports.specs import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """What was typed; empty where nothing was said."""

    request: str
    branch: str = ""
    agent: str | None = None
    model: str = ""
    max_cost: float | None = None
    parallel: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be done, and the branch that the spec's own is made from where there is none of that name."""

    sheet: Sheet
    base: str


def run(site: Site, ordered: Ordered, *, as_json: bool) -> int:
    if not ordered.request.strip():
        raise UsageError("the request is empty", hint='shiftwork run "what you want done"')
    asked = {"SHIFTWORK_AGENT": ordered.agent, "SHIFTWORK_MODEL": ordered.model}
    found = conditions(site, environment() | {name: value for name, value in asked.items() if value})
    sheet = asked_for(site, ordered.request)
    base = ordered.branch or found.settings.workspace.branch or checked_out(site, environment())
    order = _order(site, found.settings, ordered, Asked(sheet=sheet, base=base))
    if not as_json:
        click.echo(found.note)
    about = ", ".join(part for part in (order.agent, counted(sheet), f"landing on {order.branch}") if part)
    title = f"{order.spec.title}\n{about}"
    return work(site, Shift(site=site, settings=found.settings, begin=starting(order)), title, as_json=as_json)


def work(site: Site, shift: Shift, title: str, *, as_json: bool) -> int:
    """Carry the run on, watched, and tell what came of it."""
    run_id, stop = carry(shift, chosen_view(title, as_json=as_json))
    return conclude(site, run_id, stop, as_json=as_json)


def _order(site: Site, settings: Settings, ordered: Ordered, asked: Asked) -> Order:
    limits = settings.limits
    spec = asked.sheet.spec
    branch = ordered.branch or spec.branch or asked.base
    return Order(
        spec=spec,
        workflow=DYNAMIC,
        branch=branch,
        landing=landing_stream(site.repository, branch),
        agent=settings.agent.use,
        limits=Limits(
            story_usd=limits.story_usd if ordered.max_cost is None else ordered.max_cost,
            repairs=limits.repairs,
            conflicts=limits.conflicts,
        ),
        parallel=ordered.parallel or settings.run.parallel,
        base=asked.base if branch == spec.branch else "",
        source=asked.sheet.source,
        done=asked.sheet.done,
    )


def starting(order: Order) -> Callable[[World], Awaitable[RunId]]:
    async def begin(world: World) -> RunId:
        # An agent that is not there is told now, and not by a run that fails.
        await world.agents[order.agent].probe()
        return await start_run(world, order)

    return begin


def resume(site: Site, run: str, max_cost: float | None, *, as_json: bool) -> int:
    queries, alive = open_queries(site), liveness()
    view = answer(lambda: run_view(queries, run, alive))
    if view.pulse is Pulse.OVER:
        return conclude(site, RunId(view.run.run), Stop.OVER, as_json=as_json)
    waiting = [one.story for one in view.stories if one.story.waiting.startswith("limit")]
    if max_cost is None and view.pulse is Pulse.WAITING and waiting:
        return conclude(site, RunId(view.run.run), Stop.HELD, as_json=as_json)
    _check_limit(view, max_cost)
    lease = answer(lambda: queries.holder(view.run.run))
    run_id = RunId(view.run.run)

    async def begin(world: World) -> RunId:
        for story in waiting if max_cost is not None else ():
            await raise_limit(world.inbox, run_id, story.story, world.clock.fresh(), max_cost or 0.0)
        await resume_run(world, run_id, alive=alive(lease.owner) if lease else None)
        return run_id

    found = conditions(site, environment())
    begun = tuple(story_stream(run_id, StoryId(one.story.story)) for one in view.stories)
    shift = Shift(site=site, settings=found.settings, begin=begin, begun=begun)
    return work(site, shift, f"{view.run.title}\n{view.run.agent}, landing on {view.run.branch}", as_json=as_json)


def _check_limit(view: RunView, max_cost: float | None) -> None:
    spent = max((one.story.cost_usd or 0.0 for one in view.stories), default=0.0)
    if max_cost is not None and max_cost <= spent:
        raise UsageError(
            f"{spent:.2f} USD are spent already, so a limit of {max_cost:.2f} USD changes nothing",
            hint=f"shiftwork resume {view.run.run} --max-cost {2 * spent:.2f}",
        )
