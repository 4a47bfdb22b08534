"""Hands a run over to the server of the repository, and takes it back into this terminal."""

import click

from shiftwork.app.hosting.handover import hand_over, handed_over, reclaim
from shiftwork.app.views.documents.commands.server_documents import Detached, server_process
from shiftwork.bootstrap.server.living import living_server, reads_same_store
from shiftwork.bootstrap.server.serving import ensure_server, is_handed_over
from shiftwork.bootstrap.state.open_inbox import open_inbox
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import RunId
from shiftwork.entrypoints.cli.env.broken_pipe import though_undelivered
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.errors import EXIT_DONE


def ready(site: Site) -> None:
    """Starts the server if there is none: before anything is recorded that it should work on."""
    ensure_server(site, environment())


def detach(site: Site, run: RunId, *, as_json: bool) -> int:
    """The server works on the run from now on; prints how to watch it."""
    hand(site, run)
    server = ensure_server(site, environment())  # asked for again: one that has begun to stop does not read this
    with though_undelivered():
        if as_json:
            about = server_process(server.owner, server.address)
            say(Detached(run=run, stop="detached", exit_code=EXIT_DONE, server=about))
            return EXIT_DONE
        said = f"run {run} is handed over to the server of this repository, {server.owner}"
        click.echo("\n".join(phrases.at_words(said)))
        steps = (
            (f"shiftwork status {run}", ""),
            (f"shiftwork logs {run} --follow", ""),
        )
        click.echo("\n".join(phrases.following(steps)))
    return EXIT_DONE


def hand(site: Site, run: RunId) -> None:
    """Only records that the server is to work on the run."""
    answer(lambda: _hand_over(site, run))


def hand_again(site: Site, run: RunId) -> None:
    """As above; the run stays in the checkout that it was handed over from."""
    answer(lambda: _hand_again(site, run))


def has_server(site: Site, run: RunId) -> bool:
    """Whether the run belongs to a server that lives: then that continues it, and not this terminal."""
    server = living_server(site)
    return server is not None and reads_same_store(site, server) and answer(lambda: is_handed_over(site, run))


def keep_here(site: Site, run: RunId) -> None:
    """The run continues in this terminal: a server must not continue it when somebody has stopped it here."""
    if answer(lambda: is_handed_over(site, run)):
        answer(lambda: _reclaim(site, run))


async def _hand_over(site: Site, run: RunId) -> None:
    box = await open_inbox(site)
    await hand_over(box.inbox, site.project, run, str(site.root), box.clock.fresh())


async def _hand_again(site: Site, run: RunId) -> None:
    box = await open_inbox(site)
    before = (await handed_over(box.inbox, site.project)).get(run)
    await hand_over(box.inbox, site.project, run, before.folder if before else str(site.root), box.clock.fresh())


async def _reclaim(site: Site, run: RunId) -> None:
    box = await open_inbox(site)
    await reclaim(box.inbox, site.project, run, box.clock.fresh())
