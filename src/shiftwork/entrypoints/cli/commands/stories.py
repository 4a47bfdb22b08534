"""`shiftwork stories`: the stories of a run in a table, with what each of them waits for."""

from collections.abc import Iterator, Sequence
from typing import Final

import click

from shiftwork.app.views import amounts
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView, brief_proof, waiting_text
from shiftwork.app.views.story_list import Line, roll
from shiftwork.bootstrap.state.read_only import liveness, open_queries, silence
from shiftwork.domain.core.ids import RunId
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import next_steps, phrases, usage_table
from shiftwork.entrypoints.cli.render.json import say, used_row
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line
from shiftwork.ports.views import StoryRow

_HEAD: Final = ("story", "state", "step", "landed", "evidence", "tokens", "cost", "title")
_WIDEST: Final = 24
_LINES: Final = 6


@click.command("stories", short_help="List the stories of a run.")
@click.argument("run", default="")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(run: str, *, as_json: bool) -> None:
    """List the stories of a run: the state of each, its commit, and what it waits for or is blocked by.

    RUN is an id or its first characters; default: the newest run.
    """
    site = here()
    queries = open_queries(site, once=True)
    silent = silence(site)
    view = answer(lambda: run_view(queries, run, liveness(), silent=silent))
    lines = answer(lambda: roll(queries, queries.history, RunId(view.run.run)))
    if as_json:
        stand = _stand(view)
        rows = [{**_row(line), "state": stand.get(line.story.story, ""), "step": line.step} for line in lines]
        say({"run": view.run.run, "stories": rows})
        return
    message = list(table(view, lines))
    click.echo("\n".join((*message, *usage_table.legend(message))))


def _stand(view: RunView) -> dict[str, str]:
    return {story.story.story: next_steps.of_story(view, story) for story in view.stories}


def _row(line: Line) -> dict[str, object]:
    values = {"depends_on": line.depends_on, "waits_for": line.waits_for}
    return {**used_row(line.story), **values}


def table(view: RunView, lines: Sequence[Line]) -> Iterator[str]:
    """Only the title is cut to fit; what a story waits for is below it."""
    stand = _stand(view)
    rows = [_HEAD, *(_cells(line, stand.get(line.story.story, "")) for line in lines)]
    room = [max(cells(row[column]) for row in rows) for column in range(len(_HEAD) - 1)]
    for number, row in enumerate(rows):
        fixed = "  ".join(phrases.padded(text, wide) for text, wide in zip(row, room, strict=False))
        yield f"{fixed}  {one_line(row[-1], max(phrases.width() - cells(fixed) - 2, 10))}"
        if number:
            yield from _waits(view, lines[number - 1])


def _cells(line: Line, state: str) -> tuple[str, ...]:
    story, used = line.story, amounts.usage_of(line.story)
    return (
        one_line(story.story, _WIDEST),
        state,
        one_line(line.step, _WIDEST) or ("landing" if _lands(story) else "-"),
        story.landing.commit[:10] or "-",
        brief_proof(story),
        amounts.brief_total(used),
        amounts.brief_cost(used),
        story.title,
    )


def _lands(story: StoryRow) -> bool:
    return story.status == "in_progress" and story.landing.progress == "requested"


def _waits(view: RunView, line: Line) -> Iterator[str]:
    story, room = line.story, phrases.width() - 4
    if story.story in view.undoing:
        yield from phrases.following(next_steps.undoing(view, story.story), f"    {next_steps.UNDOING}: ")
    if story.waiting.waits:
        until = "" if story.waiting.until is None else phrases.o_clock(story.waiting.until)
        whom = f"    waits until {until} for a limit to reset: " if until else "    needs you: "
        yield from phrases.labelled(whom, phrases.wrapped(waiting_text(story), room - len(whom), most=_LINES))
    if story.waiting.needs_person:
        yield from phrases.following(next_steps.replies(view, story), "    answer with: ")
    if story.failure:
        label = f"    {next_steps.ended(story)}: "
        yield from phrases.labelled(label, phrases.gist(story.failure, room - len(label)))
    elif line.waits_for:
        yield f"    {one_line(f'after {", ".join(line.waits_for)}', room)}"
