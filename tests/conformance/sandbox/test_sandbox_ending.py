"""How programs in a sandbox end: by themselves, asked to, killed, or with the process that started them."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.processes.ending.reaper import HostReaper
from shiftwork.adapters.processes.supervisor.supervise import Cause, Exit, Spawn, supervise
from shiftwork.adapters.sandbox.sandbox import Room
from shiftwork.testing.conformance.agent import marked
from tests.conformance.processes.programs import DAEMON, PYTHON, killed_at_last, once_begun, within
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP, Confined, confined
from tests.documented import ROOT

pytestmark = [pytest.mark.timeout(180), NEEDS_BUBBLEWRAP]


@pytest.fixture(params=[(), ("example.com",)], ids=["any host", "listed hosts"])
def inside(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Confined]:
    given = confined(tmp_path, reaching=request.param)
    yield given
    assert marked(given.marker) == []


def ran(inside: Confined, spawn: Spawn) -> tuple[Exit, list[bytes]]:
    lines: list[bytes] = []
    return within(120, supervise(inside.walls.enclosed(spawn, Room(tree=inside.tree)), lines.append)), lines


@pytest.mark.parametrize("number", [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM, signal.SIGINT])
def test_a_signal_does_what_it_does_elsewhere(inside: Confined, number: signal.Signals) -> None:
    spawn = inside.walls.enclosed(inside.spawn(f"kill -{number.name[3:]} $$; sleep 9"), Room(tree=inside.tree))
    over = within(90, supervise(spawn, print))
    assert (over.cause, over.code) == (Cause.EXITED, -number)


def test_its_exit_code_is_its_own(inside: Confined) -> None:
    over = within(90, supervise(inside.walls.enclosed(inside.spawn("exit 42"), Room(tree=inside.tree)), print))
    assert (over.cause, over.code, over.stderr) == (Cause.EXITED, 42, "")


def test_it_reads_what_it_is_given_and_has_no_other_files_open(inside: Confined) -> None:
    spawn = replace(inside.spawn("cat; ls /proc/self/fd | wc -l"), stdin=b"one\ntwo\n")
    lines: list[bytes] = []
    within(90, supervise(inside.walls.enclosed(spawn, Room(tree=inside.tree)), lines.append))
    assert lines == [b"one", b"two", b"4"], "the usual three, and the folder that is looked at"


def test_a_script_that_does_not_say_who_runs_it_is_run_by_the_shell(inside: Confined) -> None:
    script = inside.tree / "script"
    script.write_text("echo $0 $1")
    script.chmod(0o755)
    lines: list[bytes] = []
    spawn = replace(inside.spawn(""), argv=(str(script), "word"))
    within(90, supervise(inside.walls.enclosed(spawn, Room(tree=inside.tree)), lines.append))
    assert lines == [f"{script} word".encode()]


def test_a_program_that_cannot_be_run_is_reported(inside: Confined) -> None:
    script = inside.tree / "script"
    script.write_text("#!/no/such/program\n")
    script.chmod(0o755)
    spawn = replace(inside.spawn(""), argv=(str(script),))
    over = within(90, supervise(inside.walls.enclosed(spawn, Room(tree=inside.tree)), print))
    assert over.code == 1
    assert "No such file or directory" in over.stderr


def test_a_daemon_that_has_left_its_session_twice_is_gone(inside: Confined) -> None:
    seen = inside.allowing(readable=(Path(sys.prefix), Path(sys.base_prefix)))
    twice = DAEMON.replace("os.setsid()\nif os.fork(): os._exit(0)\n", "os.setsid()\nif os.fork(): os._exit(0)\n" * 2)
    # It beats as long as it lives, in a file, for it has cleared its environment and its pid is its own.
    daemon = twice.replace('"/bin/sleep", ["sleep", "300"]', '"/bin/sh", ["sh", "-c", os.environ["BEAT"]]')
    heartbeat = "while :; do echo x >> beats; sleep 0.02; done"
    outcome = seen.run(
        f'{PYTHON} -S -c "$DAEMON" pid; while [ ! -s beats ]; do sleep 0.02; done', DAEMON=daemon, BEAT=heartbeat
    )
    assert outcome.passed, outcome.output
    size = (inside.tree / "beats").stat().st_size
    subprocess.run(["sleep", "0.3"], check=True)
    assert (inside.tree / "beats").stat().st_size == size


def test_asked_to_stop_it_has_the_time_it_was_promised(inside: Confined) -> None:
    script = "trap 'echo asked; sleep 0.3; echo done; exit 9' INT; echo ready; while :; do sleep 0.02; done"
    spawn = replace(inside.spawn(script), stop_signals=((signal.SIGINT, 60.0),))
    over, lines = once_begun(lambda seconds: ran(inside, replace(spawn, wall_seconds=seconds)), 1)
    assert lines == [b"ready", b"asked", b"done"]
    assert (over.cause, over.code) == (Cause.TIMED_OUT, 9)


def test_who_ignores_that_is_killed(inside: Confined) -> None:
    script = "trap '' TERM INT HUP; setsid sh -c 'trap \"\" TERM; sleep 300' & echo ready; while :; do sleep 1; done"
    spawn = replace(inside.spawn(script), stop_signals=((signal.SIGTERM, 0.3),))
    over, _ = once_begun(lambda seconds: ran(inside, replace(spawn, wall_seconds=seconds)), 0.5)
    assert over.cause is Cause.TIMED_OUT
    assert marked(inside.marker) == []


def test_who_is_killed_within_is_reported_as_killed(inside: Confined) -> None:
    over = within(90, supervise(inside.walls.enclosed(inside.spawn("kill -9 $$"), Room(tree=inside.tree)), print))
    assert (over.cause, over.code) == (Cause.EXITED, -signal.SIGKILL)


def test_silence_is_noticed_from_outside(inside: Confined) -> None:
    spawn = replace(inside.spawn("echo ready; sleep 300"), silence_seconds=0.5)
    over = within(90, supervise(inside.walls.enclosed(spawn, Room(tree=inside.tree)), print))
    assert over.cause is Cause.SILENT


ORCHESTRATOR = """
import asyncio, sys
from pathlib import Path
from shiftwork.adapters.processes.supervisor.supervise import supervise
from shiftwork.adapters.sandbox.sandbox import Room
from tests.conformance.sandbox.sandbox_rig import confined
inside = confined(Path(sys.argv[1]), reaching=sys.argv[2:])
spawn = inside.spawn("setsid sleep 300 & echo ready; exec sleep 300")
spawn = inside.walls.enclosed(spawn, Room(tree=inside.tree))
asyncio.run(supervise(spawn, lambda line: print(line.decode(), flush=True)))
"""


@contextmanager
def orchestrated(inside: Confined) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that has started a program in a sandbox; the program has a child in a session of its own."""
    hosts = [str(host) for host in inside.walls.reach.hosts] if inside.walls.reach else []
    command = [PYTHON, "-c", ORCHESTRATOR, str(inside.folder), *hosts]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process, killed_at_last(process):
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        yield process


def test_all_within_die_with_an_orchestrator_that_is_killed(inside: Confined) -> None:
    with orchestrated(inside) as orchestrator:
        assert within(60, HostReaper().alive(inside.marker)) >= 2
        orchestrator.kill()

    async def emptied() -> None:
        while marked(inside.marker):
            await asyncio.sleep(0.02)

    within(60, emptied())
    assert within(60, HostReaper().alive(inside.marker)) == 0


def test_the_reaper_finds_and_ends_what_is_within_walls(inside: Confined) -> None:
    with orchestrated(inside) as orchestrator:
        # It cannot see to its own: nothing but the marker leads to them.
        orchestrator.send_signal(signal.SIGSTOP)
        assert within(60, HostReaper().end(inside.marker)) >= 2
        assert marked(inside.marker) == []
