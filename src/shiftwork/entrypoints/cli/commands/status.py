"""`shiftwork status`: where a run stands. Plain text and no event loop: people ask often and want it at once."""

from collections.abc import Iterator, Mapping, Sequence

import click

from shiftwork.app import amounts
from shiftwork.app.queries import Pulse, RunView, StoryView, run_view
from shiftwork.bootstrap.reading import liveness, open_queries, silence
from shiftwork.domain.model.ids import FRAME
from shiftwork.entrypoints.cli import bill, words
from shiftwork.entrypoints.cli.answer import answer
from shiftwork.entrypoints.cli.clean import one_line
from shiftwork.entrypoints.cli.here import here
from shiftwork.ports.views import RunRow, StepRow

_LISTED = 1000
_SHOWN = 40
_PAIRS = 10
_ORDER = ("completed", "in_progress", "paused", "failed", "blocked", "unclaimed")


type Conflict = Mapping[str, Sequence[str]]
"""Of two stories under way, by `stories` and `files`."""


@click.command("status", short_help="Show where a run stands.")
@click.argument("run", default="")
@click.option("--all", "everything", is_flag=True, help="List all runs instead.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(run: str, *, everything: bool, as_json: bool) -> None:
    """Show where a run stands: its stories, their steps, what they cost, and what to type next.

    RUN is an id or the beginning of one; the newest run is shown where none is named.
    """
    site = here()
    queries = open_queries(site)
    if everything:
        _list(answer(lambda: queries.runs(limit=_LISTED)), as_json=as_json)
        return
    silent = silence(site)
    view = answer(lambda: run_view(queries, run, liveness(), every_step=as_json, silent=silent))
    conflicts: Sequence[Conflict] = ()
    if len(view.under_way) > 1:
        from shiftwork.entrypoints.cli.foreseeing import foreseen  # noqa: PLC0415 - see the first line

        conflicts = foreseen(site, view)
    if as_json:
        from shiftwork.entrypoints.cli.documents import run_document, say  # noqa: PLC0415 - see the first line

        say({**run_document(view), "conflicts": conflicts})
    else:
        click.echo(told(view, conflicts))


def _list(rows: Sequence[RunRow], *, as_json: bool) -> None:
    if as_json:
        from shiftwork.entrypoints.cli.documents import row_document, say  # noqa: PLC0415 - see the first line

        say({"runs": [row_document(row) for row in rows]})
        return
    if not rows:
        click.echo('nothing has been run here yet; try: shiftwork run "what you want done"')
        return
    room = max(len(row.run) for row in rows)
    for row in rows:
        spent = words.duration(words.between(row.started_at, row.ended_at))
        head = f"{row.run:<{room}}  {words.state(row.status):<9}  {row.completed}/{row.stories}  {spent:>11}  "
        click.echo(head + one_line(row.title, max(words.width() - len(head), 10)))


def told(view: RunView, conflicts: Sequence[Conflict] = ()) -> str:
    """The view as text, with what is foreseen of the stories under way."""
    shown = view.stories if len(view.stories) <= _SHOWN else [one for one in view.stories if one.steps][:_SHOWN]
    stories = [line for story in shown for line in _story(view, story)]
    shares = view.shares if amounts.is_known(view.used) else ()
    told = [*_head(view), *bill.table(shares), *stories]
    rest = (*_rest(view, shown), *_foreseen(conflicts), *_next(view))
    return "\n".join((*told, *bill.legend(told), *rest))


def _rest(view: RunView, shown: Sequence[StoryView]) -> Iterator[str]:
    """Of many stories those that are at work or have failed are shown, and the others counted."""
    if left := len(view.stories) - len(shown):
        yield ""
        yield f"  {left:,} {'more' if shown else 'stories'}: shiftwork stories {view.run.run}"


def _foreseen(conflicts: Sequence[Conflict]) -> Iterator[str]:
    if conflicts:
        yield ""
        yield "  will conflict, as far as they have come (whichever lands later is sent back to resolve it):"
    for conflict in conflicts[:_PAIRS]:
        pair = " and ".join(conflict["stories"])
        yield f"    {one_line(f'{pair}: {", ".join(conflict["files"])}', words.width() - 4)}"
    if left := len(conflicts[_PAIRS:]):
        yield f"    {left} more pairs"


def _head(view: RunView) -> Iterator[str]:
    run = view.run
    room = words.width()
    yield f"{run.run}  {one_line(run.title, room - len(run.run) - 2)}"
    worker = f" (process {view.worker.pid} on {view.worker.host})" if view.worker and view.moves else ""
    state = words.state(run.status) if view.pulse is Pulse.OVER else view.pulse.value
    used = view.used
    yield words.facts(
        [
            ("state", state + worker),
            ("branch", run.branch),
            ("agent", f"{run.agent}, workflow {run.workflow}"),
            ("stories", _counted(view)),
            ("took", words.duration(words.between(run.started_at, run.ended_at)) if run.ended_at else ""),
            ("cost", amounts.cost(used)),
            ("tokens", amounts.tokens(used) if used.attempts else ""),
            ("foreseen", amounts.band(view.band) if view.band else ""),
        ]
    )


def _counted(view: RunView) -> str:
    """How many of several stories stand where, in the order in which a story gets there."""
    stories = [one.story for one in view.stories if one.story.story != FRAME]
    if len(stories) <= 1:
        return ""
    counts = dict.fromkeys(_ORDER, 0)
    for story in stories:
        counts[story.status] += 1
    moving = view.moves
    return ", ".join(f"{count:,} {words.state(status, moving=moving)}" for status, count in counts.items() if count)


def _story(run: RunView, view: StoryView) -> Iterator[str]:
    story, room, moving = view.story, words.width(), run.moves
    yield ""
    state = view.standing or words.state(story.status, moving=moving)
    yield f"  {words.padded(story.story + '  ' + story.title, room - 14)} {state}"
    if amounts.is_known(view.used) and len(run.stories) > 1:
        yield f"    used: {one_line(f'{amounts.cost(view.used)}; tokens {amounts.tokens(view.used)}', room - 10)}"
    if story.commit:
        yield f"    landed {story.commit[:10]} on {one_line(story.ref, 60)}"
    over = "blocked" if story.status == "blocked" else "failed"
    for name, text in (("waits", story.waiting), (over, story.failure), ("tests", story.tests)):
        if text:
            yield f"    {name}: {one_line(text, room - 12)}"
    if story.until is not None:
        yield f"    goes on at {words.o_clock(story.until)} by itself"
    elif story.waiting:
        yield f"    answer with: {words.reply_to(story.run, story.story, story.waiting)}"
    if view.steps:
        yield ""
        yield from _table(view.steps, room, run)


def _table(steps: Sequence[StepRow], room: int, run: RunView) -> Iterator[str]:
    """Never wider than `room`: only what an agent or a gate said is cut."""
    names = min(max(len(step.name) for step in steps), 20)
    yield f"    {'step':<{names}}  {'state':<9}  {'try':>3}  {'time':>11}  {'tokens':>11}  {'cost':>10}"
    for step in steps:
        spent = words.duration(words.between(step.started_at, step.ended_at))
        used, tries = amounts.usage_of(step), step.attempts or "-"
        tokens, cost = amounts.brief_tokens(used), amounts.brief_cost(used)
        state = words.state(step.status, moving=run.moves)
        name = words.padded(step.name, names)
        yield f"    {name}  {state:<9}  {tries:>3}  {spent:>11}  {tokens:>11}  {cost:>10}"
        if said := step.error if step.status in {"failed", "cancelled"} else step.skip_reason:
            yield f"      {one_line(said, room - 6)}"
        if step.agent not in {"", run.run.agent}:
            yield f"      played by {one_line(step.agent, room - 16)}"


def _next(view: RunView) -> Iterator[str]:
    run = view.run.run
    yield ""
    match view.pulse:
        case Pulse.WORKING | Pulse.LIMITED | Pulse.STUCK:
            yield f"next: shiftwork logs {run} -f"
        case Pulse.PAUSED:
            yield f"next: shiftwork resume {run}"
        case Pulse.INTERRUPTED:
            yield f"next: shiftwork resume {run}    (nobody is working on it)"
        case Pulse.WAITING:
            waits = next(one.story for one in view.stories if one.story.waiting)
            yield f"next: {words.reply_to(run, waits.story, waits.waiting)}"
        case Pulse.OVER:
            yield from _after(view)


def _after(view: RunView) -> Iterator[str]:
    landed = next((one.story for one in view.stories if one.story.commit), None)
    if landed is None:
        yield f"next: shiftwork logs {view.run.run}"
    elif landed.ref != view.run.branch:
        yield f"next: git merge {landed.ref}    (it was held there: moving {view.run.branch} was not safe)"
    else:
        commits = [one.story.commit for one in view.stories if one.story.commit]
        yield f"next: {words.look_at(commits, view.run.branch)}"
