"""Which files of a change are left out when the gates run."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.tampering.findings import Protection, ProtectPolicy, Touched
from shiftwork.domain.tampering.protected_paths import CONFIGURATION, TESTS
from shiftwork.domain.tampering.restore import Restored, only_new_tests, put_back
from shiftwork.domain.text.globs import matches

TOUCHED = (
    Touched(path="tests/test_old.py", letter="M"),
    Touched(path="tests/test_gone.py", letter="D"),
    Touched(path="tests/test_new.py", letter="A"),
    Touched(path="src/a.py", letter="M"),
    Touched(path="package.json", letter="M"),
)
CONFTEST = Touched(path="conftest.py", letter="A")


NEW = "tests/test_new.py"


def test_in_a_second_run_there_are_the_checks_of_the_base_and_nothing_new() -> None:
    assert undone(TOUCHED, Protection(), ()) == (("tests/test_old.py", "tests/test_gone.py"), (NEW,))


@pytest.mark.parametrize("path", ["shop-1.0.dist-info/entry_points.txt", "a.egg-info/PKG-INFO", "zz.pth"])
def test_what_a_runner_takes_for_an_installed_plugin_is_left_out(path: str) -> None:
    assert undone(new(path, "rounding.py"), Protection(), ()) == ((), (path,))


def test_new_tests_are_left_out_too_since_they_can_do_anything_while_they_run() -> None:
    plain = ("test_b.py", "web/__tests__/b.js", "test/b.mjs", "tests/b.rs", "tests/data.json", "a/test/BTest.java")
    without = put_back(new(NEW, *plain, "src/a.py"), Protection(), ())
    assert without == Restored(out=(NEW, *plain))
    assert only_new_tests(without, Protection())
    assert not only_new_tests(Restored(out=(NEW, "conftest.py")), Protection())
    assert not only_new_tests(Restored(back=("tests/test_old.py",), out=(NEW,)), Protection())


@pytest.mark.parametrize(
    "path",
    [
        *("rust-toolchain.toml", "rust-toolchain", "core/.cargo/config.toml", "lib/minitest/autorun.rb"),
        *("web/__snapshots__/a.ts.snap", "a.feature", "web/a.cy.ts", "Shop.Tests/Price.cs", "Tests/PriceShould.swift"),
        *("e2e/price.ts", "price_spec.lua", "pkg/testdata/in.json", "out.golden"),
    ],
)
def test_an_edit_of_what_acts_as_a_test_or_as_configuration_is_put_back(path: str) -> None:
    assert undone((Touched(path=path, letter="M"),), Protection(), ()) == ((path,), ())
    assert undone(new(path), Protection(), ()) == ((), (path,))


@pytest.mark.parametrize("letter", ["A", "M", "D"])
def test_of_a_file_that_holds_dependencies_too_only_the_keys_of_runners_are_put_back(letter: str) -> None:
    touched = [Touched(path=path, letter=letter) for path in ("web/package.json", "pyproject.toml", "pom.xml")]
    assert put_back(touched, Protection(), ()) == Restored(keyed=("web/package.json", "pyproject.toml"))
    assert put_back(touched, Protection(), ("web",)) == Restored(keyed=("pyproject.toml",))


@pytest.mark.parametrize(
    "path",
    [
        *(
            "tests/__init__.py",
            "tests/conftest.py",
            "tests/helpers.py",
            "tests/common/mod.rs",
            "src/test/java/Util.java",
        ),
        *("pluggy.py", "difflib.py", "json/__init__.py", "src/pytest/__init__.py", "src/_pytest.py", "tests/json.py"),
        *("pytest_helper.py", "json.cpython-312-x86_64-linux-gnu.so", "random.pyc", "sitecustomize.py", "pytest.toml"),
    ],
)
def test_new_code_that_other_tests_may_be_run_with_is_left_out_and_new_tests_with_it(path: str) -> None:
    assert undone(new(NEW, path), Protection(), ()) == ((), (NEW, path))


@pytest.mark.parametrize(
    "path",
    [
        "price.py",
        "__init__.py",
        "src/json.ts",
        "src/logging/index.ts",
        "json/extra.py",
        "app/json.py",
        "json/__init__.ts",
    ],
)
def test_product_code_is_not_taken_for_such(path: str) -> None:
    assert undone(new(path), Protection(), ()) == ((), ())


def test_a_module_of_the_base_is_product_code_whatever_its_name_is() -> None:
    assert undone((Touched(path="calendar.py", letter="M"),), Protection(), ()) == ((), ())


@pytest.mark.parametrize("path", ["calc.py", "app.py", "bin/cli.js"])
def test_an_entry_point_of_the_product_that_a_gate_starts_stays_as_the_story_has_it(path: str) -> None:
    commanded = Protection(commands=(f"python3 {path}", "pytest"))
    changed = (Touched(path=path, letter="M"), Touched(path="tests/test_old.py", letter="M"))
    assert undone(changed, commanded, ()) == (("tests/test_old.py",), ())


@pytest.mark.parametrize("path", ["check_all.py", "runTests.js", "scripts/all.py", "ci/all.rb", "prove", "smoke.py"])
def test_a_check_script_that_a_gate_starts_is_undone(path: str) -> None:
    assert undone((Touched(path=path, letter="M"),), Protection(commands=(f"python3 ./{path}",)), ()) == ((path,), ())


def test_a_script_that_a_gate_runs_is_undone() -> None:
    commanded = Protection(commands=("sh ./ci/check.sh price.py", "tsc -p tsconfig.json"))
    change = [Touched(path=path, letter="M") for path in ("ci/check.sh", "price.py", "tsconfig.json")]
    assert undone(change, commanded, ()) == (("ci/check.sh",), ())
    assert undone(new("ci/check.sh"), commanded, ()) == ((), ())


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cd backend && python -m pytest", "backend/pytest.py"),
        ("cd backend && python -m pytest", "backend/src/pluggy.py"),
        ("cd a; cd b && python -m unittest", "a/b/unittest/__init__.py"),
        ("python ci/check.py", "ci/json.py"),
        ("PYTHONPATH=lib pytest", "lib/pluggy.py"),
        ('export PYTHONPATH="$PWD/lib:python/modules"; pytest', "python/modules/pluggy/__init__.py"),
        ("env PYTHONPATH=$(pwd)/lib pytest", "lib/_pytest.py"),
    ],
)
def test_python_looks_first_where_a_gate_works_and_beside_its_script(command: str, path: str) -> None:
    commanded = Protection(commands=(command,))
    assert undone(new(path), commanded, ()) == ((), (path,))
    assert undone(new(path), Protection(commands=("pytest backend ci a",)), ()) == ((), ())


@pytest.mark.parametrize(
    "path",
    ["node_modules/.bin/jest", "web/node_modules/jest/index.js", ".venv/bin/pytest", "venv/lib/a/site-packages/a.py"],
)
def test_what_the_setup_command_would_install_is_left_out_where_a_story_brings_it(path: str) -> None:
    assert undone(new(path, NEW), Protection(), ()) == ((), (path, NEW))
    assert undone((Touched(path=path, letter="M"),), Protection(), ()) == ((path,), ())


@pytest.mark.parametrize("path", ["vendor/example.org/a/a.go", "third/vendor/monolog/Logger.php"])
def test_an_edit_of_a_package_that_is_committed_is_put_back_and_a_new_one_stays(path: str) -> None:
    assert undone((Touched(path=path, letter="M"),), Protection(), ()) == ((path,), ())
    assert undone(new(path), Protection(), ()) == ((), ())


def undone(touched: Sequence[Touched], protection: Protection, allowed: Sequence[str]) -> tuple[object, object]:
    """The paths that are put back, and those that are left out."""
    without = put_back(touched, protection, allowed)
    return without.back, without.out


def new(*paths: str) -> list[Touched]:
    return [Touched(path=path, letter="A") for path in paths]


def test_new_configuration_is_left_out_and_new_tests_with_it() -> None:
    assert undone((*TOUCHED, CONFTEST), Protection(), ())[1] == ("tests/test_new.py", "conftest.py")


def test_what_the_story_is_said_to_touch_stays_as_it_is() -> None:
    assert undone((*TOUCHED, CONFTEST), Protection(), ("tests", "conftest.py")) == ((), ())


def test_a_list_of_the_settings_wins() -> None:
    named = Protection(patterns=("package.json",))
    assert put_back(TOUCHED, named, ()) == Restored(back=("package.json",))


def test_where_changes_are_only_reported_nothing_is_undone() -> None:
    assert undone((*TOUCHED, CONFTEST), Protection(policy=ProtectPolicy.REPORT), ()) == ((), ())


_PATHS = st.sampled_from(["tests/a.py", "conftest.py", "src/a.py", "src/b.test.ts", "Makefile", "package.json"])


@given(st.lists(st.builds(Touched, path=_PATHS, letter=st.sampled_from("AMDT")), unique_by=lambda item: item.path))
def test_only_changed_and_protected_paths_are_put_back_or_left_out(touched: list[Touched]) -> None:
    without = put_back(touched, Protection(), ())
    back, out = without.back, without.out
    unread_messages = {change.path: change.letter for change in touched}
    assert all(matches((*TESTS, *CONFIGURATION), path) for path in (*back, *out))
    assert all(unread_messages[path] != "A" for path in back)
    assert all(unread_messages[path] == "A" for path in out)
    guarded = {
        path for path, letter in unread_messages.items() if letter != "A" and matches((*TESTS, *CONFIGURATION), path)
    }
    assert set(back) == guarded
    assert set(out) == {path for path in unread_messages if matches((*TESTS, *CONFIGURATION), path)} - guarded
