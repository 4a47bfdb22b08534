"""Which attempt's log is meant, and how it is followed: to its end, and on with the attempts after it."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shiftwork.app.views.run_views import RunView, StoryView
from shiftwork.domain.spec.story_lookup import guess
from shiftwork.entrypoints.cli.render import next_steps
from shiftwork.errors import UsageError
from shiftwork.ports.views import StepRow

_POLL_SECONDS: Final = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which attempt: the newest of the step that runs or ran last, unless more is said. Of a story that is not named,
    the one that failed last; where the log is followed, the one that is at work.
    """

    run: str
    story: str
    step: str
    attempt: int | None
    follow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """An attempt and its log."""

    view: RunView
    step: StepRow
    attempt: int
    log: Path

    @property
    def under_way(self) -> bool:
        return self._newest and self.step.status == "in_progress"

    @property
    def error(self) -> str:
        """What it failed of; of earlier attempts than the newest that is not known."""
        return self.step.error if self._newest and not self.under_way else ""

    @property
    def _newest(self) -> bool:
        return self.attempt == self.step.attempts


def choose(view: RunView, wanted: Wanted) -> Chosen | None:
    step = _step(story_of(view, wanted), wanted) if view.stories else None
    if step is None:
        return None
    attempt = wanted.attempt or step.attempts
    if attempt > step.attempts:
        had = f"{step.attempts} attempt{'s' if step.attempts > 1 else ''}"
        raise UsageError(f"{step.name} has had {had}", hint=f"shiftwork status {view.run.run}")
    return _chosen(view, step, attempt)


def _chosen(view: RunView, step: StepRow, attempt: int) -> Chosen:
    newest = Path(step.log)
    log = newest.with_name(f"{step.step}-{attempt}{newest.suffix}")
    return Chosen(view=view, step=step, attempt=attempt, log=log)


def story_of(view: RunView, wanted: Wanted) -> StoryView:
    found = next((one for one in view.stories if wanted.story == one.story.story), None)
    if found is None and wanted.story:
        known = [one.story.story for one in view.stories]
        told = f"the run has no story {wanted.story}{guess(wanted.story, known) or f'; it has {", ".join(known)}'}"
        raise UsageError(told, hint=f"shiftwork status {view.run.run}")
    return found or _telling(view, wanted)


def _telling(view: RunView, wanted: Wanted) -> StoryView:
    """Of the stories that have anything to show the one that failed last, else the first at work, else the first. Where
    a log is followed, who works goes before who has failed, and before who waits.
    """
    begun = [one for one in view.stories if _step(one, wanted)] or view.stories
    working = [one for one in begun if one.story.status == "in_progress"]
    moving = next((one for one in working if not one.story.waiting), None)
    if wanted.follow and moving:
        return moving
    failed = next_steps.newest_failure(begun)
    return failed or moving or next(iter(working or begun))


def _step(story: StoryView, wanted: Wanted) -> StepRow | None:
    begun = _begun(story, wanted)
    working = [step for step in begun if step.status == "in_progress"]
    return next(iter(working or sorted(begun, key=lambda step: -(step.started_at or 0))), None)


def _begun(story: StoryView, wanted: Wanted) -> list[StepRow]:
    named = [step for step in story.steps if wanted.step in {"", step.step, step.type, step.name}]
    return [step for step in named if step.log]


def follow(
    look: Callable[[], RunView], wanted: Wanted, *, pause: Callable[[float], None] = time.sleep
) -> Iterator[tuple[Chosen, list[str]]]:
    """New lines of the attempt that runs, then of those after it, until nobody works on the run any more."""
    trace = _Trace(wanted)
    while True:
        # Looked at before reading: what was written until then is read below, so nothing of the end is missed.
        view = look()
        moves = view.moves
        yield from trace.read(view, last=not moves)
        if not moves:
            return
        pause(_POLL_SECONDS)


class _Trace:
    """How far each log has been read, and which attempts are known: between two looks several may begin and end."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._offsets = dict[Path, int]()
        self._known = set[Path]()
        self._stories = set[str]()
        self._reading: Chosen | None = None

    def read(self, view: RunView, *, last: bool) -> Iterator[tuple[Chosen, list[str]]]:
        for later in self._later(view):
            if self._reading:
                yield self._grown(view, self._reading, over=True)
            self._reading = later
        if self._reading:
            yield self._grown(view, self._reading, over=last)

    def _later(self, view: RunView) -> list[Chosen]:
        """What is to be read now, in the order in which it began: the newest attempt comes last."""
        newest = choose(view, self._wanted)
        if newest is None:
            return []
        stories = {newest.step.story} | ({self._reading.step.story} if self._reading else set())
        begun = {one.log: one for one in self._attempts(view) if one.step.story in stories}
        if newest.step.story not in self._stories:
            # Who joins a story late is not told all that was before.
            self._stories.add(newest.step.story)
            self._known |= {log for log, one in begun.items() if one.step.story == newest.step.story} - {newest.log}
        fresh = sorted((one for log, one in begun.items() if log not in self._known | {newest.log}), key=_written)
        self._known |= begun.keys()
        moved = self._reading is None or self._reading.log != newest.log
        return [*fresh, newest] if moved else []

    def _attempts(self, view: RunView) -> Iterator[Chosen]:
        for story in view.stories:
            for step in _begun(story, self._wanted):
                for attempt in range(1, step.attempts + 1):
                    if self._wanted.attempt in {None, attempt}:
                        yield _chosen(view, step, attempt)

    def _grown(self, view: RunView, chosen: Chosen, *, over: bool) -> tuple[Chosen, list[str]]:
        """What has been written since, in whole lines until it is over; with the step as it is known by now."""
        present = next((one for one in self._attempts(view) if one.log == chosen.log), chosen)
        lines, self._offsets[chosen.log] = _grown(chosen.log, self._offsets.get(chosen.log, 0), over=over)
        return present, lines


def _written(chosen: Chosen) -> float:
    """One attempt of a story is over before the next begins, so that the last words tell their order."""
    try:
        return chosen.log.stat().st_mtime_ns
    except OSError:
        return math.inf


def _grown(log: Path, offset: int, *, over: bool) -> tuple[list[str], int]:
    """The whole lines after a place, and the place after them; what is over needs no end of line."""
    try:
        with log.open("rb") as file:
            file.seek(offset)
            new = file.read()
    except FileNotFoundError:
        return [], offset
    read = new if over else new[: new.rfind(b"\n") + 1]
    return read.decode(errors="replace").split("\n"), offset + len(read)
