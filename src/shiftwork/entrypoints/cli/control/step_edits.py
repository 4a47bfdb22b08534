"""Turns `steps add`, `split`, `skip`, `reorder`, `edit` and `restart` into an edit that a story applies."""

import asyncio
import time
from typing import Final

import click

from shiftwork.app.commands.step_edits import Requested, StepRequest, Wanted, applied, request
from shiftwork.app.views.documents.commands.request_documents import Delivery, StepEdit
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.open_inbox import RunInbox, open_inbox
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.core.plain import to_plain
from shiftwork.entrypoints.cli.control.intents import PATIENCE_SECONDS
from shiftwork.entrypoints.cli.control.which_run import check_story_run, chosen
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import next_steps
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import EXIT_DONE

_LOOK_SECONDS: Final = 1.0
"""How often to check whether the worker is still alive."""


def edited(story: str, wanted: Wanted, *, run: str, as_json: bool) -> int:
    """Sends the edit to the story. Waits for its answer, unless an attempt must end or the story must start first, or
    no process works on the run.
    """
    site = here()
    there = f"shiftwork steps … {story} --run {{run}}"
    if not run:
        check_story_run(site, story, there)
    named = run or chosen(site, there)
    view = answer(lambda: run_view(open_queries(site), named, liveness()))
    requested, done = asyncio.run(_edited(site, view, StoryId(story), wanted))
    waits_for, words = ("", "") if done else _waits(view, requested)
    if as_json:
        edit, delivery = to_plain(requested.edit), Delivery.WAITING if waits_for else Delivery.DONE
        say(StepEdit(run=view.run.run, story=story, edit=edit, delivery=delivery, awaits=waits_for))
        return EXIT_DONE
    look = f"shiftwork steps {story}{next_steps.naming(view)}"
    following = f"shiftwork resume {view.run.run}" if waits_for == "resume" else look
    first = plain(requested.text) if done else f"requested; done when {words}: {plain(requested.text)}"
    click.echo(f"{first}\nnext: {following}")
    return EXIT_DONE


def _waits(view: RunView, requested: Requested) -> tuple[str, str]:
    """What the edit waits for: for programs, and in words."""
    if view.worker is None:
        return "resume", "the run continues (no process works on it)"
    if not requested.begun:
        return "start", f"{requested.story} starts"
    if step := requested.running:
        return step.id, f"{step.id} {step.plan.name} has ended"
    return "worker", "the worker of the run answers"


async def _edited(site: Site, view: RunView, story: StoryId, wanted: Wanted) -> tuple[Requested, bool]:
    box = await open_inbox(site)
    asked = StepRequest(run=RunId(view.run.run), story=story, wanted=wanted)
    requested = await request(box.events, box.inbox, asked, box.clock.fresh())
    waits = view.worker is None or not requested.begun or requested.running
    return requested, not waits and await _applied(site, box, requested)


async def _applied(site: Site, box: RunInbox, requested: Requested) -> bool:
    """Whether the story has applied the edit; does not wait for a worker that has ended."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not await applied(box.events, requested, _LOOK_SECONDS):
        view = await run_view(open_queries(site), requested.run, liveness())
        if view.worker is None or time.monotonic() > until:
            return False
    return True
