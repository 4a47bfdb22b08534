"""Many clients follow the events of a real server, are cut off at random and come back: `just follow-events`.

Facts are written all the while. In the end every client must have received every event once, and so have the same
state; the memory of the server must not have grown. The last line is the ratio of its memory in the last third of the
time to that in the first third, after a time to warm up.
"""

import argparse
import asyncio
import contextlib
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bench.limits import LIMIT_MISSED
from shiftwork.bootstrap.server.living import living_server
from shiftwork.bootstrap.server.worker_command import server_command
from shiftwork.bootstrap.state.read_only import open_feed
from shiftwork.config.access.tokens import Role
from shiftwork.config.site import environment
from shiftwork.domain.core.ids import StepId, Stream
from shiftwork.domain.story.facts.steps import NoteWritten
from shiftwork.entrypoints.api.access.request_guard import PREFIX
from tests.api.api_rig import STORIES, Stage, staged
from tests.api.event_clients import EventClient
from tests.own_folders import use_own_folders
from tests.patience import awaited

WARM_UP, MOST_GROWTH = 0.2, 1.05
STORED_NOTES, NOTES_OF_RUN, CONNECTED_SECONDS = 12_000, 150, 10.0
NEVER = 1 << 60


@dataclass
class Writer:
    """Writes notes into the stories of a run, and starts the next run after some of them."""

    stage: Stage
    streams: list[Stream] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def write(self, many: int = 1) -> None:
        number = next(self.numbers)
        if number * many % NOTES_OF_RUN < many:
            run = f"r{number}"
            self.stage.start_run(run)
            self.streams = [self.stage.start_story(run, story) for story in STORIES]
        notes = [NoteWritten(at=float(number), by=StepId("step-001"), text=f"note {number}") for _ in range(many)]
        self.stage.write(self.streams[number % len(self.streams)], *notes)


@dataclass
class Outcome:
    """What became of the clients, and the memory of the server over time, in MiB."""

    clients: list[EventClient]
    final: int
    memory: list[float]

    @property
    def faults(self) -> list[str]:
        behind = [f"a client ended at event {each.last} of {self.final}" for each in self.clients if self.behind(each)]
        states = {each.state.digest() for each in self.clients}
        differ = [f"there are {len(states)} different states"] if len(states) > 1 else []
        return [*(fault for each in self.clients for fault in each.faults), *behind, *differ]

    def behind(self, client: EventClient) -> bool:
        return client.last != self.final and not client.faults

    @property
    def thirds(self) -> tuple[float, float]:
        """The medians of the first and the last third of the time after the warm-up."""
        steady = self.memory[int(len(self.memory) * WARM_UP) :]
        third = max(len(steady) // 3, 1)
        return statistics.median(steady[:third]), statistics.median(steady[-third:])


def newest(stage: Stage) -> int:
    return asyncio.run(open_feed(stage.site).tail(0))


def resident(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


@contextlib.contextmanager
def real_server(stage: Stage) -> Iterator[tuple[int, str]]:
    """A `shiftwork serve` of the project: its process and its address."""
    env = {**environment(), **stage.env}
    process = subprocess.Popen(server_command(), cwd=stage.site.root, env=env, stdout=subprocess.DEVNULL)
    try:
        record = awaited(lambda: living_server(stage.site), lambda found: found and found.address)
        assert record
        yield process.pid, f"{record.address}{PREFIX}"
    finally:
        os.kill(process.pid, signal.SIGTERM)
        process.wait()


async def followed(stage: Stage, asked: argparse.Namespace) -> Outcome:
    """Facts are written from a thread: a write may wait for the disk."""
    writer, final, memory = Writer(stage), NEVER, list[float]()
    for _ in range(STORED_NOTES // NOTES_OF_RUN):
        await asyncio.to_thread(writer.write, NOTES_OF_RUN)
    first = await asyncio.to_thread(newest, stage)
    clients = [EventClient(last=first, chance=random.Random(asked.seed + number)) for number in range(asked.clients)]  # noqa: S311 - seeded
    with real_server(stage) as (pid, url):
        following = [
            asyncio.create_task(client.follow(url, stage.words[Role.VIEWER], lambda: final, seconds=CONNECTED_SECONDS))
            for client in clients
        ]
        began = time.monotonic()
        for number in count(1):
            await asyncio.to_thread(writer.write)
            memory.append(resident(pid))
            if time.monotonic() > began + 60 * asked.minutes:
                break
            await asyncio.sleep(max(0.0, began + number / asked.rate - time.monotonic()))
        final = await asyncio.to_thread(newest, stage)
        await asyncio.wait(following, timeout=60 + 10 * CONNECTED_SECONDS)
        for task in following:
            task.cancel()
        await asyncio.gather(*following, return_exceptions=True)
    return Outcome(clients=clients, final=final, memory=memory)


def main() -> int:
    asked = _asked()
    with tempfile.TemporaryDirectory() as folder, staged(Path(folder)) as stage:
        outcome = asyncio.run(followed(stage, asked))
    connections = sum(client.connections for client in outcome.clients)
    received = sum(client.received for client in outcome.clients)
    _say(f"{asked.clients} clients, {connections:,} connections, {received:,} events, {asked.minutes:g} minutes")
    _say("\n".join(outcome.faults[:20]) or "each has every event once, and all have the same state")
    before, after = outcome.thirds
    _say(f"memory of the server: {before:.1f} MiB in the first third, {after:.1f} MiB in the last")
    _say(f"{after / before:.3f}")
    if outcome.faults:
        return 1
    return 0 if after <= MOST_GROWTH * before else LIMIT_MISSED


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="just follow-events", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--rate", type=float, default=10.0, help="facts a second")
    parser.add_argument("--seed", type=int, default=1, help="decides when clients are cut off")
    return parser.parse_args()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - this is a program


if __name__ == "__main__":
    with use_own_folders():
        sys.exit(main())
