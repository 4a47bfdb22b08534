"""What `shiftwork status` prints. Needs neither click nor an event loop: people run it often and want it at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from shiftwork.app.views import amounts
from shiftwork.app.views.documents.gate_records import OwedGateLine
from shiftwork.app.views.overview import Group, overview
from shiftwork.app.views.owed_views import next_commands, owed_on
from shiftwork.app.views.queries import needing_elsewhere, run_view
from shiftwork.app.views.run_views import Activity, RunOutline, RunView
from shiftwork.bootstrap.state.branch_look import seen_on_branch
from shiftwork.bootstrap.state.read_only import left_running, liveness, now, open_queries, silence
from shiftwork.bootstrap.state.refused_resume import reason_of
from shiftwork.config.site import Site, environment
from shiftwork.domain.landing.obstacle import Obstacle
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import left_out_files, next_steps, phrases, usage_table
from shiftwork.entrypoints.cli.render.sanitize import cells, cut, one_line, plain
from shiftwork.entrypoints.cli.render.story_words import askings, counts, minutes, of_limit, own, says_of
from shiftwork.entrypoints.cli.status_view.one_story import story_lines
from shiftwork.entrypoints.cli.status_view.several_stories import Snapshot, story_sections
from shiftwork.entrypoints.cli.terminal.style import Line, Style, has_colors, joined
from shiftwork.ports.views import StoryRow
from shiftwork.records import dataclass, replace

_NOTHING = Obstacle()
_PAIRS = 10
_RUNS = 3
_TITLE = 20
_STORIES = 8
_LINES = 20
"""So many lines are enough for so many stories; each further story may have one, as long as they fit a screen."""
_MOST = 40


type Conflict = Mapping[str, Sequence[str]]
"""Of two stories in progress, by `stories` and `files`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A run, the conflict forecast of its stories in progress, and how many processes are `left` without a worker.
    `elsewhere` are the stories of other runs that need the user. `refused` is why the run was refused to continue the
    last time, and when. `owed` are the gates that the branch owes.
    """

    site: Site
    view: RunView
    conflicts: Sequence[Conflict]
    left: int
    elsewhere: Sequence[StoryRow] = ()
    refused: tuple[str, float] | None = None
    owed: Sequence[OwedGateLine] = ()


def status_of(run: str = "", *, every_step: bool = False) -> Status:
    """The run with this id or prefix; the newest if it is empty."""
    site = here()
    queries = open_queries(site, once=True)
    served, silent = partial(is_served, site), silence(site)
    view = answer(lambda: run_view(queries, run, liveness(), every_step=every_step, silent=silent, served=served))
    view = seen_on_branch(site, environment(), queries.history, view)
    conflicts: Sequence[Conflict] = ()
    if len(view.in_progress) > 1:
        from shiftwork.entrypoints.cli.render.conflicts import forecast  # noqa: PLC0415 - see the first line

        conflicts = forecast(site, view)
    elsewhere = answer(lambda: needing_elsewhere(queries, view.run.run))
    refused = None if view.worker else reason_of(site, view.run.run)
    left = left_running(view.run.run) if view.activity is Activity.INTERRUPTED else 0
    owed = answer(lambda: owed_on(queries.history, view.run.project, view.run.branch))
    return Status(site=site, view=view, conflicts=conflicts, left=left, elsewhere=elsewhere, refused=refused, owed=owed)


async def is_served(site: Site, view: RunOutline) -> bool:
    from shiftwork.bootstrap.server.living import will_resume  # noqa: PLC0415 - see the first line

    return await will_resume(site, view)


def printed(status: Status) -> str:
    site, view = status.site, status.view
    context = Context(conflicts=status.conflicts, obstacle=_in_the_way(site, view), left=status.left)
    lines = status_lines(view, now(), context)
    reserved = (Line(f"  {label:<8}  {text}") for label, text in left_out_files.rows(site, view.run.run))
    before = (*needs_elsewhere(status.elsewhere), *_refused(status.refused), *_owed_gates(status.owed))
    return joined((*before, *lines, *reserved), colors=has_colors(environment()))


def _refused(refused: tuple[str, float] | None) -> Iterator[Line]:
    """Nothing in the history says so, because a run that is refused has no process."""
    if refused:
        text = f"! refused to continue at {phrases.o_clock(refused[1])}: {refused[0]}"
        yield from (Line(line, Style.YELLOW) for line in phrases.wrapped(text, phrases.width(), most=3))
        yield Line()


def _owed_gates(owed: Sequence[OwedGateLine]) -> Iterator[Line]:
    for line in owed:
        shown = phrases.wrapped(f"! {plain(line.note)}", phrases.width(), most=3)
        yield from (Line(text, Style.YELLOW) for text in shown)
    for command, _ in next_commands(owed):
        yield Line(f"    {command}")
    if owed:
        yield Line()


def needs_elsewhere(stories: Sequence[StoryRow]) -> Iterator[Line]:
    """Which other runs need the user: nothing in the run that is shown says so."""
    runs = dict.fromkeys(story.run for story in stories)
    for run in list(runs)[:_RUNS]:
        named = ", ".join(f"{story.story} {says_of(story)}" for story in stories if story.run == run)
        yield Line(one_line(f"! another run needs you, {run}: {named}", phrases.width()), Style.YELLOW)
        yield Line(f"    shiftwork status {run}")
    if len(runs) > _RUNS:
        yield Line(f"! {len(runs) - _RUNS} more runs need you", Style.YELLOW)
        yield Line("    shiftwork stories --all --needs-you")
    if runs:
        yield Line()


def _in_the_way(site: Site, view: RunView) -> Obstacle | None:
    """What prevents merging work that landed beside the branch; looked up only if there is such work."""
    if not next_steps.is_beside(view):
        return _NOTHING
    from shiftwork.entrypoints.cli.render.merge_obstacles import in_the_way  # noqa: PLC0415 - see the first line

    return in_the_way(site, view)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What is known besides the run: the conflict forecast of its stories in progress, what prevents a merge, and how
    many processes are `left` running without a worker.
    """

    conflicts: Sequence[Conflict] = ()
    obstacle: Obstacle | None = _NOTHING
    left: int = 0


def status_text(
    view: RunView, conflicts: Sequence[Conflict] = (), obstacle: Obstacle | None = _NOTHING, left: int = 0
) -> str:
    """The view as text without colours."""
    context = Context(conflicts=conflicts, obstacle=obstacle, left=left)
    return joined(status_lines(view, now(), context), colors=False)


def status_lines(view: RunView, at: float, context: Context) -> list[Line]:
    page = Snapshot(view=view, glance=overview(view, at), now=at)
    head, after = list(_head(page, context.obstacle)), list(map(Line, _forecast(context.conflicts)))
    last = list(_next(page, context.obstacle, context.left))
    if len(view.stories) == 1:
        [story] = view.stories
        lines = [*head, *_one(page), *story_lines(page, story)]
        legend = map(Line, usage_table.legend(line.text for line in lines))
        return [*lines, *legend, *after, *last]
    most = min(_MOST, _LINES + max(len(view.stories) - _STORIES, 0))
    return [*head, *story_sections(page, most - len(head) - len(last)), *after, *last]


def _forecast(conflicts: Sequence[Conflict]) -> Iterator[str]:
    if conflicts:
        yield ""
        yield "  will conflict, in their current state (the story that lands later is sent back to resolve it):"
    for conflict in conflicts[:_PAIRS]:
        pair = " and ".join(conflict["stories"])
        yield f"    {one_line(f'{pair}: {", ".join(conflict["files"])}', phrases.width() - 4)}"
    if left := len(conflicts[_PAIRS:]):
        yield f"    {left} more pairs"


def _head(page: Snapshot, obstacle: Obstacle | None) -> Iterator[Line]:
    """One line on how far, and one on how long and how much; then what is out of the ordinary."""
    view, room = page.view, phrases.width()
    run = view.run
    where = f" (run {run.run}) on {plain(run.branch)}: "
    progress = list(_progress(page))
    title = one_line(run.title, max(room - cells(where + ", ".join(progress)), _TITLE))
    yield from (Line(line, Style.BOLD) for line in _in_parts((f"{title}{where}{progress[0]}", *progress[1:]), ", "))
    if len(view.stories) == 1:
        return
    used = view.used
    elapsed = "" if run.started_at is None else minutes(page.now - run.started_at)
    parts = (
        phrases.took(view) or elapsed,
        of_limit(view) or ("cost unknown" if used.attempts else ""),
        f"{amounts.brief_total(used)} tokens" if used.input_tokens else "",
        next_steps.agent(view),
        next_steps.options(view),
        f"limits: {limits}" if (limits := amounts.limited(_other_limits(view))) else "",
        f"estimate: {amounts.band(view.band)}" if view.band else "",
        f"{view.worker}" if view.worker and view.activity is Activity.PAUSED else "",
    )
    yield from (Line(line, Style.DIM) for line in _in_parts([part for part in parts if part], "; "))
    remarks = {
        "landed": next_steps.beside(view, obstacle),
        "gates": next_steps.without(view),
        "notices": next_steps.undelivered(view),
    }
    for label, value in remarks.items():
        if value:
            yield from map(Line, phrases.labelled(f"{label}: ", phrases.wrapped(value, room - len(label) - 2, most=2)))


def _other_limits(view: RunView) -> amounts.Limited:
    """Without the limit of the cost of the run, which stands beside the cost."""
    run, story, step = view.limits
    return (replace(run, usd=None) if of_limit(view) else run, story, step)


def _in_parts(parts: Sequence[str], between: str) -> Iterator[str]:
    """The parts on as few lines as they fit on; a line ends between two parts."""
    line, room = "", phrases.width()
    for place, part in enumerate(parts, start=1):
        end = between.rstrip() if place < len(parts) else ""
        if line and cells(f"{line}{between}{part}{end}") > room:
            yield f"{line}{between}".rstrip()
            line = f"  {part}"
        else:
            line = f"{line}{between}{part}" if line else part
    yield cut(plain(line), room)


def _progress(page: Snapshot) -> Iterator[str]:
    """The state of the run, unless the counts of its stories say it, and these counts."""
    view, glance = page.view, page.glance
    state = next_steps.of_run(view)
    worker = f" ({view.worker})" if view.worker and view.moves else ""
    if glance.stories <= 1:
        yield state + worker
        return
    busy = own(glance.of(Group.IN_PROGRESS)) or own(glance.of(Group.NEEDS_YOU))
    if state != "landed" and (state not in {"working", "needs you"} or not busy):
        yield state
    yield from counts(glance)


def _one(page: Snapshot) -> Iterator[Line]:
    """What is known of a run with one story, and what each profile and model has used."""
    view, used = page.view, page.view.used
    pairs = [
        ("agent", next_steps.agent(view)),
        ("options", next_steps.options(view)),
        ("took", phrases.took(view)),
        ("cost", amounts.cost(used)),
        ("tokens", amounts.tokens(used) if used.attempts else ""),
        ("estimate", amounts.band(view.band) if view.band else ""),
        ("limits", amounts.limited(view.limits)),
        ("gates", next_steps.without(view)),
        ("notices", next_steps.undelivered(view)),
    ]
    yield from map(Line, phrases.facts(pairs).split("\n"))
    yield from map(Line, usage_table.table(view.shares if amounts.is_known(used) else ()))


def _next(page: Snapshot, obstacle: Obstacle | None, left: int) -> Iterator[Line]:
    """The next command, and those that do not stand beside their stories."""
    if left:
        yield Line()
        count = f"{left} process{'' if left == 1 else 'es'} of a killed worker"
        yield Line(f"  still running, and their work is lost: {count}")
    view, failed = page.view, page.glance.of(Group.FAILED)
    asked = [step for asking in askings(view, page.glance) for step in asking.commands]
    beside = {*asked}
    if len(view.stories) > 1:  # every failed story stands above, with its commands or among those that are only named
        beside |= {step for item in failed for step in next_steps.again(view, item.view)}
        beside |= {*next_steps.more_failed(view)}
    steps = asked[:1] + list(next_steps.meanwhile(view) if asked else _steps(view, obstacle, left))
    steps += next_steps.merging(view, obstacle)
    yield Line()
    yield from map(Line, phrases.following(dict.fromkeys(steps[:1] + [step for step in steps if step not in beside])))


def _steps(view: RunView, obstacle: Obstacle | None, left: int) -> Iterable[phrases.Step]:
    run = view.run.run
    match view.activity:
        case Activity.WORKING | Activity.LIMITED | Activity.STUCK:
            return ((f"shiftwork logs {run} -f", ""),)
        case Activity.PAUSED:
            return ((f"shiftwork resume {run}", ""),)
        case Activity.QUEUED:
            return (("shiftwork serve --status", "the server continues it"),)
        case Activity.INTERRUPTED:
            resume = (f"shiftwork resume {run}", "ends them, and continues" if left else "no process works on it")
            return (resume, (f"shiftwork cancel {run}", "or ends them for good")) if left else (resume,)
        case Activity.WAITING:
            return next_steps.meanwhile(view)
        case Activity.OVER:
            return next_steps.after(view, obstacle)
