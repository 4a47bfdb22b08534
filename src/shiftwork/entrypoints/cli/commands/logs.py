"""`shiftwork logs`: what an agent did in an attempt, made readable, and followed while it happens."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import click

from shiftwork.app.queries import Pulse, RunView, StoryView, run_view
from shiftwork.bootstrap.reading import liveness, open_queries
from shiftwork.entrypoints.cli import standing
from shiftwork.entrypoints.cli.answer import answer
from shiftwork.entrypoints.cli.clean import plain
from shiftwork.entrypoints.cli.documents import say
from shiftwork.entrypoints.cli.here import here
from shiftwork.entrypoints.cli.transcript import Said, read
from shiftwork.errors import UsageError
from shiftwork.ports.views import StepRow

_POLL_SECONDS: Final = 0.3
_RESULT_LINES: Final = 8
_LABELS: Final = {"text": "", "result": "->", "final": "answer", "stderr": "stderr", "note": "--"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which attempt: the newest of the step that runs or ran last, unless more is said. Of a story that is not named,
    the one that failed last; where the log is followed, the one that is at work.
    """

    run: str
    story: str
    step: str
    attempt: int | None
    follow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """An attempt and its log."""

    view: RunView
    step: StepRow
    attempt: int
    log: Path


@click.command("logs", short_help="Show what an agent did in an attempt.")
@click.argument("run", default="")
@click.option("--story", default="", metavar="ID", help="A story of the run; else what failed last, or works.")
@click.option("--step", default="", metavar="STEP", help="A step, by its id or type; the latest where none is named.")
@click.option(
    "--attempt", type=click.IntRange(min=1), help="One of the step's attempts; the newest where none is named."
)
@click.option("--raw", is_flag=True, help="Print the lines as the agent wrote them.")
@click.option("-f", "--follow", is_flag=True, help="Go on as the log grows, and with the steps that follow.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; with --follow, one line an event.")
def command(*, raw: bool, follow: bool, as_json: bool, **wanted: str) -> None:
    """Show what an agent did in an attempt, from the log that is kept of it.

    RUN is an id or the beginning of one; the newest run is taken where none is named. Output of tools is shortened;
    --raw shows all of it.
    """
    queries, alive = open_queries(here()), liveness()
    sought = Wanted(**wanted, follow=follow)  # type: ignore[arg-type]  # click gives each option by its name

    def look() -> RunView:
        return answer(lambda: run_view(queries, sought.run, alive))

    show = _show_raw if raw else _show_json if as_json else _show
    if follow:
        for chosen, lines in _follow(look, sought, titled=not (raw or as_json)):
            show(chosen, lines)
        return
    chosen = _demand(look(), sought)
    lines = _lines(chosen.log)
    if as_json and not raw:
        _document(chosen, lines)
        return
    if not raw:
        click.echo(_title(chosen, asked=bool(sought.story)))
    show(chosen, lines)


def _demand(view: RunView, wanted: Wanted) -> Chosen:
    chosen = _choose(view, wanted)
    if chosen is None:
        told = f"no attempt of {wanted.step} has a log" if wanted.step else "no attempt has begun yet"
        raise UsageError(told, hint=f"shiftwork status {view.run.run} shows the steps")
    return chosen


def _choose(view: RunView, wanted: Wanted) -> Chosen | None:
    step = _step(_story(view, wanted), wanted) if view.stories else None
    if step is None:
        return None
    attempt, newest = wanted.attempt or step.attempts, Path(step.log)
    if attempt > step.attempts:
        raise UsageError(f"{step.name} has had {step.attempts} attempts", hint=f"shiftwork status {view.run.run}")
    log = newest.with_name(f"{step.step}-{attempt}{newest.suffix}")
    return Chosen(view=view, step=step, attempt=attempt, log=log)


def _story(view: RunView, wanted: Wanted) -> StoryView:
    found = next((one for one in view.stories if wanted.story == one.story.story), None)
    if found is None and wanted.story:
        known = ", ".join(one.story.story for one in view.stories)
        told = f"the run has no story {wanted.story}; it has {known}"
        raise UsageError(told, hint=f"shiftwork status {view.run.run}")
    return found or _telling(view, wanted)


def _telling(view: RunView, wanted: Wanted) -> StoryView:
    """Of the stories that have anything to show the one that failed last, else the first at work, else the first. Where
    a log is followed, who works goes before who has failed, and before who waits.
    """
    begun = [one for one in view.stories if _step(one, wanted)] or view.stories
    working = [one for one in begun if one.story.status == "in_progress"]
    moving = next((one for one in working if not one.story.waiting), None)
    if wanted.follow and moving:
        return moving
    failed = standing.newest_failure(begun)
    return failed or moving or next(iter(working or begun))


def _step(story: StoryView, wanted: Wanted) -> StepRow | None:
    named = [step for step in story.steps if wanted.step in {"", step.step, step.type, step.name}]
    begun = [step for step in named if step.log]
    working = [step for step in begun if step.status == "in_progress"]
    return next(iter(working or sorted(begun, key=lambda step: -(step.started_at or 0))), None)


def _title(chosen: Chosen, *, asked: bool = True) -> str:
    step, run = chosen.step, chosen.view
    title = f"{step.story} {step.name}, attempt {chosen.attempt} of {step.attempts}    {chosen.log}\n"
    if asked or len(run.stories) == 1:
        return title
    shown = next(standing.of_story(run, one) for one in run.stories if one.story.story == step.story)
    return f"{step.story} ({shown}) is shown; another: shiftwork logs {run.run.run} --story ID\n{title}"


def _lines(log: Path) -> list[str]:
    try:
        return log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise UsageError(f"the log cannot be read: {error.strerror}: {log}") from error


def _show_raw(_chosen: Chosen, lines: list[str]) -> None:
    # As it was written, unless a terminal would obey it. Click would take colours out of what goes elsewhere.
    exactly = not sys.stdout.isatty()
    for line in filter(None, lines):
        click.echo(line if exactly else plain(line), color=exactly)


def _show_json(chosen: Chosen, lines: list[str]) -> None:
    for line in lines:
        for said in read(line):
            say({"step": chosen.step.step, "attempt": chosen.attempt, **asdict(said)})


def _document(chosen: Chosen, lines: list[str]) -> None:
    events = [asdict(said) for line in lines for said in read(line)]
    step = chosen.step
    named = {"run": step.run, "story": step.story, "step": step.step, "type": step.type, "attempt": chosen.attempt}
    say({**named, "log": str(chosen.log), "events": events})


def _show(_chosen: Chosen, lines: list[str]) -> None:
    for line in lines:
        for said in read(line):
            click.echo(_told(said))


def _told(said: Said) -> str:
    """A label, then what was said, its further lines indented under the first."""
    label = said.tool or _LABELS.get(said.who, said.who)
    lines = plain(said.text).strip("\n").split("\n")
    if said.who in {"result", "tool"} and len(lines) > _RESULT_LINES:
        lines = [*lines[:_RESULT_LINES], f"... {len(lines) - _RESULT_LINES} more lines"]
    return "\n".join(f"{plain(label) if number == 0 else '':<10} {line}".rstrip() for number, line in enumerate(lines))


def _follow(look: Callable[[], RunView], wanted: Wanted, *, titled: bool) -> Iterator[tuple[Chosen, list[str]]]:
    """New lines of the attempt that runs, then of the one after it, until nobody works on the run any more."""
    log, offsets = Path(), dict[Path, int]()
    while True:
        # Looked at before reading: what was written until then is read below, so nothing of the end is missed.
        view = look()
        chosen = _choose(view, wanted)
        if chosen and chosen.log != log:
            log = chosen.log
            if titled:
                click.echo(_title(chosen))
        if chosen:
            lines, offsets[log] = _grown(log, offsets.get(log, 0))
            yield chosen, lines
        if view.pulse not in {Pulse.WORKING, Pulse.LIMITED}:
            return
        time.sleep(_POLL_SECONDS)


def _grown(log: Path, offset: int) -> tuple[list[str], int]:
    """The whole lines after a place, and the place after them."""
    try:
        with log.open("rb") as file:
            file.seek(offset)
            new = file.read()
    except FileNotFoundError:
        return [], offset
    whole = new[: new.rfind(b"\n") + 1]
    return whole.decode(errors="replace").split("\n"), offset + len(whole)
