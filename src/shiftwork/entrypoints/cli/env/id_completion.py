"""Ids of runs and stories on the command line: a shell completes them with those that exist."""

from collections.abc import Iterable
from typing import Final

import click
from click.shell_completion import CompletionItem

from shiftwork.errors import ShiftworkError

_MOST: Final = 50


class RunName(click.ParamType[str]):
    """The id of a run, or its first characters."""

    name = "run"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - click's shape
        return _items(_runs(), incomplete)


class StoryName(click.ParamType[str]):
    """The id of a story: of the run that is named, or of the newest."""

    name = "story"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - click's shape
        return _items(_stories(str(ctx.params.get("run") or "")), incomplete)


RUN: Final = RunName()
STORY: Final = StoryName()


def _items(found: Iterable[tuple[str, str]], begun: str) -> list[CompletionItem]:
    """A shell must never see an error instead of a list."""
    try:
        return [CompletionItem(value, help=title) for value, title in found if value.startswith(begun)]
    except (ShiftworkError, OSError):
        return []


def _runs() -> Iterable[tuple[str, str]]:
    from shiftwork.bootstrap.state.read_only import open_queries  # noqa: PLC0415 - only a completion needs it
    from shiftwork.entrypoints.cli.env.repository import here  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.env.sync_query import answer  # noqa: PLC0415 - as above

    queries = open_queries(here(), once=True)
    yield from ((row.run, row.title) for row in answer(lambda: queries.runs(limit=_MOST)))


def _stories(run: str) -> Iterable[tuple[str, str]]:
    from shiftwork.app.views.queries import run_view  # noqa: PLC0415 - only a completion needs it
    from shiftwork.bootstrap.state.read_only import liveness, open_queries  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.env.repository import here  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.env.sync_query import answer  # noqa: PLC0415 - as above

    queries = open_queries(here(), once=True)
    view = answer(lambda: run_view(queries, run, liveness(), every_step=False))
    yield from ((item.story.story, item.story.title) for item in view.stories)
