"""`python -m bench.seconds_by_kind FILE run …`: runs the command line in this process, and writes to the file where the
time of each story went.

A moment at which an agent or a gate runs belongs to `work`; of the others each has one kind, the first of these that
applies: git, process starts (and ends), trees, store. The rest is the event loop and our own Python. A story lasts from
its dispatch to the next one, so its end, its landing and the answer are counted.
"""

import functools
import json
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

KINDS: Final = ("work", "git", "process starts", "trees", "store")
REST: Final = "rest"

type Interval = tuple[str, float, float]


def seconds_by_kind(intervals: Iterable[Interval], begin: float, end: float) -> Mapping[str, float]:
    """The time between two moments, each part of it under one kind: the first in `KINDS` that applies."""
    cut = [(kind, max(start, begin), min(stop, end)) for kind, start, stop in intervals if start < end and stop > begin]
    moments = sorted({begin, end, *(moment for _, *both in cut for moment in both)})
    spent = defaultdict[str, float](float)
    for start, stop in pairwise(moments):
        here = {kind for kind, since, until in cut if since <= start and until >= stop}
        spent[next((kind for kind in KINDS if kind in here), REST)] += stop - start
    return spent


class Watch:
    """Notes when calls of a kind begin and end, and when stories are dispatched."""

    def __init__(self) -> None:
        self.intervals: list[Interval] = []
        self.dispatched: list[float] = []
        self.end = 0.0

    def time(self, kind: str, owner: Any, *names: str) -> None:
        for name in names:
            setattr(owner, name, self._timed(kind, getattr(owner, name)))

    def _timed(self, kind: str, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @functools.wraps(call)
        async def timed(*given: Any, **named: Any) -> Any:
            start = time.perf_counter()
            try:
                return await call(*given, **named)
            finally:
                self.intervals.append((kind, start, time.perf_counter()))

        return timed

    def note_effects(self, recorder: type) -> None:
        written = recorder.write  # type: ignore[attr-defined]

        @functools.wraps(written)
        async def write(own: Any, key: str, facts: Any) -> None:
            if key.startswith("dispatch/"):
                self.dispatched.append(time.perf_counter())
            await written(own, key, facts)
            if key.startswith("end/"):
                self.end = time.perf_counter()

        recorder.write = write  # type: ignore[attr-defined]

    def stories(self) -> Iterator[Mapping[str, float]]:
        for begin, end in pairwise((*self.dispatched, self.end)):
            yield seconds_by_kind(self.intervals, begin, end)


def watched() -> Watch:
    from shiftwork.adapters.processes.supervisor import supervise  # noqa: PLC0415 - after the clock has started
    from shiftwork.adapters.store.event_store import SqlEventStore  # noqa: PLC0415
    from shiftwork.adapters.store.inbox import SqlInbox  # noqa: PLC0415
    from shiftwork.adapters.store.leases import SqlLeases  # noqa: PLC0415
    from shiftwork.adapters.workspace.gates.gate_tree import Bench  # noqa: PLC0415
    from shiftwork.adapters.workspace.git.git import Git  # noqa: PLC0415
    from shiftwork.adapters.workspace.tree.workspaces import GitWorkspaces  # noqa: PLC0415
    from shiftwork.app.runtime.recorder import Recorder  # noqa: PLC0415

    watch = Watch()
    watch.time("work", supervise._Program, "until_over")  # noqa: SLF001
    watch.time("process starts", supervise, "_run")
    watch.time("git", Git, "run", "run_both")
    watch.time("trees", Bench, "lay_out", "tidy", "written")
    watch.time("trees", GitWorkspaces, "prepare", "renew", "snapshot", "restore", "discard")
    watch.time("store", SqlEventStore, "append", "read", "version", "snapshot")
    watch.time("store", SqlInbox, "post", "posted", "receive")
    watch.time("store", SqlLeases, "acquire", "release")
    watch.note_effects(Recorder)
    return watch


def main() -> None:
    began = time.perf_counter()
    watch = watched()
    from shiftwork.entrypoints.cli import main as shiftwork  # noqa: PLC0415

    out, sys.argv[1:] = sys.argv[1], sys.argv[2:]
    try:
        shiftwork()
    finally:
        ended = time.perf_counter()
        before = seconds_by_kind(watch.intervals, began, watch.dispatched[0]) if watch.dispatched else {}
        found = {"before": before, "stories": [*watch.stories()], "after": ended - watch.end}
        Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
