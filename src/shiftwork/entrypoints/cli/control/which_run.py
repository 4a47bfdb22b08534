"""Finds the run to use if none is named: asks the user if several are unfinished, or shows what to type."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

import click

from shiftwork.app.views.queries import LOOKED_THROUGH, has_story, outlines, run_view, runs_with, stories_that, unended
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import FRAME
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.env.trust import can_ask_a_person
from shiftwork.entrypoints.cli.render.next_steps import outlined
from shiftwork.errors import SeveralRunsError, UsageError
from shiftwork.ports.views import RunRow, StoryRow
from shiftwork.records import dataclass

_LISTED: Final = 9
_FEW: Final = 5


RETRIABLE: Final = frozenset({"failed", "cancelled", "undone", "missing"})
LANDED: Final = frozenset({"completed"})


def check_story_run(site: Site, story: str, command: str, states: Collection[str] = (), *, used: str = "") -> None:
    """For a command that names a story and no run: raises UsageError if the run that is `used`, by default the newest,
    does not have the story in one of these states and another run has. Another run is never used silently; `command`
    is as for `chosen`.
    """
    queries = open_queries(site)
    newest = used or answer(lambda: run_view(queries, "", liveness(), every_step=False)).run.run
    if answer(lambda: has_story(queries, newest, story, states)):
        return
    found = answer(lambda: runs_with(queries, story, states))
    if not found and is_run(site, story):
        raise UsageError(f"{story} is a run, not a story", hint=f"shiftwork stories {story}")
    if found:
        where = f"run {found[0]}" if len(found) == 1 else f"the runs {', '.join(found[:_LISTED])}"
        is_there = f"this is possible for {story} in {where}" if states else f"{story} is a story of {where}"
        instead = f"run {used}" if used else f"the newest run, {newest}"
        raise UsageError(f"{is_there}, not in {instead}", hint=command.format(run=found[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicable:
    """The stories that a command can apply to, and what is said of one and of several of them."""

    fits: Callable[[StoryRow], bool]
    one: str
    several: str


NEEDS_YOU: Final = Applicable(fits=lambda story: story.waiting.needs_person, one="needs you", several="need you")
CAN_BE_RETRIED: Final = Applicable(
    fits=lambda story: story.status in RETRIABLE, one="can be retried", several="can be retried"
)
CAN_BE_UNDONE: Final = Applicable(
    fits=lambda story: story.status in LANDED and story.story != FRAME, one="can be undone", several="can be undone"
)


def only_story(site: Site, run: str, command: str, stories: Applicable) -> tuple[str, str]:
    """The only story that the command can apply to, and its run: for a command that names none. Raises UsageError where
    there is none, or more than one; `command` is what to type for one of them.
    """
    queries = open_queries(site)
    found = [row for row in answer(lambda: stories_that(queries, stories.fits)) if row.run.startswith(run)]
    if len(found) == 1:
        return found[0].run, found[0].story
    if not found:
        raise UsageError(f"no story is named, and none {stories.one}", hint="shiftwork status")
    named = ", ".join(f"{row.story} of run {row.run}" for row in found[:_FEW])
    more = f" and {len(found) - _FEW} more" if len(found) > _FEW else ""
    hints = [f"shiftwork {command} {row.story} --run {row.run}" for row in found[:_FEW]]
    raise UsageError(
        f"no story is named, and {len(found)} {stories.several}: {named}{more}", hint="\n       ".join(hints)
    )


def is_run(site: Site, typed: str) -> bool:
    """Whether these are the characters of one run's id."""
    queries = open_queries(site)
    return answer(lambda: queries.run(typed)) is not None


def is_story(site: Site, typed: str) -> bool:
    """Whether a run has a story with this id, and no run has that id itself."""
    queries = open_queries(site)
    return not is_run(site, typed) and bool(answer(lambda: runs_with(queries, typed)))


def chosen(site: Site, command: str) -> str:
    """The unfinished run that the user chooses; empty if there are not several. `command` is the command to type, with
    `{run}` in place of the run's id. Raises SeveralRunsError without a terminal.
    """
    rows = answer(lambda: unended(open_queries(site)))
    return _choice(site, rows, "are unfinished", command) if len(rows) > 1 else ""


def chosen_for_story(site: Site, story: str, command: str, states: Collection[str]) -> str:
    """The run that the user chooses of those that have the story in one of these states; empty for the newest run.
    For a command that would change work which has ended: as `check_story_run`, and several such runs are never one.
    """
    queries = open_queries(site)
    found = answer(lambda: runs_with(queries, story, states))
    if len(found) <= 1:
        check_story_run(site, story, command, states)
        return ""
    rows = answer(lambda: queries.runs(limit=LOOKED_THROUGH))
    named = [row for row in rows if row.run in found]
    return _choice(site, named, f"have a {story} for which this is possible", command)


def _choice(site: Site, rows: Sequence[RunRow], what: str, command: str) -> str:
    """Asks which of these runs to use, or raises SeveralRunsError without a terminal."""
    queries = open_queries(site)
    runs = answer(lambda: outlines(queries, rows[:_LISTED], liveness()))
    more = [f"{len(rows) - len(runs)} more: shiftwork status --all"] if len(rows) > len(runs) else []
    head, *listed = outlined(runs)
    lines = [*listed, *more]
    if not can_ask_a_person():
        reason = "\n".join((f"{len(rows)} runs {what}, and none is named:", *(f"  {line}" for line in (head, *lines))))
        raise SeveralRunsError(reason, hint="\n       ".join(command.format(run=row.run) for row, _ in runs))
    click.echo(f"{len(rows)} runs {what}:")
    click.echo(f"     {head}")
    for number, line in enumerate(lines, start=1):
        click.echo(f"  {number if number <= len(runs) else ' '}  {line}")
    number = click.prompt("which run", type=click.IntRange(1, len(runs)))
    return runs[number - 1][0].run
