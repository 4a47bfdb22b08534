"""Turns `resume` or `retry` into a run that continues, with the options that it keeps."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Final

import click

from shiftwork.app.commands.intents import at_rest, is_over, unpause
from shiftwork.app.commands.kept_options import accepted, check_gates
from shiftwork.app.commands.runs import change_options, forecast, raise_limits, resume_run
from shiftwork.app.commands.steering import NOTHING, landed_by, refiled_story, refusal_of, restarted, with_options
from shiftwork.app.runtime.context import Context
from shiftwork.app.views.documents.commands.request_documents import Delivery, Receipt
from shiftwork.app.views.documents.request_words import LIMITS
from shiftwork.app.views.queries import run_view, unfinished
from shiftwork.app.views.run_views import Activity, RunView, reason
from shiftwork.bootstrap.spec_files import form_of, read_spec
from shiftwork.bootstrap.state import refused_resume
from shiftwork.bootstrap.state.open_git import missing_landed
from shiftwork.bootstrap.state.open_inbox import RunInbox
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.settings.settings import load_settings
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.entrypoints.cli.control import intents
from shiftwork.entrypoints.cli.env.broken_pipe import though_undelivered
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.env.trust import TRUST
from shiftwork.entrypoints.cli.gates import base_check
from shiftwork.entrypoints.cli.hosting import detach
from shiftwork.entrypoints.cli.options.quiet import is_quiet
from shiftwork.entrypoints.cli.options.run_options import Changes
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import one_line, plain
from shiftwork.entrypoints.cli.work import announcement, kept_options, limit_rules
from shiftwork.entrypoints.cli.work.foreground import Shift, Stop
from shiftwork.entrypoints.cli.work.run_command import work
from shiftwork.entrypoints.cli.work.spec_source import ensure_spec
from shiftwork.entrypoints.cli.work.summary import conclude
from shiftwork.errors import EXIT_DONE, RedGatesError, RunBusyError, UsageError
from shiftwork.records import dataclass, replace


async def _nothing(box: RunInbox) -> None:
    """Nothing to do before the run continues."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What happens before a run continues: the requests that `first` records, and changed options. A `hosted` run keeps
    its pause: only a person ends it. The branch is `judged`, unless that was done before the request was recorded, or
    the request may be what repairs it.
    """

    first: Callable[[RunInbox], Awaitable[None]] = _nothing
    options: run_facts.OptionsChanged = NOTHING
    hosted: bool = False
    judged: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Continued:
    """The remaining work of a run, and the requests to it that must be recorded before anybody continues it."""

    shift: Shift
    prepare: Callable[[RunInbox], Awaitable[None]]


_AS_IT_IS: Final = Before()


def resume(site: Site, run: str, wanted: Changes, *, detached: bool = False, as_json: bool) -> int:
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

    async def answered(box: RunInbox) -> None:
        if bounds.said:
            await raise_limits(box.inbox, run_id, box.clock.fresh(), limit_rules.typed(bounds))

    continued = continuing(site, view, Before(first=answered, options=options), as_json=as_json)
    if detached or (view.activity is Activity.PAUSED and detach.has_server(site, run_id)):
        return _detached(site, view, continued, as_json=as_json)
    shift = continued.shift
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


def store_limits(site: Site, run: str, wanted: Changes) -> int:
    """Stores limits for a server, which hands the run over itself: neither gates nor the process that works on the run
    are waited for, and a pause stays.
    """
    view = answer(lambda: run_view(open_queries(site), run, liveness()))
    kept_options.checked(site, view, wanted)
    raised = limit_rules.typed(wanted.bounds)
    intents.looked_into(site, lambda box: raise_limits(box.inbox, RunId(view.run.run), box.clock.fresh(), raised))
    say(Receipt(run=view.run.run, asked=LIMITS, delivery=Delivery.WAITING))
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
    start = intents.Start(options=options, as_json=as_json)
    again = _looked_for(site, run, again)
    refiled = _reread(site, run, again, trusted=wanted.trust)
    asked = intents.intend(site, run, _exactly(again), start)
    if refiled and not as_json and not is_quiet():
        with though_undelivered():
            click.echo("\n".join(refiled))
    why = restarted(asked.before, again)
    note = f"{again.story} starts again from its first step: {why}" if why else ""
    if asked.view.worker:
        if options != NOTHING:
            intents.intend(site, asked.run, _exactly(options))
        done = f"{note or f'retrying {again.story}'}\nnext: shiftwork status {asked.run}"
        more = {"restarted": why} if why else {}
        return intents.announce(asked, done, as_json=as_json, story=again.story, **more)
    if note and not as_json and not is_quiet():
        with though_undelivered():
            click.echo(note)
    named = replace(asked.view.run, title=asked.before.given.spec.title)  # an edit may have changed it
    return carry_on(site, replace(asked.view, run=named), options=options, as_json=as_json)


def _looked_for(site: Site, run: str, again: run_facts.StoryRetryRequested) -> run_facts.StoryRetryRequested:
    """The request, with whether the branch still has what the story has landed: if it does not, the story may land
    again.
    """
    view = answer(lambda: run_view(open_queries(site), run, liveness()))
    state = intents.looked_into(site, lambda box: forecast(box.events, box.inbox, RunId(view.run.run)))
    works = landed_by(state, again.story)
    gone = asyncio.run(missing_landed(site, environment(), state.given.branch, works))
    return replace(again, missing=bool(gone))


def _reread(site: Site, run: str, again: run_facts.StoryRetryRequested, *, trusted: bool) -> tuple[str, ...]:
    """Changes the story as its spec's file has changed since the run last read it, once the user has agreed to the
    commands in the file; returns what to say about that. A retry that will be refused changes nothing.
    """
    view = answer(lambda: run_view(open_queries(site), run, liveness()))
    state = intents.looked_into(site, lambda box: forecast(box.events, box.inbox, RunId(view.run.run)))
    name = state.given.source.partition(":")[2]
    file = site.root / name
    if not name or state.given.worktree != site.worktree or not file.is_file() or refusal_of(state, again):
        return ()
    sheet = read_spec(site, file, form_of(state.given.source))
    story = refiled_story(state, again.story, sheet.spec)
    if story is None:
        return ()
    ensure_spec(site, sheet, load_settings(site.root, {}), environment() | ({TRUST: "1"} if trusted else {}))
    edited = run_facts.StoryEdited(at=0, story=story, from_file=True)
    asked = intents.intend(site, view.run.run, _exactly(edited))
    return (f"{story.id} is read again from {plain(name)}", *intents.gate_lines(asked.before, story))


def _detached(site: Site, view: RunView, continued: Continued, *, as_json: bool) -> int:
    """Everything is checked: the requests are recorded, and the server continues."""
    if view.worker:
        run = view.run.run
        raise RunBusyError(f"run {run} is being worked on by {view.worker}", hint=f"shiftwork status {run} shows it")
    detach.ready(site)
    intents.looked_into(site, continued.prepare)
    return detach.detach(site, RunId(view.run.run), as_json=as_json)


def work_for_server(site: Site, run: str) -> int:
    """Continues a run for the server, which has no terminal. A pause stays: only a person ends it."""
    view = answer(lambda: run_view(open_queries(site), run, liveness()))
    run_id = RunId(view.run.run)
    if view.activity is Activity.OVER and intents.looked_into(
        site, lambda box: is_over(box.events, box.inbox, run_id, NOTHING)
    ):
        return conclude(site, run_id, Stop.OVER, as_json=False)
    try:
        shift = continuing(site, view, Before(hosted=True), as_json=False).shift
    except RedGatesError as error:  # only a person can change that: the server must not try again and again
        raise UsageError(error.message, hint=error.hint) from error
    return work(site, shift, "", as_json=False)


def carry_on(site: Site, view: RunView, *, options: run_facts.OptionsChanged = NOTHING, as_json: bool) -> int:
    """Continues a run here that no process works on and that has a new request; if a server has the run, there."""
    continued = continuing(site, view, Before(options=options, judged=False), as_json=as_json)
    if detach.has_server(site, RunId(view.run.run)):
        return _detached(site, view, continued, as_json=as_json)
    shift = continued.shift
    return work(site, shift, titled(view, shift.settings.agent.use), as_json=as_json, opening=opening(view))


def left_to_server(site: Site, view: RunView) -> bool:
    """Whether a server has the run; then it is asked to continue it."""
    if not detach.has_server(site, RunId(view.run.run)):
        return False
    detach.hand_again(site, RunId(view.run.run))
    return True


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


def _ends(site: Site, run: RunId) -> bool:
    """Whether the run is asked to end, or to revert something, which may be what makes its branch green."""
    requests = intents.looked_into(site, lambda box: forecast(box.events, box.inbox, run)).requests
    return requests.cancelling or bool(requests.undoing)


def _is_cancelled(site: Site, run: RunId) -> bool:
    """Whether the run is asked to end: then nothing lands any more, whatever the gates are."""
    return intents.looked_into(site, lambda box: forecast(box.events, box.inbox, run)).requests.cancelling


def continuing(site: Site, view: RunView, before: Before = _AS_IT_IS, *, as_json: bool) -> Continued:
    """The remaining work of a run, with the options that it keeps or that were given; this ends a pause."""
    run_id, options = RunId(view.run.run), before.options
    plan = with_options(kept_options.plan_of(site, run_id), options)
    with refused_resume.remembered(site, run_id):
        found = kept_options.trusted_kept(site, plan)
        if before.hosted and not _is_cancelled(site, run_id):
            check_gates(plan, found.read)
        kept_options.report_differences(plan, found, as_json=as_json)
        with though_undelivered():
            announcement.report_sandbox(site, found.settings, as_json=as_json)
        if before.judged and not _ends(site, run_id):
            base_check.check_continued(site, found.settings, plan, as_json=as_json)
    present = kept_options.following(plan, found, options)
    if not before.hosted:  # a person has seen the difference
        present = replace(present, settings=accepted(plan, found.read))

    async def prepare(box: RunInbox) -> None:
        await before.first(box)
        if present != NOTHING:
            await change_options(box.inbox, run_id, box.clock.fresh(), present)
        if not before.hosted:
            await unpause(box.events, box.inbox, run_id, box.clock.fresh())

    async def begin(context: Context) -> RunId:
        await prepare(RunInbox(events=context.events, inbox=context.inbox, clock=context.clock))
        await resume_run(context, run_id)
        return run_id

    stories = tuple(story_stream(run_id, StoryId(story.story.story)) for story in view.stories)
    shift = Shift(
        site=site, settings=found.settings, begin=begin, continues=run_id, stories=stories, hosted=before.hosted
    )
    return Continued(shift=shift, prepare=prepare)
