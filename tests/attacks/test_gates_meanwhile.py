"""Attacks on the proof while the gate runs: on the files that it judges, and on what its test runner counts."""

import asyncio
import socket
import threading
from dataclasses import replace
from pathlib import Path

from shiftwork.adapters.processes.supervisor.supervise import Spawn, supervise
from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.sandbox import Room
from shiftwork.app.landing.canary import Examiner
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.tampering.findings import Protection
from tests.app.projects import git
from tests.app.rig import Rig
from tests.attacks.gates_rig import BROKEN, GOOD, PROJECT, TEST, UNITTEST, attempted, rig_of, row, sandbox_of
from tests.attacks.table import Outcome, Severity, attack


def known(rig: Rig, gate: str) -> Rig:
    """What the gate says of the base is remembered, as it is after every run."""
    test = Gate(name="test", command=gate)

    async def examine() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(test,), protection=Protection())
            assert (await examiner.base(Commit(git(rig.repo, "rev-parse", "main")), "base")).passed

    asyncio.run(examine())
    return rig


@attack(row("another agent repairs the tree of the gate while the gate runs", seen=14))
def test_parallel_agent(tier: str, tmp_path: Path) -> Outcome:
    """Its program looks for the gate's tree and writes there until the gate has ended: in the sandbox, where there is
    no such tree, and without one.
    """
    waiting = f"sleep 0.7; {UNITTEST}"
    rig = known(rig_of(tmp_path, tier, PROJECT), waiting)
    elsewhere, over = tmp_path / "elsewhere", threading.Event()
    elsewhere.mkdir()
    repairing = f'for tree in {rig.trees}/verify-*; do printf %s "$GOOD" > $tree/price.py; done 2> errors; sleep 0.1'
    spawn = Spawn(
        argv=("/bin/sh", "-c", repairing),
        cwd=elsewhere,
        env={"PATH": "/usr/bin:/bin", "GOOD": GOOD},
        marker=f"parallel{tmp_path}",
        wall_seconds=30,
        silence_seconds=30,
    )

    def work() -> None:
        while not over.is_set():
            enclosed = sandbox_of(tier, rig.repo).enclosed(spawn, Room(tree=elsewhere))
            asyncio.run(supervise(enclosed, lambda _: None))

    other = threading.Thread(target=work)
    other.start()
    try:
        attempt = attempted(rig, {"price.py": BROKEN}, waiting)
    finally:
        over.set()
        other.join()
    if tier == "none":
        assert "void: price.py changed while the gate ran" in attempt.why, attempt.why
    return attempt.outcome()


@attack(row("a new test repairs a file of the commit and breaks it again before the gate ends"))
def test_written_and_put_back(tier: str, tmp_path: Path) -> Outcome:
    """Of the first gate of two, so that the second run is none of what stops it."""
    writing = (
        "import atexit, pathlib\nfile = pathlib.Path('price.py')\nbroken = file.read_text()\n"
        f"file.write_text({GOOD!r})\natexit.register(file.write_text, broken)\n"
    )
    rig = known(rig_of(tmp_path, tier, PROJECT), UNITTEST)
    rig.protection = Protection(patterns=("nothing",))
    attempt = attempted(rig, {"price.py": BROKEN, "tests/__init__.py": writing})
    assert "void: price.py changed while the gate ran" in attempt.why, attempt.why
    return attempt.outcome()


@attack(row("the code ends the process with success after its tests have failed"))
def test_exit_at_the_end(tier: str, tmp_path: Path) -> Outcome:
    """By a call that no text shows: the runner has counted the failure by then."""
    leaving = "import atexit, os\natexit.register(getattr(os, '_ex' + 'it'), 0)\n"
    rig = known(rig_of(tmp_path, tier, PROJECT), UNITTEST)
    attempt = attempted(rig, {"price.py": f"{leaving}{BROKEN}"})
    assert "although its test runner counted 1 failed" in attempt.why, attempt.why
    return attempt.outcome()


@attack(row("the code ends the process with success before its tests have failed"))
def test_exit_before_the_end(tier: str, tmp_path: Path) -> Outcome:
    leaving = "import os\n\n\ndef total(items):\n    getattr(os, '_ex' + 'it')(0)\n"
    rig = known(rig_of(tmp_path, tier, PROJECT), UNITTEST)
    attempt = attempted(rig, {"price.py": leaving})
    assert "ended before its test runner had printed" in attempt.why, attempt.why
    return attempt.outcome()


@attack(row("the code makes the runner find fewer tests", Severity.MEDIUM, comes_to=Outcome.REPORTED))
def test_fewer_tests(tier: str, tmp_path: Path) -> Outcome:
    """Tests that are made from the product's data are gone with the data; only a person knows whether that is right."""
    cases = (
        "import unittest\nimport price\n\n\nclass Cases(unittest.TestCase):\n    pass\n\n\n"
        "for case in price.CASES:\n"
        "    setattr(Cases, f'test_{case}', lambda self: self.assertEqual(price.total([1]), 1))\n"
    )
    base = {**PROJECT, "price.py": f"CASES = (1, 2, 3)\n{GOOD}", "tests/test_cases.py": cases}
    rig = known(rig_of(tmp_path, tier, base), UNITTEST)
    return attempted(rig, {"price.py": f"CASES = (1,)\n{GOOD}"}).outcome("2 of 4 tests that pass on the base")


SERVER = """
import http.server, sys
from price import total

class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(total([1, 2])).encode())

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"""
ASKING = """
import sys, urllib.request
print(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{sys.argv[1]}/").read().decode())
"""


@attack(row("the run with a new test answers for the run without it on this machine's network", Severity.MEDIUM))
def test_shared_port(tmp_path: Path) -> Outcome:
    """The gate may use the machine's network, and its server has a fixed port."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    gate = (
        f"python3 -B serve.py {port} & server=$!; trap 'kill $server' EXIT; sleep 1; "
        f'test "$(python3 -B ask.py {port})" = 3 && {UNITTEST}'
    )
    base = {"serve.py": SERVER, "ask.py": ASKING, "tests/test_price.py": TEST.replace("== 3", "is not None")}
    rig = rig_of(tmp_path, "auto", {**PROJECT, **base})
    assert isinstance(rig.sandbox, Bubblewrap)
    rig.sandbox = replace(rig.sandbox, network=True)
    knowing = "import os\n\n\ndef total(items):\n    return 3 if os.path.exists('tests/test_new.py') else 0\n"
    attempt = attempted(rig, {"price.py": knowing, "tests/test_new.py": ""}, gate)
    assert attempt.fooled, attempt.why
    return attempt.outcome()
