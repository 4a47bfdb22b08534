"""Whether work gets slower as its history gets longer.

Measures a decision and the append of its facts (fold, view rows, one transaction), on SQLite: a run of 1,500 stories is
continued from a history of 1,000 facts and from a history of 100,000, alternating, because timings on a shared machine
drift. The ratio on the last line is that of the medians, for the run's decisions or those of its stories, whichever is
worse.

Before that, a complete run of 1,000 stories with one instant step each: the real engine, store and git, an agent that
is a function, no gates. `shiftwork status` on it is compared with `status` in a repository without runs.
"""

import asyncio
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.cli import SHIFTWORK, compile_all
from bench.overhead import repository
from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.adapters.store.open import open_store
from shiftwork.app.commands.runs import Order, start_run, wait_for
from shiftwork.app.runtime.streams import RUN, STORY, Kind
from shiftwork.bootstrap.work.ports import open_context
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import environment, find_site
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import Stream, landing_stream, run_stream, story_stream
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.ports.agent import AgentTask
from shiftwork.ports.store import EventStore
from shiftwork.testing.builders import asked, planned, run_plan, workflow
from shiftwork.testing.simulation.simulation import FirstChoice
from shiftwork.testing.simulation.story import StorySimulation

SHORT, LONG = 1_000, 100_000
STORIES = 1_500
STEPS = 30
ROUNDS = 30
WHOLE = 1_000
STATUS_ROUNDS = 15

type Answer = Callable[[e.Effect, Any], Sequence[Fact]]


def chains(count: int) -> tuple[Story, ...]:
    """Stories in chains of ten."""
    return tuple(asked(number, after=(number - 1,) if number % 10 != 1 else ()) for number in range(1, count + 1))


@dataclass(slots=True, kw_only=True)
class Line:
    """A stream that is continued: its folded state and its version."""

    events: EventStore
    kind: Kind[Any]
    stream: Stream
    state: Any
    version: int = 0

    async def write(self, key: str, facts: Sequence[Fact]) -> None:
        """Append facts, as a recorder does."""
        after = self.kind.fold(self.state, facts)
        rows = self.kind.rows(self.state, after)
        self.version = await self.events.append(self.stream, facts, expected=self.version, key=key, rows=rows)
        self.state = after

    async def turn(self, answer: Answer) -> float:
        """Decide, act, record; returns the seconds for deciding and recording."""
        began = time.perf_counter()
        effect = self.kind.decide(self.state)[0]
        decided = time.perf_counter()
        facts = answer(effect, self.state)
        answered = time.perf_counter()
        await self.write(effect.key, facts)
        return time.perf_counter() - answered + decided - began


class Shift:
    """A run whose stories run one after another in a simulation without failures; `facts` counts its history."""

    def __init__(self, events: EventStore) -> None:
        plan = run_plan(*chains(STORIES), steps=workflow(*(planned("coding") for _ in range(STEPS))))
        self._plan = plan
        self._run = Line(events=events, kind=RUN, stream=run_stream(plan.run), state=RunState())
        self.facts = 0

    async def open(self) -> None:
        await self._run.write("start", [run_facts.RunStarted(at=0, plan=self._plan)])

    async def story(self, *, at_once: bool = False) -> dict[str, list[float]]:
        """Run the next story, from its dispatch to its end; returns the seconds of the run's and the story's decisions.
        `at_once` records its whole history in a single append.
        """
        (dispatch,) = RUN.decide(self._run.state)
        assert isinstance(dispatch, run_effects.DispatchStory)
        given = dispatch.assignment
        stream = story_stream(given.run, given.story.id)
        line = Line(events=self._run.events, kind=STORY, stream=stream, state=StoryState())
        begun = run_facts.StoryDispatched(at=0, story=given.story.id, slot=given.slot)
        own, runs = list[float](), [await self._run.turn(lambda *_: [begun])]
        started = story_facts.StoryStarted(at=0, assignment=given, steps=dispatch.steps)
        context = StorySimulation(
            chance=FirstChoice(), mishaps=0, answers=0, endings=("completed",), verdicts=("landed",)
        )
        if at_once:
            await line.write("all", simulated(started, context))
        else:
            await line.write("start", [started])
            while STORY.decide(line.state):
                own.append(await line.turn(context.answer))
        assert line.state.status is StoryStatus.COMPLETED
        runs.append(await self._run.turn(lambda effect, _: ended(effect, line.state)))
        self.facts += line.version + 3
        return {"run": runs, "story": own}


def simulated(started: Fact, context: StorySimulation) -> list[Fact]:
    facts, state = [started], STORY.fold(StoryState(), [started])
    while effects := STORY.decide(state):
        news = context.answer(effects[0], state)
        facts += news
        state = STORY.fold(state, news)
    return facts


def ended(effect: e.Effect, story: StoryState) -> list[Fact]:
    assert isinstance(effect, e.Receive)
    story_ended = run_facts.StoryEnded(
        at=0,
        story=story.given.story.id,
        status=story.status,
        commit=story.landed_commit,
        reason="",
        cause=None,
        usage=story.spending.usage,
    )
    return [story_ended, MessagesRead(at=0, upto=effect.cursor + 1)]


async def decisions(folder: Path) -> float:
    """The median decision time on the long history divided by that on the short history; the worse of the two kinds."""
    shifts: dict[int, Shift] = {}
    stores = []
    for size in (SHORT, LONG):
        stores.append(open_store(f"sqlite:///{folder}/{size}.db"))
        shifts[size] = shift = Shift(stores[-1].events)
        await shift.open()
        while shift.facts < size:
            await shift.story(at_once=True)
    taken = {(size, whose): list[float]() for size in shifts for whose in ("run", "story")}
    for _ in range(ROUNDS):
        for size, shift in shifts.items():
            for whose, seconds in (await shift.story()).items():
                taken[size, whose] += seconds
    for store in stores:
        store.close()
    for (size, whose), seconds in taken.items():
        middle, tail = statistics.median(seconds), statistics.quantiles(seconds, n=10)[-1]
        shown = f"p50 {1000 * middle:5.2f} ms   p90 {1000 * tail:5.2f} ms"
        print(f"a {whose}'s decision and append at {size:>7,} facts: {shown}   ({len(seconds)} of them)")
    medians = {which: statistics.median(seconds) for which, seconds in taken.items()}
    return max(medians[LONG, whose] / medians[SHORT, whose] for whose in ("run", "story"))


# A run of a thousand stories ------------------------------------------------------------------------------------------


def instant(task: AgentTask) -> Turn:
    return Turn(write={f"done/{task.env['SHIFTWORK_STORY']}": "done\n"}, answer="SUMMARY:\ndone\n")


async def whole_run(root: Path) -> float:
    """The duration of the run in seconds."""
    env = environment()
    site = find_site(root, env)
    order = Order(
        spec=Spec(title="A thousand stories", description="", stories=chains(WHOLE)),
        workflow=workflow(planned("coding")),
        branch="main",
        landing=landing_stream(site.project, "main"),
        agent="scripted",
        parallel=8,
    )
    settings = Settings.model_validate({"sandbox": {"tier": "none"}})
    async with open_context(site, settings, env, agents={"scripted": ScriptedAgent(instant)}) as context:
        began = time.perf_counter()
        state = await wait_for(context, await start_run(context, order))
        taken = time.perf_counter() - began
    if state.status is not RunStatus.COMPLETED or state.totals.completed != WHOLE:
        raise RuntimeError(f"the run is {state.status}, {state.totals.completed} stories have landed")
    return taken


def status_seconds(root: Path) -> float:
    began = time.perf_counter()
    subprocess.run([SHIFTWORK, "status"], cwd=root, check=False, capture_output=True)
    return time.perf_counter() - began


def whole() -> None:
    with repository() as full, repository() as empty:
        taken = asyncio.run(whole_run(full))
        print(f"a run of {WHOLE:,} stories, one instant step each, real git: {taken:.0f} s")
        pairs = [(status_seconds(empty), status_seconds(full)) for _ in range(STATUS_ROUNDS)]
    bare, message = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"status on it: {1000 * message:.0f} ms, without runs: {1000 * bare:.0f} ms, ratio {message / bare:.2f}")


def main() -> None:
    compile_all()
    whole()
    with tempfile.TemporaryDirectory() as folder:
        ratio = asyncio.run(decisions(Path(folder)))
    print(f"{ratio:.2f}")


if __name__ == "__main__":
    main()
