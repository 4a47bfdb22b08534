"""From what was typed to what is asked of a run: left for whoever works on it, or done here where nobody does."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

import click

from shiftwork.app.commands.intents import ask, heard
from shiftwork.app.commands.runs import foreseen
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.open_history import Mailbox, open_mailbox
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RUN_ENDED, RunState
from shiftwork.domain.run.steering.options import NOTHING, with_options
from shiftwork.domain.story.state import StoryStatus
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import EXIT_DONE

PATIENCE_SECONDS: Final = 60.0
"""For a worker that lives, but has much to do: whoever is told that it has not answered has to look again."""

_LOOK_SECONDS: Final = 1.0
"""So often it is asked whether the worker is still there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An intent that lies in the inbox of a run. `version` is how far the run's history had come before it, and
    `before` is the run as it would be without it, all its mail read.
    """

    view: RunView
    before: RunState
    intent: Fact
    version: int
    heard: bool

    @property
    def run(self) -> RunId:
        return RunId(self.view.run.run)


def intend(
    site: Site,
    run: str,
    wanted: Callable[[RunState], Fact],
    *,
    carried_on: bool = False,
    options: run_facts.OptionsChanged = NOTHING,
) -> Asked:
    """Ask for what is wanted of the run as it stands; where somebody works on it, wait until they have heard of it.

    Where nobody does, the run may be `carried_on` here afterwards, with other `options` where these are named.
    """
    view = answer(lambda: run_view(open_queries(site), run, liveness()))
    if carried_on:
        make_sure(site, view, options)
    return asyncio.run(_intend(site, view, wanted))


def make_sure(site: Site, view: RunView, options: run_facts.OptionsChanged = NOTHING) -> None:
    """That the run can be carried on here, where nobody works on it: asked before anything is recorded of it, because a
    request that cannot be followed now would stand in the way of the next one.
    """
    if view.worker is None:
        from shiftwork.bootstrap.work.ports import check_world  # noqa: PLC0415 - heavy, and needed only here
        from shiftwork.entrypoints.cli.work import kept_options  # noqa: PLC0415 - as above

        plan = with_options(kept_options.plan_of(site, RunId(view.run.run)), options)
        asyncio.run(check_world(site, kept_options.trusted_kept(site, plan).settings, environment()))


async def _intend(site: Site, view: RunView, wanted: Callable[[RunState], Fact]) -> Asked:
    run = RunId(view.run.run)
    async with open_mailbox(site) as box:
        before = await foreseen(box.events, box.inbox, run)
        intent = wanted(before)
        version = await ask(box.events, box.inbox, run, intent, box.clock.fresh())
        asked = Asked(view=view, before=before, intent=intent, version=version, heard=False)
        return replace(asked, heard=view.worker is not None and await _taken(site, box, asked))


async def _taken(site: Site, box: Mailbox, asked: Asked) -> bool:
    """Whether the worker has heard of it, as soon as it has; nobody waits for one that is gone."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not await heard(box.events, asked.run, asked.intent, asked.version, _LOOK_SECONDS):
        view = await run_view(open_queries(site), asked.run, liveness())
        if view.worker is None or time.monotonic() > until:
            return False
    return True


def looked_into[T](site: Site, look: Callable[[Mailbox], Awaitable[T]]) -> T:
    """What a look at history and inbox gives."""

    async def looking() -> T:
        async with open_mailbox(site) as box:
            return await look(box)

    return asyncio.run(looking())


def tell_edited(asked: Asked, story: StoryId, *, as_json: bool) -> int:
    """One that has failed or is undone is done as it then reads when it is retried, whether or not anybody works on the
    run. The spec's file is the user's: it says what has landed, and nothing else in it is changed.
    """
    ended = asked.before.stories[story].status in {StoryStatus.FAILED, StoryStatus.UNDONE}
    again = f"shiftwork retry {story}{next_steps.naming(asked.view)}" if ended else ""
    file = asked.before.given.source.partition(":")[2]
    spec = f"{plain(file)} is not changed: edit it too if later runs are to read it so" if file else ""
    changed = f"{story} is changed in run {asked.run}"
    done = "\n".join(filter(None, (changed, spec, f"next: {again or f'shiftwork stories {asked.run}'}")))
    return tell(
        asked, done, as_json=as_json, later=again, remark=spec, story=story, spec_file=file, spec_file_changed=False
    )


def tell(asked: Asked, done: str, *, as_json: bool, later: str = "", remark: str = "", **more: str | bool) -> int:
    """Say what became of it: done, or lying there until the run goes on. `later` is what to type for that, where more
    is needed than to resume the run; `remark` is said in either case.
    """
    if as_json:
        state = "done" if asked.heard else "waiting"
        say({"run": asked.run, "asked": type(asked.intent).__name__, "state": state, **more})
        return EXIT_DONE
    if asked.heard:
        click.echo(done)
        return EXIT_DONE
    over = evolve_run(asked.before, asked.intent).status in RUN_ENDED  # most of what is asked opens it again
    idle = "the run is over" if over else "nobody works on the run"
    who = "its worker has not answered yet" if asked.view.worker else idle
    resume = next_steps.reviving(asked.view) if over else ((f"shiftwork resume {asked.run}", ""),)
    steps = ((later, ""),) if later else resume
    said = (f"asked for, and done when the run goes on: {who}", *([remark] if remark else []))
    click.echo("\n".join((*said, *phrases.following(steps))))
    return EXIT_DONE
