"""From what was typed after `resume` or `retry` to a run that continues, with the options that it keeps."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace

import click

from shiftwork.app.commands import change_options, raise_limits, resume_run
from shiftwork.app.intents import at_rest, is_over, unpause
from shiftwork.app.queries import Pulse, RunView, reason, run_view, unfinished
from shiftwork.app.world import World
from shiftwork.bootstrap.reading import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.ids import RunId, StoryId, story_stream
from shiftwork.domain.model.run import RunState
from shiftwork.domain.rules.options import NOTHING, joined, with_options
from shiftwork.domain.rules.steering import anew
from shiftwork.entrypoints.cli import (
    beforehand,
    intending,
    keeping,
    limiting,
    preflight,
    standing,
    words,
)
from shiftwork.entrypoints.cli.answer import answer
from shiftwork.entrypoints.cli.clean import one_line
from shiftwork.entrypoints.cli.options import Changes
from shiftwork.entrypoints.cli.ordering import work
from shiftwork.entrypoints.cli.readers import though_unheard
from shiftwork.entrypoints.cli.result import conclude
from shiftwork.entrypoints.cli.session import Shift, Stop
from shiftwork.errors import EXIT_DONE


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
    """A run that is over continues when it is asked for more, and its limits and options hold then."""
    asked = [intending.intend(site, view.run.run, _exactly(fact)) for fact in wanted.values()][-1]
    if as_json:
        return intending.tell(asked, "", as_json=True)
    kinds = " and ".join(text.rpartition(" ")[2] for text in wanted)
    click.echo(f"run {asked.run} is over: these {kinds} hold when it continues")
    click.echo("\n".join(words.following(standing.reviving(view))))
    return EXIT_DONE


def _told(site: Site, view: RunView, facts: Mapping[str, Fact], *, as_json: bool) -> int:
    """The process that works on the run receives the other limits and options, and that a pause is over."""
    run_id, wanted = view.run.run, dict(facts)
    if view.pulse is Pulse.PAUSED:
        wanted["continues"] = r.RunUnpaused(at=0)
    asked = [intending.intend(site, run_id, _exactly(fact)) for fact in wanted.values()]
    done = f"run {run_id} {' and '.join(wanted)}\nnext: shiftwork status {run_id}"
    return intending.tell(asked[-1], done, as_json=as_json)


def _exactly(fact: Fact) -> Callable[[RunState], Fact]:
    return lambda _: fact


def retry(site: Site, run: str, again: r.StoryRetryRequested, wanted: Changes, *, as_json: bool) -> int:
    """Asked of the process that works on the run; where there is none, it continues here."""
    options = NOTHING
    if wanted.said:
        options = keeping.checked(site, answer(lambda: run_view(open_queries(site), run, liveness())), wanted)
    if wanted.bounds.said:
        again = replace(again, limits=limiting.typed(wanted.bounds))
    asked = intending.intend(site, run, _exactly(again), carried_on=True, options=options)
    why = "" if again.afresh else anew(asked.before, again.story)
    note = f"{again.story} starts again with its first step: {why}" if why else ""
    if asked.view.worker:
        if options != NOTHING:
            intending.intend(site, asked.run, _exactly(options))
        done = f"{note or f'{again.story} is retried'}\nnext: shiftwork status {asked.run}"
        more = {"anew": why} if why else {}
        return intending.tell(asked, done, as_json=as_json, story=again.story, **more)
    if note and not as_json:
        with though_unheard():
            click.echo(note)
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
    """Nothing has to be said before the run continues."""


def going_on(
    site: Site,
    view: RunView,
    first: Callable[[World], Awaitable[None]] = _nothing,
    *,
    options: r.OptionsChanged = NOTHING,
    as_json: bool,
) -> Shift:
    """The work that is left of a run, with the options that it keeps or that were named; a pause is over with that."""
    run_id = RunId(view.run.run)
    plan = with_options(keeping.plan_of(site, run_id), options)
    found = keeping.trusted_kept(site, plan)
    keeping.tell_differences(plan, found, as_json=as_json)
    with though_unheard():
        beforehand.tell_sandbox(site, found.settings, as_json=as_json)
    preflight.check_rungs(site, found.settings, plan)
    present = joined(options, keeping.following(plan, found))

    async def begin(world: World) -> RunId:
        await first(world)
        if present != NOTHING:
            await change_options(world.inbox, run_id, world.clock.fresh(), present)
        await unpause(world.events, world.inbox, run_id, world.clock.fresh())
        await resume_run(world, run_id)
        return run_id

    stories = tuple(story_stream(run_id, StoryId(one.story.story)) for one in view.stories)
    return Shift(site=site, settings=found.settings, begin=begin, stories=stories)
