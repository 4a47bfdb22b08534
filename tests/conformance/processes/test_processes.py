"""Supervision of real programs that try to keep running, to flood their output, or to block."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from shiftwork.adapters.processes.host.own_children import birth
from shiftwork.adapters.processes.host.this_host import this_host
from shiftwork.adapters.processes.supervisor.supervise import Cause, Exit, Spawn, supervise
from shiftwork.adapters.workspace.git.git import Git
from tests.conformance.processes.programs import (
    DAEMON,
    ENV,
    ESCAPE,
    PYTHON,
    daemon,
    lives,
    marker_for,
    marker_in,
    once_begun,
    pid_in,
    within,
)
from tests.patience import eventually

pytestmark = pytest.mark.timeout(180)
on_linux = pytest.mark.skipif(not this_host().adopts_orphans(), reason="orphans are not adopted here")

CHAIN = """
import os, time
until = time.monotonic() + 60
while time.monotonic() < until:
    if os.fork():
        while not os.path.exists("beats"): time.sleep(0.001)
        os._exit(0)
    os.setsid()
    os.write(os.open("beats", os.O_CREAT | os.O_WRONLY | os.O_APPEND), b"x")
    time.sleep(0.002)
"""
"""Each generation starts the next in a session of its own and exits: no pid lives for longer than milliseconds."""


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[str]:
    yield from marker_for(tmp_path)


@pytest.fixture
def shell(tmp_path: Path, marker: str) -> Callable[[str], Spawn]:
    def spawn(script: str) -> Spawn:
        argv = ("/bin/sh", "-c", script)
        return Spawn(argv=argv, cwd=tmp_path, env=ENV, marker=marker, wall_seconds=90, silence_seconds=90)

    return spawn


def ran(spawn: Spawn) -> tuple[Exit, list[bytes]]:
    lines: list[bytes] = []
    return within(120, supervise(spawn, lines.append)), lines


# What a program may do with its streams


def test_lines_exit_code_and_errors_come_back(shell: Callable[[str], Spawn]) -> None:
    over, lines = ran(replace(shell("cat; echo oops >&2; printf 'no end'; exit 7"), stdin=b"one\n\ntwo\n"))
    assert (over.code, over.cause, over.stderr) == (7, Cause.EXITED, "oops\n")
    assert lines == [b"one", b"", b"two", b"no end"]


def test_a_prompt_that_is_never_read_blocks_no_one(shell: Callable[[str], Spawn]) -> None:
    over, lines = ran(replace(shell("echo I do not read; exec sleep 0.2"), stdin=b"x" * 2_000_000))
    assert (over.code, over.cause, lines) == (0, Cause.EXITED, [b"I do not read"])


def test_a_long_prompt_arrives_whole_while_the_answer_comes(shell: Callable[[str], Spawn]) -> None:
    prompt = b"".join(b"%d\n" % number for number in range(300_000))
    over, lines = ran(replace(shell("cat"), stdin=prompt))
    assert over.code == 0
    assert b"".join(line + b"\n" for line in lines) == prompt


def test_a_prompt_waits_for_no_event_loop(shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    """Claude Code ends if its prompt does not come within 3 s; many agents that start at once block the loop longer."""
    got = tmp_path / "got"

    async def busy() -> Exit:
        running = asyncio.ensure_future(supervise(replace(shell(f"head -c1 > {got}; cat"), stdin=b"hi"), print))
        await asyncio.sleep(0)  # started
        eventually(lambda: got.exists() and got.read_bytes() == b"h")
        return await running

    assert asyncio.run(busy()).code == 0


def test_closing_the_output_is_not_the_end_but_silence_is(shell: Callable[[str], Spawn]) -> None:
    over, _ = ran(shell("exec >&- 2>&-; sleep 0.3; exit 4"))
    assert (over.code, over.cause) == (4, Cause.EXITED)
    over, _ = ran(replace(shell("exec >&- 2>&-; exec sleep 60"), silence_seconds=0.3))
    assert over.cause is Cause.SILENT


def test_errors_are_a_sign_of_life(shell: Callable[[str], Spawn]) -> None:
    talking = replace(shell("for i in 1 2 3 4 5; do echo $i >&2; sleep 0.2; done"), silence_seconds=0.7)
    causes = (ran(talking)[0].cause for _ in range(20))
    # It takes longer than that, and would be ended every time. A busy machine may keep it from talking now and then.
    assert any(cause is Cause.EXITED for cause in causes)


@pytest.mark.parametrize(("wall", "silence"), [(4, 30), (30, 4)])
def test_what_passes_while_no_one_watches_is_not_held_against_it(
    wall: float, silence: float, shell: Callable[[str], Spawn], tmp_path: Path
) -> None:
    """As when the user stops everything at the terminal, or the machine is suspended, and all continues later."""
    awake = tmp_path / "awake"
    script = "echo go; while [ ! -e awake ]; do sleep 0.1; done; sleep 1; exit 3"
    spawn = replace(shell(script), wall_seconds=wall, silence_seconds=silence)

    def stand_still(_: bytes) -> None:
        time.sleep(7)
        awake.touch()

    def comes_to_its_end() -> bool:
        awake.unlink(missing_ok=True)
        over = within(90, supervise(spawn, stand_still))
        return (over.code, over.cause) == (3, Cause.EXITED)

    # Held against it, the time would end it every time. What is left of its own a busy machine may take now and then.
    assert any(comes_to_its_end() for _ in range(5))


def test_a_flood_is_stopped_at_its_bound(shell: Callable[[str], Spawn]) -> None:
    over, lines = ran(replace(shell("yes 123456789"), output_bytes=100_000))
    assert over.cause is Cause.FLOODED
    assert lines == [b"123456789"] * 10_000
    over, lines = ran(replace(shell("printf 12345; printf 6789 >&2"), output_bytes=8))
    assert over.cause is Cause.FLOODED


@pytest.mark.parametrize("translate", ["tr '\\0' x", "tr '\\0' x | fold -w 200", "tr '\\0' x | fold -w 100000"])
def test_fifty_megabytes_cost_no_memory(translate: str, marker: str) -> None:
    script = """
import asyncio, resource, sys
from pathlib import Path
from shiftwork.adapters.processes.supervisor.supervise import Spawn, supervise
longest = 0
def on_line(line):
    global longest
    longest = max(longest, len(line))
flood = "head -c 50000000 /dev/zero | " + sys.argv[2]
spawn = Spawn(argv=("/bin/sh", "-c", flood), cwd=Path("/"), env={"PATH": sys.argv[3]}, marker=sys.argv[1],
              wall_seconds=120, silence_seconds=120)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
over = asyncio.run(supervise(spawn, on_line))
print(over.cause, longest, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    completed = subprocess.run(
        [PYTHON, "-c", script, marker, translate, os.defpath], capture_output=True, check=True, text=True
    )
    cause, longest, growth = completed.stdout.split()
    assert cause == "exited"
    assert int(longest) <= 4 * 1024 * 1024
    assert int(growth) < 30_000  # kilobytes


# Bounds, and how it is asked to stop


def test_it_is_asked_in_order_and_received_meanwhile(shell: Callable[[str], Spawn]) -> None:
    script = "trap 'echo int' INT; trap 'echo term; exit 9' TERM; echo ready; while :; do sleep 0.02; done"
    asked = ((signal.SIGINT, 0.3), (signal.SIGTERM, 150.0), (signal.SIGHUP, 150.0))
    spawn = replace(shell(script), stop_signals=asked)
    over, lines = once_begun(lambda seconds: ran(replace(spawn, wall_seconds=seconds)), 0.5)
    assert (over.code, over.cause) == (9, Cause.TIMED_OUT)
    assert lines == [b"ready", b"int", b"term"]
    assert over.seconds < 100, "once it is over, nobody waits"


def test_who_ignores_all_signals_is_killed(shell: Callable[[str], Spawn]) -> None:
    script = "trap '' TERM INT HUP; echo ready; while :; do sleep 1; done"
    deaf = replace(shell(script), stop_signals=((signal.SIGTERM, 0.2),))
    over, _ = once_begun(lambda seconds: ran(replace(deaf, wall_seconds=seconds)), 0.3)
    assert (over.code, over.cause) == (-signal.SIGKILL, Cause.TIMED_OUT)
    assert over.seconds >= 0.5


def test_a_program_that_is_not_there_is_reported(shell: Callable[[str], Spawn]) -> None:
    with pytest.raises(FileNotFoundError):
        ran(replace(shell(""), argv=("no-such-program",)))


def test_one_marker_is_for_one_program_at_a_time(shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    async def both() -> None:
        first = asyncio.create_task(supervise(shell("while [ ! -e over ]; do sleep 0.02; done"), print))
        await asyncio.sleep(0.1)
        with pytest.raises(ValueError, match="already supervised"):
            await supervise(shell("true"), print)
        (tmp_path / "over").touch()
        assert (await first).code == 0

    within(90, both())
    assert ran(shell("exit 5"))[0].code == 5


# Nobody stays


def test_a_grandchild_that_holds_the_output_is_not_waited_for(shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    over, lines = ran(shell("sleep 300 & echo $! > pid; echo done"))
    assert (over.code, lines) == (0, [b"done"])
    assert over.seconds < 100
    assert not psutil.pid_exists(pid_in(tmp_path / "pid"))


def test_a_daemon_without_environment_does_not_survive(shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    over, _ = ran(replace(shell(daemon("pid")), env={**ENV, "DAEMON": DAEMON}))
    assert over.code == 0
    assert not psutil.pid_exists(pid_in(tmp_path / "pid"))


@on_linux
@pytest.mark.parametrize("then", ["true", "sleep 5"], ids=["at its end", "over several looks"])
def test_nor_does_one_without_tag_and_environment(shell: Callable[[str], Spawn], tmp_path: Path, then: str) -> None:
    over, _ = ran(replace(shell(f"{daemon('pid')}; {then}"), env={**ENV, "DAEMON": ESCAPE}))
    assert over.code == 0
    assert not psutil.pid_exists(pid_in(tmp_path / "pid"))


@on_linux
def test_nor_does_one_that_continues_forking_without_them(shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    again = 'os.execve(sys.executable, [sys.executable, "-S", "-c", os.environ["CHAIN"]], {})'
    escape = ESCAPE.replace('os.execve("/bin/sleep", ["sleep", "300"], {})', again)
    script = f"{daemon('pid')}; while [ ! -e beats ]; do sleep 0.01; done"
    over, _ = ran(replace(shell(script), env={**ENV, "DAEMON": escape, "CHAIN": CHAIN}))
    assert over.code == 0
    size = (tmp_path / "beats").stat().st_size
    time.sleep(0.3)
    assert (tmp_path / "beats").stat().st_size == size


@contextlib.asynccontextmanager
async def ended_at_last(process: asyncio.subprocess.Process) -> AsyncIterator[asyncio.subprocess.Process]:
    """Whatever is found out about it."""
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def test_what_this_process_has_started_itself_is_left_alone(shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    program = tmp_path / "git"
    program.write_text('#!/bin/sh\nshift 2\nexec /bin/sh "$@"\n')
    program.chmod(0o755)
    git = Git(env={**ENV, "GIT_DIR": str(tmp_path)}, cwd=tmp_path, program=str(program))

    async def scene() -> None:
        ends = asyncio.create_task(supervise(shell("while [ ! -e over ]; do sleep 0.02; done"), print))
        await asyncio.sleep(0.1)
        async with ended_at_last(await asyncio.create_subprocess_exec("sleep", "300")) as before:  # in our session
            called = asyncio.create_task(git.run("-c", "sleep 1; echo whole"))
            talked_to = await git.start("-c", "read word; echo $word", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            (tmp_path / "over").touch()
            assert (await ends).code == 0
            assert (await called).text == "whole"
            assert (await talked_to.communicate(b"heard\n"))[0] == b"heard\n"
            assert before.returncode is None

    within(90, scene())


def test_no_one_is_judged_while_something_is_being_born(shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    async def scene() -> None:
        ends = asyncio.create_task(supervise(shell("while [ ! -e over ]; do sleep 0.02; done"), print))
        await asyncio.sleep(0.1)
        async with contextlib.AsyncExitStack() as at_last:
            with birth() as remember:
                young = await asyncio.create_subprocess_exec("sleep", "300", start_new_session=True)
                await at_last.enter_async_context(ended_at_last(young))
                (tmp_path / "over").touch()
                await asyncio.sleep(0.5)
                assert not ends.done() or not this_host().adopts_orphans()
                remember(young)
            assert (await ends).code == 0
            assert young.returncode is None

    within(90, scene())


def test_a_tree_of_thirty_does_not_survive(shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    leaves = "for c in 1 2; do (echo x >> all; setsid sleep 300) & done; wait"
    boughs = f"for b in 1 2 3; do ({leaves}) & done; wait"
    waiting = 'while [ "$(wc -l < all)" -lt 18 ]; do sleep 0.02; done'
    over, _ = ran(shell(f"touch all; for a in 1 2 3; do ({boughs}) & done; {waiting}"))
    assert over.code == 0
    assert [process for process in psutil.process_iter() if marker_in(process) == shell("").marker] == []


def test_no_script_continues_to_its_next_line_because_its_child_was_ended(
    shell: Callable[[str], Spawn], tmp_path: Path
) -> None:
    lingering = "setsid sh -c 'sleep 60; echo late >> late' > /dev/null 2>&1 &\n"
    over, _ = ran(shell(f"{lingering * 20} sleep 0.5"))
    assert over.code == 0
    assert not (tmp_path / "late").exists()


def test_a_program_that_forks_all_the_time_is_ended(shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    over, _ = ran(replace(shell(""), argv=(PYTHON, "-S", "-c", CHAIN)))
    assert over.code == 0
    size = (tmp_path / "beats").stat().st_size
    time.sleep(0.3)
    assert (tmp_path / "beats").stat().st_size == size


@pytest.mark.parametrize("times", [1, 2, 5])
def test_cancelled_it_is_gone_when_the_wait_ends(times: int, shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    spawn = shell("trap '' TERM; setsid sleep 300 & echo $! > pid; echo ready; while :; do sleep 1; done")

    async def scene() -> None:
        ready = asyncio.Event()
        task = asyncio.create_task(
            supervise(replace(spawn, stop_signals=((signal.SIGTERM, 0.3),)), lambda _: ready.set())
        )
        await ready.wait()
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        await task

    with pytest.raises(asyncio.CancelledError):
        within(90, scene())
    assert not psutil.pid_exists(pid_in(tmp_path / "pid"))


def test_an_event_loop_that_shuts_down_takes_it_along(shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    async def scene() -> None:
        ready = asyncio.Event()
        spawn = shell("setsid sleep 300 & echo $! > pid; echo ready; wait")
        task = asyncio.create_task(supervise(spawn, lambda _: ready.set()))
        await ready.wait()
        assert not task.done()

    asyncio.run(scene())
    assert not psutil.pid_exists(pid_in(tmp_path / "pid"))


def test_what_the_caller_raises_ends_it_and_comes_out(shell: Callable[[str], Spawn], tmp_path: Path) -> None:
    def on_line(line: bytes) -> None:
        raise RuntimeError(line.decode())

    with pytest.raises(RuntimeError, match="ready"):
        within(90, supervise(shell("sleep 300 & echo $! > pid; echo ready; wait"), on_line))
    assert not psutil.pid_exists(pid_in(tmp_path / "pid"))


def test_the_orphans_of_one_survive_the_end_of_another(tmp_path: Path, marker: str) -> None:
    def spawn(name: str, then: str) -> Spawn:
        script = f"{daemon(name)}; {then}"
        env = {**ENV, "DAEMON": DAEMON}
        argv = ("/bin/sh", "-c", script)
        return Spawn(argv=argv, cwd=tmp_path, env=env, marker=f"{marker}/{name}", wall_seconds=90, silence_seconds=90)

    async def scene() -> None:
        longer = asyncio.create_task(supervise(spawn("b", "while [ ! -e over ]; do sleep 0.02; done"), print))
        await asyncio.to_thread(pid_in, tmp_path / "b")
        await supervise(spawn("a", "true"), print)
        assert not lives(pid_in(tmp_path / "a"))
        assert lives(pid_in(tmp_path / "b"))
        (tmp_path / "over").touch()
        assert (await longer).code == 0
        assert not lives(pid_in(tmp_path / "b"))

    within(90, scene())


def test_many_at_once_each_get_their_own_end(shell: Callable[[str], Spawn], marker: str) -> None:
    async def one(number: int) -> int:
        spawn = replace(shell(f"(setsid sleep 0.0{number} &); exit {number}"), marker=f"{marker}/{number}")
        return (await supervise(spawn, print)).code

    async def scene() -> list[int]:
        other = await asyncio.create_subprocess_exec("/bin/sh", "-c", "sleep 0.2; exit 77")
        codes = await asyncio.gather(*(one(number) for number in range(30)))
        return [*codes, await other.wait()]

    within(120, one(0))  # the guard is started with the first program, and stays
    before = set(psutil.Process().children())
    assert within(120, scene()) == [*range(30), 77]
    assert set(psutil.Process().children()) <= before
