"""The summary when this process stops working on a run: the result, the cost, and what to type next."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from shiftwork.app.views import amounts
from shiftwork.app.views.documents.gate_records import OwedGateLine
from shiftwork.app.views.documents.run_documents import result_document
from shiftwork.app.views.documents.run_records import EmptyResult, Result
from shiftwork.app.views.overview import overview
from shiftwork.app.views.owed_views import next_commands, owed_on
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import Activity, RunView, reason
from shiftwork.app.views.text.failure_line import failure_parts
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import RunId
from shiftwork.domain.landing.obstacle import Obstacle
from shiftwork.domain.proof.verdict import ProofLevel
from shiftwork.entrypoints.cli.env.broken_pipe import though_undelivered
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import left_out_files, merge_obstacles, next_steps, phrases
from shiftwork.entrypoints.cli.render.json import left_out, say
from shiftwork.entrypoints.cli.render.sanitize import cells, plain
from shiftwork.entrypoints.cli.render.story_words import askings, counts
from shiftwork.entrypoints.cli.work import limit_rules
from shiftwork.entrypoints.cli.work.foreground import Stop
from shiftwork.errors import EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_LIMIT
from shiftwork.ports.views import StoryRow
from shiftwork.records import replace

_REASON_LINES: Final = 12
_WRAPPED: Final = 20


def conclude(site: Site, run: RunId | None, stop: Stop, *, as_json: bool) -> int:
    """Prints the summary and returns the exit code."""
    if run is None:
        if as_json:
            say(EmptyResult(stop=stop, exit_code=EXIT_INTERRUPTED))
        else:
            click.echo("interrupted before anything was started")
        return EXIT_INTERRUPTED
    view = answer(lambda: run_view(open_queries(site), run, liveness()))
    owed = answer(lambda: owed_on(open_queries(site).history, view.run.project, view.run.branch))
    code = exit_code(view, stop)
    if code == EXIT_DONE and any(line.red for line in owed):
        code = EXIT_FAILED
    with though_undelivered():
        if as_json:
            say(replace(_document(site, view, stop, code), owed_gates=owed))
        else:
            click.echo("\n" + "\n".join((*summary(site, view, stop), *_owed_gates(owed))))
    return code


def _owed_gates(owed: Sequence[OwedGateLine]) -> Iterator[str]:
    """The gates that the branch owes, last: whatever else the run has done, they may be red."""
    for line in owed:
        yield from _in_lines("! ", line.note)
    yield from phrases.following(next_commands(owed))


def exit_code(view: RunView, stop: Stop) -> int:
    if stop is Stop.OVER:
        return EXIT_DONE if view.run.status in {"completed", "undone"} else EXIT_FAILED
    return EXIT_LIMIT if stop in {Stop.HELD, Stop.PAUSED} else EXIT_INTERRUPTED


def _document(site: Site, view: RunView, stop: Stop, code: int) -> Result:
    kept = _diffs(site, view)
    # This process is still alive when it prints this, but no longer works on the run.
    activity = {Stop.HELD: Activity.WAITING, Stop.OVER: Activity.OVER}.get(stop, Activity.INTERRUPTED)
    stopped, patch = replace(view, activity=activity, worker=None), left_out(site, view.run.run)
    return result_document(stopped, stop=stop, exit_code=code, diffs=str(kept or ""), left_out=patch)


def summary(site: Site, view: RunView, stop: Stop) -> Iterator[str]:
    in_the_way = merge_obstacles.in_the_way(site, view)
    yield from _headline(view, stop, in_the_way or Obstacle())
    if stop is not Stop.OVER and (beside := next_steps.beside(view, in_the_way)):
        yield from _in_lines("landed: ", beside)
    kept = _diffs(site, view)
    run = view.run
    yield ""
    yield phrases.facts(
        [
            ("run", run.run),
            ("stories", _counted(view)),
            ("took", phrases.took(view)),
            ("cost", amounts.cost(view.used)),
            *next_steps.proof(view),
            ("gates", next_steps.without(view)),
            ("notices", next_steps.undelivered(view)),
            (
                "tests",
                "; ".join(
                    f"{story.story.story}: {story.story.landing.tests}"
                    for story in view.stories
                    if story.story.landing.tests
                ),
            ),
            ("logs", f"shiftwork logs {run.run}"),
            ("diffs", f"{kept}" if kept else ""),
            ("", "(what abandoned attempts had changed)" if kept else ""),
            *left_out_files.rows(site, run.run),
        ]
    )
    yield ""
    yield from phrases.following(dict.fromkeys((*_next(view, stop, in_the_way), *next_steps.merging(view, in_the_way))))


def _headline(view: RunView, stop: Stop, obstacle: Obstacle) -> Iterator[str]:
    run = view.run
    if stop is Stop.INTERRUPTED:
        yield "interrupted: agents are stopped, and nothing is lost"
        yield from _asking(view)
        yield from _fallen(view)
    elif stop is Stop.PAUSED:
        yield "paused: nothing is in progress"
    elif stop is Stop.HELD:
        yield from _held(view)
        yield from _fallen(view)
    elif run.status == "completed":
        landed = next_steps.last_landed(view)
        if landed is None:
            yield "nothing to land: nothing was changed"
            return
        checked = any(
            item.story.proof.level != ProofLevel.NO_GATES for item in view.stories if item.story.landing.commit
        )
        text = _despite(view, obstacle)
        label = "landed: " if checked else "landed without any gate: "
        yield from _in_lines(label, text.removeprefix("landed ").replace(" stories have landed,", " stories,", 1))
    else:
        waiting = next_steps.not_started(view)
        reasons = [item.story for item in view.stories if item.story.failure and item.story.story not in waiting]
        yield from _in_lines(f"{phrases.state(run.status)}: ", _despite(view, obstacle))
        for story in reasons:
            yield from _reason(story)
        if waiting:
            yield from _in_lines("  not started: ", ", ".join(waiting))


def _held(view: RunView) -> Iterator[str]:
    first = _first_held(view)
    if first and next_steps.is_at_limit(first):
        yield from _in_lines("limit reached: ", reason(first))
    else:
        yield from _asking(view)


def _asking(view: RunView) -> Iterator[str]:
    """Which stories need the user, and for what; the commands are the next ones to type."""
    for asking in askings(view, overview(view, 0.0)):
        yield from _in_lines("needs you: ", f"{', '.join(asking.names)} {asking.says}: {asking.detail}")


def _counted(view: RunView) -> str:
    glance = overview(view, 0.0)
    return ", ".join(counts(glance)) if glance.stories > 1 else ""


def _first_held(view: RunView) -> StoryRow | None:
    return next((story.story for story in view.stories if story.story.waiting.needs_person), None)


def _despite(view: RunView, obstacle: Obstacle) -> str:
    """What is on the branch although the run did not finish."""
    last = next_steps.last_landed(view)
    if last is None:
        return "what had landed is reverted" if view.run.status == "undone" else "nothing was landed"
    glance, where = overview(view, 0.0), _where(last, view.run.branch, obstacle)
    if not glance.landed or glance.stories <= 1:
        return f"landed {where}"
    return f"{glance.landed} of {glance.stories} stories have landed, the last as {where}"


def _in_lines(label: str, text: str) -> Iterator[str]:
    room = phrases.layout() - len(label)
    lines = (line for part in plain(text).rstrip().split("\n") for line in phrases.wrapped(part, room, most=_WRAPPED))
    yield from phrases.labelled(label, list(lines))


def _fallen(view: RunView) -> Iterator[str]:
    """What has failed or is blocked so far, in short: the run is not over, and did not stop because of it."""
    for story in (item.story for item in view.stories if item.story.failure):
        label = f"  {story.story} {phrases.state(story.status)}: "
        yield from phrases.labelled(label, phrases.gist(story.failure, phrases.width() - len(label)))


def _reason(story: StoryRow) -> Iterator[str]:
    """What failed, and its first error; where that is unknown, the end of the reason."""
    if failure_parts(plain(story.failure)).error:
        label = f"  {story.story}: "
        yield from phrases.labelled(label, phrases.gist(story.failure, phrases.layout() - len(label)))
        return
    first, *rest = plain(story.failure).rstrip().split("\n")
    yield from _in_lines(f"  {story.story}: ", first)
    if rest and rest[0].startswith("broken before"):
        yield from _in_lines("    ", rest.pop(0))
    if len(rest) > _REASON_LINES:
        yield f"    ... {len(rest) - _REASON_LINES} lines left out"
    for line in rest[-_REASON_LINES:]:
        yield from _as_printed(line)


def _as_printed(line: str) -> Iterator[str]:
    """A line that is too long continues below with its own indent: a terminal would break it within a word."""
    whole = f"    {line}"
    if cells(whole) <= phrases.layout():
        yield whole
        return
    margin = min(len(whole) - len(whole.lstrip()), phrases.layout() // 2)
    yield from _in_lines(" " * margin, line)


def _where(story: StoryRow, branch: str, obstacle: Obstacle) -> str:
    held = "" if story.landing.ref == branch else f" and not on {branch}, {next_steps.held_because(branch, obstacle)}"
    return f"{story.landing.commit[:10]} on {story.landing.ref}{held}"


def _diffs(site: Site, view: RunView) -> Path | None:
    folder = site.state / "diffs" / view.run.run
    return folder if folder.is_dir() else None


def _next(view: RunView, stop: Stop, obstacle: Obstacle | None) -> Iterable[phrases.Step]:
    if stop is Stop.INTERRUPTED:
        asked = (step for asking in askings(view, overview(view, 0.0)) for step in asking.commands)
        return ((f"shiftwork resume {view.run.run}", ""), *asked)
    if stop is Stop.PAUSED:
        return ((f"shiftwork resume {view.run.run}", "ends the pause"),)
    first = _first_held(view)
    if stop is Stop.HELD and first and not next_steps.is_at_limit(first):
        return next_steps.meanwhile(view)
    if stop is Stop.HELD:
        return ((limit_rules.lifting(view), ""), *next_steps.fallen(view))
    return next_steps.after(view, obstacle)
