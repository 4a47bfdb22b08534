"""Attacks on the proxy of a sandbox: countless calls, and calls that never send a request."""

import asyncio
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.processes.supervisor.supervise import supervise
from shiftwork.adapters.sandbox.sandbox import Room
from tests.attacks.kernel_rig import row
from tests.attacks.state_rig import settled
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.conformance.processes.programs import PYTHON
from tests.conformance.sandbox.hosts_rig import CALL, Caller, answering
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP, confined

pytestmark = [pytest.mark.timeout(120), NEEDS_BUBBLEWRAP]

FILES = 256
"""That this process may have open while it is attacked; a terminal's usual limit is 1024."""

CALLS_WITHOUT_END = (
    CALL
    + """
import resource
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
host, port = os.environ["http_proxy"].removeprefix("http://").split(":")
lines = []
for _ in range(600):
    line = socket.socket()
    line.setblocking(False)
    line.connect_ex((host, int(port)))
    lines.append(line)
print("called", flush=True)
sys.stdin.read()
"""
)


@contextmanager
def few_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@attack(
    row("a program calls until the harness has no file left to open", Severity.MEDIUM, Harm.DENIAL, Outcome.PREVENTED)
)
def test_calls_without_end(tmp_path: Path) -> Outcome:
    """Without a sandbox there is no proxy to call."""
    with answering() as port, few_files():
        caller = Caller(inside=confined(tmp_path, ["127.0.0.1:1"]), port=port)
        return settled(asyncio.run(attacked(caller)))


async def attacked(caller: Caller) -> bool:
    """Whether programs can still be started beside a program that calls without end."""
    inside, called = caller.inside, asyncio.Event()
    walls, room = inside.walls, Room(tree=inside.tree, programs=(PYTHON,))
    spawn = inside.spawn("")
    hostile = replace(spawn, argv=(PYTHON, "-I", "-S", "-c", CALLS_WITHOUT_END))
    attack = asyncio.create_task(supervise(walls.enclosed(hostile, room), lambda _: called.set(), lambda feed: None))
    await asyncio.wait_for(called.wait(), 60)
    await asyncio.sleep(0.5)
    beside = replace(inside.spawn("echo fine"), marker=f"{inside.marker}/beside")
    lines: list[bytes] = []
    over = await supervise(walls.enclosed(beside, Room(tree=inside.tree)), lines.append)
    attack.cancel()
    await asyncio.gather(attack, return_exceptions=True)
    return over.code == 0 and lines == [b"fine"]
