"""A change compared with the base, and the base's gates beside the candidate's: on real git, with real runners."""

import asyncio
import sys
from pathlib import Path

import pytest

from shiftwork.app.landing.loaded_code import loaded_key
from shiftwork.domain.canary.canary_verdict import KnownLoaded
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.story.approval import hold_for
from tests.app.landing.fail_to_pass_rig import module_of
from tests.app.landing.test_gating import inspected, refusals, reports, work
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
    assert inspected(rig, run) == "1 edited, 1 gate configuration (psutil.py)"


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
    assert ", 1 of 2 tests that pass on the base" in asyncio.run(report_of(rig.store, run.given.run))
    assert rig.read_file("checks/pricecheck.py").strip() == TEST.strip()


def test_code_that_changes_the_test_runner_does_not_land_unless_the_spec_says_that_it_is_touched(rig: Rig) -> None:
    patching = f"import unittest\n\nunittest.TestCase.countTestCases = lambda self: 1\n\n\n{PRICE}"
    run = work(rig, {"price.py": patching}, {"price.py": f"{PRICE}\n"})
    assert run.status is RunStatus.COMPLETED
    (text,) = refusals(rig, run)
    assert "void:\nprice.py changes the test runner that judges it: unittest.TestCase.countTestCases" in text
    assert inspected(rig, run) == ""
    run = work(rig, {"price.py": patching}, touches=("price.py",))
    assert run.status is RunStatus.COMPLETED
    uses = "1 use of the test runner by the code (price.py), 1 change of the test runner by the code"
    assert uses in inspected(rig, run)


SUPPORT = {
    "support/__init__.py": "",
    "support/same.py": "def same(a, b):\n    assert a == b\n",
    "tests/__init__.py": "",
    "tests/test_price.py": module_of("__import__('support.same').same.same(price.total([1, 2]), 3)").replace(
        "import price", "import price\nimport support.same", 1
    ),
}


def test_code_that_tests_alone_use_is_put_back_in_a_run_of_its_own(rig: Rig) -> None:
    rig.commit_files(SUPPORT)
    rig.gates = (Gate(name="test", command=UNITTEST.replace("checks", "tests")),)
    lax = {"price.py": "def total(items):\n    return 0\n", "support/same.py": "def same(a, b):\n    return a\n"}
    honest = {"price.py": f"{PRICE}\n", "support/same.py": "def same(a, b):\n    assert b == a\n"}
    run = work(rig, lax, honest)
    assert run.status is RunStatus.COMPLETED
    (text,) = refusals(rig, run)
    assert "(original versions: support/same.py)" in text
    found = asyncio.run(rig.story(run)).landing.inspection
    assert "1 used by tests alone (support/same.py)" in found.message
    assert [result.restored for result in reports(rig)[-1].results] == [False, True]
    story = work(
        rig, {"support/same.py": lax["support/same.py"], "tests/test_price.py": SUPPORT["tests/test_price.py"] + "\n"}
    )
    assert story.status is RunStatus.COMPLETED
    assert [result.restored for result in reports(rig)[-1].results] == [False, True, True]


def keep_loaded(rig: Rig, *files: str) -> None:
    """As the gates' run on the base leaves it."""

    async def scenario() -> None:
        async with rig.open() as context:
            (gate,) = rig.gates
            setup = (await context.canary.situation(rig.find_commit())).setup
            context.canary.keep_loaded(loaded_key(gate, setup), KnownLoaded(files=files))

    asyncio.run(scenario())


def test_code_that_only_tests_load_is_reported_and_named_in_the_question_for_a_person(rig: Rig) -> None:
    rig.commit_files({"checking.py": "SAME = 1\n", "tests/test_a.py": "import checking\nimport price\n"})
    keep_loaded(rig, "checking.py", "price.py")
    run = work(rig, {"price.py": f"{PRICE}\n", "checking.py": "SAME = 2\n"})
    assert run.status is RunStatus.COMPLETED
    assert [result.restored for result in reports(rig)[-1].results] == [False]
    story = asyncio.run(rig.story(run))
    found = story.landing.inspection.message
    assert "1 loaded by tests and named by no product code (checking.py)" in found
    assert story.landing.inspection.unmeasured == ()
    assert hold_for(story, "may it land?").detail == "it changes code that tests load (checking.py); may it land?"


def test_code_that_was_added_since_the_measurement_counts_as_loaded_where_tests_import_it(rig: Rig) -> None:
    keep_loaded(rig, "price.py", "checks/pricecheck.py")
    added = {"same.py": "SAME = 1\n", "tool.py": "", "tests/test_a.py": "import same\nimport price\n"}
    assert work(rig, added).status is RunStatus.COMPLETED
    run = work(rig, {"same.py": "SAME = 2\n", "tool.py": "MORE = 1\n"})
    assert "1 loaded by tests and named by no product code (same.py)" in inspected(rig, run)


def test_a_test_gate_of_which_it_is_unknown_what_it_loads_is_named_in_the_proof(rig: Rig) -> None:
    run = work(rig, {"price.py": f"{PRICE}\n"})
    assert asyncio.run(rig.story(run)).landing.inspection.unmeasured == ("test",)


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
