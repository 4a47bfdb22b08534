"""Which attempt's log to show, and how to follow it: to its end, and then the later attempts."""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from shiftwork.app.views.run_views import RunView, StoryView
from shiftwork.app.views.story_lookup import did_you_mean, stories_of
from shiftwork.entrypoints.cli.render import next_steps
from shiftwork.errors import UsageError
from shiftwork.ports.views import StepRow
from shiftwork.records import dataclass

_POLL_SECONDS: Final = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which attempt to show. Default: the newest of the step that runs or ran last, of the story that failed last; when
    following, of the story in progress.
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
    def in_progress(self) -> bool:
        return self._newest and self.step.status == "in_progress"

    @property
    def error(self) -> str:
        """Why the attempt failed; known only for the newest attempt."""
        return self.step.error if self._newest and not self.in_progress else ""

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
    found = next((story for story in view.stories if wanted.story == story.story.story), None)
    if found is None and wanted.story:
        meant = did_you_mean(view, wanted.story) or f"; it has {', '.join(stories_of(view))}"
        message = f"the run has no story {wanted.story}{meant}"
        raise UsageError(message, hint=f"shiftwork status {view.run.run}")
    return found or _informative(view, wanted)


def _informative(view: RunView, wanted: Wanted) -> StoryView:
    """Of the stories with logs: the one that failed last, else the first in progress, else the first. When following,
    stories in progress come before failed and waiting ones.
    """
    begun = [story for story in view.stories if _step(story, wanted)] or view.stories
    working = [item for item in begun if item.story.status == "in_progress"]
    moving = next((item for item in working if not item.story.waiting.waits), None)
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
    """New lines of the running attempt, then of later ones, until no process works on the run."""
    trace = _Trace(wanted)
    while True:
        # Checked before reading: everything written until then is read below, so nothing at the end is missed.
        view = look()
        moves = view.moves
        yield from trace.read(view, last=not moves)
        if not moves:
            return
        pause(_POLL_SECONDS)


class _Trace:
    """How far each log has been read, and which attempts are known: several may start and end between two checks."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._offsets = dict[Path, int]()
        self._known = set[Path]()
        self._stories = set[str]()
        self._reading: Chosen | None = None

    def read(self, view: RunView, *, last: bool) -> Iterator[tuple[Chosen, list[str]]]:
        for later in self._later(view):
            if self._reading:
                yield self._new_lines(view, self._reading, over=True)
            self._reading = later
        if self._reading:
            yield self._new_lines(view, self._reading, over=last)

    def _later(self, view: RunView) -> list[Chosen]:
        """What to read now, in the order of start: the newest attempt comes last."""
        newest = choose(view, self._wanted)
        if newest is None:
            return []
        stories = {newest.step.story} | ({self._reading.step.story} if self._reading else set())
        begun = {chosen.log: chosen for chosen in self._attempts(view) if chosen.step.story in stories}
        if newest.step.story not in self._stories:
            # When following starts late, earlier attempts are not shown.
            self._stories.add(newest.step.story)
            self._known |= {log for log, chosen in begun.items() if chosen.step.story == newest.step.story} - {
                newest.log
            }
        fresh = sorted((chosen for log, chosen in begun.items() if log not in self._known | {newest.log}), key=_written)
        self._known |= begun.keys()
        moved = self._reading is None or self._reading.log != newest.log
        return [*fresh, newest] if moved else []

    def _attempts(self, view: RunView) -> Iterator[Chosen]:
        for story in view.stories:
            for step in _begun(story, self._wanted):
                for attempt in range(1, step.attempts + 1):
                    if self._wanted.attempt in {None, attempt}:
                        yield _chosen(view, step, attempt)

    def _new_lines(self, view: RunView, chosen: Chosen, *, over: bool) -> tuple[Chosen, list[str]]:
        """What was written since, in whole lines until the attempt ends; with the step as known now."""
        present = next((attempt for attempt in self._attempts(view) if attempt.log == chosen.log), chosen)
        lines, self._offsets[chosen.log] = _new_lines(chosen.log, self._offsets.get(chosen.log, 0), over=over)
        return present, lines


def _written(chosen: Chosen) -> float:
    """An attempt of a story ends before the next starts, so the time of the last write gives their order."""
    try:
        return chosen.log.stat().st_mtime_ns
    except OSError:
        return math.inf


def _new_lines(log: Path, offset: int, *, over: bool) -> tuple[list[str], int]:
    """The complete lines after an offset, and the offset after them. In a finished log the last line is complete."""
    try:
        with log.open("rb") as file:
            file.seek(offset)
            new = file.read()
    except FileNotFoundError:
        return [], offset
    read = new if over else new[: new.rfind(b"\n") + 1]
    return read.decode(errors="replace").split("\n"), offset + len(read)
