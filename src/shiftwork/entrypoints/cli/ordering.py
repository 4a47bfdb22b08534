"""From what was typed after `run` or `resume` to work that is under way."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click

from shiftwork.app import amounts, states
from shiftwork.app.commands import Order, change_options, raise_limits, resume_run, start_run
from shiftwork.app.forecasting import expected
from shiftwork.app.intents import at_rest, is_over, unpause
from shiftwork.app.queries import Pulse, RunView, reason, run_view, unfinished
from shiftwork.app.world import World
from shiftwork.bootstrap.agents import installed_instead
from shiftwork.bootstrap.notifying import notice_plan
from shiftwork.bootstrap.reading import liveness, open_queries
from shiftwork.config.prd_template import PRD_FILE
from shiftwork.config.settings import Named, Settings
from shiftwork.config.site import Site, environment
from shiftwork.config.trust import settings_claim
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.ids import RunId, StoryId, landing_stream, story_stream
from shiftwork.domain.model.run import RunState
from shiftwork.domain.model.workflow import Workflow
from shiftwork.domain.rules.options import NOTHING, joined, with_options
from shiftwork.domain.rules.steering import anew
from shiftwork.entrypoints.cli import (
    beforehand,
    intending,
    keeping,
    limiting,
    preflight,
    red_base,
    rehearsing,
    standing,
    words,
)
from shiftwork.entrypoints.cli.answer import answer
from shiftwork.entrypoints.cli.asking import counted, trusted_spec
from shiftwork.entrypoints.cli.beginning import check_alone, nothing_to_do, tell_nothing
from shiftwork.entrypoints.cli.bounds import Bounds
from shiftwork.entrypoints.cli.carrying import learnt_before
from shiftwork.entrypoints.cli.clean import one_line
from shiftwork.entrypoints.cli.conditions import (
    Conditions,
    base_branch,
    ensure_ready,
    find_workflow,
    players,
    trusted_conditions,
)
from shiftwork.entrypoints.cli.options import Changes
from shiftwork.entrypoints.cli.readers import though_unheard
from shiftwork.entrypoints.cli.result import conclude
from shiftwork.entrypoints.cli.sentence import is_blank
from shiftwork.entrypoints.cli.session import Shift, Stop, carry, chosen_view
from shiftwork.entrypoints.cli.trusting import TRUST, ensure
from shiftwork.entrypoints.cli.views import LineView
from shiftwork.errors import EXIT_DONE, UsageError
from shiftwork.ports.specs import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """What was typed; empty where nothing was said."""

    request: str
    branch: str = ""
    agent: str | None = None
    model: str = ""
    bounds: Bounds = Bounds()
    parallel: int | None = None
    workflow: str = ""
    trust: bool = False
    dry_run: bool = False
    without_gates: tuple[str, ...] = ()
    repair_base: bool = False
    review: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be done, and the branch that the one to land on is made from where there is none of that name."""

    sheet: Sheet
    base: str
    workflow: Workflow


def run(site: Site, ordered: Ordered, *, as_json: bool) -> int:
    if is_blank(ordered.request):
        raise UsageError("the request is empty", hint='shiftwork run "what you want done"')
    harmless = ordered.trust or ordered.dry_run  # which runs nothing
    env = environment() | ({TRUST: "1"} if harmless else {})
    found = trusted_conditions(site, env, Named(agent=ordered.agent, model=ordered.model or None))
    workflow = _workflow(site, found.settings, ordered.workflow, env)
    sheet = trusted_spec(site, ordered.request, env)
    if nothing_to_do(sheet, workflow):
        tell_nothing(sheet, as_json=as_json)
        return EXIT_DONE
    base = base_branch(site, found.settings, environment(), wanted=ordered.branch)
    order = _order(site, found, ordered, Asked(sheet=sheet, base=base, workflow=workflow))
    if ordered.dry_run:
        rehearsing.tell(order, found.settings, sheet, as_json=as_json)
        return EXIT_DONE
    check_alone(site, sheet)
    with though_unheard():
        beforehand.announce(site, found, sheet, order, as_json=as_json)
    ready = preflight.cleared(site, found.settings, order, repair=ordered.repair_base, as_json=as_json)
    order = ready.order
    limits = amounts.limited((order.limits.run, order.limits.story, order.limits.step))
    bound = f"at most {limits}" if limits else ""
    repaired = f"{order.base_story} repairs the base first" if order.base_story else ""
    without = states.without(order.without_gates)
    review = "each story waits for your approval before it lands" if order.review else ""
    parts = (order.agent, counted(sheet), f"landing on {order.branch}", review, repaired, without, bound)
    title = f"{order.spec.title}\n{', '.join(part for part in parts if part)}"
    begin = starting(order, installed_instead(found.settings, environment()))
    shift = Shift(site=site, settings=found.settings, begin=begin, beside=ready.beside)
    return work(site, shift, title, as_json=as_json)


def plan_file(request: str) -> str:
    """The plan to run: the file that was named, else the one that `shiftwork plan` writes."""
    if not request and not Path(PRD_FILE).exists():
        raise UsageError(f"there is no {PRD_FILE} here", hint='shiftwork plan "what you want done" writes one')
    return request or PRD_FILE


def work(site: Site, shift: Shift, title: str, *, as_json: bool, opening: Iterable[str] = ()) -> int:
    """Carry the run on, watched, and tell what came of it. The opening is told where there is no table to show it."""
    shown = chosen_view(title, as_json=as_json)
    if isinstance(shown, LineView):
        with though_unheard():
            for line in opening:
                shown.say(line)
    run_id, stop = carry(shift, shown)
    return conclude(site, run_id, stop, as_json=as_json)


def _order(site: Site, found: Conditions, ordered: Ordered, asked: Asked) -> Order:
    settings = found.settings
    limits = limiting.limits(settings.limits, ordered.bounds)
    limiting.check(settings, asked.workflow, limits)
    spec = asked.sheet.spec
    branch = ordered.branch or spec.branch or asked.base
    return Order(
        spec=spec,
        workflow=asked.workflow,
        branch=branch,
        landing=landing_stream(site.repository, branch),
        agent=settings.agent.use,
        limits=replace(limits, escalate=settings.proof.escalate),
        parallel=ordered.parallel or asked.workflow.parallel or settings.run.parallel,
        base=asked.base if branch != asked.base else "",
        source=asked.sheet.source,
        done=asked.sheet.done,
        patterns=learnt_before(site),
        proof=settings.proof.evidence,
        foreseen=answer(lambda: expected(open_queries(site), spec, asked.workflow, asked.sheet.done)),
        notices=notice_plan(settings),
        without_gates=red_base.known_gates(ordered.without_gates, settings.gate_list),
        review=ordered.review or settings.landing.review,
        model=settings.agent.model,
        named=tuple(name for name in ("agent", "model", "parallel") if getattr(ordered, name)),
        trusted=(settings_claim(site.root).sha256,) if ordered.trust else (),
        settings=tuple(found.read.items()),
    )


def _workflow(site: Site, settings: Settings, wanted: str, env: Mapping[str, str]) -> Workflow:
    """Once the user trusts what its file would have run."""
    chosen = find_workflow(site, settings, wanted, env)
    if chosen.claim:
        ensure(chosen.claim, env)
        # Said aside: standard output may be JSON lines, and a repository may have a `dynamic` of its own.
        click.echo(f"workflow {chosen.workflow.id} from {chosen.path}", err=True)
    return chosen.workflow


def starting(order: Order, instead: str = "") -> Callable[[World], Awaitable[RunId]]:
    """Once every agent is there and logged in: that is said now, and not by a run that fails."""

    async def begin(world: World) -> RunId:
        for name in players(order.agent, order.workflow, world.conduct):
            await ensure_ready(world.agents[name], instead if name == order.agent else "")
        return await start_run(world, order)

    return begin


def resume(site: Site, run: str, wanted: Changes, *, as_json: bool) -> int:
    queries, alive = open_queries(site), liveness()
    named = run or answer(lambda: unfinished(queries))
    view = answer(lambda: run_view(queries, named, alive))
    run_id = RunId(view.run.run)
    bounds = wanted.bounds
    options = keeping.checked(site, view, wanted) if wanted.said else NOTHING
    if view.pulse is Pulse.OVER and intending.looked_into(site, lambda box: is_over(box.events, box.inbox, run_id)):
        if wanted.said:
            return _kept(site, view, keeping.facts(bounds, options), as_json=as_json)
        return conclude(site, run_id, Stop.OVER, as_json=as_json)
    if view.worker and (wanted.said or view.pulse is Pulse.PAUSED):
        return _told(site, view, keeping.facts(bounds, options), as_json=as_json)
    waiting = view.pulse is Pulse.WAITING and standing.at_limit(view)
    # Whoever has raised the limit may have been killed before anybody heard of it.
    if not wanted.said and waiting and intending.looked_into(site, lambda box: at_rest(box.events, box.inbox, run_id)):
        return conclude(site, run_id, Stop.HELD, as_json=as_json)

    async def answered(world: World) -> None:
        if bounds.said:
            await raise_limits(world.inbox, run_id, world.clock.fresh(), limiting.typed(bounds))

    shift = going_on(site, view, answered, options=options, as_json=as_json)
    return work(site, shift, titled(view, shift.settings.agent.use), as_json=as_json, opening=opening(view))


def _kept(site: Site, view: RunView, wanted: Mapping[str, Fact], *, as_json: bool) -> int:
    """A run that is over goes on when it is asked for more, and its limits and options hold then."""
    asked = [intending.intend(site, view.run.run, _exactly(fact)) for fact in wanted.values()][-1]
    if as_json:
        return intending.tell(asked, "", as_json=True)
    kinds = " and ".join(told.rpartition(" ")[2] for told in wanted)
    click.echo(f"run {asked.run} is over: these {kinds} hold when it goes on")
    click.echo("\n".join(words.following(standing.reviving(view))))
    return EXIT_DONE


def _told(site: Site, view: RunView, facts: Mapping[str, Fact], *, as_json: bool) -> int:
    """Whoever works on the run is told: of other limits and options, and that a pause is over."""
    run_id, wanted = view.run.run, dict(facts)
    if view.pulse is Pulse.PAUSED:
        wanted["goes on"] = r.RunUnpaused(at=0)
    asked = [intending.intend(site, run_id, _exactly(fact)) for fact in wanted.values()]
    done = f"run {run_id} {' and '.join(wanted)}\nnext: shiftwork status {run_id}"
    return intending.tell(asked[-1], done, as_json=as_json)


def _exactly(fact: Fact) -> Callable[[RunState], Fact]:
    return lambda _: fact


def retry(site: Site, run: str, again: r.StoryRetryRequested, wanted: Changes, *, as_json: bool) -> int:
    """Asked of whoever works on the run; where nobody does, it is carried on here."""
    options = NOTHING
    if wanted.said:
        options = keeping.checked(site, answer(lambda: run_view(open_queries(site), run, liveness())), wanted)
    if wanted.bounds.said:
        again = replace(again, limits=limiting.typed(wanted.bounds))
    asked = intending.intend(site, run, _exactly(again), carried_on=True, options=options)
    why = "" if again.afresh else anew(asked.before, again.story)
    told = f"{again.story} begins anew, with its first step: {why}" if why else ""
    if asked.view.worker:
        if options != NOTHING:
            intending.intend(site, asked.run, _exactly(options))
        done = f"{told or f'{again.story} has another go'}\nnext: shiftwork status {asked.run}"
        more = {"anew": why} if why else {}
        return intending.tell(asked, done, as_json=as_json, story=again.story, **more)
    if told and not as_json:
        with though_unheard():
            click.echo(told)
    named = replace(asked.view.run, title=asked.before.given.spec.title)  # it may have been changed by an edit
    return carry_on(site, replace(asked.view, run=named), options=options, as_json=as_json)


def carry_on(site: Site, view: RunView, *, options: r.OptionsChanged = NOTHING, as_json: bool) -> int:
    """Go on here with a run that nobody works on and that has been asked for more."""
    shift = going_on(site, view, options=options, as_json=as_json)
    return work(site, shift, titled(view, shift.settings.agent.use), as_json=as_json, opening=opening(view))


def opening(view: RunView) -> Iterator[str]:
    """Which run is taken up, and until when nothing can be seen of it."""
    yield one_line(f"run {view.run.run}: {view.run.title}", words.width())
    if without := standing.without(view):
        yield without
    for story in (one.story for one in view.stories if one.story.until is not None):
        until = words.o_clock(story.until or 0.0)
        yield one_line(f"{story.story} waits until {until} for the end of a limit: {reason(story)}", words.width())


def titled(view: RunView, agent: str) -> str:
    about = (agent, f"landing on {view.run.branch}", standing.without(view))
    return f"{view.run.title}\n{', '.join(part for part in about if part)}"


async def _nothing(world: World) -> None:
    """Nothing has to be said before the run goes on."""


def going_on(
    site: Site,
    view: RunView,
    first: Callable[[World], Awaitable[None]] = _nothing,
    *,
    options: r.OptionsChanged = NOTHING,
    as_json: bool,
) -> Shift:
    """The work that is left of a run, with the options that it keeps or that were named; a pause is over with that."""
    queries, alive, run_id = open_queries(site), liveness(), RunId(view.run.run)
    lease = answer(lambda: queries.holder(run_id))
    plan = with_options(keeping.plan_of(site, run_id), options)
    found = keeping.trusted_kept(site, plan)
    keeping.tell_differences(plan, found, as_json=as_json)
    present = joined(options, keeping.following(plan, found))

    async def begin(world: World) -> RunId:
        await first(world)
        if present != NOTHING:
            await change_options(world.inbox, run_id, world.clock.fresh(), present)
        await unpause(world.events, world.inbox, run_id, world.clock.fresh())
        await resume_run(world, run_id, alive=alive(lease.owner) if lease else None)
        return run_id

    stories = tuple(story_stream(run_id, StoryId(one.story.story)) for one in view.stories)
    return Shift(site=site, settings=found.settings, begin=begin, stories=stories)
