"""The large run of `bench.web`: written at once, and then continued, as a recorder writes it."""

import asyncio
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from bench.history import Line, chains, simulated
from shiftwork.adapters.processes.host.process_identity import this_owner
from shiftwork.adapters.store.open import Store, open_store
from shiftwork.app.folds import RUN, load
from shiftwork.app.runtime.streams import RUN_KIND, STORY_KIND
from shiftwork.bootstrap.state.read_only import now
from shiftwork.config.site import Site
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StepId, run_stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunPlan, RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause, StoryState
from shiftwork.records import replace
from shiftwork.testing.builders import BASE, assignment, planned, run_plan, workflow
from shiftwork.testing.simulation.simulation import FirstChoice
from shiftwork.testing.simulation.story import StorySimulation

NAME: Final = RunId("r1")
STORIES, STEPS, SLOTS, LINES = 1_000, 30, 8, 100_000
WORKING, ASKING, QUEUED = SLOTS - 1, 12, 100
LANDED: Final = STORIES - WORKING - ASKING - QUEUED
LOGGED: Final = f"US-{LANDED + 1:03}"
"""The story whose agent has printed a long log and works on."""
STORY_SECONDS: Final = 600.0
FACTS_A_SECOND: Final = 10

_STEPS: Final = tuple(planned("coding") for _ in range(STEPS))


async def written(site: Site, end: float) -> None:
    """The run, with times that end now; this process works on it."""
    store = open_store(site.store_url)
    plan = replace(run_plan(*chains(STORIES), parallel=SLOTS, steps=workflow(*_STEPS)), project=site.project)
    run = Line(events=store.events, kind=RUN_KIND, stream=run_stream(plan.run), state=RunState())
    begin = end - (LANDED // SLOTS + 1) * STORY_SECONDS
    await run.write("start", [run_facts.RunStarted(at=begin, plan=plan)])
    course: list[Fact] = []
    known: Sequence[Fact] = ()
    for position, story in enumerate(plan.spec.stories[: STORIES - QUEUED]):
        is_over = position < LANDED
        start = begin + (position // SLOTS) * STORY_SECONDS if is_over else end - STORY_SECONDS / 2
        started = _started(plan, story, position, start)
        known = known or _course(started)
        line = Line(events=store.events, kind=STORY_KIND, stream=story_stream(plan.run, story.id), state=StoryState())
        course.append(run_facts.StoryDispatched(at=start, story=story.id, slot=position % SLOTS))
        if is_over:
            each = 0.95 * STORY_SECONDS / len(known)
            facts = [replace(fact, at=start + number * each) for number, fact in enumerate(known)]
            await line.write("all", [started, *facts])
            course.append(_ended(line.state, start + 0.95 * STORY_SECONDS))
        elif position < LANDED + WORKING:
            log = str(_log(site, story)) if story.id == LOGGED else ""
            begun = story_facts.StepStarted(at=end - 60, step=StepId("step-001"), attempt=1, commit=BASE, log=log)
            await line.write("all", [started, known[0], begun])
        else:
            held = story_facts.StoryHeld(at=end - 120, cause=HoldCause.EXHAUSTED, detail="shall it go on?")
            await line.write("all", [started, known[0], held])
    await run.write("all", course)
    await store.leases.acquire(plan.run, this_owner("bench"))
    store.close()


def continued(site: Site, ready: Connection) -> None:
    """The process that writes what happens in the queued stories, one after the other, until it is ended."""

    async def work() -> None:
        store = open_store(site.store_url)
        run = await _loaded(store)
        plan = run.state.given
        ready.send("ready")
        for position in range(STORIES - QUEUED, STORIES):
            await _story(run, plan, plan.spec.stories[position], position)

    asyncio.run(work())


async def _loaded(store: Store) -> Line:
    stream = run_stream(NAME)
    run = Line(events=store.events, kind=RUN_KIND, stream=stream, state=await load(store.events, RUN, stream))
    run.version = await store.events.version(stream)
    return run


async def _story(run: Line, plan: RunPlan, story: Story, position: int) -> None:
    """From its dispatch to its end, a fact at a time."""
    slot = SLOTS - 1
    await run.write(f"dispatch-{story.id}", [run_facts.StoryDispatched(at=now(), story=story.id, slot=slot)])
    line = Line(events=run.events, kind=STORY_KIND, stream=story_stream(plan.run, story.id), state=StoryState())
    started = _started(plan, story, position, now())
    for number, fact in enumerate((started, *_course(started))):
        await line.write(f"live-{number}", [replace(fact, at=now())])
        await asyncio.sleep(1 / FACTS_A_SECOND)
    await run.write(f"end-{story.id}", [_ended(line.state, now())])


def _started(plan: RunPlan, story: Story, position: int, at: float) -> story_facts.StoryStarted:
    slot = position % SLOTS if position < STORIES - QUEUED else SLOTS - 1
    given = replace(assignment(story), run=plan.run, position=position, slot=slot)
    return story_facts.StoryStarted(at=at, assignment=given, steps=_STEPS)


def _course(started: story_facts.StoryStarted) -> Sequence[Fact]:
    """What follows in a story without failures."""
    context = StorySimulation(chance=FirstChoice(), mishaps=0, answers=0, endings=("completed",), verdicts=("landed",))
    return simulated(started, context)[1:]


def _ended(story: StoryState, at: float) -> Fact:
    return run_facts.StoryEnded(
        at=at,
        story=story.given.story.id,
        status=story.status,
        commit=story.landed_commit,
        reason="",
        cause=None,
        usage=story.spending.usage,
    )


def _log(site: Site, story: Story) -> Path:
    """The log of an agent that runs tests: plain lines, some with colours."""
    file = site.state / "logs" / NAME / story.id / "step-001-1.jsonl"
    file.parent.mkdir(parents=True)
    with file.open("w", encoding="utf-8") as log:
        for number in range(1, LINES + 1):
            mark = "\x1b[32mPASSED\x1b[0m" if number % 3 else "PASSED"
            log.write(f"tests/unit/test_orders.py::test_total_of_an_order[{number}] {mark} in {number % 97} ms\n")
    return file
