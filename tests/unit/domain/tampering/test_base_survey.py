"""Which questions about a change are put to the base, and how the answers are read."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from shiftwork.domain.tampering import base_survey
from shiftwork.domain.tampering.findings import Protection, Touched
from shiftwork.domain.tampering.restore import Restored, configures, put_back


def new(*paths: str) -> list[Touched]:
    return [Touched(path=path, letter="A") for path in paths]


def edited(*paths: str) -> list[Touched]:
    return [Touched(path=path, letter="M") for path in paths]


# Modules ---------------------------------------------------------------------------------------------------------


def test_only_top_level_modules_that_the_base_does_not_have_are_asked_about() -> None:
    base = ("shop/__init__.py", "src/store/a.py", "backend/pyproject.toml", "web/package.json")
    protection = Protection(commands=("PYTHONPATH=lib pytest",), members=base_survey.members(base))
    assert protection.members == ("backend",)
    touched = new(
        *("_plugin.py", "anyio/pytest_plugin.py", "shop/discount.py", "src/store/b.py", "src/fresh.so", "a-b.py"),
        *("lib/pluggy.py", "backend/inner.py", "backend/src/deep/x.py", "web/other.py", "README.md", "\u00fc.py"),
    )
    found = base_survey.new_modules([*touched, *edited("old.py")], base, protection)
    assert found == (
        *("_plugin", "anyio", "backend", "deep", "fresh", "inner", "lib", "pluggy"),
        "web",
    )


def test_the_interpreters_of_the_gates_are_asked_and_the_tree_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "fresh.py").write_text("raise SystemExit(1)\n")
    command = base_survey.asking_for_modules(("fresh", "json", "pytest"), (f"{sys.executable} -m pytest",))
    assert "python3 python" in command
    completed = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert set(completed.stdout.split()) == {"json", "pytest"}


def test_a_new_module_in_the_place_of_an_installed_one_is_left_out() -> None:
    protection = Protection(installed=frozenset({"anyio", "_plugin"}), members=("backend",))
    shadowing = ("_plugin.py", "anyio/pytest_plugin.py", "backend/src/anyio/__init__.py")
    touched = new(*shadowing, "shop/anyio.py", "anyio.md", "price.py")
    assert put_back(touched, protection, ()) == Restored(out=shadowing)
    assert put_back(edited(*shadowing), protection, ()) == Restored()


# What configuration includes or starts ---------------------------------------------------------------------------

MAKE = """\
-include local.mk $(TOP)/rules/*.inc
\tinclude ./more.inc # and a remark
test:
\t@sh ci/check.sh
run:
\tpython3 app.py
"""


def test_what_a_makefile_includes_is_configuration_whatever_it_is_called() -> None:
    included = base_survey.included_by(
        {"Makefile": MAKE, "web/justfile": "import? 'a/b.just'\nmod c 'd.just'\nx:\n  y\n"}
    )
    protection = Protection(included=included)
    paths = ("local.mk", "deep/rules/a.inc", "more.inc", "web/a/b.just", "web/d.just")
    assert put_back(new(*paths), protection, ()) == Restored(out=paths)
    assert put_back(edited(*paths, "web/more.inc"), protection, ()) == Restored(back=paths)
    assert all(configures(change, protection) for change in edited(*paths))


def test_scripts_are_found_that_a_recipe_starts() -> None:
    tree = ("Makefile", "ci/check.sh", "app.py", "sub/Makefile", "sub/ci/check.sh", "a.py")
    assert base_survey.recipes(tree) == ("Makefile", "sub/Makefile")
    assert base_survey.scripts_in({"Makefile": MAKE}, tree) == {"ci/check.sh"}
    assert base_survey.scripts_in({"sub/Makefile": MAKE}, tree) == {"ci/check.sh", "sub/ci/check.sh"}


def test_a_check_script_that_configuration_starts_is_put_back_and_another_is_reported() -> None:
    protection = Protection(followed=frozenset({"ci/check.sh", "app.py"}))
    assert put_back(edited("ci/check.sh", "app.py"), protection, ()) == Restored(back=("ci/check.sh",))
    assert all(configures(change, protection) for change in edited("ci/check.sh", "app.py"))


# Tests -----------------------------------------------------------------------------------------------------------


def test_only_files_that_may_be_tests_are_asked_about() -> None:
    touched = [*edited("testprice.py", "tests/test_a.py", "price.py", "check.sh", "latest.txt"), *new("testnew.py")]
    assert base_survey.doubtful(touched, Protection(commands=("sh check.sh",))) == ("testprice.py",)


@pytest.mark.parametrize(
    ("command", "listed"),
    [
        ("pytest -q", True),
        ("cd backend && python -m pytest tests -x", True),
        ("npx jest --ci", True),
        ("python3 -B -m unittest discover -s tests", True),
        ("pytest -q && ruff check", False),
        ("make test", False),
        ("python -m unittest | cat", False),
    ],
)
def test_a_runner_is_asked_where_it_comes_last(command: str, listed: bool) -> None:  # noqa: FBT001 - a row of the table
    assert bool(base_survey.listings((command,))) is listed


@pytest.mark.parametrize(
    "runner", ["pytest -q -p no:cacheprovider -o python_files=*price.py", "unittest discover -p '*price.py'"]
)
def test_runners_list_their_tests_and_run_none(tmp_path: Path, runner: str) -> None:
    body = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        open('ran', 'w')\n"
    (tmp_path / "checkprice.py").write_text(body)
    (tmp_path / "testnothing.py").write_text("")
    (command,) = base_survey.listings((f"{sys.executable} -B -m {runner}",))
    completed = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    asked = ("checkprice.py", "testnothing.py")
    assert base_survey.listed_in(completed.stdout, asked) == {"checkprice.py"}
    assert not (tmp_path / "ran").exists()


def test_a_listed_file_is_put_back() -> None:
    protection = Protection(listed=frozenset({"testprice.py"}))
    assert put_back(edited("testprice.py", "price.py"), protection, ()) == Restored(back=("testprice.py",))


@pytest.mark.parametrize("piece", ["include a ", "$(", "-include\t", "import 'a", "a/", "x:1:"])
def test_reading_takes_time_in_proportion_to_the_length(piece: str) -> None:
    began = time.process_time()
    text = piece * (100_000 // len(piece))
    base_survey.included_by({"Makefile": text})
    base_survey.listed_in(text, ("a.py",))
    assert time.process_time() - began < 5
