"""What is told when this process stops working on a run: what came of it, what it cost, and what to type next."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from shiftwork.app import amounts
from shiftwork.app.queries import RunView, run_view
from shiftwork.bootstrap.reading import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.model.ids import RunId
from shiftwork.entrypoints.cli import limiting, words
from shiftwork.entrypoints.cli.answer import answer
from shiftwork.entrypoints.cli.clean import plain
from shiftwork.entrypoints.cli.documents import run_document, say
from shiftwork.entrypoints.cli.session import Stop
from shiftwork.errors import EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_LIMIT
from shiftwork.ports.views import StoryRow

_REASON_LINES: Final = 12


def conclude(site: Site, run: RunId | None, stop: Stop, *, as_json: bool) -> int:
    """Tell it, and give the exit code."""
    if run is None:
        if as_json:
            say({"event": "result", "run": None, "stop": stop.value, "exit_code": EXIT_INTERRUPTED})
        else:
            click.echo("interrupted before anything was started")
        return EXIT_INTERRUPTED
    view = answer(lambda: run_view(open_queries(site), run, liveness()))
    code = exit_code(view, stop)
    if as_json:
        say(_document(site, view, stop, code))
    else:
        click.echo("\n" + "\n".join(_told(site, view, stop)))
    return code


def exit_code(view: RunView, stop: Stop) -> int:
    if stop is Stop.OVER:
        return EXIT_DONE if view.run.status == "completed" else EXIT_FAILED
    return EXIT_LIMIT if stop is Stop.HELD else EXIT_INTERRUPTED


def _document(site: Site, view: RunView, stop: Stop, code: int) -> dict[str, Any]:
    kept = _diffs(site, view)
    document = run_document(view)
    # This process still lives while it says so, but it works on the run no longer.
    document["pulse"] = {Stop.HELD: "waiting", Stop.OVER: "over"}.get(stop, "interrupted")
    document["worker"] = None
    return {"event": "result", **document, "stop": stop.value, "diffs": str(kept or ""), "exit_code": code}


def _told(site: Site, view: RunView, stop: Stop) -> Iterator[str]:
    yield from _headline(view, stop)
    kept = _diffs(site, view)
    run = view.run
    yield ""
    yield words.facts(
        [
            ("run", run.run),
            ("took", words.duration(words.between(run.started_at, run.ended_at)) if run.ended_at else ""),
            ("cost", amounts.cost(view.used)),
            ("tests", "; ".join(f"{one.story.story}: {one.story.tests}" for one in view.stories if one.story.tests)),
            ("logs", f"shiftwork logs {run.run}"),
            ("diffs", f"{kept}  (what abandoned attempts had changed)" if kept else ""),
        ]
    )
    yield ""
    yield f"next: {_next(view, stop)}"


def _headline(view: RunView, stop: Stop) -> Iterator[str]:
    run = view.run
    if stop is Stop.INTERRUPTED:
        yield "interrupted: agents are stopped, and nothing is lost"
    elif stop is Stop.HELD:
        waiting = next((one.story.waiting for one in view.stories if one.story.waiting), "")
        yield f"limit reached: {_bare(waiting)}" if waiting.startswith("limit") else f"waits for you: {plain(waiting)}"
    elif run.status == "completed":
        landed = _landed(view)
        yield f"done: {_where(landed, run.branch)}" if landed else "done: there was nothing to change"
    else:
        reasons = [one.story for one in view.stories if one.story.failure]
        yield f"{words.state(run.status)}: nothing was landed" if not _landed(view) else words.state(run.status)
        for story in reasons:
            yield from _reason(story)


def _bare(waiting: str) -> str:
    return plain(waiting.partition(": ")[2])


def _reason(story: StoryRow) -> Iterator[str]:
    """The end of it: what a gate prints last is what one wants to read first."""
    first, *rest = plain(story.failure).rstrip().split("\n")
    yield f"  {story.story}: {first}"
    if len(rest) > _REASON_LINES:
        yield f"    ... {len(rest) - _REASON_LINES} lines left out"
    yield from (f"    {line}" for line in rest[-_REASON_LINES:])


def _landed(view: RunView) -> StoryRow | None:
    return next((one.story for one in reversed(view.stories) if one.story.commit), None)


def _where(story: StoryRow, branch: str) -> str:
    held = "" if story.ref == branch else f", because moving {branch} was not safe"
    return f"landed {story.commit[:10]} on {story.ref}{held}"


def _diffs(site: Site, view: RunView) -> Path | None:
    folder = site.state / "diffs" / view.run.run
    return folder if folder.is_dir() else None


def _next(view: RunView, stop: Stop) -> str:
    run, landed = view.run, _landed(view)
    if stop is Stop.INTERRUPTED:
        return f"shiftwork resume {run.run}"
    waits = next((one.story for one in view.stories if one.story.waiting), None)
    if stop is Stop.HELD and waits and not waits.waiting.startswith("limit"):
        return words.reply_to(run.run, waits.story, waits.waiting)
    if stop is Stop.HELD:
        return limiting.lifting(view)
    return _after(view, landed)


def _after(view: RunView, landed: StoryRow | None) -> str:
    run = view.run
    failed = next((one.story.story for one in view.stories if one.story.status == "failed"), "")
    if failed and run.status == "failed":
        return f"shiftwork logs {run.run} --story {failed}; when you know why: shiftwork retry {failed}"
    if landed is None:
        return f"shiftwork logs {run.run}"
    if landed.ref != run.branch:
        return f"git merge {landed.ref}"
    return words.look_at([one.story.commit for one in view.stories if one.story.commit], run.branch)
