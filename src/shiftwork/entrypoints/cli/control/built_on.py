"""Finds the stories that landed after another and changed the same files: its revert may not apply before theirs."""

import asyncio

from shiftwork.app.folds import STORY, load
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.open_git import open_changes
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import RunId, StoryId, story_stream
from shiftwork.domain.story.state import Landed


def built_on(site: Site, view: RunView, story: str) -> list[str]:
    """In the order in which they have landed."""
    landed = [item.story for item in view.stories if item.story.landing.commit]
    at = next((row.ended_at or 0.0 for row in landed if row.story == story), 0.0)
    later = sorted((row for row in landed if (row.ended_at or 0.0) > at), key=lambda row: row.ended_at or 0.0)
    names = [row.story for row in later if row.story != story]
    return asyncio.run(_sharing(site, RunId(view.run.run), story, names)) if names else []


async def _sharing(site: Site, run: RunId, story: str, others: list[str]) -> list[str]:
    history, changes = open_queries(site).history, await open_changes(site, environment())

    async def changed(name: str) -> set[str]:
        landed: Landed | None = (await load(history, STORY, story_stream(run, StoryId(name)))).landed
        if landed is None:
            return set()
        return {file.path for file in (await changes.between(landed.base, landed.commit)).files}

    own = await changed(story)
    return [other for other in others if own & await changed(other)]
