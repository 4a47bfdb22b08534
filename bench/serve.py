"""How quickly the HTTP API answers for a large run: 1,000 stories with 30 steps each. Exits 0 only if all hold.

Each figure is the 95th percentile of requests over a connection that is kept, to a server in another process, beside a
bare FastAPI route in that process. The replay is what a client reads that has missed 1,000 events.
Another process writes ten facts a second into the story meanwhile, so that no answer can be kept for long. The
processor time is that of the server for a request.
"""

import asyncio
import itertools
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import fastapi
import httpx2
import uvicorn

from bench.history import STORIES, Line, chains, simulated
from bench.limits import LIMIT_MISSED
from shiftwork.adapters.store.open import open_store
from shiftwork.app.folds import STORY, load
from shiftwork.app.runtime.streams import RUN_KIND, STORY_KIND
from shiftwork.config.access.tokens import Role, Tokens
from shiftwork.config.site import Site, find_site, open_state
from shiftwork.domain.core.ids import RunId, StepId, StoryId, run_stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.entrypoints.api.http_server import serve_project
from shiftwork.records import dataclass, replace
from shiftwork.testing.builders import BASE, assignment, planned, run_plan, workflow
from shiftwork.testing.git_user import new_user
from shiftwork.testing.simulation.simulation import FirstChoice
from shiftwork.testing.simulation.story import StorySimulation

STEPS, ROUNDS, LIMIT_SECONDS = 30, 40, 0.1
LOG_BYTES = 1 << 20
FACTS_A_SECOND = 10


async def written(site: Site) -> None:
    """The run: all stories but the last have landed; that one is in progress, with a log."""
    store = open_store(site.store_url)
    steps = tuple(planned("coding") for _ in range(STEPS))
    plan = replace(run_plan(*chains(STORIES), steps=workflow(*steps)), project=site.project)
    run = Line(events=store.events, kind=RUN_KIND, stream=run_stream(plan.run), state=RunState())
    await run.write("start", [run_facts.RunStarted(at=0, plan=plan)])
    context = StorySimulation(chance=FirstChoice(), mishaps=0, answers=0, endings=("completed",), verdicts=("landed",))
    for position, story in enumerate(plan.spec.stories):
        given = replace(assignment(story), run=plan.run, position=position)
        started = story_facts.StoryStarted(at=0, assignment=given, steps=steps)
        line = Line(events=store.events, kind=STORY_KIND, stream=story_stream(plan.run, story.id), state=StoryState())
        last = position == len(plan.spec.stories) - 1
        facts = [started, *([] if last else simulated(started, context)[1:])]
        await line.write("all", facts)
        if last:
            log = site.state / "logs" / plan.run / story.id / "step-001-1.jsonl"
            log.parent.mkdir(parents=True)
            log.write_bytes(b"x" * (LOG_BYTES - 1) + b"\n")
            begun = story_facts.StepStarted(at=1, step=StepId("step-001"), attempt=1, commit=BASE, log=str(log))
            await line.write("step", [begun])
    store.close()


def served(site: Site, env: dict[str, str], ready: Connection) -> None:
    """The process of the server, with a bare route at another address."""

    async def serve() -> None:
        bare = fastapi.FastAPI()

        @bare.get("/")
        async def nothing() -> dict[str, str]:
            return {"state": "ok"}

        listening = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(bare, log_config=None, access_log=False, lifespan="off")
        beside = asyncio.create_task(uvicorn.Server(config).serve(sockets=[listening]))
        port = listening.getsockname()[1]
        await serve_project(site, env, 0, lambda url: ready.send((url, f"http://127.0.0.1:{port}")), asyncio.Event())
        await beside

    asyncio.run(serve())


def busy(site: Site, ready: Connection) -> None:
    """The process that writes notes into the story in progress."""

    async def work() -> None:
        store = open_store(site.store_url)
        stream = story_stream(RunId("r1"), StoryId(f"US-{STORIES:03}"))
        state = await load(store.events, STORY, stream)
        line = Line(events=store.events, kind=STORY_KIND, stream=stream, state=state)
        line.version = await store.events.version(stream)
        ready.send("ready")
        for number in itertools.count(1):
            note = story_facts.NoteWritten(at=float(number), by=StepId("step-001"), text=f"note {number}")
            await line.write(f"note-{number}", [note])
            await asyncio.sleep(1 / FACTS_A_SECOND)

    asyncio.run(work())


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """How long a request takes, and how long it keeps a processor of the server busy, in seconds."""

    percentile: float
    processor: float


def taken(pid: int, act: Callable[[], object]) -> Taken:
    act()
    seconds, before = [], processor(pid)
    for _ in range(ROUNDS):
        began = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - began)
    return Taken(percentile=statistics.quantiles(seconds, n=20)[-1], processor=(processor(pid) - before) / ROUNDS)


def processor(pid: int) -> float:
    """The processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def replayed(client: httpx2.Client, url: str, after: int, last: int) -> None:
    """Reads the events after a place up to the last one."""
    with client.stream("GET", f"{url}/events", headers={"last-event-id": str(after)}) as response:
        for line in response.iter_lines():
            if line == f"id: {last}":
                return


def measured(pid: int, url: str, bare: str, word: str) -> dict[str, Taken]:
    client = httpx2.Client(verify=False, timeout=60, headers={"authorization": f"Bearer {word}"})
    story = f"/runs/r1/stories/US-{STORIES:03}"
    log = f"{story}/steps/step-001/attempts/1/log?offset={LOG_BYTES // 2}"

    def get(path: str) -> Callable[[], object]:
        return lambda: client.get(path).raise_for_status()

    with client.stream("GET", f"{url}/events") as response:
        last = next(int(line.removeprefix("id: ")) for line in response.iter_lines() if line.startswith("id: "))
    return {
        "a bare route": taken(pid, get(bare)),
        "the list of runs": taken(pid, get(f"{url}/runs")),
        "a story with its steps": taken(pid, get(f"{url}{story}")),
        "a part of a log (64 KiB)": taken(pid, get(f"{url}{log}")),
        "a replay of 1,000 events": taken(pid, lambda: replayed(client, url, last - 1000, last)),
    }


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        user = new_user(Path(folder))
        env = {**user.env, "SHIFTWORK_STATE_HOME": f"{folder}/state", "SHIFTWORK_CACHE_HOME": f"{folder}/cache"}
        site = find_site(user.root, env)
        open_state(site)
        asyncio.run(written(site))
        word = Tokens(site.state).create(Role.VIEWER, "bench", 1.0)[1]
        spawned = get_context("spawn")
        here, there = spawned.Pipe()
        server = spawned.Process(target=served, args=(site, env, there))
        writer = spawned.Process(target=busy, args=(site, there))
        try:
            server.start()
            url, bare = here.recv()
            writer.start()
            here.recv()
            figures = measured(server.pid or 0, f"{url}/api/v1", bare, word)
        finally:
            for process in (writer, server):
                if process.pid:
                    process.terminate()
                    process.join()
    print(f"{FACTS_A_SECOND} facts are written a second meanwhile{'p95':>13}{'processor':>14}")
    for name, each in figures.items():
        print(f"{name:<42} {1000 * each.percentile:7.1f} ms {1000 * each.processor:10.1f} ms")
    worst = max(each.percentile for each in figures.values())
    print(f"the slowest takes {worst / LIMIT_SECONDS:.2f} of the limit of {1000 * LIMIT_SECONDS:.0f} ms")
    return 0 if worst <= LIMIT_SECONDS else LIMIT_MISSED


if __name__ == "__main__":
    sys.exit(main())
