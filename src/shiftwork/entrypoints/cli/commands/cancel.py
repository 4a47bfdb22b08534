"""`shiftwork cancel`: ends a run, or one story of it, whether or not anybody is working on it."""

import asyncio
import time
from typing import Final

import click

from shiftwork.app.commands.intents import undo_came_to
from shiftwork.app.commands.runs import cancel_run, resume_run, wait_for
from shiftwork.app.views.queries import run_view, unfinished
from shiftwork.app.views.run_views import Pulse, RunView
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.bootstrap.work.ports import check_world, open_world
from shiftwork.config.settings.settings import Settings, settings_without_file
from shiftwork.config.site import Site, environment
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.entrypoints.cli.control.intents import PATIENCE_SECONDS, Asked, intend, looked_into, tell
from shiftwork.entrypoints.cli.control.which_run import chosen
from shiftwork.entrypoints.cli.env.conditions import conditions
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.env.trust import is_trusted
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import run_document, say
from shiftwork.entrypoints.cli.render.next_steps import landed_as, naming
from shiftwork.entrypoints.cli.work import kept_options
from shiftwork.errors import EXIT_DONE, EXIT_FAILED
from shiftwork.ports.views import Queries, StoryRow

_POLL_SECONDS: Final = 0.1


@click.command("cancel", short_help="End a run or one of its stories.")
@click.argument("run", default="")
@click.option("--story", default="", metavar="STORY", help="Only this one; it can be retried.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(run: str, *, story: str, as_json: bool) -> int:
    """End a run: its agents are stopped, and nothing more is begun. Its failed stories can still be retried.

    RUN is an id or the beginning of one; where none is named, the one that is not over is taken, and you are asked if
    several are. With --story only that one is ended, and the others go on; what depends on it is blocked. Of a story
    that has landed and is about to be undone, --story withdraws the undo.
    """
    site = here()
    queries = open_queries(site)
    typed = f"shiftwork cancel {{run}}{f' --story {story}' if story else ''}"
    named = run or chosen(site, typed) or answer(lambda: unfinished(queries))
    if story:
        return _cancel_story(site, named, StoryId(story), as_json=as_json)
    before = _look(queries, named)
    if before.pulse is Pulse.OVER:
        return _tell(
            before, f"run {before.run.run} is over already: {phrases.state(before.run.status)}", as_json=as_json
        )
    run_id = RunId(before.run.run)
    if before.worker is None:
        env = environment()
        asyncio.run(check_world(site, _settings(site, run_id), env))
    looked_into(site, lambda box: cancel_run(box.inbox, run_id, box.clock.fresh()))
    after = _patiently(queries, run_id) if before.worker else before
    if after.pulse is not Pulse.OVER and after.worker is None:  # nobody works on it, or nobody does any more
        asyncio.run(_carry_through(site, _settings(site, run_id), run_id))
        after = _look(queries, run_id)
    if after.pulse is not Pulse.OVER:
        told = f"asked for the end of run {run_id}; its worker has not answered yet"
        _tell(after, f"{told}\nnext: shiftwork status {run_id}", as_json=as_json)
        return EXIT_FAILED
    landed, undone = _landed_meanwhile(before, after), _undone_meanwhile(before, after)
    late = (*(_too_late(after, one) for one in landed), *(_is_undone(after, one) for one in undone))
    told = "\n".join((f"run {run_id} is {phrases.state(after.run.status)}", *late))
    _tell(after, told, as_json=as_json, landed=tuple(one.story for one in landed))
    return EXIT_FAILED if late else EXIT_DONE


def _landed_meanwhile(before: RunView, after: RunView) -> tuple[StoryRow, ...]:
    """What was past its gates when its end was asked for: somebody who cancels believes that nothing lands any more."""
    known = {one.story.commit for one in before.stories}
    return tuple(one.story for one in after.stories if one.story.commit and one.story.commit not in known)


def _undone_meanwhile(before: RunView, after: RunView) -> tuple[StoryRow, ...]:
    """What was taken back by a revert that was past its gates."""
    known = {one.story.story for one in before.stories if one.story.commit}
    return tuple(one.story for one in after.stories if one.story.story in known and not one.story.commit)


def _is_undone(view: RunView, story: StoryRow) -> str:
    again = f"shiftwork retry {story.story} --afresh{naming(view)}"
    return f"it was too late to stop the revert of {story.story}: it has landed\nnext: {again}"


def _too_late(view: RunView, story: StoryRow) -> str:
    return f"it was too late to stop {story.story}: {landed_as(story)}\nnext: {_undoing(story.story, view)}"


def _undoing(story: str, view: RunView) -> str:
    return f"shiftwork undo {story}{naming(view)}"


def _cancel_story(site: Site, run: str, story: StoryId, *, as_json: bool) -> int:
    asked = intend(site, run, lambda _: run_facts.StoryCancellationRequested(at=0, story=story))
    if story in asked.before.requests.undoing:
        return _withdraw_undo(site, asked, story, as_json=as_json)
    status = _ending(site, asked.run, story) if asked.heard else ""
    retry = f"shiftwork retry {story} --run {asked.run}"
    told = {
        "failed": f"{story} is cancelled\nnext: {retry}",
        "completed": f"it was too late to stop {story}: it has landed\nnext: {_undoing(story, asked.view)}",
    }
    waits = f"{story} has been told to end, and has not yet\nnext: shiftwork status {asked.run}"
    more = {"status": status} if status else {}
    code = tell(asked, told.get(status, waits), as_json=as_json, story=story, **more)
    return EXIT_FAILED if asked.heard and status != "failed" else code


def _withdraw_undo(site: Site, asked: Asked, story: StoryId, *, as_json: bool) -> int:
    """What has landed cannot be cancelled; its revert can, until it is past its gates."""
    fate = None
    if asked.heard:
        run, version = asked.run, asked.version
        fate = looked_into(site, lambda box: undo_came_to(box.events, run, story, version, PATIENCE_SECONDS))
    if isinstance(fate, run_facts.StoryUndone):
        again = f"shiftwork retry {story} --afresh{naming(asked.view)}"
        tell(asked, f"it was too late to stop the revert of {story}: it has landed\nnext: {again}", as_json=as_json)
        return EXIT_FAILED
    done = f"the undo of {story} is withdrawn: it stays landed\nnext: shiftwork status {asked.run}"
    return tell(asked, done, as_json=as_json, story=story)


def _ending(site: Site, run: RunId, story: StoryId) -> str:
    """How the story stands when it has ended, or when patience has."""
    queries, until = open_queries(site), time.monotonic() + PATIENCE_SECONDS
    while (status := _status(queries, run, story)) not in {"failed", "completed"} and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
    return status


def _status(queries: Queries, run: RunId, story: StoryId) -> str:
    return next(one.status for one in answer(lambda: queries.stories(run)) if one.story == story)


def _look(queries: Queries, run: str) -> RunView:
    return answer(lambda: run_view(queries, run, liveness()))


def _patiently(queries: Queries, run: RunId) -> RunView:
    """The run when it is over, or as it stands when its worker or our patience is gone."""
    until = time.monotonic() + PATIENCE_SECONDS
    while (view := _look(queries, run)).pulse is not Pulse.OVER and view.worker and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
    return view


async def _carry_through(site: Site, settings: Settings, run: RunId) -> None:
    """Nobody works on the run: do what its worker would have done, orphans of the last one included."""
    async with open_world(site, settings, environment()) as world:
        await resume_run(world, run)
        await wait_for(world, run)


def _settings(site: Site, run: RunId) -> Settings:
    """A run can be ended whatever the repository's file says by now. Where that is not trusted, nothing of it is used:
    it may name an address for notices, or programs.
    """
    env = environment()
    if is_trusted(settings_claim(site.root), env, kept_options.plan_of(site, run).trusted):
        return conditions(site, env).settings
    return settings_without_file(env)


def _tell(view: RunView, text: str, *, as_json: bool, landed: tuple[str, ...] = ()) -> int:
    if as_json:
        say({**run_document(view), "landed_meanwhile": list(landed)})
    else:
        click.echo(text)
    return EXIT_DONE
