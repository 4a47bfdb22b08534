"""A process with a DBOS engine, for tests that kill it: it writes each act as a line into a log."""

import asyncio
import contextlib
import json
import os
import sys
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from shiftwork.adapters.engine.dbos import DbosEngine, DbosSettings
from shiftwork.ports.engine import Engine, Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """`manner` is how its jobs run: `stuck` jobs end only when a file called `go` is beside the log, `slow` ones take a
    while.
    """

    executor: str
    log: Path
    manner: str

    def say(self, word: str) -> None:
        with self.log.open("a") as log:
            log.write(f"{self.executor} {word}\n")

    async def sees(self, name: str) -> None:
        while not self.log.with_name(name).exists():
            await asyncio.sleep(0.01)

    async def body(self, job: Job) -> bool:
        self.say(f"{job.stream} begins")
        try:
            if self.manner == "stuck":
                await self.sees("go")
            if self.manner == "slow":
                await asyncio.sleep(0.3)
        except asyncio.CancelledError:
            self.say(f"{job.stream} interrupted")
            raise
        self.say(f"{job.stream} ends")
        return True

    async def fail(self, job: Job) -> bool:
        self.say(f"{job.stream} begins")
        raise ArithmeticError("on purpose")


def named(name: str) -> Job:
    return Job(kind="run", stream=name)


async def start(engine: Engine, *names: str) -> None:
    for name in names:
        await engine.start(named(name))
    await join(engine, *names)


async def later(engine: Engine, seconds: str, name: str) -> None:
    await engine.start_later(named(name), float(seconds))
    await engine.join(named(name))


async def leave(engine: Engine, name: str) -> None:
    """Start a job and close the engine while it runs."""
    await engine.start(named(name))
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(engine.join(named(name)), 3)


async def join(engine: Engine, *names: str) -> None:
    for name in names:
        await engine.join(named(name))


async def recover(engine: Engine, dead: str, *names: str) -> None:
    await engine.recover(dead)
    await join(engine, *names)


async def fail(engine: Engine) -> None:
    failing = Job(kind="fail", stream="failing")
    await engine.start(failing)
    with contextlib.suppress(ArithmeticError):
        await engine.join(failing)


async def look(_: Engine) -> None:
    """Open the engine, and that is all."""


async def idle(_: Engine) -> None:
    await asyncio.Event().wait()


ORDERS: dict[str, Callable[..., Awaitable[None]]] = {
    "start": start,
    "later": later,
    "leave": leave,
    "recover": recover,
    "fail": fail,
    "look": look,
    "idle": idle,
}


async def work(url: str, executor: str, log: str, manner: str, queue: str, *order: str) -> None:
    """`queue` is a name and a limit, or nothing."""
    worker = Worker(executor=executor, log=Path(log), manner=manner)
    worker.say("ready")
    await worker.sees("begin")
    name, _, limit = queue.partition(":")
    settings = DbosSettings(
        name="contract", url=url, executor=executor, version="1", queue=name, limit=int(limit or 100)
    )
    engine = await DbosEngine.open(settings, {"run": worker.body, "fail": worker.fail})
    worker.say("opened")
    try:
        await ORDERS[order[0]](engine, *order[1:])
        worker.say("finished")
    finally:
        await engine.close()


def fork(output: str, arguments: list[str]) -> int:
    """The id of a new process that does the work and writes all it prints into a file."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for stream in (1, 2):
            os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), stream)
        asyncio.run(work(*arguments))
        status = 0
    except BaseException:  # noqa: BLE001 - whatever it is, the process ends here
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def nurse() -> None:
    """Fork a worker for each line of arguments, so that DBOS is imported once; print exit codes on request."""
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            answer = os.waitstatus_to_exitcode(os.waitpid(order["wait"], 0)[1])
        else:
            answer = fork(order["output"], order["arguments"])
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:]:
        asyncio.run(work(*sys.argv[1:]))
    else:
        nurse()
