"""What a run keeps when it is resumed: the options it started with, compared with the current settings."""

from collections.abc import Iterator, Sequence
from json import dumps, loads
from shlex import quote

import click

from shiftwork.app.commands.explain_gate import gates_by_name
from shiftwork.app.commands.kept_options import Difference, check_profiles, differences
from shiftwork.app.commands.runs import forecast
from shiftwork.app.commands.steering import NOTHING, followed, with_options
from shiftwork.app.views.documents.event_records import SettingsEvent
from shiftwork.app.views.documents.gate_records import SettingChange
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.open_inbox import open_inbox
from shiftwork.config.agents.kinds import AGENTS, DEFAULT_AGENT
from shiftwork.config.settings.recorded import usual
from shiftwork.config.settings.settings import Named, own_agent
from shiftwork.config.site import Site, environment
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunPlan
from shiftwork.entrypoints.cli.env.agent_trust import ensure_agent
from shiftwork.entrypoints.cli.env.broken_pipe import though_undelivered
from shiftwork.entrypoints.cli.env.conditions import Conditions, agreed, claimed, conditions
from shiftwork.entrypoints.cli.env.setup_trust import ensure_setup
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.env.trust import ensure
from shiftwork.entrypoints.cli.gates.red_base import known_gates
from shiftwork.entrypoints.cli.options.limits import Bounds
from shiftwork.entrypoints.cli.options.quiet import is_quiet
from shiftwork.entrypoints.cli.options.run_options import Changes
from shiftwork.entrypoints.cli.render.json import say, this_moment
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.entrypoints.cli.work import limit_rules
from shiftwork.errors import RunBusyError


def plan_of(site: Site, run: RunId) -> RunPlan:
    """The run's plan, with all requests applied."""

    async def look() -> RunPlan:
        box = await open_inbox(site)
        return (await forecast(box.events, box.inbox, run)).given

    return answer(look)


def _named(site: Site, plan: RunPlan, wanted: Changes) -> run_facts.OptionsChanged:
    """The given options, as they are recorded; trust applies to the current content of the file."""
    trusted = (*plan.trusted, *claimed(site)) if wanted.trust else None
    said = {"agent": wanted.agent, "model": wanted.model, "parallel": wanted.parallel}
    names = tuple(name for name, value in said.items() if value is not None)
    return run_facts.OptionsChanged(
        at=0,
        named=names,
        trusted=trusted,
        keep_going=wanted.keep_going or None,
        without_gates=_without(site, plan, wanted.without_gates) if wanted.without_gates else None,
        **said,  # type: ignore[arg-type]  # by their names
    )


def _without(site: Site, plan: RunPlan, named: Sequence[str]) -> tuple[str, ...]:
    """The gates that the run continues without, and those `named` now; raises UsageError for an unknown name."""
    known = gates_by_name(kept_conditions(site, plan).settings.gate_list, plan.spec)
    return tuple(dict.fromkeys((*plan.without_gates, *known_gates(named, known))))


def kept_conditions(site: Site, plan: RunPlan) -> Conditions:
    """The current settings, overridden by what the run keeps. Raises ProfileGoneError if an agent or a profile of the
    run does not exist any more.
    """
    env = environment()
    own = own_agent(site.root, env)["agent.use"]
    instead = own if own in AGENTS else DEFAULT_AGENT
    agent = plan.agent if "agent" in plan.named else None
    if agent is not None and agent not in AGENTS:
        check_profiles(plan, AGENTS, instead)
    found = conditions(site, env, Named(agent=agent, model=plan.model if "model" in plan.named else None))
    present = with_options(plan, following(plan, found))
    check_profiles(present, {found.settings.agent.use, *found.settings.profiles}, instead)
    return found


def following(plan: RunPlan, found: Conditions, named: run_facts.OptionsChanged = NOTHING) -> run_facts.OptionsChanged:
    """The `named` options, and what the settings change in the run for options that the user has not given."""
    settings = found.settings
    return followed(plan, settings.agent.use, settings.agent.model, settings.run.parallel, named)


def trusted_kept(site: Site, plan: RunPlan) -> Conditions:
    """As above, once the user has trusted what the settings would run: for this run, or permanently."""
    found = kept_conditions(site, plan)
    ensure(settings_claim(site.root), environment(), plan.trusted)
    ensure_setup(site, found, environment(), plan.branch, plan.trusted)
    ensure_agent(site, found, environment(), plan.branch, plan.trusted)
    return agreed(found, site, environment(), plan.trusted)


def checked(site: Site, view: RunView, wanted: Changes) -> run_facts.OptionsChanged:
    """The options given for the run. Refuses before anything is recorded: options that change nothing, options that a
    running process would not notice, and limits that cannot be enforced.
    """
    limit_rules.check_raised(view, wanted.bounds)
    run, worker = view.run.run, view.worker
    if worker and wanted.at_start:
        typed = " ".join(wanted.at_start)
        raise RunBusyError(
            f"process {worker.pid} on {worker.host} works on run {run}, and {typed} is only read when it starts",
            hint=f"kill -INT {worker.pid} stops it in order; then: shiftwork resume {run} {typed}",
        )
    plan = plan_of(site, RunId(run))
    options = _named(site, plan, wanted)
    changed = with_options(plan, options)
    limits = changed.limits.raised(limit_rules.typed(wanted.bounds))
    limit_rules.check(kept_conditions(site, changed).settings, changed.workflow, limits)  # only read: nothing is run
    return options


def facts(bounds: Bounds, options: run_facts.OptionsChanged) -> dict[str, Fact]:
    """The requests to the run, by their text in the output."""
    limits = run_facts.LimitsRaised(at=0, limits=limit_rules.typed(bounds))
    found: dict[str, Fact] = {"has new limits": limits} if bounds.said else {}
    return found | ({"has new options": options} if options != NOTHING else {})


def report_differences(plan: RunPlan, found: Conditions, *, as_json: bool) -> None:
    """Prints which settings differ from those that the run started with, and which value is in force."""
    differing = differences(plan, found.read, usual())
    if not differing or is_quiet():
        return
    with though_undelivered():
        if as_json:
            settings = [_document(difference) for difference in differing]
            say(SettingsEvent(time=this_moment(), run=plan.run, settings=settings))
        else:
            click.echo("\n".join(_lines(plan.run, differing)))


def _document(difference: Difference) -> SettingChange:
    values = {name: _value(getattr(difference, name)) for name in ("before", "after", "in_force")}
    return SettingChange(setting=difference.setting, **values, kept=difference.kept)


def _value(text: str) -> object:
    return None if text == "none" else loads(text)


def _lines(run: str, differing: Sequence[Difference]) -> Iterator[str]:
    yield "the settings have changed since this run began:"
    room = max(len(item.setting) for item in differing)
    for difference in differing:
        before, after, in_force = map(_said, (difference.before, difference.after, difference.in_force))
        yield plain(f"  {difference.setting:<{room}}  {before} -> {after}; in force: {in_force}")
    for difference in differing:
        value = _value(difference.after)
        if difference.kept and difference.option and value is not None and difference.after != difference.in_force:
            typed = f"shiftwork resume {run} {difference.option} {quote(str(value))}"
            yield plain(f"  the run keeps its own {difference.setting}; to change it: {typed}")


def _said(text: str) -> str:
    """The value as in the file; a list stays a list, and an empty value is "not set"."""
    return "not set" if text in {"none", "null", dumps("")} else text
