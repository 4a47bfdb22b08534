"""`shiftwork stories`: the stories of a run in a table, with what each of them waits for."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import click

from shiftwork.app.views import amounts
from shiftwork.app.views.documents.run_documents import stories_document, stories_of_runs_document
from shiftwork.app.views.documents.run_records import Stories
from shiftwork.app.views.overview import Group, overview
from shiftwork.app.views.queries import run_view, unended
from shiftwork.app.views.run_views import UNDOING, RunView, brief_proof, reason
from shiftwork.app.views.story_list import Line as Row
from shiftwork.app.views.story_list import roll
from shiftwork.bootstrap.state.branch_look import seen_on_branch
from shiftwork.bootstrap.state.read_only import liveness, now, open_queries, silence
from shiftwork.config.site import environment
from shiftwork.domain.core.ids import RunId
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import next_steps, phrases, usage_table
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line
from shiftwork.entrypoints.cli.render.story_words import says_of
from shiftwork.entrypoints.cli.terminal.pager import show, unpaged
from shiftwork.entrypoints.cli.terminal.style import Line, Style, has_colors, joined
from shiftwork.errors import UsageError
from shiftwork.ports.store import Reader
from shiftwork.ports.views import StoryRow
from shiftwork.records import replace

_HEAD: Final = ("story", "state", "step", "landed", "evidence", "tokens", "cost", "title")
_DISPENSABLE: Final = ("tokens", "landed")
"""Columns that are left out first on a narrow terminal."""

_WIDEST: Final = 24
_TITLE: Final = 20
_LINES: Final = 6
_STYLES: Final = {
    Group.NEEDS_YOU: Style.YELLOW,
    Group.IN_PROGRESS: Style.BLUE,
    Group.QUEUED: Style.DIM,
    Group.FAILED: Style.RED,
    Group.LANDED: Style.GREEN,
    Group.ENDED: Style.DIM,
}


@click.command("stories", short_help="List the stories of a run.")
@click.argument("run", default="", type=id_completion.RUN)
@click.option("--needs-you", is_flag=True, help="Only stories that need your answer, approval or a higher limit.")
@click.option("--failed", is_flag=True, help="Only stories that have failed.")
@click.option("--in-progress", is_flag=True, help="Only stories that are worked on.")
@click.option("--queued", is_flag=True, help="Only stories that have not started, or are blocked.")
@click.option("--landed", is_flag=True, help="Only stories that have landed.")
@click.option("--all", "everywhere", is_flag=True, help="Of all unfinished runs, not of one.")
@unpaged
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(run: str, *, everywhere: bool, no_pager: bool, as_json: bool, **only: bool) -> None:
    """List the stories of a run: the state of each, its commit, and what it waits for or is blocked by.

    RUN is an id or its first characters; default: the newest run. Several of the options above show several groups.
    `shiftwork stories --all --needs-you` lists what needs you in any run.
    """
    if run and everywhere:
        raise UsageError("name a run or use --all, not both", hint=f"shiftwork stories {run}")
    site = here()
    queries = open_queries(site, once=True)
    silent = silence(site)
    named = [row.run for row in answer(lambda: unended(queries))] if everywhere else [run]
    views = [
        seen_on_branch(
            site, environment(), queries.history, answer(partial(run_view, queries, each, liveness(), silent=silent))
        )
        for each in named
    ]
    chosen = {Group[name.upper()] for name, wanted in only.items() if wanted} or set(Group)
    found = [(view, _rows(queries, view, chosen)) for view in views]
    if as_json:
        documents = [(view, _document(view, rows)) for view, rows in found]
        shown = [(view, one) for view, one in documents if one.stories]
        say(stories_of_runs_document(shown) if everywhere else documents[0][1])
        return
    lines = list(
        _of_runs([(view, rows) for view, rows in found if rows], chosen) if everywhere else listing(*found[0], chosen)
    )
    show(joined(lines, colors=has_colors(environment())), environment(), paged=not no_pager)


def _rows(queries: Reader, view: RunView, chosen: set[Group]) -> list[Row]:
    groups = groups_of(view)
    seen = {entry.story.story: entry.story for entry in view.stories}
    every = [
        replace(row, story=seen.get(row.story.story, row.story))
        for row in answer(lambda: roll(queries, queries.history, RunId(view.run.run)))
    ]
    return [row for row in every if groups.get(row.story.story, Group.QUEUED) in chosen]


def _document(view: RunView, rows: Sequence[Row]) -> Stories:
    waits_for = {row.story.story: row.waits_for for row in rows}
    return stories_document(view, waits_for, only=waits_for)


def _of_runs(found: Sequence[tuple[RunView, Sequence[Row]]], chosen: set[Group]) -> Iterator[Line]:
    if not found:
        words = " or ".join(group.value for group in Group if group in chosen)
        yield Line(f"no story of an unfinished run is in this group: {words}")
        yield Line("next: shiftwork status --all")
    for number, (view, rows) in enumerate(found):
        if number:
            yield Line()
        yield Line(one_line(f"run {view.run.run}: {view.run.title}", phrases.width()), Style.BOLD)
        yield from listing(view, rows, chosen)


def groups_of(view: RunView) -> dict[str, Group]:
    return {item.view.story.story: item.group for item in overview(view, now()).items}


def listing(view: RunView, rows: Sequence[Row], chosen: set[Group]) -> list[Line]:
    if not rows:
        words = " or ".join(group.value for group in Group if group in chosen)
        return [Line(f"no story of run {view.run.run} is in this group: {words}"), Line("next: shiftwork stories")]
    lines = list(table(view, rows))
    return [*lines, *map(Line, usage_table.legend(line.text for line in lines))]


def _stand(view: RunView) -> dict[str, str]:
    return {story.story.story: next_steps.of_story(view, story) for story in view.stories}


def table(view: RunView, rows: Sequence[Row]) -> Iterator[Line]:
    """Only the title is cut to fit, after some columns are left out; what a story waits for is below it."""
    stand, groups = _stand(view), groups_of(view)
    every = [_HEAD, *(_cells(row, stand.get(row.story.story, "")) for row in rows)]
    columns = _columns(every)
    for number, row in enumerate(every):
        fixed = "  ".join(phrases.padded(row[place], wide) for place, wide in columns)
        text = f"{fixed}  {phrases.shortened(row[-1], max(phrases.width() - cells(fixed) - 2, 10))}"
        if not number:
            yield Line(text, Style.DIM)
            continue
        listed = rows[number - 1]
        yield Line(text, _STYLES[groups.get(listed.story.story, Group.QUEUED)])
        yield from map(Line, _waits(view, listed))


def _columns(rows: Sequence[tuple[str, ...]]) -> list[tuple[int, int]]:
    """The place and the width of each column but the title."""
    places = list(range(len(_HEAD) - 1))
    wide = {place: max(cells(row[place]) for row in rows) for place in places}
    for name in _DISPENSABLE:
        if sum(wide[place] + 2 for place in places) + _TITLE > phrases.width():
            places.remove(_HEAD.index(name))
    return [(place, wide[place]) for place in places]


def _cells(row: Row, state: str) -> tuple[str, ...]:
    story, used = row.story, amounts.usage_of(row.story)
    return (
        one_line(story.story, _WIDEST),
        state,
        one_line(row.step, _WIDEST) or ("landing" if _lands(story) else "-"),
        story.landing.commit[:10] or "-",
        brief_proof(story),
        amounts.brief_total(used),
        amounts.brief_cost(used),
        story.title,
    )


def _lands(story: StoryRow) -> bool:
    return story.status == "in_progress" and story.landing.progress == "requested"


def _waits(view: RunView, row: Row) -> Iterator[str]:
    story, room = row.story, phrases.width() - 4
    if story.story in view.undoing:
        yield from phrases.following(next_steps.undoing(view, story.story), f"    {UNDOING}: ")
    if story.waiting.waits:
        until = "" if story.waiting.until is None else phrases.o_clock(story.waiting.until)
        whom = f"    waits until {until} for a limit to reset: " if until else f"    {says_of(story)}: "
        yield from phrases.labelled(whom, phrases.wrapped(reason(story), room - len(whom), most=_LINES))
    if story.waiting.needs_person:
        yield from phrases.following(next_steps.replies(view, story), "    ")
    if story.failure:
        label = f"    {next_steps.ended(story)}: "
        yield from phrases.labelled(label, phrases.gist(story.failure, room - len(label)))
        failed = [
            item for item in view.stories if item.story.story == story.story and story.status in {"failed", "cancelled"}
        ]
        yield from (f"    {command}" for item in failed for command, _ in next_steps.again(view, item))
    elif row.waits_for:
        yield f"    {one_line(f'waits for {", ".join(row.waits_for)}', room)}"
