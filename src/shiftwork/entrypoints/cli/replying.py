"""From what was typed after `answer`, `approve` or `reject` to a story that goes on."""

import asyncio
from collections.abc import Sequence

import click

from shiftwork.app.amounts import reached_of
from shiftwork.app.answering import Reply, Word, reply, waiting_in
from shiftwork.app.queries import RunView, reason, run_view
from shiftwork.bootstrap.looking import open_mailbox
from shiftwork.bootstrap.reading import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.model.ids import RunId, StoryId
from shiftwork.domain.model.story import Hold
from shiftwork.entrypoints.cli import raising, standing
from shiftwork.entrypoints.cli.answer import answer
from shiftwork.entrypoints.cli.documents import say
from shiftwork.entrypoints.cli.here import here
from shiftwork.entrypoints.cli.intending import make_sure
from shiftwork.errors import EXIT_DONE, IntentError, UsageError


def said(run: str, story: str, word: Word, text: str, *, as_json: bool) -> int:
    """Say it; a run that nobody works on is carried on here, one that somebody works on goes on there."""
    site = here()
    queries = open_queries(site)
    view = answer(lambda: run_view(queries, run, liveness()))
    if not run:
        _make_sure_which(view, story, answer(lambda: waiting_in(queries, story)))
    _check_limit(view, story, word)
    make_sure(site, view)
    spoken = Reply(run=RunId(view.run.run), story=StoryId(story), word=word, text=text)
    hold = asyncio.run(_reply(site, spoken))
    if view.worker:
        return _told(view, spoken, hold, as_json=as_json)
    from shiftwork.entrypoints.cli import ordering  # noqa: PLC0415 - heavy, and needed only here

    return ordering.carry_on(site, view, as_json=as_json)


def _make_sure_which(view: RunView, story: str, waiting: Sequence[str]) -> None:
    """Every run has a first story: where one of that name waits elsewhere, what is said might be meant for it."""
    if set(waiting) <= {view.run.run}:
        return
    told = (
        f"in {len(waiting)} runs: {', '.join(waiting)}" if len(waiting) > 1 else f"in run {waiting[0]}, not the newest"
    )
    raise UsageError(
        f"{story} waits for you {told}", hint=f"shiftwork status {waiting[-1]}, then the same with: --run {waiting[-1]}"
    )


def _check_limit(view: RunView, story: str, word: Word) -> None:
    """A limit is not lifted by a yes: what lifts it is told before anything else is looked at."""
    held = next((row for row in standing.at_limit(view) if row.story == story), None)
    if held and word is not Word.REJECT:
        hint = raising.command(view.run.run, reached_of(held))
        raise IntentError(f"{story} has reached its limit: {reason(held)}", hint=hint)


async def _reply(site: Site, spoken: Reply) -> Hold:
    async with open_mailbox(site) as box:
        return await reply(box.events, box.inbox, spoken)


def _told(view: RunView, spoken: Reply, hold: Hold, *, as_json: bool) -> int:
    if as_json:
        say({"run": view.run.run, "story": spoken.story, "said": spoken.word.value, "asked": hold.detail})
    else:
        click.echo(f"told {spoken.story}\nnext: shiftwork status {view.run.run}")
    return EXIT_DONE
