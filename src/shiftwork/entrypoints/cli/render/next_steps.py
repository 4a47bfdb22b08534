"""The state of a run and its stories in words, and what to type next: the same in all views."""

from collections.abc import Iterable, Iterator, Sequence
from shlex import quote
from typing import Final

from shiftwork.app.runtime import state_labels
from shiftwork.app.views.amounts import duration, reached_of
from shiftwork.app.views.run_views import (
    Activity,
    RunView,
    StoryActivity,
    StoryView,
    after_landed,
    run_label,
    story_label,
)
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.landing.obstacle import Obstacle
from shiftwork.domain.proof.verdict import ProofLevel
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.sanitize import one_line, plain
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.ports.views import RunRow, StoryRow

_NAMED: Final = 3

_NOTHING: Final = Obstacle()

_ARCHIVED: Final = " (archived: it can only be read)"


def of_run(view: RunView) -> str:
    if view.activity is Activity.OVER:
        return run_label(view.run) + (_ARCHIVED if view.run.archived else "")
    return "needs you" if view.activity is Activity.WAITING else view.activity.value


def outlined(runs: Sequence[tuple[RunRow, Activity]]) -> Iterator[str]:
    """The headings, and a line for each run: id, state, stories that have landed, duration and title."""
    room = max(len(row.run) for row, _ in runs)
    done = max(len("landed"), *(len(f"{row.completed}/{row.stories}") for row, _ in runs))
    yield f"{'run':<{room}}  {'state':<11}  {'landed':>{done}}  {'lasted':>11}  title"
    for row, activity in runs:
        moving = "needs you" if activity is Activity.WAITING else activity.value
        state = run_label(row) if activity is Activity.OVER else moving
        spent = duration(phrases.between(row.started_at, row.ended_at))
        landed = f"{row.completed}/{row.stories}"
        head = f"{row.run:<{room}}  {state:<11}  {landed:>{done}}  {spent:>11}  "
        title = f"(archived) {row.title}" if row.archived else row.title
        yield head + one_line(title, max(phrases.width() - len(head), 10))


def of_story(view: RunView, story_view: StoryView) -> str:
    undoing, stuck = story_view.story.story in view.undoing, story_view.activity is StoryActivity.STUCK
    return story_label(story_view.story, moving=view.moves, undoing=undoing, stuck=stuck)


def ended(story: StoryRow) -> str:
    """The label for the reason why a story has ended or cannot start."""
    return story.status if story.status in {"blocked", "cancelled", "undone", "missing"} else "failed"


def undoing(view: RunView, story: str) -> Iterator[phrases.Step]:
    """The commands for a pending revert."""
    if not view.moves:
        yield f"shiftwork resume {view.run.run}", "completes the undo"
    yield f"shiftwork cancel {view.run.run} --story {story}", "withdraws the undo"


def landed_as(story: StoryRow) -> str:
    """The commit, the branch, and how far it is proved."""
    return f"landed {story.landing.commit[:10]} on {plain(story.landing.ref)}{after_landed(story)}"


def by_proof(view: RunView) -> dict[str, list[StoryRow]]:
    """The landed stories, by how far they are proved; without the run's own steps."""
    stories = [story.story for story in view.stories if story.story.story != FRAME]
    return {level.value: [story for story in stories if story.proof.level == level] for level in ProofLevel}


def proof(view: RunView) -> Iterator[tuple[str, str]]:
    """What is proved of the landed work, what has passed its gates, and what else a reader must know."""
    found = by_proof(view)
    if proved := found[ProofLevel.PROVED]:
        yield "proved", f"{_counted(proved)}, every criterion has checked evidence{_remarks(proved)}"
    if passed := [*found[ProofLevel.PARTLY], *found[ProofLevel.GATES_ONLY]]:
        yield "landed", f"{_counted(passed)}, gates passed{_remarks(passed)}"
    for remark in dict.fromkeys(story.proof.remark for story in found[ProofLevel.NO_GATES]):
        same = [story for story in found[ProofLevel.NO_GATES] if story.proof.remark == remark]
        yield "no gates", f"{', '.join(story.story for story in same)} landed without any gate: {remark}"


def _counted(stories: Sequence[StoryRow]) -> str:
    return f"{len(stories):,} stor{'y' if len(stories) == 1 else 'ies'}"


def _remarks(stories: Sequence[StoryRow]) -> str:
    return "".join(f"; {story.story}: {story.proof.remark}" for story in stories if story.proof.remark)


def going_on(view: StoryView, now: float) -> str:
    """When a story that waits for a limit to reset continues. The clock may have been set since the wait began: then
    the wait may end before the expected time, or that time is past.
    """
    until, since = view.story.waiting.until or 0.0, view.waited[-1].since if view.waited else 0.0
    if now < since:
        return "continues by itself: the clock was set back since the wait began"
    return f"continues at {phrases.o_clock(until)} by itself" if now < until else "continues by itself in a moment"


def newest_failure(stories: Iterable[StoryView]) -> StoryView | None:
    return max(_failed(stories), key=lambda view: view.story.ended_at or 0.0, default=None)


def _failed(stories: Iterable[StoryView]) -> list[StoryView]:
    return [view for view in stories if view.story.status == "failed"]


def _newest_first(stories: Iterable[StoryView]) -> list[StoryView]:
    return sorted(_failed(stories), key=lambda view: view.story.ended_at or 0.0, reverse=True)


def landed_on(view: RunView) -> str:
    """The branch with the last landed work: the run's own, or another if that could not be moved safely."""
    last = last_landed(view)
    return last.landing.ref if last else ""


def last_landed(view: RunView) -> StoryRow | None:
    landed = (story.story for story in view.stories if story.story.landing.commit)
    return max(landed, key=lambda story: story.ended_at or 0.0, default=None)


def held_because(branch: str, obstacle: Obstacle) -> str:
    """Why work has landed on another branch."""
    if obstacle.files:
        named, more = ", ".join(map(plain, obstacle.files[:_NAMED])), len(obstacle.files) - _NAMED
        where = f" (worktree {plain(obstacle.tree)})" if obstacle.tree else ""
        return f"because you have edits in {named}{f' and {more} more' if more > 0 else ''}{where}"
    if obstacle.why:
        return f"because {plain(obstacle.why)}"
    return f"because {branch} could not be moved then; now it can"


def undelivered(view: RunView) -> str:
    """Which notices about the run's end or its questions were not delivered, and why."""
    values = dict.fromkeys(
        why for why in (view.run.undelivered, *(story.story.waiting.undelivered for story in view.stories)) if why
    )
    return f"not delivered: {plain('; '.join(values))}" if values else ""


def agent(view: RunView) -> str:
    """The run's default agent, its model and its workflow."""
    model = view.options.get("model")
    return plain(", ".join((view.run.agent, *((f"model {model}",) if model else ()), f"workflow {view.run.workflow}")))


def options(view: RunView) -> str:
    """The other options in force, besides branch, limits and gates."""
    at_once = 0 if is_ordered(view) else view.options.get("parallel", 0)
    context = ", ".join(view.options.get("context", ()))
    parts = (
        "stories one after the other" if is_ordered(view) else "",
        "continues after a story that failed" if view.options.get("keep_going") else "",
        f"at most {at_once} {'story' if at_once == 1 else 'stories'} at once" if at_once else "",
        "each story needs your approval before it lands" if view.options.get("review") else "",
        "the repository's commands are trusted for this run" if view.options.get("trust") else "",
        f"context: {context}" if context else "",
    )
    return ", ".join(part for part in parts if part)


def is_ordered(view: RunView) -> bool:
    """Whether the stories are worked on one after the other."""
    return bool(view.options.get("ordered"))


def not_started(view: RunView) -> list[str]:
    """The stories that did not start because an earlier story of an ordered run is missing."""
    return [item.story.story for item in view.stories if item.story.status == "blocked"] if is_ordered(view) else []


def without(view: RunView) -> str:
    """The gates that the user lets the run continue without."""
    return plain(state_labels.without(view.without_gates))


def naming(view: RunView) -> str:
    return phrases.naming(view.run.run, meant=view.meant)


def replies(view: RunView, story: StoryRow) -> tuple[phrases.Step, ...]:
    look = phrases.first_look(story.story, story.waiting.cause, naming(view))
    return (*look, *phrases.replies(view.run.run, story.story, story.waiting.cause, reached_of(story), naming(view)))


def at_limit(view: RunView) -> list[StoryRow]:
    """The stories that need a higher limit."""
    return [story.story for story in view.stories if is_at_limit(story.story)]


def is_at_limit(story: StoryRow) -> bool:
    return story.waiting.cause is WaitCause.LIMIT


def meanwhile(view: RunView) -> Iterator[phrases.Step]:
    """What to type while the run needs a person: for all waiting stories, and for failed ones."""
    waiting = [story.story for story in view.stories if story.story.waiting.needs_person]
    yield from dict.fromkeys(step for story in waiting for step in replies(view, story))  # one limit may hold many
    if (count := sum(story.waiting.cause in state_labels.APPROVALS for story in waiting)) > 1:
        yield f"shiftwork approve --all{naming(view)}", f"all {count} that need approval"
    yield from fallen(view)


def fallen(view: RunView) -> Iterator[phrases.Step]:
    """Commands that show why stories failed, the newest failure first, and that retry failed and undone stories."""
    for item in _newest_first(view.stories)[:_NAMED]:
        yield from again(view, item)
    yield from more_failed(view)
    undone = [entry.story.story for entry in view.stories if entry.story.status == "undone"]
    for story in undone[:_NAMED]:
        yield f"shiftwork retry {story} --from-scratch{naming(view)}", "does it again"
    for story in _missing(view)[:_NAMED]:
        yield f"shiftwork retry {story}{naming(view)}", "lands it again"
    if not_started(view):
        yield f"shiftwork resume {view.run.run} --keep-going", "continues with the next story"


def _missing(view: RunView) -> list[str]:
    return [entry.story.story for entry in view.stories if entry.story.status == "missing"]


def more_failed(view: RunView) -> Iterator[phrases.Step]:
    """The failed stories that `fallen` gives no commands for."""
    if more := _newest_first(view.stories)[_NAMED:]:
        named = ", ".join(entry.story.story for entry in more)
        yield f"shiftwork stories {view.run.run} --failed", f"{len(more)} more failed: {named}"


def reviving(view: RunView) -> tuple[phrases.Step, ...]:
    """Commands that continue a finished run."""
    return tuple(fallen(view)) or ((f'shiftwork add "…" --run {view.run.run}', "adds more work"),)


def after(view: RunView, obstacle: Obstacle | None = _NOTHING) -> Iterator[phrases.Step]:
    """What to type after the run: first what shows why it failed. The `obstacle` prevents a merge; None if the work has
    been merged.
    """
    run = view.run
    if run.archived:
        yield f"shiftwork report {run.run}", ""
        return
    landed = [story.story for story in view.stories if story.story.landing.commit]
    merge = tuple(merging(view, obstacle))
    if run.status == "undone" or (run.status == "failed" and (newest_failure(view.stories) or _missing(view))):
        yield from (*fallen(view), *merge)
    elif not landed:
        begun = any(step.log for story in view.stories for step in story.steps)
        yield f"shiftwork {'logs' if begun else 'stories'} {run.run}", ""
    else:
        yield from merge or ((phrases.look_at([story.landing.commit for story in landed], run.branch), ""),)


def is_beside(view: RunView) -> bool:
    """Whether the last work landed on another branch, because the run's own could not be moved safely."""
    return landed_on(view) not in {"", view.run.branch}


def beside(view: RunView, obstacle: Obstacle | None) -> str:
    """Where the work is that has not reached the run's branch, and why; empty if all has."""
    if obstacle is None or not is_beside(view):
        return ""
    return f"on {landed_on(view)} and not on {view.run.branch}, {held_because(view.run.branch, obstacle)}"


def merging(view: RunView, obstacle: Obstacle | None) -> Iterator[phrases.Step]:
    """Commands for the worktree that has the branch checked out; none if all work is on the branch."""
    if obstacle is None or not is_beside(view):
        return
    git, edited = f"git -C {quote(obstacle.tree)}" if obstacle.tree else "git", obstacle.files
    if edited:
        named = f" -- {' '.join(map(quote, edited))}" if len(edited) <= _NAMED else ""
        yield f"{git} stash push -u{named}", "or commit these edits"
    yield f"{git} merge {landed_on(view)}", ""


def again(view: RunView, failed: StoryView) -> Iterator[phrases.Step]:
    run, story = failed.story.run, failed.story.story
    if failed.story.landing.refusal == "gates":
        yield f"shiftwork logs {run} --story {story} --gates", "what the gates printed"
    elif any(step.log for step in failed.steps):
        yield f"shiftwork logs {run} --story {story}", ""
    yield f"shiftwork retry {story}{naming(view)}", "with the reason: --because …"
