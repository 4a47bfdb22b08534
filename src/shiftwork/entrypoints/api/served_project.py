"""The project that a server serves: what its routes read, and how they send requests."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from fastapi import Request

from shiftwork.app.commands.runs import forecast
from shiftwork.app.hosting.handover import hand_over, handed_over
from shiftwork.app.views.feed.timeline_reader import KnownFacts, known_facts, nothing_known
from shiftwork.app.views.owed_views import owed_on
from shiftwork.app.views.queries import Liveness, Served, Silence, outlines, run_outline, run_view, story_view
from shiftwork.app.views.run_views import Activity, RunOutline, RunView, StoryView
from shiftwork.bootstrap.server.living import will_resume
from shiftwork.bootstrap.state.branch_look import look_on_branch
from shiftwork.bootstrap.state.open_inbox import RunInbox, open_inbox
from shiftwork.bootstrap.state.read_only import liveness, open_feed, open_queries, silence
from shiftwork.bootstrap.state.refused_resume import reason_of
from shiftwork.config.access.tokens import Tokens
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import RunId
from shiftwork.entrypoints.api.access.request_guard import Access
from shiftwork.entrypoints.api.events.window import EventWindow
from shiftwork.entrypoints.api.own_command import OwnCommands
from shiftwork.entrypoints.api.problems import Problem
from shiftwork.entrypoints.api.recent_views import MOST_VIEWS, RecentViews
from shiftwork.entrypoints.api.run_texts import RunTexts
from shiftwork.git_folders import checkout_of
from shiftwork.ports.store import Reader
from shiftwork.ports.views import RunRow
from shiftwork.records import replace

_PATIENCE_SECONDS = 5.0
"""How long a query waits for a Postgres server that cannot be reached."""


class Project:
    """The views of a project, its events, and who may ask for them."""

    def __init__(self, site: Site, env: Mapping[str, str], access: Access) -> None:
        self.site = site
        self.env = env
        self.access = access
        self.alive: Liveness = liveness()
        self.silent: Silence = silence(site)
        self.served: Served = partial(will_resume, site)
        self.commands = OwnCommands()
        self.texts = RunTexts()
        self._opened: tuple[object, Reader] | None = None
        feed = open_feed(site, patience=_PATIENCE_SECONDS)
        self.window = EventWindow(feed, self.queries.history)
        self._recent = RecentViews(feed.written, self.run, time.monotonic)
        self._known: dict[RunId, KnownFacts] = {}

    @property
    def tokens(self) -> Tokens:
        return self.access.tokens

    @property
    def queries(self) -> Reader:
        """Over one connection; opened again when the first run is archived."""
        mark = (self.site.known_project, (self.site.state / "archive").is_dir())
        if self._opened is None or self._opened[0] != mark:
            self._opened = (mark, open_queries(self.site, patience=_PATIENCE_SECONDS, once=True))
        return self._opened[1]

    async def run(self, run: str, *, every_step: bool = False) -> RunView:
        """Read for this call, for those who decide. Raises UnknownRunError."""
        queries = self.queries
        view = await run_view(queries, run, self.alive, every_step=every_step, silent=self.silent, served=self.served)
        return await look_on_branch(self.site, self.env, queries.history, view)

    async def seen(self, run: str) -> RunView:
        """All that is written about the run; that its process has ended may be seen some seconds later. Quicker than
        `run`, for those who only read. Raises UnknownRunError.
        """
        return await self._recent.view(run)

    async def beside_view(self, view: RunOutline) -> Mapping[str, Any]:
        """What the document of a run has and its view has not: why the run was refused to continue the last time, if no
        process works on it, and the gates that its branch owes.
        """
        run, refused = view.run, None if view.worker else reason_of(self.site, view.run.run)
        owed = await owed_on(self.queries.history, run.project, run.branch)
        return {"refused": refused[0] if refused else "", "owed_gates": owed}

    async def known_facts(self, run: RunId) -> KnownFacts:
        """The times in the facts of a run. Those of the last runs are kept: only later facts are read again."""
        known = await known_facts(self.queries.history, self._known.get(run, nothing_known(run)))
        self._known = {**{each: kept for each, kept in self._known.items() if each != run}, run: known}
        while len(self._known) > MOST_VIEWS:
            del self._known[next(iter(self._known))]
        return known

    async def listed(self, limit: int) -> list[tuple[RunRow, Activity]]:
        """The newest runs, each with its activity. As in `status --all`, one that seems stuck is working."""
        return await outlines(self.queries, await self.queries.runs(limit=limit), self.alive, served=self.served)

    async def run_id(self, run: str) -> str:
        """The id of a run; quicker than its view. Raises UnknownRunError."""
        row = await self.queries.run(run)
        return row.run if row else (await self.run(run)).run.run

    async def story(self, run: str, story: str) -> tuple[RunOutline, StoryView]:
        """A story with all its steps, and its run; no other story is read, so it is quicker than a view of the run.
        Raises UnknownRunError, and Problem if the run has no such story.
        """
        found = await run_outline(self.queries, run, self.alive, served=self.served)
        view = await story_view(self.queries, found, story, silent=self.silent)
        if view is None:
            raise _unknown_story(found.run.run, story)
        if view.story.landing.commit:  # only the whole run knows what its branch still has
            view = replace(view, story=story_in(await self.seen(found.run.run), story).story)
        return found, view

    async def run_of(self, run: str, story: str) -> RunId:
        """The id of the run that has this story. Raises as `story` does."""
        named = await self.run_id(run)
        if not await self.queries.stories(named, story=story):
            raise _unknown_story(named, story)
        return RunId(named)

    async def with_inbox[T](self, act: Callable[[RunInbox], Awaitable[T]]) -> T:
        """In a thread: a write may wait for the transaction of another process."""

        async def work() -> T:
            return await act(await open_inbox(self.site))

        return await asyncio.to_thread(lambda: asyncio.run(work()))

    async def continue_run(self, box: RunInbox, view: RunView) -> None:
        """Hands the run over to the server if no process works on it, so that it performs what was requested."""
        if view.worker is None:
            run = RunId(view.run.run)
            before = (await handed_over(box.inbox, self.site.project)).get(run)
            folder = before.folder if before else await self._checkout(box, run)  # its checkout has its gates
            await hand_over(box.inbox, self.site.project, run, folder, box.clock.fresh())

    async def _checkout(self, box: RunInbox, run: RunId) -> str:
        """The checkout that the run was started in; that of the server if git no longer knows it."""
        plan = (await forecast(box.events, box.inbox, run)).given
        found = None if plan.worktree == self.site.worktree else checkout_of(self.site.shared, plan.worktree)
        return str(found or self.site.root)


def project_of(request: Request) -> Project:
    project: Project = request.app.state.project
    return project


def story_in(view: RunView, story: str) -> StoryView:
    """Raises Problem if the run has no such story."""
    found = next((each for each in view.stories if each.story.story == story), None)
    if found is None:
        raise _unknown_story(view.run.run, story)
    return found


def _unknown_story(run: str, story: str) -> Problem:
    return Problem(404, "unknown-story", f"there is no story {story} in run {run}", f"shiftwork stories {run}")
