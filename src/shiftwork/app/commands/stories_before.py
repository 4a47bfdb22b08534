"""What earlier runs of a spec know about its stories: it decides which of them a new run works on.

A mark in the spec's file counts as the user has it when a run starts. But where the history knows the same story, with
the same text, the history decides: nothing that an agent wrote into a file may pass for landed work, and a mark that
could not be written does not make anybody pay twice.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from shiftwork.app.folds import RUN, load
from shiftwork.domain.core.ids import RunId, StoryId, run_stream
from shiftwork.domain.core.landed_work import LandedWork
from shiftwork.domain.run.lost_work import HAS_LANDED, landed_work
from shiftwork.domain.run.state import RUN_ENDED, RunState
from shiftwork.domain.spec.spec import Story, text_of
from shiftwork.domain.story.state import StoryStatus
from shiftwork.ports.specs import Sheet
from shiftwork.ports.store import History
from shiftwork.records import dataclass, replace

_RUNS: Final = 20
"""So many of the newest runs are looked at."""

_LEFT: Final = frozenset({StoryStatus.FAILED, StoryStatus.BLOCKED, StoryStatus.UNCLAIMED})


@dataclass(frozen=True, slots=True, kw_only=True)
class StoriesBefore:
    """What the newest run that has worked on them says about stories of the spec, by the id of that run: those that
    have `landed`, with the work to look for, and those that have `failed` or never started.
    """

    landed: tuple[tuple[RunState, StoryId], ...] = ()
    failed: tuple[tuple[RunState, StoryId], ...] = ()

    @property
    def landed_works(self) -> dict[str, tuple[LandedWork, ...]]:
        """What to look for, by the branch that it has landed on."""
        found: dict[str, tuple[LandedWork, ...]] = {}
        for run, story in self.landed:
            works = tuple(work for work in landed_work(run) if work.story == story)
            found[run.given.branch] = (*found.get(run.given.branch, ()), *works)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The spec as a new run takes it: `missing` are stories among the done ones that their branch no longer has. The
    `remarks` say where that differs from the file.
    """

    sheet: Sheet
    missing: frozenset[StoryId] = frozenset()
    remarks: tuple[str, ...] = ()


async def stories_before(history: History, runs: Iterable[str], sheet: Sheet, worktree: str) -> StoriesBefore:
    """Reads the runs, newest first. A run that only took over a mark knows nothing itself."""
    asked = {story.id: story for story in sheet.spec.stories}
    landed: list[tuple[RunState, StoryId]] = []
    failed: list[tuple[RunState, StoryId]] = []
    for number, run in enumerate(runs):
        if not asked or number == _RUNS:
            break
        state = await load(history, RUN, run_stream(RunId(run)))
        for story in _known(state, sheet, worktree, list(asked.values())):
            del asked[story]
            known = state.stories[story].status
            landed += [(state, story)] if known in HAS_LANDED else []
            failed += [(state, story)] if known in _LEFT else []
    return StoriesBefore(landed=tuple(landed), failed=tuple(failed))


def _known(run: RunState, sheet: Sheet, worktree: str, stories: Sequence[Story]) -> list[StoryId]:
    plan = run.plan
    if plan is None or run.status not in RUN_ENDED or (plan.source, plan.worktree) != (sheet.source, worktree):
        return []
    return [
        story.id
        for story in stories
        if (known := run.stories.get(story.id))
        and text_of(run.asked(story.id)) == text_of(story)
        and (known.dispatched or known.status not in HAS_LANDED)
    ]


def settle_spec(sheet: Sheet, before: StoriesBefore, gone: frozenset[str], branch: str) -> Settled:
    """The spec for a run that lands on the branch; `gone` are commits that their branches no longer have."""
    done, missing, remarks = set(sheet.done), set[StoryId](), list[str]()
    file = sheet.source.partition(":")[2]
    for run, story in before.landed:
        commit, its = run.stories[story].commit, run.given
        if commit in gone:
            done.add(story)
            missing.add(story)
            again = f"to land it again: shiftwork retry {story} --run {its.run}"
            remarks.append(f"{story} has landed, but is no longer found on {its.branch}; {again}")
        elif story not in done and its.branch == branch:
            done.add(story)
            undo = f"to work on it again: shiftwork undo {story} --run {its.run}, or change its text"
            remarks.append(f"{story} has landed in run {its.run}, although {file} does not mark it; {undo}")
    for run, story in before.failed:
        if story in done:
            done.remove(story)
            why = f"{file} marks it as done, but run {run.given.run} has not landed it"
            remarks.append(f"{story} is worked on: {why}; if it is done, change its title or remove it")
    return Settled(sheet=replace(sheet, done=frozenset(done)), missing=frozenset(missing), remarks=tuple(remarks))
