"""Postgres stops during a run: after ten seconds away nothing is lost; if it stays away, agents do not keep working."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.testing.postgres_cluster import PostgresMissingError, PrivateServer, private_server
from tests.durability.rig import Bench, assert_landed_once, make_bench
from tests.patience import SECONDS, STATUS_EVERY, eventually

pytestmark = [pytest.mark.durability, pytest.mark.timeout(400)]

REQUEST = "../prd.json"
AWAY_SECONDS = 10.0
FENCED_SECONDS = 45.0
"""By then an agent has ended whose orchestrator cannot reach its database: before its lease may be another's, and with
some time for a machine that is busy.
"""

AT_WORK = """\
if [ $SHIFTWORK_STEP = step-005 ]; then
  touch {begun}
  sleep {seconds} & wait
fi
"""


@pytest.fixture
def server() -> Iterator[PrivateServer]:
    try:
        with private_server() as server:
            yield server
    except PostgresMissingError as error:
        pytest.skip(str(error))


def bench_of(server: PrivateServer, root: Path, seconds: float) -> Bench:
    return make_bench(root, server.address, AT_WORK.format(begun=root / "begun", seconds=seconds))


@pytest.mark.parametrize("seconds", [4, 14], ids=["the attempt ends meanwhile", "the attempt outlasts it"])
def test_a_restart_of_ten_seconds_loses_no_attempt(server: PrivateServer, tmp_path: Path, seconds: float) -> None:
    bench = bench_of(server, tmp_path, seconds)
    process = bench.start("run", REQUEST)
    eventually((tmp_path / "begun").exists)
    server.stop()
    time.sleep(AWAY_SECONDS)
    server.start()
    assert process.wait() == 0
    assert_landed_once(bench, again=0)


def test_where_the_server_stays_away_agents_end_and_the_run_can_be_resumed(
    server: PrivateServer, tmp_path: Path
) -> None:
    bench = bench_of(server, tmp_path, 2 * SECONDS)
    process = bench.start("run", REQUEST)
    eventually((tmp_path / "begun").exists)
    eventually(bench.marked, every=STATUS_EVERY)
    server.stop()
    stopped = time.monotonic()
    eventually(lambda: bench.marked() == [], every=STATUS_EVERY)
    assert time.monotonic() - stopped < FENCED_SECONDS
    assert process.wait() == 1
    server.start()
    agent = tmp_path / "agent.sh"
    agent.write_text(agent.read_text().replace(f"sleep {2 * SECONDS}", "sleep 0"))
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert_landed_once(bench, again=1)
