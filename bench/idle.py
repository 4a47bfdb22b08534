"""What 200 sleeping agents cost: one orchestrator process, one run, one story each.

The first line is how long it takes until every agent has printed its only line; the second is what the orchestrator
and its guard use while all of them sleep, as a share of one core; the third is how late the event loop is, which is
what a person waits when something does happen. The orchestrator is this process, composed as `shiftwork run` composes
it. With `--postgres` the history is on a private Postgres server, with `--sandbox` each agent is in the strongest
sandbox of this machine. The exit code is 0 only if all limits hold. The last line is the share of a core without that
of an orchestrator that has no agents, in the same run.
"""

import argparse
import asyncio
import contextlib
import os
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.limits import LIMIT_MISSED
from bench.overhead import repository
from shiftwork.adapters.processes.ending.reaper import HostReaper
from shiftwork.app.commands.runs import Order, start_run
from shiftwork.app.runtime.context import Sighting
from shiftwork.bootstrap.work.ports import open_context
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import environment, find_site
from shiftwork.domain.core.ids import RunId, StoryId, Stream, landing_stream
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.ports.agent import AgentEvent
from shiftwork.testing.postgres_cluster import private_server
from tests.own_folders import use_own_folders

AGENTS: Final = 200
IDLE_SECONDS: Final = 30.0
BARE_SECONDS: Final = 5.0
GIVE_UP_SECONDS: Final = 150.0
LAG_STEP_SECONDS: Final = 0.02

UP_LIMIT, SHARE_LIMIT, LAG_LIMIT = 15.0, 5.0, 0.020

_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
_ALONE = StepPlan(name="stories", type="stories", kind=StepKind.LOOP, body=(catalogue_step("coding"),))
_SLEEPERS = Spec(
    title="Sleep",
    description="",
    stories=tuple(Story(id=StoryId(f"US-{n:03d}"), title=f"sleep {n}", description="") for n in range(AGENTS)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """Processor seconds per second, in percent, and how late the event loop was each time, in seconds."""

    share: float
    late: list[float]

    def late_at(self, percent: int) -> float:
        return statistics.quantiles(self.late, n=100)[percent - 1]


def guard_seconds() -> float:
    """Processor seconds of the guard so far; it is the only child of this process that runs our own code."""
    spent = 0.0
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - names are enough
        with contextlib.suppress(OSError):
            process = Path("/proc", name)
            if b"guard.py" in (process / "cmdline").read_bytes():
                words = (process / "stat").read_text().rpartition(") ")[2].split()
                spent += (int(words[11]) + int(words[12])) / _PER_SECOND if int(words[1]) == os.getpid() else 0.0
    return spent


async def idle(seconds: float) -> Idle:
    late, spent, began = list[float](), time.process_time() + guard_seconds(), time.monotonic()
    while (now := time.monotonic()) < began + seconds:
        await asyncio.sleep(LAG_STEP_SECONDS)
        late.append(time.monotonic() - now - LAG_STEP_SECONDS)
    used = time.process_time() + guard_seconds() - spent
    return Idle(share=100 * used / (time.monotonic() - began), late=late)


class Started:
    """The agents that have said their only word."""

    def __init__(self) -> None:
        self.streams = set[Stream]()
        self.complete = asyncio.Event()

    def see(self, sighting: Sighting) -> None:
        if isinstance(sighting.what, AgentEvent):
            self.streams.add(sighting.stream)
        if len(self.streams) == AGENTS:
            self.complete.set()

    async def wait(self) -> None:
        async with asyncio.timeout(GIVE_UP_SECONDS):
            await self.complete.wait()


async def measure(env: Mapping[str, str], root: Path, tier: str) -> int:
    site = find_site(root, env)
    started = Started()
    settings = Settings.model_validate(
        {
            "agent": {"use": "command", "command": "cat >/dev/null; echo up; exec sleep 3600", "silence_minutes": 60},
            "sandbox": {"tier": tier},
            "run": {"parallel": AGENTS},
        }
    )
    async with open_context(site, settings, env, observe=started.see) as context:
        bare = await idle(BARE_SECONDS)
        order = Order(
            spec=_SLEEPERS,
            workflow=Workflow(id="idle", version=1, steps=(_ALONE,)),
            branch="main",
            landing=landing_stream(site.project, "main"),
            agent="command",
            parallel=AGENTS,
        )
        began, spent = time.monotonic(), time.process_time()
        run = await start_run(context, order)
        await started.wait()
        up, used = time.monotonic() - began, time.process_time() - spent
        print(f"up      {AGENTS} agents in {up:6.1f} s, {used:.1f} s of processor time   (limit {UP_LIMIT:.0f} s)")
        await asyncio.sleep(2)
        rest = await idle(IDLE_SECONDS)
        print(
            f"idle    {rest.share:6.1f} % of a core   without agents {bare.share:.1f} %   (limit {SHARE_LIMIT:.0f} %)"
        )
        p50, p99 = rest.late_at(50), rest.late_at(99)
        print(f"lag     p50 {p50 * 1000:.1f} ms   p99 {p99 * 1000:.1f} ms   (limit {LAG_LIMIT * 1000:.0f} ms)")
        ending = time.monotonic()
    print(f"ended   in {time.monotonic() - ending:.1f} s, {await left(run)} processes left")
    print(f"{rest.share - bare.share:.1f}")
    if await left(run):
        return 1
    return 0 if up <= UP_LIMIT and rest.share <= SHARE_LIMIT and p99 <= LAG_LIMIT else LIMIT_MISSED


async def left(run: RunId) -> int:
    return await HostReaper().alive(f"{run}/")


@contextlib.contextmanager
def addresses(*, postgres: bool) -> Iterator[dict[str, str]]:
    """Yields the variables that say where the history is."""
    if not postgres:
        yield {}
        return
    with private_server() as server:
        yield {"SHIFTWORK_STORE_URL": server.address}


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--postgres", action="store_true", help="keep the history on a private Postgres server")
    options.add_argument("--sandbox", action="store_true", help="put each agent into a sandbox, with limits")
    given = options.parse_args()
    with addresses(postgres=given.postgres) as where, repository() as root:
        env = {**environment(), **where}
        tier = "auto" if given.sandbox else "none"
        return asyncio.run(measure(env, root, tier))


if __name__ == "__main__":
    with use_own_folders():
        sys.exit(main())
