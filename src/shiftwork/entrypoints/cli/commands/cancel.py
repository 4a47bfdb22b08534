"""`shiftwork cancel`: ends a run or one of its stories, whether or not a process works on it."""

import asyncio
import time
from typing import Final

import click

from shiftwork.app.commands.intents import cancellation, undo_came_to
from shiftwork.app.commands.runs import cancel_run, resume_run, wait_for
from shiftwork.app.views.documents.run_documents import cancellation_document
from shiftwork.app.views.queries import run_view, unfinished
from shiftwork.app.views.run_views import Activity, RunView, run_label
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.bootstrap.work.ports import check_simulation, open_context
from shiftwork.config.settings.settings import Settings, settings_without_file
from shiftwork.config.site import Site, environment
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.entrypoints.cli.control.intents import PATIENCE_SECONDS, Asked, announce, intend, looked_into
from shiftwork.entrypoints.cli.control.which_run import check_story_run, chosen
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.conditions import conditions
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.env.trust import is_trusted
from shiftwork.entrypoints.cli.hosting import detach
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.next_steps import landed_as, naming
from shiftwork.entrypoints.cli.work import kept_options
from shiftwork.errors import EXIT_DONE, EXIT_FAILED
from shiftwork.ports.views import Queries, StoryRow

_POLL_SECONDS: Final = 0.1
_SERVER_SECONDS: Final = 20.0


@click.command("cancel", short_help="End a run or one of its stories.")
@click.argument("run", default="", type=id_completion.RUN)
@click.option(
    "--story", default="", type=id_completion.STORY, metavar="STORY", help="End only this story; it can be retried."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(run: str, *, story: str, as_json: bool) -> int:
    """End a run: its agents are stopped, and nothing new starts. Its failed stories can still be retried.

    RUN is an id or its first characters; default: the unfinished run. If several are unfinished, you are asked which.
    With --story only that story ends and the others continue; stories that depend on it are blocked. If the story has
    landed and its undo is pending, --story withdraws the undo. A story that has failed is dismissed by it: it counts as
    cancelled, is listed nowhere as failed, and in an ordered run the next story may start.
    """
    site = here()
    queries = open_queries(site)
    typed = f"shiftwork cancel {{run}}{f' --story {story}' if story else ''}"
    named = run or chosen(site, typed) or answer(lambda: unfinished(queries))
    if story and not run:
        check_story_run(site, story, typed, used=named)
    if story:
        return _cancel_story(site, named, StoryId(story), as_json=as_json)
    before = _look(queries, named)
    if before.activity is Activity.OVER:
        return _announce(before, f"run {before.run.run} is over already: {run_label(before.run)}", as_json=as_json)
    run_id = RunId(before.run.run)
    if before.worker is None:
        env = environment()
        asyncio.run(check_simulation(site, _settings(site, run_id), env))
    looked_into(site, lambda box: cancel_run(box.inbox, run_id, box.clock.fresh()))
    served = detach.has_server(site, run_id)  # its server may start a process at any moment
    after = _patiently(queries, run_id, served=served) if before.worker or served else before
    if after.activity is not Activity.OVER and after.worker is None:  # no process works on it, or its process has ended
        asyncio.run(_carry_through(site, _settings(site, run_id), run_id))
        after = _look(queries, run_id)
    if after.activity is not Activity.OVER:
        message = f"requested the end of run {run_id}; its worker has not answered yet"
        _announce(after, f"{message}\nnext: shiftwork status {run_id}", as_json=as_json)
        return EXIT_FAILED
    landed, undone = _landed_meanwhile(before, after), _undone_meanwhile(before, after)
    late = (*(_too_late(after, row) for row in landed), *(_is_undone(after, row) for row in undone))
    message = "\n".join((f"run {run_id} is {run_label(after.run)}", *late))
    _announce(after, message, as_json=as_json, landed=tuple(row.story for row in landed))
    return EXIT_FAILED if late else EXIT_DONE


def _landed_meanwhile(before: RunView, after: RunView) -> tuple[StoryRow, ...]:
    """Stories that landed after the request, because they were past their gates: the user expects that nothing lands
    any more.
    """
    known = {view.story.landing.commit for view in before.stories}
    return tuple(
        view.story for view in after.stories if view.story.landing.commit and view.story.landing.commit not in known
    )


def _undone_meanwhile(before: RunView, after: RunView) -> tuple[StoryRow, ...]:
    """Stories reverted after the request, because the revert was past its gates."""
    known = {view.story.story for view in before.stories if view.story.landing.commit}
    return tuple(view.story for view in after.stories if view.story.story in known and not view.story.landing.commit)


def _is_undone(view: RunView, story: StoryRow) -> str:
    again = f"shiftwork retry {story.story} --from-scratch{naming(view)}"
    return f"it was too late to stop the revert of {story.story}: it has landed\nnext: {again}"


def _too_late(view: RunView, story: StoryRow) -> str:
    return f"it was too late to stop {story.story}: {landed_as(story)}\nnext: {_undoing(story.story, view)}"


def _undoing(story: str, view: RunView) -> str:
    return f"shiftwork undo {story}{naming(view)}"


def _cancel_story(site: Site, run: str, story: StoryId, *, as_json: bool) -> int:
    asked = intend(site, run, lambda before: cancellation(before, story))
    if isinstance(asked.intent, run_facts.StoryDismissalRequested):
        retry = f"shiftwork retry {story} --run {asked.run}"
        done = f"{story} is dismissed: it counts as cancelled, and needs nobody any more\nnext: {retry}"
        return announce(asked, done, as_json=as_json, story=story)
    if story in asked.before.requests.undoing:
        return _withdraw_undo(site, asked, story, as_json=as_json)
    status = _ending(site, asked.run, story) if asked.received else ""
    retry = f"shiftwork retry {story} --run {asked.run}"
    values = {
        "cancelled": f"{story} is cancelled\nnext: {retry}",
        "completed": f"it was too late to stop {story}: it has landed\nnext: {_undoing(story, asked.view)}",
    }
    waits = f"{story} was asked to end and is still running\nnext: shiftwork status {asked.run}"
    more = {"status": status} if status else {}
    code = announce(asked, values.get(status, waits), as_json=as_json, story=story, **more)
    return EXIT_FAILED if asked.received and status != "cancelled" else code


def _withdraw_undo(site: Site, asked: Asked, story: StoryId, *, as_json: bool) -> int:
    """A landed story cannot be cancelled; its revert can, until it is past its gates."""
    fate = None
    if asked.received:
        run, version = asked.run, asked.version
        fate = looked_into(site, lambda box: undo_came_to(box.events, run, story, version, PATIENCE_SECONDS))
    if isinstance(fate, run_facts.StoryUndone):
        again = f"shiftwork retry {story} --from-scratch{naming(asked.view)}"
        announce(asked, f"it was too late to stop the revert of {story}: it has landed\nnext: {again}", as_json=as_json)
        return EXIT_FAILED
    done = f"the undo of {story} is withdrawn: it stays landed\nnext: shiftwork status {asked.run}"
    return announce(asked, done, as_json=as_json, story=story)


def _ending(site: Site, run: RunId, story: StoryId) -> str:
    """The story's status when it has ended, or when the wait times out."""
    queries, until = open_queries(site), time.monotonic() + PATIENCE_SECONDS
    while (status := _status(queries, run, story)) not in {
        "cancelled",
        "failed",
        "completed",
    } and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
    return status


def _status(queries: Queries, run: RunId, story: StoryId) -> str:
    return next(row.status for row in answer(lambda: queries.stories(run)) if row.story == story)


def _look(queries: Queries, run: str) -> RunView:
    return answer(lambda: run_view(queries, run, liveness()))


def _patiently(queries: Queries, run: RunId, *, served: bool) -> RunView:
    """The run when it is over, or as it is when its worker has ended or the wait times out. A server may take a moment
    to start a worker.
    """
    began = time.monotonic()
    while (view := _look(queries, run)).activity is not Activity.OVER:
        patience = PATIENCE_SECONDS if view.worker else _SERVER_SECONDS if served else 0.0
        if time.monotonic() - began >= patience:
            break
        time.sleep(_POLL_SECONDS)
    return view


async def _carry_through(site: Site, settings: Settings, run: RunId) -> None:
    """No process works on the run: do what its worker would have done, and end processes that the last worker left."""
    async with open_context(site, settings, environment()) as context:
        await resume_run(context, run)
        await wait_for(context, run)


def _settings(site: Site, run: RunId) -> Settings:
    """A run can be ended whatever the repository's settings file says by now. Nothing of an untrusted file is used: it
    may name an address for notices, or programs.
    """
    env = environment()
    if is_trusted(settings_claim(site.root), env, kept_options.plan_of(site, run).trusted):
        return conditions(site, env).settings
    return settings_without_file(env)


def _announce(view: RunView, text: str, *, as_json: bool, landed: tuple[str, ...] = ()) -> int:
    if as_json:
        say(cancellation_document(view, landed))
    else:
        click.echo(text)
    return EXIT_DONE
