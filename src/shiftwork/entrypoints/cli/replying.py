"""From what was typed after `answer`, `approve` or `reject` to a story that goes on."""

import asyncio
from collections.abc import Mapping, Sequence

import click

from shiftwork.app.amounts import reached_of
from shiftwork.app.answering import APPROVALS, Reply, Word, approve_all, reply, waiting_in
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
    return _carry_on(site, view, as_json=as_json)


def approved_all(run: str, because: str, *, as_json: bool) -> int:
    """Say yes to every story of the run that waits for approval, and to nothing else."""
    site = here()
    view = answer(lambda: run_view(open_queries(site), run, liveness()))
    waiting = [one.story.story for one in view.stories if one.story.hold in APPROVALS]
    if not waiting:
        raise IntentError(f"no story of run {view.run.run} waits for approval", hint=f"shiftwork status {view.run.run}")
    make_sure(site, view)
    replies = [
        Reply(run=RunId(view.run.run), story=StoryId(story), word=Word.APPROVE, text=because) for story in waiting
    ]
    approved = asyncio.run(_approve_all(site, replies))
    if not view.worker:
        return _carry_on(site, view, as_json=as_json)
    if as_json:
        said = [{"story": story, "asked": hold.detail} for story, hold in approved.items()]
        say({"run": view.run.run, "said": Word.APPROVE.value, "stories": said})
    else:
        named = ", ".join(approved) or "nothing: all were answered in the meantime"
        click.echo(f"approved {named}\nnext: shiftwork status {view.run.run}")
    return EXIT_DONE


def _carry_on(site: Site, view: RunView, *, as_json: bool) -> int:
    from shiftwork.entrypoints.cli import resuming  # noqa: PLC0415 - heavy, and needed only here

    return resuming.carry_on(site, view, as_json=as_json)


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


async def _approve_all(site: Site, spoken: Sequence[Reply]) -> Mapping[StoryId, Hold]:
    async with open_mailbox(site) as box:
        return await approve_all(box.events, box.inbox, spoken)


def _told(view: RunView, spoken: Reply, hold: Hold, *, as_json: bool) -> int:
    if as_json:
        say({"run": view.run.run, "story": spoken.story, "said": spoken.word.value, "asked": hold.detail})
    else:
        click.echo(f"told {spoken.story}\nnext: shiftwork status {view.run.run}")
    return EXIT_DONE
