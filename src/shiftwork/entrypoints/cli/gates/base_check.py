"""Checks before work is paid for whether the base is green, and whether its gates see what they judge.

Gates run on the branch before the first session, unless their results on it are known. What they see is examined before
the first session of a repository, and later while agents work: nothing lands by a blind gate, whenever that is found.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import click

from shiftwork.app.commands.explain_gate import gates_of_run, needed_by_criteria
from shiftwork.app.commands.forecast import expected
from shiftwork.app.commands.runs import Order
from shiftwork.app.commands.steering import repaired_first
from shiftwork.app.landing.canary import explained, refused
from shiftwork.app.views.documents.event_records import CriterionEvent
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
from shiftwork.entrypoints.cli.options.quiet import is_quiet
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say, this_moment
from shiftwork.entrypoints.cli.render.visible_text import marked
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
            echo(text)


def echo(text: str) -> None:
    if is_quiet():
        return
    with though_undelivered():
        click.echo("\n".join(part for line in text.split("\n") for part in phrases.at_words(line)))


def cleared(site: Site, settings: Settings, order: Order, *, repair: bool, as_json: bool) -> Cleared:
    """The order on a green base whose gates see what they judge, or as the user has chosen. Raises RedGatesError if
    gates are red and nothing was chosen, and BlindGateError if a test gate is blind. The gates are those of the
    settings and those that the spec names for all of its work.
    """
    gates = gates_of_run(settings.gate_list, order.spec, order.without_gates)
    if not gates and not needed_by_criteria(order.spec, order.done, order.without_gates):
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
    branch = await _present(wanted.site, order.branch, order.base)
    base = await open_base(wanted.site, wanted.settings, env, branch, wanted.gates)
    await _warn_of_criteria(wanted, base)
    if not wanted.gates:
        return Cleared(order=order)
    if not wanted.repair and base.rungs_known and (known := await base.known()) is not None:
        check_sights(known, wanted.gates)
        return Cleared(order=order)
    later = base.rungs_known and not base.is_first and not wanted.repair
    started = await _green(wanted, base, branch)
    if later:
        return Cleared(order=started.order, beside=lambda: _beside(started, wanted.gates))
    await _examine_sights(wanted, started.base, started.report)
    return Cleared(order=started.order)


async def _warn_of_criteria(wanted: _Wanted, base: BaseCheck) -> None:
    """Says which programs and folders of criteria are not there. Their commands do not run: without the work of their
    story they are expected to be red.
    """
    order = wanted.order
    needed = needed_by_criteria(order.spec, order.done, order.without_gates)
    for item in await base.find_lacking(needed, f"{_MARKER}.criteria"):
        wanted.echo(f"note: {marked(item.message)}")
        if wanted.as_json:
            with though_undelivered():
                say(CriterionEvent(time=this_moment(), gate=item.gate, note=item.message))


async def _present(site: Site, branch: str, base: str) -> str:
    """The branch, or what it is made from if it does not exist yet."""
    return branch if not base or await has_branch(site, environment(), branch) else base


@dataclass(frozen=True, slots=True, kw_only=True)
class _Started:
    """The order as it can start, and the last check of its base."""

    order: Order
    base: BaseCheck
    report: GateReport


async def _green(wanted: _Wanted, base: BaseCheck, branch: str) -> _Started:
    """The order on a green base, or as the user has chosen."""
    await announce(base, branch, wanted.gates, wanted.echo)
    report = await base.report(_MARKER)
    found = Red(branch=branch, report=report, further=further(base, report, wanted.gates), root=wanted.site.root)
    if failure := (await base.prepared()).failure:
        wanted.echo("\n".join(phrases.gist(f"no environment: the gates run in your own\n{failure}", phrases.width())))
    if not found.gates:
        if wanted.repair:
            wanted.echo(f"{branch} is green: there is nothing to repair first")
        return _Started(order=wanted.order, base=base, report=report)
    chosen = _chosen(wanted, found)
    if rung := _RUNGS.get(chosen):
        give(wanted.site, found.further.gates, rung)
        again = await open_base(wanted.site, wanted.settings, environment(), branch, wanted.gates)
        return await _green(wanted, again, branch)
    return _Started(order=_as_chosen(wanted, found, chosen), base=base, report=report)


async def announce(base: BaseCheck, branch: str, gates: Sequence[Gate], echo: Callable[[str], None]) -> None:
    """Says what runs before the first session, if anything does: it may take as long as the tests."""
    if not await base.is_green():
        setup = ("setup",) if (await base.prepared()).wanted else ()
        echo(f"checking {branch} before any session is paid for: {', '.join((*setup, *(gate.name for gate in gates)))}")


async def _examine_sights(wanted: _Wanted, base: BaseCheck, report: GateReport) -> None:
    def on_sight(sight: GateSight) -> None:
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


def check_continued(site: Site, settings: Settings, plan: RunPlan, *, as_json: bool) -> None:
    """For a run that continues: raises RedGatesError before a session is paid for if its branch is red by itself. A run
    that repairs its base first continues on a red one.
    """
    gates = gates_of_run(settings.gate_list, plan.spec, plan.without_gates)
    if gates and not plan.base_story:
        asyncio.run(_check_continued(site, settings, plan, gates, as_json=as_json))


async def _check_continued(
    site: Site, settings: Settings, plan: RunPlan, gates: tuple[Gate, ...], *, as_json: bool
) -> None:
    branch = await _present(site, plan.branch, plan.base)
    if not await has_branch(site, environment(), branch):
        return
    base = await open_base(site, settings, environment(), branch, gates)
    await announce(base, branch, gates, lambda text: None if as_json else echo(text))
    report = await base.report(_MARKER)
    found = Red(branch=branch, report=report, further=further(base, report, gates), root=site.root)
    if found.gates:
        raise red_base.refusal_continued(found, plan.run, sys.argv)


async def _beside(started: _Started, gates: Sequence[Gate]) -> None:
    """The checks that run while agents work; they print nothing if all is well."""
    check_sights(await started.base.sights(started.report, f"{_MARKER}.canary"), gates)


def sight_line(sight: GateSight) -> str:
    """What is known of a gate, on one line."""
    return f"gate {sight.gate} {_SAID[sight.sight]}: {sight.why}"


_SAID: Final = {"sees": "sees what it judges", "blind": "is blind", "unknown": "may be blind: this is unknown"}


def check_sights(sights: Sequence[GateSight], gates: Sequence[Gate]) -> None:
    """Raises BlindGateError if a test gate is blind and the settings do not allow that."""
    if blind := refused(sights, gates):
        names = ", ".join(sight.gate for sight in blind)
        origins = {gate.origin for gate in gates if gate.name in {sight.gate for sight in blind}}
        files = " and ".join(sorted(origin or SETTINGS_FILE for origin in origins))
        raise BlindGateError(
            "\n".join(explained(sight) for sight in blind),
            hint=f"change {names} in {files}, then: shiftwork doctor --gates",
        )
