"""What `shiftwork status` prints. Needs neither click nor an event loop: people run it often and want it at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from shiftwork.app.views import amounts
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import Activity, RunView, StoryView, waiting_text
from shiftwork.bootstrap.state.read_only import left_running, liveness, now, open_queries, silence
from shiftwork.config.site import Site
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import left_out_files, next_steps, phrases, usage_table
from shiftwork.entrypoints.cli.render.sanitize import one_line
from shiftwork.ports.views import StepRow
from shiftwork.ports.workspace import Obstacle
from shiftwork.records import dataclass

_NOTHING = Obstacle()
_SHOWN = 40
_PAIRS = 10
_QUESTION_LINES = 6
_LANDED_LINES = 3


type Conflict = Mapping[str, Sequence[str]]
"""Of two stories in progress, by `stories` and `files`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A run, the conflict forecast of its stories in progress, and how many processes are `left` without a worker."""

    site: Site
    view: RunView
    conflicts: Sequence[Conflict]
    left: int


def status_of(run: str = "", *, every_step: bool = False) -> Status:
    """The run with this id or prefix; the newest if it is empty."""
    site = here()
    queries = open_queries(site, once=True)
    view = answer(lambda: run_view(queries, run, liveness(), every_step=every_step, silent=silence(site)))
    conflicts: Sequence[Conflict] = ()
    if len(view.in_progress) > 1:
        from shiftwork.entrypoints.cli.render.conflicts import forecast  # noqa: PLC0415 - see the first line

        conflicts = forecast(site, view)
    left = left_running(view.run.run) if view.activity is Activity.INTERRUPTED else 0
    return Status(site=site, view=view, conflicts=conflicts, left=left)


def printed(status: Status) -> str:
    site, view = status.site, status.view
    text = status_text(view, status.conflicts, _in_the_way(site, view), status.left)
    reserved = (f"  {label:<8}  {text}" for label, text in left_out_files.rows(site, view.run.run))
    return "\n".join((text, *reserved))


def _in_the_way(site: Site, view: RunView) -> Obstacle | None:
    """What prevents merging work that landed beside the branch; looked up only if there is such work."""
    if next_steps.landed_on(view) in {"", view.run.branch}:
        return _NOTHING
    from shiftwork.entrypoints.cli.render.merge_obstacles import in_the_way  # noqa: PLC0415 - see the first line

    return in_the_way(site, view)


def status_text(
    view: RunView, conflicts: Sequence[Conflict] = (), obstacle: Obstacle | None = _NOTHING, left: int = 0
) -> str:
    """The view as text, with the conflict forecast of stories in progress, what prevents a merge, and how many
    processes are `left` running without a worker.
    """
    shown = view.stories if len(view.stories) <= _SHOWN else [story for story in view.stories if story.steps][:_SHOWN]
    stories = [line for story in shown for line in _story(view, story)]
    shares = view.shares if amounts.is_known(view.used) else ()
    lines = [*_head(view), *usage_table.table(shares), *stories]
    rest = (*_rest(view, shown), *_forecast(conflicts), *_next(view, obstacle, left))
    return "\n".join((*lines, *usage_table.legend(lines), *rest))


def _rest(view: RunView, shown: Sequence[StoryView]) -> Iterator[str]:
    """Of many stories, only those in progress or failed are shown, and the others are counted."""
    if left := len(view.stories) - len(shown):
        yield ""
        yield f"  {left:,} {'more' if shown else 'stories'}: shiftwork stories {view.run.run}"


def _forecast(conflicts: Sequence[Conflict]) -> Iterator[str]:
    if conflicts:
        yield ""
        yield "  will conflict, in their current state (the story that lands later is sent back to resolve it):"
    for conflict in conflicts[:_PAIRS]:
        pair = " and ".join(conflict["stories"])
        yield f"    {one_line(f'{pair}: {", ".join(conflict["files"])}', phrases.width() - 4)}"
    if left := len(conflicts[_PAIRS:]):
        yield f"    {left} more pairs"


def _head(view: RunView) -> Iterator[str]:
    run = view.run
    room = phrases.width()
    yield f"{run.run}  {one_line(run.title, room - len(run.run) - 2)}"
    worker = f" ({view.worker})" if view.worker and view.moves else ""
    used = view.used
    yield phrases.facts(
        [
            ("state", next_steps.of_run(view) + worker),
            ("branch", run.branch),
            ("agent", next_steps.agent(view)),
            ("options", next_steps.options(view)),
            ("stories", next_steps.counted(view)),
            *(next_steps.proof(view) if len(view.stories) > 1 else ()),
            ("took", phrases.took(view)),
            ("cost", amounts.cost(used)),
            ("tokens", amounts.tokens(used) if used.attempts else ""),
            ("estimate", amounts.band(view.band) if view.band else ""),
            ("limits", amounts.limited(view.limits)),
            ("gates", next_steps.without(view)),
            ("notices", next_steps.undelivered(view)),
        ]
    )


def _story(run: RunView, view: StoryView) -> Iterator[str]:
    story, room, state = view.story, phrases.width(), next_steps.of_story(run, view)
    yield ""
    yield f"  {phrases.filled(story.story + '  ' + story.title, 14)} {state}"
    if amounts.is_known(view.used) and len(run.stories) > 1:
        yield f"    used: {one_line(f'{amounts.cost(view.used)}; tokens {amounts.tokens(view.used)}', room - 10)}"
    if story.landing.commit:
        yield from phrases.labelled("    ", phrases.wrapped(next_steps.landed_as(story), room - 4, most=_LANDED_LINES))
    if story.status == "in_progress" and story.landing.progress == "requested" and run.moves:
        yield f"    {phrases.landing(step.ended_at for step in view.steps)}"
    if story.story in run.undoing:
        yield from phrases.following(next_steps.undoing(run, story.story), f"    {next_steps.UNDOING}: ")
    yield from _why(run, view)
    if view.steps:
        yield ""
        yield from _table(view.steps, room, run, state)


def _why(run: RunView, view: StoryView) -> Iterator[str]:
    """What the story waits for, why it has failed, and how it changed tests."""
    story, room = view.story, phrases.width() - 12
    yield from phrases.labelled("    waits: ", phrases.wrapped(waiting_text(story), room, most=_QUESTION_LINES))
    if turn := next_steps.turn(run, story):
        yield f"    waits: {one_line(turn, room)}"
    yield from phrases.labelled(f"    {next_steps.ended(story)}: ", phrases.gist(story.failure, room))
    if story.landing.tests:
        yield f"    tests: {one_line(story.landing.tests, room)}"
    if story.waiting.until is not None and run.moves:
        yield f"    {next_steps.going_on(view, now())}"
    elif story.waiting.needs_person:
        yield from phrases.following(next_steps.replies(run, story), "    answer with: ")


def _table(steps: Sequence[StepRow], room: int, run: RunView, at_hand: str) -> Iterator[str]:
    """Never wider than `room`: only output of an agent or a gate is cut. The current step has its story's state."""
    names = min(max(len(step.name) for step in steps), 20)
    time = phrases.in_all("time", (step.attempts for step in steps))
    yield f"    {'step':<{names}}  {'state':<9}  {'try':>3}  {time:>11}  {'tokens':>11}  {'cost':>10}"
    for step in steps:
        last = phrases.between(step.started_at, step.ended_at)
        spent = phrases.duration(last if step.seconds is None else step.seconds)
        used, tries = amounts.usage_of(step), step.attempts or "-"
        tokens, cost = amounts.brief_tokens(used), amounts.brief_cost(used)
        state = at_hand if step.status == "in_progress" else phrases.state(step.status)
        name = phrases.padded(step.name, names)
        yield f"    {name}  {state:<9}  {tries:>3}  {spent:>11}  {tokens:>11}  {cost:>10}"
        if said := step.error if step.status in {"failed", "cancelled"} else step.skip_reason:
            yield f"      {one_line(said, room - 6)}"
        if step.agent not in {"", run.run.agent}:
            yield f"      profile {one_line(step.agent, room - 16)}"


def _next(view: RunView, obstacle: Obstacle | None, left: int) -> Iterator[str]:
    if left:
        yield ""
        yield f"  still running, and their work is lost: {left} process{'' if left == 1 else 'es'} of a killed worker"
    yield ""
    yield from phrases.following(_steps(view, obstacle, left))


def _steps(view: RunView, obstacle: Obstacle | None, left: int) -> Iterable[phrases.Step]:
    run = view.run.run
    match view.activity:
        case Activity.WORKING | Activity.LIMITED | Activity.STUCK:
            return ((f"shiftwork logs {run} -f", ""),)
        case Activity.PAUSED:
            return ((f"shiftwork resume {run}", ""),)
        case Activity.INTERRUPTED:
            resume = (f"shiftwork resume {run}", "ends them, and continues" if left else "no process works on it")
            return (resume, (f"shiftwork cancel {run}", "or ends them for good")) if left else (resume,)
        case Activity.WAITING:
            return next_steps.meanwhile(view)
        case Activity.OVER:
            return next_steps.after(view, obstacle)
