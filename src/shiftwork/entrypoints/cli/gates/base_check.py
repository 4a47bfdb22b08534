"""Checks before work is paid for whether the base is green, and whether its gates see what they judge.

The first time in a repository this happens before the first session. Later the known results are used, and what has
changed since is checked while agents work: nothing lands by a blind gate, whenever that is found.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import click

from shiftwork.app.commands.explain_gate import gates_of
from shiftwork.app.commands.forecast import expected
from shiftwork.app.commands.runs import Order
from shiftwork.app.commands.steering import repaired_first
from shiftwork.app.landing.canary import explained, refused
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.bootstrap.work.base import BaseCheck, open_base
from shiftwork.bootstrap.work.repository import has_branch
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import SETTINGS_FILE, Site, environment, open_state
from shiftwork.domain.canary.canary_verdict import GateSight
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.gates.rung import Rung
from shiftwork.domain.run.state import RunPlan
from shiftwork.entrypoints.cli.env.broken_pipe import though_undelivered
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.gates import red_base
from shiftwork.entrypoints.cli.gates.red_base import Red
from shiftwork.entrypoints.cli.gates.rung_consent import further, give
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.errors import BlindGateError
from shiftwork.records import dataclass, replace

_MARKER: Final = "base/gates"
_RUNGS: Final = {red_base.NETWORK: Rung.HOST, red_base.UNCONFINED: Rung.UNCONFINED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """The order as it can start, and the check of its base that still runs `beside` the work, if any."""

    order: Order
    beside: Callable[[], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    site: Site
    settings: Settings
    order: Order
    gates: tuple[Gate, ...]
    repair: bool
    as_json: bool

    def echo(self, text: str) -> None:
        if not self.as_json:
            with though_undelivered():
                click.echo(text)


def cleared(site: Site, settings: Settings, order: Order, *, repair: bool, as_json: bool) -> Cleared:
    """The order on a green base whose gates see what they judge, or as the user has chosen. Raises RedGatesError if
    gates are red and nothing was chosen, and BlindGateError if a test gate is blind. The checks of a spec may be red
    before its work is done: they run when the work lands.
    """
    gates = gates_of(settings.gate_list, order.without_gates)
    if not gates:
        return Cleared(order=order)
    open_state(site)
    wanted = _Wanted(site=site, settings=settings, order=order, gates=gates, repair=repair, as_json=as_json)
    found = asyncio.run(_cleared(wanted))
    if not found.order.base_story:
        return found
    own = found.order
    forecast = answer(lambda: expected(open_queries(site), own.spec, own.workflow, own.done))
    return replace(found, order=replace(own, forecast=forecast))


async def _cleared(wanted: _Wanted) -> Cleared:
    order, env = wanted.order, environment()
    made = not order.base or await has_branch(wanted.site, env, order.branch)
    branch = order.branch if made else order.base
    base = await open_base(wanted.site, wanted.settings, env, branch, wanted.gates)
    if not wanted.repair and base.rungs_known:
        if (known := await base.known()) is not None:
            check_sights(known, wanted.gates)
            return Cleared(order=order)
        if not base.is_first:
            return Cleared(order=order, beside=lambda: _beside(base, branch, wanted.gates))
    return Cleared(order=await _examined(wanted, base, branch))


async def _examined(wanted: _Wanted, base: BaseCheck, branch: str) -> Order:
    def begun(gate: str) -> None:
        wanted.echo(f"gate {gate} runs on {branch} first, before any session is paid for")

    report = await base.report(_MARKER, begun)
    found = Red(branch=branch, report=report, further=further(base, report, wanted.gates))
    if failure := (await base.prepared()).failure:
        wanted.echo("\n".join(phrases.gist(f"no environment: the gates run in your own\n{failure}", phrases.width())))
    order = wanted.order
    if found.gates:
        chosen = _chosen(wanted, found)
        if rung := _RUNGS.get(chosen):
            give(wanted.site, found.further.gates, rung)
            again = await open_base(wanted.site, wanted.settings, environment(), branch, wanted.gates)
            return await _examined(wanted, again, branch)
        order = _as_chosen(wanted, found, chosen)
    elif wanted.repair:
        wanted.echo(f"{branch} is green: there is nothing to repair first")
    await _examine_sights(wanted, base, found.report)
    return order


async def _examine_sights(wanted: _Wanted, base: BaseCheck, report: GateReport) -> None:
    def on_sight(sight: GateSight) -> None:
        if sight.test:
            wanted.echo(sight_line(sight))

    check_sights(await base.sights(report, f"{_MARKER}.canary", on_sight), wanted.gates)


def _chosen(wanted: _Wanted, found: Red) -> str:
    if wanted.as_json:
        with though_undelivered():
            say(red_base.document(found))
    return "repair" if wanted.repair else red_base.chosen(found, as_json=wanted.as_json)


def _as_chosen(wanted: _Wanted, found: Red, chosen: str) -> Order:
    if chosen != "repair":
        return replace(wanted.order, without_gates=(*wanted.order.without_gates, *found.gates))
    return repaired_first(wanted.order, found.report, wanted.gates, found.branch)


def check_rungs(site: Site, settings: Settings, plan: RunPlan) -> None:
    """For a run that continues: finds out how much of the machine its gates need before any work is judged. A gate that
    has never run in this sandbox may be red in it, and no story has caused that.
    """
    gates = gates_of(settings.gate_list, plan.without_gates)
    if gates and not plan.base_story:
        asyncio.run(_check_rungs(site, settings, plan.branch, gates))


async def _check_rungs(site: Site, settings: Settings, branch: str, gates: tuple[Gate, ...]) -> None:
    if not await has_branch(site, environment(), branch):
        return
    base = await open_base(site, settings, environment(), branch, gates)
    if base.rungs_known:
        return
    report = await base.report(_MARKER)
    found = Red(branch=branch, report=report, further=further(base, report, gates))
    if found.gates:
        raise red_base.refusal_in_progress(found)


async def _beside(base: BaseCheck, branch: str, gates: Sequence[Gate]) -> None:
    """The checks that run while agents work; they print nothing if all is well."""
    report = await base.report(_MARKER)
    found = Red(branch=branch, report=report, further=further(base, report, gates))
    if found.gates:
        raise red_base.refusal_in_progress(found)
    check_sights(await base.sights(found.report, f"{_MARKER}.canary"), gates)


def sight_line(sight: GateSight) -> str:
    """What is known of a gate, on one line."""
    return f"gate {sight.gate} {_SAID[sight.sight]}: {sight.why}"


_SAID: Final = {"sees": "sees what it judges", "blind": "is blind", "unknown": "may be blind: this is unknown"}


def check_sights(sights: Sequence[GateSight], gates: Sequence[Gate]) -> None:
    """Raises BlindGateError if a test gate is blind and the settings do not allow that."""
    if blind := refused(sights, gates):
        names = ", ".join(sight.gate for sight in blind)
        raise BlindGateError(
            "\n".join(explained(sight) for sight in blind),
            hint=f"change {names} in {SETTINGS_FILE}, then: shiftwork doctor --gates",
        )
