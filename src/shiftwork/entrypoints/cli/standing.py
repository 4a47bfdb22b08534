"""Where a run and its stories stand, in words, and what to type when it is over: the same for all who tell of it."""

from collections.abc import Iterable, Iterator, Sequence
from shlex import quote
from typing import Final

from shiftwork.app import states
from shiftwork.app.queries import Pulse, RunView, Standing, StoryView
from shiftwork.domain.model.ids import FRAME
from shiftwork.entrypoints.cli import words
from shiftwork.entrypoints.cli.clean import plain

_NAMED: Final = 3


def of_run(view: RunView) -> str:
    if view.pulse is Pulse.OVER:
        return words.state(view.run.status)
    return "waits for you" if view.pulse is Pulse.WAITING else view.pulse.value


def of_story(view: RunView, one: StoryView) -> str:
    row = one.story
    if one.standing is Standing.STUCK:
        return one.standing.value
    waits, limited = bool(row.waiting) and row.until is None, row.until is not None
    return words.state(row.status, moving=view.moves, waits=waits, limited=limited)


def counted(view: RunView) -> str:
    """How many of several stories stand where; the run's own steps are none."""
    stories = [one for one in view.stories if one.story.story != FRAME]
    return states.counted(of_story(view, one) for one in stories) if len(stories) > 1 else ""


def newest_failure(stories: Iterable[StoryView]) -> StoryView | None:
    failed = [one for one in stories if one.story.status == "failed"]
    return max(failed, key=lambda one: one.story.ended_at or 0.0, default=None)


def landed_on(view: RunView) -> str:
    """The branch that has what landed last: the run's own, or one beside it where moving that was not safe."""
    return next((one.story.ref for one in reversed(view.stories) if one.story.commit), "")


def held_because(branch: str, edited: Sequence[str]) -> str:
    """Why work has landed beside its branch."""
    if not edited:
        return f"because moving {branch} was not safe"
    named, more = ", ".join(map(plain, edited[:_NAMED])), len(edited) - _NAMED
    return f"because you have edits in {named}{f' and {more} more' if more > 0 else ''}"


def after(view: RunView, edited: Sequence[str] = ()) -> Iterator[words.Step]:
    """What to type when the run is over: first what leads to why it failed. `edited` are files of the user's that are
    in the way of a merge.
    """
    run, failed = view.run, newest_failure(view.stories)
    landed = [one.story for one in view.stories if one.story.commit]
    if failed and run.status == "failed":
        yield from _again(failed)
    elif not landed:
        yield f"shiftwork logs {run.run}", ""
    elif landed[-1].ref != run.branch:
        yield from _merge(landed[-1].ref, edited)
    else:
        yield words.look_at([story.commit for story in landed], run.branch), ""


def _merge(ref: str, edited: Sequence[str]) -> Iterator[words.Step]:
    if edited:
        named = f" -- {' '.join(map(quote, edited))}" if len(edited) <= _NAMED else ""
        yield f"git stash push -u{named}", "or commit these edits"
    yield f"git merge {ref}", ""


def _again(failed: StoryView) -> Iterator[words.Step]:
    run, story = failed.story.run, failed.story.story
    if failed.story.cause == "undone":
        yield f"shiftwork retry {story} --afresh", "to have it done again"
        return
    if any(step.log for step in failed.steps):
        yield f"shiftwork logs {run} --story {story}", ""
    yield f"shiftwork retry {story}", "when you know why"
