"""Turns a command line into a request to a run: sent to the process that works on it, or done here if there is none."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import click

from shiftwork.app.commands.intents import ask_for, received
from shiftwork.app.commands.runs import forecast
from shiftwork.app.commands.steering import NOTHING, gates_changed, is_over_after, with_options
from shiftwork.app.views.documents.commands.request_documents import Delivery, Receipt
from shiftwork.app.views.documents.request_words import request_word
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.open_inbox import RunInbox, open_inbox
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.gates.gate import gate_name
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import ENDED, StoryStatus
from shiftwork.entrypoints.cli.env.criterion_trust import ensure_commands
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import one_line, plain
from shiftwork.errors import EXIT_DONE
from shiftwork.records import dataclass, replace

PATIENCE_SECONDS: Final = 60.0
"""A long wait, for a busy worker: if it does not answer in time, the user must check again later."""

_LOOK_SECONDS: Final = 1.0
"""How often to check whether the worker is still alive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request in the inbox of a run. `version` is the version of the run's history before it, and `before` is the run
    without it, with all earlier requests applied.
    """

    view: RunView
    before: RunState
    intent: Fact
    version: int
    received: bool

    @property
    def run(self) -> RunId:
        return RunId(self.view.run.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The run continues here if no process works on it, with other `options` if given. Its branch is `judged` first,
    unless the request may be what repairs it.
    """

    options: run_facts.OptionsChanged = NOTHING
    judged: bool = True
    as_json: bool = False


def intend(site: Site, run: str, wanted: Callable[[RunState], Fact], start: Start | None = None) -> Asked:
    """Sends the request to the run in its current state; if a process works on the run, waits until it has received the
    request. If no process does, the run may `start` here afterwards.
    """
    view = answer(lambda: run_view(open_queries(site), run, liveness()))
    if start:
        make_sure(site, view, start)
    return asyncio.run(_intend(site, view, wanted))


def make_sure(site: Site, view: RunView, start: Start) -> None:
    """Checks that the run can continue here if no process works on it, and that its branch is green. Done before
    anything is recorded, because a request that cannot be fulfilled now would block the next one.
    """
    if view.worker is None:
        from shiftwork.bootstrap.state import refused_resume  # noqa: PLC0415 - as below
        from shiftwork.bootstrap.work.ports import check_simulation  # noqa: PLC0415 - heavy, and needed only here
        from shiftwork.entrypoints.cli.gates import base_check  # noqa: PLC0415 - as above
        from shiftwork.entrypoints.cli.work import kept_options  # noqa: PLC0415 - as above

        plan = with_options(kept_options.plan_of(site, RunId(view.run.run)), start.options)
        with refused_resume.remembered(site, view.run.run):
            settings = kept_options.trusted_kept(site, plan).settings
            asyncio.run(check_simulation(site, settings, environment()))
            if start.judged:
                base_check.check_continued(site, settings, plan, as_json=start.as_json)


async def _intend(site: Site, view: RunView, wanted: Callable[[RunState], Fact]) -> Asked:
    run = RunId(view.run.run)
    box = await open_inbox(site)
    sent = await ask_for(box.events, box.inbox, run, wanted, box.clock.fresh())
    asked = Asked(view=view, before=sent.before, intent=sent.intent, version=sent.version, received=False)
    return replace(asked, received=view.worker is not None and await _taken(site, box, asked))


async def _taken(site: Site, box: RunInbox, asked: Asked) -> bool:
    """Whether the worker has received the request; returns as soon as it has, and does not wait for a worker that has
    ended.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while not await received(box.events, asked.run, asked.intent, asked.version, _LOOK_SECONDS):
        view = await run_view(open_queries(site), asked.run, liveness())
        if view.worker is None or time.monotonic() > until:
            return False
    return True


def ensure_criteria(site: Site, run: str, changed: Callable[[RunState], Story], *, trusted: bool) -> None:
    """Returns once the user has agreed to the commands that the criteria of a new or changed story name."""
    view = answer(lambda: run_view(open_queries(site), run, liveness()))
    state = looked_into(site, lambda box: forecast(box.events, box.inbox, RunId(view.run.run)))
    story = changed(state)
    commands = {step.id: step.action for step in gates_changed(state, story).to_agree}
    ensure_commands(story.id, commands, trusted=trusted)


def looked_into[T](site: Site, look: Callable[[RunInbox], Awaitable[T]]) -> T:
    """The result of `look` at history and inbox."""

    async def looking() -> T:
        return await look(await open_inbox(site))

    return asyncio.run(looking())


def report_edited(asked: Asked, story: StoryId, *, as_json: bool) -> int:
    """A retry of a failed or undone story uses the new text, whether or not a process works on the run. The spec's file
    belongs to the user: only landed stories are marked in it, and nothing else is changed.
    """
    ended = asked.before.stories[story].status in ENDED - {StoryStatus.COMPLETED}
    again = f"shiftwork retry {story}{next_steps.naming(asked.view)}" if ended else ""
    file = asked.before.given.source.partition(":")[2]
    spec = f"{plain(file)} is not changed: edit it too if later runs should use the change" if file else ""
    checks = gate_lines(asked.before, getattr(asked.intent, "story"))  # noqa: B009 - an edit has one
    changed = f"{story} is changed in run {asked.run}"
    spec = "\n".join(filter(None, (*checks, spec)))
    done = "\n".join(filter(None, (changed, spec, f"next: {again or f'shiftwork stories {asked.run}'}")))
    return announce(
        asked, done, as_json=as_json, later=again, remark=spec, story=story, spec_file=file, spec_file_changed=False
    )


def gate_lines(before: RunState, story: Story) -> tuple[str, ...]:
    """What verifies the changed story from now on, and what no longer does, a line each."""
    changes = gates_changed(before, story)
    named = (
        *((step, "checked from now on") for step in changes.new),
        *((step, "no longer checked") for step in changes.gone),
    )
    return tuple(
        one_line(f"{word}: {gate_name(story.id, step.id)}: {step.path or step.action}", phrases.width())
        for step, word in named
    )


def announce(asked: Asked, done: str, *, as_json: bool, later: str = "", remark: str = "", **more: Any) -> int:
    """Prints whether the request is done or pending until the run continues. `later` is the command for that, if
    resuming the run is not enough; `remark` is printed in both cases. `more` is for programs.
    """
    if as_json:
        delivery = Delivery.DONE if asked.received else Delivery.WAITING
        say(Receipt(run=asked.run, asked=request_word(asked.intent), delivery=delivery, **more))
        return EXIT_DONE
    if asked.received:
        click.echo(done)
        return EXIT_DONE
    over = is_over_after(asked.before, asked.intent)
    who = "its worker has not answered yet" if asked.view.worker else "no process works on the run"
    resume = next_steps.reviving(asked.view) if over else ((f"shiftwork resume {asked.run}", ""),)
    steps = ((later, ""),) if later else resume
    pending = f"done when the run continues: {who}"
    if over and not asked.view.worker:
        pending = "the run is over, and this is done once it is continued"
    said = (f"requested; {pending}", *([remark] if remark else []))
    click.echo("\n".join((*said, *phrases.following(steps))))
    return EXIT_DONE
