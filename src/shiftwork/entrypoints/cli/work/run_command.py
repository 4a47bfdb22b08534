"""Turns `run` into work in progress."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

import click

from shiftwork.app.commands.context_values import context_values
from shiftwork.app.commands.explain_gate import gates_by_name
from shiftwork.app.commands.forecast import expected
from shiftwork.app.commands.runs import Order, start_run
from shiftwork.app.hosting.handover import record_for_server
from shiftwork.app.runtime import state_labels
from shiftwork.app.runtime.context import Context
from shiftwork.app.views import amounts
from shiftwork.bootstrap.sandbox.sandboxes import open_sandboxes
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.bootstrap.work.agents import Place, build_agents, installed_instead
from shiftwork.bootstrap.work.notifications import notice_plan
from shiftwork.bootstrap.work.ports import check_simulation, open_context, work_policy_of
from shiftwork.config.settings.settings import Named, Settings, writes_parallel
from shiftwork.config.site import Site, environment
from shiftwork.config.templates.prd import PRD_FILE
from shiftwork.domain.core.ids import RunId, landing_stream
from shiftwork.domain.workflow.workflow import Workflow
from shiftwork.entrypoints.cli.env.agent_trust import agent_claim, ensure_agent
from shiftwork.entrypoints.cli.env.broken_pipe import though_undelivered
from shiftwork.entrypoints.cli.env.conditions import Conditions, claimed, trusted_conditions
from shiftwork.entrypoints.cli.env.run_choices import base_branch, check_branch, ensure_ready, find_workflow, profiles
from shiftwork.entrypoints.cli.env.setup_trust import ensure_setup, setup_claim
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.env.trust import TRUST, ensure
from shiftwork.entrypoints.cli.gates import base_check, red_base
from shiftwork.entrypoints.cli.hosting.detach import detach, ready
from shiftwork.entrypoints.cli.live.progress_lines import LineView
from shiftwork.entrypoints.cli.options.free_text import is_blank
from shiftwork.entrypoints.cli.options.limits import Bounds
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.entrypoints.cli.work import announcement, dry_runs, limit_rules
from shiftwork.entrypoints.cli.work.foreground import Shift, Stop, carry, chosen_view
from shiftwork.entrypoints.cli.work.made_plan import finished_plan, show_plan
from shiftwork.entrypoints.cli.work.past_patterns import learnt_before
from shiftwork.entrypoints.cli.work.preflight import check_alone, nothing_to_do, report_nothing
from shiftwork.entrypoints.cli.work.settled_spec import settle
from shiftwork.entrypoints.cli.work.spec_source import asked_for, counted, ensure_spec
from shiftwork.entrypoints.cli.work.summary import conclude
from shiftwork.errors import EXIT_DONE, UsageError
from shiftwork.ports.specs import Form, Sheet
from shiftwork.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """The given arguments; empty if not given."""

    request: str
    branch: str = ""
    agent: str | None = None
    model: str = ""
    bounds: Bounds = Bounds()
    parallel: int | None = None
    keep_going: bool = False
    workflow: str = ""
    trust: bool = False
    dry_run: bool = False
    without_gates: tuple[str, ...] = ()
    repair_base: bool = False
    review: bool = False
    context: tuple[str, ...] = ()
    detach: bool = False
    form: Form = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The work, and the branch from which to create the target branch if it does not exist."""

    sheet: Sheet
    base: str
    workflow: Workflow


def run(site: Site, ordered: Ordered, *, as_json: bool) -> int:
    if is_blank(ordered.request):
        raise UsageError("the request is empty", hint='shiftwork run "what you want done"')
    if ordered.detach and environment().get(TRUST):  # the run keeps the consent: the server does not inherit it
        ordered = replace(ordered, trust=True)
    harmless = ordered.trust or ordered.dry_run  # a dry run runs nothing
    env = environment() | ({TRUST: "1"} if harmless else {})
    sheet = asked_for(
        site, ordered.request, ordered.form
    )  # a mistyped file is reported before any consent is asked for
    found = trusted_conditions(site, env, Named(agent=ordered.agent, model=ordered.model or None))
    workflow = _workflow(site, found.settings, ordered, env)
    ensure_spec(site, sheet, found.settings, env)
    check_branch(site, environment(), ordered.branch or sheet.spec.branch)
    base = base_branch(site, found.settings, environment(), wanted=ordered.branch)
    known = settle(site, sheet, ordered.branch or sheet.spec.branch or base)
    sheet = known.sheet
    for remark in known.remarks:
        click.echo(plain(f"note: {remark}"), err=True)
    if nothing_to_do(sheet, workflow):
        report_nothing(sheet, as_json=as_json)
        return EXIT_DONE
    asked = Asked(sheet=sheet, base=base, workflow=workflow)
    order = replace(_order(site, found, ordered, asked), missing=known.missing)
    if ordered.dry_run:
        dry_runs.announce(order, site, found.settings, sheet, as_json=as_json)
        return EXIT_DONE
    ensure_setup(site, found, env, base)
    ensure_agent(site, found, env, base)
    check_alone(site, sheet)
    asyncio.run(_check_agents(site, found.settings, order))
    with though_undelivered():
        announcement.announce(site, found, sheet, order, as_json=as_json)
    cleared = base_check.cleared(site, found.settings, order, repair=ordered.repair_base, as_json=as_json)
    order = cleared.order
    if ordered.detach:
        begin = partial(record_for_server, order=order)
        return _detached(Shift(site=site, settings=found.settings, begin=begin, beside=cleared.beside), as_json=as_json)
    limits = amounts.limited((order.limits.run, order.limits.story, order.limits.step))
    bound = f"at most {limits}" if limits else ""
    repaired = f"{order.base_story} repairs the base first" if order.base_story else ""
    without = state_labels.without(order.without_gates)
    review = "each story needs your approval before it lands" if order.review else ""
    parts = (order.agent, counted(sheet), f"landing on {order.branch}", review, repaired, without, bound)
    title = f"{order.spec.title}\n{', '.join(part for part in parts if part)}"
    begin = partial(start_run, order=order)
    shift = Shift(site=site, settings=found.settings, begin=begin, beside=cleared.beside)
    return work(site, shift, title, as_json=as_json)


def plan_file(request: str) -> str:
    """The plan to run: the given file, else the one that `shiftwork plan` writes."""
    if not request and not Path(PRD_FILE).exists():
        raise UsageError(f"there is no {PRD_FILE} here", hint='shiftwork plan "what you want done" writes one')
    return request or PRD_FILE


def work(site: Site, shift: Shift, title: str, *, as_json: bool, opening: Iterable[str] = ()) -> int:
    """Works on the run, shows it, and prints the result. The opening is printed only if there is no table."""
    shown = chosen_view(title, as_json=as_json)
    if isinstance(shown, LineView):
        with though_undelivered():
            for line in opening:
                shown.say(line)
    run_id, stop = carry(shift, shown)
    if run_id and stop is Stop.OVER and (plan := finished_plan(site, run_id)):
        spec, file = plan
        return show_plan(site, Sheet(source="", spec=spec), file, as_json=as_json)
    return conclude(site, run_id, stop, as_json=as_json)


def _order(site: Site, found: Conditions, ordered: Ordered, asked: Asked) -> Order:
    settings = found.settings
    limits = limit_rules.limits(settings.limits, ordered.bounds, asked.sheet.limits)
    limit_rules.check(settings, asked.workflow, limits)
    spec = asked.sheet.spec
    branch = ordered.branch or spec.branch or asked.base
    project = site.known_project if ordered.dry_run else site.project  # a dry run records no project
    return Order(
        spec=spec,
        workflow=asked.workflow,
        branch=branch,
        landing=landing_stream(project, branch),
        agent=settings.agent.use,
        limits=replace(limits, escalate=settings.proof.escalate),
        parallel=ordered.parallel or asked.workflow.parallel or settings.run.parallel,
        base=asked.base if branch != asked.base else "",
        source=asked.sheet.source,
        done=asked.sheet.done,
        patterns=(*learnt_before(site), *asked.sheet.patterns),
        proof=settings.proof.evidence,
        forecast=answer(lambda: expected(open_queries(site), spec, asked.workflow, asked.sheet.done)),
        notices=notice_plan(settings, asked.workflow.notify_url),
        without_gates=red_base.known_gates(ordered.without_gates, gates_by_name(settings.gate_list, spec)),
        review=ordered.review or settings.landing.review,
        model=settings.agent.model,
        named=tuple(name for name in ("agent", "model", "parallel") if getattr(ordered, name)),
        trusted=(*claimed(site), *_unconfined(site, found, asked.base)) if ordered.trust else (),
        settings=tuple(found.read.items()),
        ordered=not (ordered.parallel or asked.workflow.parallel or writes_parallel(settings)),
        keep_going=ordered.keep_going or settings.run.keep_going,
        context=context_values(ordered.context),
    )


def _unconfined(site: Site, found: Conditions, base: str) -> tuple[str, ...]:
    """What needs consent without a sandbox, by its digests."""
    setup = (setup_claim(site, found.setup, environment(), base).sha256,) if found.setup else ()
    return (agent_claim(site, found.settings, environment(), base).sha256, *setup)


def _workflow(site: Site, settings: Settings, ordered: Ordered, env: Mapping[str, str]) -> Workflow:
    """The workflow, once the user has agreed to what its file says."""
    chosen = find_workflow(site, settings, ordered.workflow, env)
    given = [name for name, _ in context_values(ordered.context)]
    if chosen.claim:
        ensure(chosen.claim, env)
        # To standard error: standard output may be JSON lines.
        instead = f", in place of {chosen.replaces}" if chosen.replaces else ""
        click.echo(plain(f"workflow {chosen.workflow.id} from {chosen.path}{instead}"), err=True)
    for name in chosen.unresolved(given):
        click.echo(plain(f"note: {name}"), err=True)
    return chosen.workflow


def starting(order: Order) -> Callable[[Context], Awaitable[RunId]]:
    """Starts the run once every agent is installed and logged in: an error appears now, not in a failed run."""

    async def begin(context: Context) -> RunId:
        for name in profiles(order.agent, order.workflow, context.work_policy):
            await ensure_ready(context.agents[name], "")
        return await start_run(context, order)

    return begin


async def _check_agents(site: Site, settings: Settings, order: Order) -> None:
    """Finds an agent that is not installed or not logged in before anything else runs: setup and gates take a while. A
    repository that cannot be worked on is reported first.
    """
    env = environment()
    await check_simulation(site, settings, env)
    sandboxes = await open_sandboxes(site, settings, env)
    agents = build_agents(settings, Place(env=env, sandbox=sandboxes.agents, root=site.root))
    instead = installed_instead(settings, env)
    for name in profiles(order.agent, order.workflow, work_policy_of(settings)):
        await ensure_ready(agents[name], instead if name == order.agent else "")


def _detached(shift: Shift, *, as_json: bool) -> int:
    """Checks here all that `run` checks, also what it checks while agents work: who detaches sees no later error."""
    ready(shift.site)
    return detach(shift.site, asyncio.run(_recorded(shift)), as_json=as_json)


async def _recorded(shift: Shift) -> RunId:
    if shift.beside:
        await shift.beside()
    async with open_context(shift.site, shift.settings, environment()) as context:
        return await shift.begin(context)
