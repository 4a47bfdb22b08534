"""Code outside of tests that judges the product: what runners load by name, and what tests alone use."""

import pytest

from shiftwork.domain.tampering.findings import Finding, Meddling, Patch, Protection, ProtectPolicy, Touched
from shiftwork.domain.tampering.inspect import inspect
from shiftwork.domain.tampering.restore import Restored, configures, put_back

PROTECTION = Protection(
    loaded=frozenset({"plugin.py", "tools/setup.js"}), support=frozenset({"support/__init__.py", "support/checks.py"})
)


def touched(letter: str, *paths: str) -> list[Touched]:
    return [Touched(path=path, letter=letter) for path in paths]


def test_what_a_runner_loads_is_configuration_and_is_put_back() -> None:
    for letter in "MDT":
        (change,) = touched(letter, "plugin.py")
        assert configures(change, PROTECTION)
        assert put_back([change], PROTECTION, ()) == Restored(back=("plugin.py",))


def test_what_tests_alone_use_is_put_back_in_a_run_of_its_own() -> None:
    without = put_back(touched("M", "tests/test_a.py", "support/checks.py", "price.py"), PROTECTION, ())
    both = ("tests/test_a.py", "support/checks.py")
    assert without == Restored(back=both, support=("support/checks.py",))
    assert without.list_trials() == (Restored(back=both[:1]), without)
    assert Restored(back=both).list_trials() == (Restored(back=both),)


@pytest.mark.parametrize(
    "path",
    [
        "plugin/__init__.py",
        "src/plugin.py",
        "plugin.so",
        "tools/setup/index.js",
        "tools/setup.ts",
        "support/checks/__init__.py",
    ],
)
def test_a_new_file_that_may_be_loaded_instead_is_left_out(path: str) -> None:
    assert put_back(touched("A", path), PROTECTION, ()) == Restored(out=(path,))


@pytest.mark.parametrize("path", ["support/more.py", "tools/other.js", "plugin.md", "shop/plugin.py", "index.py"])
def test_other_new_files_stay(path: str) -> None:
    assert put_back(touched("A", path), PROTECTION, ()) == Restored()


def test_an_edit_of_support_is_reported_by_name() -> None:
    found = inspect(touched("M", "support/checks.py"), Patch(), PROTECTION)
    assert found.findings == (Finding(kind=Meddling.SUPPORT, path="support/checks.py"),)
    assert found.message == "1 used by tests alone (support/checks.py)"
    assert found.support == found.back == ("support/checks.py",)


def test_an_edit_of_code_that_tests_load_is_reported_and_never_put_back() -> None:
    found = inspect(
        touched("M", "checking.py"), Patch(), Protection(unnamed=frozenset({"checking.py"}), unmeasured=("e2e",))
    )
    assert found.message == "1 loaded by tests and named by no product code (checking.py)"
    assert (found.back, found.unmeasured) == ((), ("e2e",))


def test_under_the_policy_report_nothing_is_put_back() -> None:
    lenient = Protection(policy=ProtectPolicy.REPORT, support=PROTECTION.support)
    assert put_back(touched("M", "support/checks.py"), lenient, ()) == Restored()
