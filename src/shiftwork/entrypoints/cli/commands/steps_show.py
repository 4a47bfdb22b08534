"""`shiftwork steps show`: the steps of a story, who added each of them, and the edits that people have requested."""

from collections.abc import Iterator, Sequence
from typing import Final

import click

from shiftwork.app.commands import step_edits
from shiftwork.app.views.documents.attempt_documents import steps_document
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView
from shiftwork.app.views.step_list import StepLine, StepList
from shiftwork.app.views.story_lookup import check_story
from shiftwork.app.views.text.failure_line import on_one_line
from shiftwork.bootstrap.state.open_inbox import open_inbox
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.story.state import StoryStatus
from shiftwork.entrypoints.cli.control.which_run import check_story_run
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.options.step_edit import addressed
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line, plain
from shiftwork.ports.store import History

_HEAD: Final = ("#", "step", "name", "state", "tries", "added by")
_NUMBERS: Final = frozenset({"#", "tries"})
_WIDEST: Final = 24
_INDENT: Final = "    "
_LINES: Final = 2
_LABELS: Final = {"skipped": "skipped: ", "failed": "failed: ", "cancelled": "cancelled: "}


@click.command("show", short_help="Show the steps of a story.")
@click.argument("story", type=id_completion.STORY)
@addressed
def command(story: str, run: str, *, as_json: bool) -> None:
    """Show the steps of STORY in their order: the state of each, its tries, who added it (the workflow, an agent, a
    person or Shiftwork), its description, and its summary or why it failed or was skipped.

    Also shows edits that people have requested and that are not applied yet, and edits that were rejected.
    """
    site = here()
    queries = open_queries(site)
    if not run:
        check_story_run(site, story, f"shiftwork steps {story} --run {{run}}")
    view = answer(lambda: run_view(queries, run, liveness()))
    check_story(view, story)
    listed = answer(lambda: _listed(site, queries.history, RunId(view.run.run), StoryId(story)))
    if as_json:
        say(steps_document(view.run.run, listed))
    else:
        click.echo("\n".join(_shown(view, listed)))


async def _listed(site: Site, history: History, run: RunId, story: StoryId) -> StepList:
    """From the history of the views, which includes archived runs."""
    box = await open_inbox(site)
    return await step_edits.listed(history, box.inbox, run, story)


def _shown(view: RunView, listed: StepList) -> Iterator[str]:
    state = next(next_steps.of_story(view, item) for item in view.stories if item.story.story == listed.story)
    room = phrases.width()
    yield one_line(f"{listed.story} {listed.title}", room)
    yield f"{state}, run {view.run.run}"
    yield from table([(line, _state(view, line)) for line in listed.steps], room)
    yield from _named("requested, not applied yet", listed.requested)
    yield from _named("rejected", listed.rejected)
    yield from phrases.following(_next(view, listed))


def _next(view: RunView, listed: StepList) -> tuple[phrases.Step, ...]:
    match listed.status:
        case StoryStatus.FAILED | StoryStatus.CANCELLED:
            return tuple(
                next_steps.again(view, next(item for item in view.stories if item.story.story == listed.story))
            )
        case StoryStatus.UNDONE:
            return ((f"shiftwork retry {listed.story} --from-scratch{next_steps.naming(view)}", "does it again"),)
        case StoryStatus.MISSING:
            return ((f"shiftwork retry {listed.story}{next_steps.naming(view)}", "lands it again"),)
        case StoryStatus.COMPLETED:
            return ((f"shiftwork status {view.run.run}", ""),)
        case _:
            return (("shiftwork steps --help", "how to change them"),)


def _state(view: RunView, line: StepLine) -> str:
    return phrases.state(line.status, moving=view.worker is not None)


def table(lines: Sequence[tuple[StepLine, str]], room: int) -> Iterator[str]:
    """A row for each step, and below it its description and its outcome."""
    rows = [_HEAD, *(_cells(line, state) for line, state in lines)]
    wide = [max(cells(row[column]) for row in rows) for column in range(len(_HEAD))]
    for number, row in enumerate(rows):
        columns = zip(_HEAD, row, wide, strict=True)
        yield "  ".join(_aligned(head, text, size) for head, text, size in columns).rstrip()
        if number:
            yield from _below(lines[number - 1][0], room - len(_INDENT))


def _aligned(head: str, text: str, size: int) -> str:
    return text.rjust(size) if head in _NUMBERS else phrases.padded(text, size)


def _cells(line: StepLine, state: str) -> tuple[str, ...]:
    named = line.name if line.name == line.type else f"{line.name} ({line.type})"
    tries = str(line.attempts) if line.attempts else "-"
    return (str(line.number), line.id, one_line(named, _WIDEST), state, tries, line.added_by)


def _below(line: StepLine, room: int) -> Iterator[str]:
    yield from (f"{_INDENT}{text}" for text in phrases.wrapped(line.description, room, most=_LINES))
    if line.outcome:
        label = _LABELS.get(line.status, "→ ")
        said = on_one_line(plain(line.outcome)) if line.status in {"failed", "cancelled"} else line.outcome
        outcome = phrases.wrapped(said, room - len(label), most=_LINES)
        yield from phrases.labelled(f"{_INDENT}{label}", outcome)


def _named(title: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield f"{title}:"
        yield from (f"{_INDENT}{plain(text)}" for text in texts)
