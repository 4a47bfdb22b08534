"""`shiftwork logs`: what an agent did in an attempt, made readable, and followed while it happens."""

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click

from shiftwork.app.views.documents.attempt_documents import Log, LogEntry
from shiftwork.app.views.documents.event_records import LogEvent
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.read_only import liveness, log_of, open_queries
from shiftwork.config.site import Site, environment
from shiftwork.entrypoints.cli.control.which_run import check_story_run, is_story
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.logs.log_lookup import Chosen, Wanted, choose, follow
from shiftwork.entrypoints.cli.logs.transcript import Said, read
from shiftwork.entrypoints.cli.render import next_steps
from shiftwork.entrypoints.cli.render.json import say, this_moment
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.entrypoints.cli.terminal.pager import show, unpaged
from shiftwork.errors import UsageError
from shiftwork.ports.views import StepRow
from shiftwork.records import replace

_RESULT_LINES: Final = 8
_LABELS: Final = {"text": "", "result": "->", "final": "answer", "stderr": "stderr", "note": "--"}


@click.command("logs", short_help="Show what an agent did in an attempt.")
@click.argument("run", default="", type=id_completion.RUN)
@click.option(
    "--story",
    default="",
    type=id_completion.STORY,
    metavar="ID",
    help="The story to show; default: the last that failed, else one in progress.",
)
@click.option("--step", default="", metavar="STEP", help="A step id or type; default: the latest.")
@click.option("--attempt", type=click.IntRange(1, 1_000_000), help="An attempt of the step; default: the newest.")
@click.option("--gates", is_flag=True, help="Show the stored output of the gates instead, of each story.")
@click.option("--raw", is_flag=True, help="Print the lines as the agent wrote them.")
@click.option("-f", "--follow", is_flag=True, help="Follow the log as it grows, and the steps after it.")
@unpaged
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; with --follow, one line an event.")
def command(*, gates: bool, raw: bool, no_pager: bool, as_json: bool, **wanted: str) -> None:
    """Show what an agent did in an attempt, from its log; or what the gates printed about its work.

    RUN is an id or its first characters; default: the newest run. The id of a story shows that story. Output of tools
    is shortened; --raw shows all of it.
    """
    site, alive = here(), liveness()
    queries = open_queries(site)
    sought = Wanted(**wanted)  # type: ignore[arg-type]  # click gives each option by its name
    if sought.run and not sought.story and is_story(site, sought.run):
        sought = replace(sought, run="", story=sought.run)
    if sought.story and not sought.run:
        check_story_run(site, sought.story, f"shiftwork logs {{run}} --story {sought.story}")

    def look() -> RunView:
        return _located(site, answer(lambda: run_view(queries, sought.run, alive)))

    if gates:
        from shiftwork.entrypoints.cli.logs import gate_logs  # noqa: PLC0415 - heavy, and needed only here

        gate_logs.show(site, look(), sought, as_json=as_json, paged=not no_pager)
        return
    if sought.follow:
        _follow(look, sought, raw=raw, as_json=as_json)
        return
    chosen = _demand(look(), sought)
    lines = _lines(chosen.log)
    if raw:
        _show_raw(chosen, lines)
    elif as_json:
        _document(chosen, lines)
    else:
        text = [_title(chosen, asked=bool(sought.story))]
        printer = AttemptPrinter(text.append)
        printer(chosen, lines)
        printer.end(chosen)
        show("\n".join(text), environment(), paged=not no_pager)


def _located(site: Site, view: RunView) -> RunView:
    def located(step: StepRow) -> StepRow:
        return replace(step, log=str(log_of(site, step.log))) if step.log else step

    return replace(
        view, stories=[replace(story, steps=[located(step) for step in story.steps]) for story in view.stories]
    )


def _follow(look: Callable[[], RunView], sought: Wanted, *, raw: bool, as_json: bool) -> None:
    before: Chosen | None = None
    printer = AttemptPrinter()
    for chosen, lines in follow(look, sought):
        if raw or as_json:
            (_show_raw if raw else _show_json)(chosen, lines)
            continue
        if before is None or before.log != chosen.log:
            if before:
                printer.end(before)
            click.echo(_title(chosen))
        printer(chosen, lines)
        before = chosen
    if before:
        printer.end(before)


def _demand(view: RunView, wanted: Wanted) -> Chosen:
    chosen = choose(view, wanted)
    if chosen is None:
        message = f"no attempt of {wanted.step} has a log" if wanted.step else "no attempt has started yet"
        raise UsageError(message, hint=f"shiftwork status {view.run.run} shows the steps")
    return chosen


def _title(chosen: Chosen, *, asked: bool = True) -> str:
    step, run = chosen.step, chosen.view
    title = f"{step.story} {step.name}, attempt {chosen.attempt} of {step.attempts}    {chosen.log}\n"
    if asked or len(run.stories) == 1:
        return title
    shown = next(next_steps.of_story(run, view) for view in run.stories if view.story.story == step.story)
    return f"{step.story} ({shown}) is shown; for another story: shiftwork logs {run.run.run} --story ID\n{title}"


def _lines(log: Path) -> list[str]:
    try:
        return log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise UsageError(f"the log cannot be read: {error.strerror}: {log}") from error


def _show_raw(_chosen: Chosen, lines: list[str]) -> None:
    # As the agent wrote it, unless a terminal would interpret it. Click would remove colours from output that goes
    # elsewhere.
    exactly = not sys.stdout.isatty()
    for line in filter(None, lines):
        click.echo(line if exactly else plain(line), color=exactly)


def _show_json(chosen: Chosen, lines: list[str]) -> None:
    for line in lines:
        for said in read(line):
            say(_event(chosen, said))


def _event(chosen: Chosen, said: Said) -> LogEvent:
    step = chosen.step
    return LogEvent(
        time=this_moment(),
        run=step.run,
        story=step.story,
        step=step.step,
        attempt=chosen.attempt,
        who=said.who,
        tool=said.tool,
        text=said.text,
    )


def _document(chosen: Chosen, lines: list[str]) -> None:
    entries = [LogEntry(**asdict(said)) for line in lines for said in read(line)]
    step = chosen.step
    say(
        Log(
            run=step.run,
            story=step.story,
            step=step.step,
            type=step.type,
            attempt=chosen.attempt,
            log=str(chosen.log),
            entries=entries,
        )
    )


class AttemptPrinter:
    """Prints one attempt after another, nothing twice, and the result where the log does not state it."""

    def __init__(self, echo: Callable[[str], None] = click.echo) -> None:
        self._echo = echo
        self._text = ""
        self._silent = True

    def __call__(self, _chosen: Chosen, lines: list[str]) -> None:
        for line in lines:
            for said in read(line):
                # Claude Code repeats its last words as its answer.
                if said.who != "final" or said.text.strip() not in {"", self._text}:
                    self._echo(_line_of(said))
                self._silent = False
                self._text = said.text.strip() if said.who == "text" else self._text

    def end(self, chosen: Chosen) -> None:
        """Called when nothing more will be read of this attempt."""
        nothing = "it has printed nothing yet" if chosen.in_progress else "it printed nothing"
        if ended := chosen.error or (nothing if self._silent else ""):
            self._echo(_line_of(Said(who="note", text=ended)))
        self._text, self._silent = "", True


def _line_of(said: Said) -> str:
    """A label, then the text, with further lines indented under the first."""
    label = said.tool or _LABELS.get(said.who, said.who)
    lines = plain(said.text).strip("\n").split("\n")
    if said.who in {"result", "tool"} and len(lines) > _RESULT_LINES:
        lines = [*lines[:_RESULT_LINES], f"... {len(lines) - _RESULT_LINES} more lines"]
    return "\n".join(f"{plain(label) if number == 0 else '':<10} {line}".rstrip() for number, line in enumerate(lines))
