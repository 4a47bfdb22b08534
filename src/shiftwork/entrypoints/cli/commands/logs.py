"""`shiftwork logs`: what an agent did in an attempt, made readable, and followed while it happens."""

import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import click

from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.read_only import liveness, log_of, open_queries
from shiftwork.config.site import Site
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.logs.log_lookup import Chosen, Wanted, choose, follow
from shiftwork.entrypoints.cli.logs.transcript import Said, read
from shiftwork.entrypoints.cli.render import next_steps
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import UsageError
from shiftwork.ports.views import StepRow

_RESULT_LINES: Final = 8
_LABELS: Final = {"text": "", "result": "->", "final": "answer", "stderr": "stderr", "note": "--"}


@click.command("logs", short_help="Show what an agent did in an attempt.")
@click.argument("run", default="")
@click.option("--story", default="", metavar="ID", help="A story of the run; else what failed last, or works.")
@click.option("--step", default="", metavar="STEP", help="A step, by its id or type; the latest where none is named.")
@click.option(
    "--attempt", type=click.IntRange(1, 1_000_000), help="One of the step's attempts; the newest where none is named."
)
@click.option("--gates", is_flag=True, help="Show what the gates printed instead, as far as it is kept.")
@click.option("--raw", is_flag=True, help="Print the lines as the agent wrote them.")
@click.option("-f", "--follow", is_flag=True, help="Go on as the log grows, and with the steps that follow.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; with --follow, one line an event.")
def command(*, gates: bool, raw: bool, as_json: bool, **wanted: str) -> None:
    """Show what an agent did in an attempt, from the log that is kept of it; or what the gates said of its work.

    RUN is an id or the beginning of one; the newest run is taken where none is named. Output of tools is shortened;
    --raw shows all of it.
    """
    site, alive = here(), liveness()
    queries = open_queries(site)
    sought = Wanted(**wanted)  # type: ignore[arg-type]  # click gives each option by its name

    def look() -> RunView:
        return _located(site, answer(lambda: run_view(queries, sought.run, alive)))

    if gates:
        from shiftwork.entrypoints.cli.logs import gate_logs  # noqa: PLC0415 - heavy, and needed only here

        gate_logs.show(site, look(), sought, as_json=as_json)
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
        click.echo(_title(chosen, asked=bool(sought.story)))
        telling = Telling()
        telling(chosen, lines)
        telling.end(chosen)


def _located(site: Site, view: RunView) -> RunView:
    def located(step: StepRow) -> StepRow:
        return replace(step, log=str(log_of(site, step.log))) if step.log else step

    return replace(view, stories=[replace(one, steps=[located(step) for step in one.steps]) for one in view.stories])


def _follow(look: Callable[[], RunView], sought: Wanted, *, raw: bool, as_json: bool) -> None:
    before: Chosen | None = None
    telling = Telling()
    for chosen, lines in follow(look, sought):
        if raw or as_json:
            (_show_raw if raw else _show_json)(chosen, lines)
            continue
        if before is None or before.log != chosen.log:
            if before:
                telling.end(before)
            click.echo(_title(chosen))
        telling(chosen, lines)
        before = chosen
    if before:
        telling.end(before)


def _demand(view: RunView, wanted: Wanted) -> Chosen:
    chosen = choose(view, wanted)
    if chosen is None:
        told = f"no attempt of {wanted.step} has a log" if wanted.step else "no attempt has begun yet"
        raise UsageError(told, hint=f"shiftwork status {view.run.run} shows the steps")
    return chosen


def _title(chosen: Chosen, *, asked: bool = True) -> str:
    step, run = chosen.step, chosen.view
    title = f"{step.story} {step.name}, attempt {chosen.attempt} of {step.attempts}    {chosen.log}\n"
    if asked or len(run.stories) == 1:
        return title
    shown = next(next_steps.of_story(run, one) for one in run.stories if one.story.story == step.story)
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


class Telling:
    """Tells one attempt after another: nothing twice, and what came of it where its log does not say."""

    def __init__(self) -> None:
        self._text = ""
        self._silent = True

    def __call__(self, _chosen: Chosen, lines: list[str]) -> None:
        for line in lines:
            for said in read(line):
                # Claude Code repeats its last words as its answer.
                if said.who != "final" or said.text.strip() not in {"", self._text}:
                    click.echo(_told(said))
                self._silent = False
                self._text = said.text.strip() if said.who == "text" else self._text

    def end(self, chosen: Chosen) -> None:
        """No more will be read of this attempt."""
        nothing = "it has printed nothing yet" if chosen.under_way else "it printed nothing"
        if ended := chosen.error or (nothing if self._silent else ""):
            click.echo(_told(Said(who="note", text=ended)))
        self._text, self._silent = "", True


def _told(said: Said) -> str:
    """A label, then what was said, its further lines indented under the first."""
    label = said.tool or _LABELS.get(said.who, said.who)
    lines = plain(said.text).strip("\n").split("\n")
    if said.who in {"result", "tool"} and len(lines) > _RESULT_LINES:
        lines = [*lines[:_RESULT_LINES], f"... {len(lines) - _RESULT_LINES} more lines"]
    return "\n".join(f"{plain(label) if number == 0 else '':<10} {line}".rstrip() for number, line in enumerate(lines))
