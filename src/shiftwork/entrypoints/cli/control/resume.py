"""Turns `resume` or `retry` into a run that continues, with the options that it keeps."""

from collections.abc import Awaitable, Callable, Iterator, Mapping

import click

from shiftwork.app.commands.intents import at_rest, is_over, unpause
from shiftwork.app.commands.runs import change_options, raise_limits, resume_run
from shiftwork.app.commands.steering import NOTHING, restarted, with_options
from shiftwork.app.runtime.context import Context
from shiftwork.app.views.queries import run_view, unfinished
from shiftwork.app.views.run_views import Activity, RunView, reason
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.entrypoints.cli.control import intents
from shiftwork.entrypoints.cli.env.broken_pipe import though_undelivered
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.gates import base_check
from shiftwork.entrypoints.cli.options.run_options import Changes
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.sanitize import one_line
from shiftwork.entrypoints.cli.work import announcement, kept_options, limit_rules
from shiftwork.entrypoints.cli.work.foreground import Shift, Stop
from shiftwork.entrypoints.cli.work.run_command import work
from shiftwork.entrypoints.cli.work.summary import conclude
from shiftwork.errors import EXIT_DONE
from shiftwork.records import replace


def resume(site: Site, run: str, wanted: Changes, *, as_json: bool) -> int:
    queries, alive = open_queries(site), liveness()
    named = run or answer(lambda: unfinished(queries))
    view = answer(lambda: run_view(queries, named, alive))
    run_id = RunId(view.run.run)
    bounds = wanted.bounds
    options = kept_options.checked(site, view, wanted) if wanted.said else NOTHING
    if view.activity is Activity.OVER and intents.looked_into(
        site, lambda box: is_over(box.events, box.inbox, run_id, options)
    ):
        if wanted.said:
            return _kept(site, view, kept_options.facts(bounds, options), as_json=as_json)
        return conclude(site, run_id, Stop.OVER, as_json=as_json)
    if view.worker and (wanted.said or view.activity is Activity.PAUSED):
        return _output(site, view, kept_options.facts(bounds, options), as_json=as_json)
    waiting = view.activity is Activity.WAITING and next_steps.at_limit(view)
    # The process that raised the limit may have been killed before the run received it.
    if not wanted.said and waiting and intents.looked_into(site, lambda box: at_rest(box.events, box.inbox, run_id)):
        return conclude(site, run_id, Stop.HELD, as_json=as_json)

    async def answered(context: Context) -> None:
        if bounds.said:
            await raise_limits(context.inbox, run_id, context.clock.fresh(), limit_rules.typed(bounds))

    shift = going_on(site, view, answered, options=options, as_json=as_json)
    return work(site, shift, titled(view, shift.settings.agent.use), as_json=as_json, opening=opening(view))


def _kept(site: Site, view: RunView, wanted: Mapping[str, Fact], *, as_json: bool) -> int:
    """Records limits and options for a finished run; they apply when it continues."""
    asked = [intents.intend(site, view.run.run, _exactly(fact)) for fact in wanted.values()][-1]
    if as_json:
        return intents.announce(asked, "", as_json=True)
    kinds = " and ".join(text.rpartition(" ")[2] for text in wanted)
    click.echo(f"run {asked.run} has ended: these {kinds} apply when it continues")
    click.echo("\n".join(phrases.following(next_steps.reviving(view))))
    return EXIT_DONE


def _output(site: Site, view: RunView, facts: Mapping[str, Fact], *, as_json: bool) -> int:
    """The process that works on the run receives the new limits and options, and the end of a pause."""
    run_id, wanted = view.run.run, dict(facts)
    if view.activity is Activity.PAUSED:
        wanted["continues"] = run_facts.RunUnpaused(at=0)
    asked = [intents.intend(site, run_id, _exactly(fact)) for fact in wanted.values()]
    done = f"run {run_id} {' and '.join(wanted)}\nnext: shiftwork status {run_id}"
    return intents.announce(asked[-1], done, as_json=as_json)


def _exactly(fact: Fact) -> Callable[[RunState], Fact]:
    return lambda _: fact


def retry(site: Site, run: str, again: run_facts.StoryRetryRequested, wanted: Changes, *, as_json: bool) -> int:
    """Sends the retry to the process that works on the run; if there is none, the run continues here."""
    options = NOTHING
    if wanted.said:
        options = kept_options.checked(site, answer(lambda: run_view(open_queries(site), run, liveness())), wanted)
    if wanted.bounds.said:
        again = replace(again, limits=limit_rules.typed(wanted.bounds))
    asked = intents.intend(site, run, _exactly(again), carried_on=True, options=options)
    why = restarted(asked.before, again)
    note = f"{again.story} starts again from its first step: {why}" if why else ""
    if asked.view.worker:
        if options != NOTHING:
            intents.intend(site, asked.run, _exactly(options))
        done = f"{note or f'retrying {again.story}'}\nnext: shiftwork status {asked.run}"
        more = {"restarted": why} if why else {}
        return intents.announce(asked, done, as_json=as_json, story=again.story, **more)
    if note and not as_json:
        with though_undelivered():
            click.echo(note)
    named = replace(asked.view.run, title=asked.before.given.spec.title)  # an edit may have changed it
    return carry_on(site, replace(asked.view, run=named), options=options, as_json=as_json)


def carry_on(site: Site, view: RunView, *, options: run_facts.OptionsChanged = NOTHING, as_json: bool) -> int:
    """Continues a run here that no process works on and that has a new request."""
    shift = going_on(site, view, options=options, as_json=as_json)
    return work(site, shift, titled(view, shift.settings.agent.use), as_json=as_json, opening=opening(view))


def opening(view: RunView) -> Iterator[str]:
    """Which run continues, and until when its stories wait."""
    yield one_line(f"run {view.run.run}: {view.run.title}", phrases.width())
    if without := next_steps.without(view):
        yield without
    for story in (item.story for item in view.stories if item.story.waiting.until is not None):
        until = phrases.o_clock(story.waiting.until or 0.0)
        yield one_line(f"{story.story} waits until {until} for a limit to reset: {reason(story)}", phrases.width())


def titled(view: RunView, agent: str) -> str:
    about = (agent, f"landing on {view.run.branch}", next_steps.without(view))
    return f"{view.run.title}\n{', '.join(part for part in about if part)}"


async def _nothing(context: Context) -> None:
    """Nothing to do before the run continues."""


def going_on(
    site: Site,
    view: RunView,
    first: Callable[[Context], Awaitable[None]] = _nothing,
    *,
    options: run_facts.OptionsChanged = NOTHING,
    as_json: bool,
) -> Shift:
    """The remaining work of a run, with the options that it keeps or that were given; this ends a pause."""
    run_id = RunId(view.run.run)
    plan = with_options(kept_options.plan_of(site, run_id), options)
    found = kept_options.trusted_kept(site, plan)
    kept_options.report_differences(plan, found, as_json=as_json)
    with though_undelivered():
        announcement.report_sandbox(site, found.settings, as_json=as_json)
    base_check.check_rungs(site, found.settings, plan)
    present = kept_options.following(plan, found, options)

    async def begin(context: Context) -> RunId:
        await first(context)
        if present != NOTHING:
            await change_options(context.inbox, run_id, context.clock.fresh(), present)
        await unpause(context.events, context.inbox, run_id, context.clock.fresh())
        await resume_run(context, run_id)
        return run_id

    stories = tuple(story_stream(run_id, StoryId(story.story.story)) for story in view.stories)
    return Shift(site=site, settings=found.settings, begin=begin, continues=run_id, stories=stories)
