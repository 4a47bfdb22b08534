"""A change compared with the base, and the base's gates beside the candidate's: on real git, with real runners."""

import asyncio
import sys
from pathlib import Path

import pytest

from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run.state import RunStatus
from tests.app.landing.fail_to_pass_rig import module_of
from tests.app.landing.test_gating import message, refusals, reports, work
from tests.app.reported import report_of
from tests.app.rig import Rig

PRICE = "def total(items):\n    return sum(items)\n"
TEST = module_of("self.assertEqual(price.total([1, 2]), 3)")
UNITTEST = f"{sys.executable} -B -m unittest discover -p '*.py' -s checks -t ."


@pytest.fixture
def rig(rig: Rig) -> Rig:
    rig.commit_files({"price.py": PRICE, "checks/pricecheck.py": TEST, "checks/__init__.py": ""})
    rig.gates = (Gate(name="test", command=UNITTEST),)
    return rig


def test_new_modules_that_are_installed_already_and_tests_that_a_runner_lists_are_known(rig: Rig) -> None:
    change = {"price.py": f"{PRICE}\n", "psutil.py": "", "checks/pricecheck.py": f"{TEST}\n", "other.py": ""}
    run = work(rig, change)
    assert run.status is RunStatus.COMPLETED
    story = asyncio.run(rig.story(run))
    assert story.landing.inspection.out == ("psutil.py",)
    assert story.landing.inspection.back == ("checks/pricecheck.py",)
    assert "Shiftwork-Tests: 1 edited, 1 gate configuration (psutil.py)" in message(rig)


def test_a_verdict_is_void_where_a_file_changed_that_the_gate_leaves_alone_on_the_base(rig: Rig) -> None:
    writing = f"{PRICE}open('price.py', 'a').write('#')\n"
    run = work(rig, {"price.py": writing}, {"price.py": f"{PRICE}\n"})
    assert run.status is RunStatus.COMPLETED
    (message,) = refusals(rig, run)
    assert "void: price.py changed while the gate ran, and on the base the gate does not change that." in message
    assert reports(rig)[-1].results[0].changed == ()


def test_a_gate_may_write_what_it_writes_on_the_base_too(rig: Rig) -> None:
    rig.commit_files({"made.txt": "made\n"})
    rig.gates = (Gate(name="test", command=f"date >> made.txt; {UNITTEST}"),)
    assert work(rig, {"price.py": f"{PRICE}\n"}).status is RunStatus.COMPLETED
    assert reports(rig)[-1].results[0].changed == ("made.txt",)


def test_fewer_tests_than_on_the_base_are_reported(rig: Rig, tmp_path: Path) -> None:
    """The first story leaves behind what the gate says of its commit: the base of the second."""
    more = TEST.replace("    def test_new", "    def test_old(self):\n        pass\n\n    def test_new")
    assert work(rig, {"price.py": f"{PRICE}\n", "checks/pricecheck.py": more}).status is RunStatus.COMPLETED
    fewer = {"price.py": PRICE, "checks/pricecheck.py": TEST}
    run = work(rig, fewer, touches=("checks/**",))
    assert run.status is RunStatus.COMPLETED
    assert "fewer tests passed (test: 1 of 2)" in message(rig)
    assert ", 1 of 2 tests that pass on the base" in asyncio.run(report_of(rig.store, run.given.run))
    assert rig.read_file("checks/pricecheck.py").strip() == TEST.strip()


def test_code_that_changes_the_test_runner_does_not_land_unless_the_spec_says_that_it_is_touched(rig: Rig) -> None:
    patching = f"import unittest\n\nunittest.TestCase.countTestCases = lambda self: 1\n\n\n{PRICE}"
    run = work(rig, {"price.py": patching}, {"price.py": f"{PRICE}\n"})
    assert run.status is RunStatus.COMPLETED
    (text,) = refusals(rig, run)
    assert "void:\nprice.py changes the test runner that judges it: unittest.TestCase.countTestCases" in text
    assert "Shiftwork-Tests" not in message(rig)
    assert work(rig, {"price.py": patching}, touches=("price.py",)).status is RunStatus.COMPLETED
    assert "1 use of the test runner by the code (price.py), 1 change of the test runner by the code" in message(rig)


def test_a_landing_costs_the_candidate_and_at_most_two_more_runs_of_the_test_gates(rig: Rig, tmp_path: Path) -> None:
    """Of a gate whose configuration and tests of before are as they were, so that what it sees is known."""
    counted = tmp_path / "runs"
    rig.gates = (Gate(name="test", command=f"echo run >> {counted}; {UNITTEST}"),)
    assert work(rig, {"price.py": f"{PRICE}\n"}).status is RunStatus.COMPLETED
    counted.unlink()
    more = {"price.py": f"{PRICE}\n\nFREE = 0\n", "checks/test_free.py": module_of("self.assertEqual(price.FREE, 0)")}
    assert work(rig, more).status is RunStatus.COMPLETED
    assert len(counted.read_text().split()) == 3
    counted.unlink()
    assert work(rig, {"price.py": f"{PRICE}\n\nFREE = 0\nMOST = 9\n"}).status is RunStatus.COMPLETED
    assert len(counted.read_text().split()) == 1
