"""Which rows of the long suites the gate runs."""

import subprocess

import pytest

from tests.gate.long_rows import (
    MOST_PROCESSOR_SECONDS,
    ROOT,
    SECONDS_FILE,
    TURNS,
    Change,
    choose_rows,
    read_seconds,
    suite_of_row,
    write_seconds,
)
from tests.gate.subjects import LONG_SUITES, WHOLE_SUBJECTS, longest_folder, suites_by_folder, suites_of_change

ROWS = [f"{folder}/test_it.py::test_{n}" for folders in LONG_SUITES.values() for folder in folders for n in range(60)]
ATTACKS = {row for row in ROWS if suite_of_row(row) == "attacks"}
DOCS = "docs/howto/proof.md"


def rows_at(commit_number: int, *files: str) -> frozenset[str]:
    return choose_rows(ROWS, {}, Change(files=files, commit_number=commit_number))


def test_every_folder_of_the_repository_has_a_line() -> None:
    listed = subprocess.run(("git", "ls-files"), cwd=ROOT, capture_output=True, text=True, check=True)
    folders = {path.rpartition("/")[0] for path in listed.stdout.splitlines()} - {""}
    assert {folder for folder in folders if longest_folder(folder, suites_by_folder()) is None} == set()


def test_every_line_names_folders_that_exist_and_suites_that_exist() -> None:
    table = suites_by_folder()
    assert {folder for folder in table if not (ROOT / folder).exists()} == set()
    assert {suite for suites in table.values() for suite in suites.split()} <= LONG_SUITES.keys()


def test_a_file_without_a_line_is_about_every_suite() -> None:
    assert suites_of_change(["new-folder/file.py"]) == LONG_SUITES.keys()
    assert suites_of_change([]) == frozenset()


def test_the_longest_folder_counts() -> None:
    assert longest_folder("a/b/c.py", ("a", "a/b", "a/bc")) == "a/b"
    assert suites_of_change(["tests/fuzz/stage.py"]) == {"fuzz"}
    assert suites_of_change([DOCS]) == frozenset()


def test_every_row_runs_within_ten_commits_whatever_has_changed() -> None:
    assert frozenset().union(*(rows_at(number, DOCS) for number in range(70, 70 + TURNS))) == set(ROWS)


@pytest.mark.parametrize("suite", LONG_SUITES)
def test_rows_about_the_change_fill_the_time(suite: str) -> None:
    rows = rows_at(3, f"{LONG_SUITES[suite][0]}/rig.py")
    assert {row for row in ROWS if suite_of_row(row) == suite} <= rows
    costly = dict.fromkeys(ROWS, MOST_PROCESSOR_SECONDS / 100)
    change = Change(files=(f"{LONG_SUITES[suite][0]}/rig.py",), commit_number=3)
    assert 95 <= len(choose_rows(ROWS, costly, change)) <= 100 or len(rows) < 95


@pytest.mark.parametrize("subject", WHOLE_SUBJECTS)
def test_a_change_to_what_a_promise_stands_on_runs_every_attack(subject: str) -> None:
    file = f"{WHOLE_SUBJECTS[subject].split()[0]}/rule.py"
    costly = dict.fromkeys(ROWS, 60.0)
    assert choose_rows(ROWS, costly, Change(files=(file,), commit_number=1)) >= ATTACKS
    assert not choose_rows(ROWS, costly, Change(files=(DOCS,), commit_number=1)) >= ATTACKS


def test_without_a_known_green_tree_everything_counts_as_changed() -> None:
    change = Change(files=None, commit_number=1)
    assert change.suites == LONG_SUITES.keys()
    assert change.whole_subjects == tuple(WHOLE_SUBJECTS)


def test_seconds_are_kept_for_a_function_or_for_its_cases_where_these_differ() -> None:
    lines = [
        "1.0 tests/attacks/test_it.py::test_same[a]",
        "1.5 tests/attacks/test_it.py::test_same[b]",
        "2.0 tests/ordinary/test_it.py::test_rows[go]",
        "30.0 tests/ordinary/test_it.py::test_rows[jest of us]",
        "9.0 tests/unit/test_it.py::test_other",
    ]
    assert read_seconds(write_seconds(lines)) == {
        "tests/attacks/test_it.py::test_same": 1.5,
        "tests/ordinary/test_it.py::test_rows[go]": 2.0,
        "tests/ordinary/test_it.py::test_rows[jest of us]": 30.0,
    }


def test_the_measured_rows_are_rows() -> None:
    measured = read_seconds(SECONDS_FILE.read_text(encoding="utf-8"))
    assert len(measured) > len(LONG_SUITES)
    assert {row for row in measured if not suite_of_row(row)} == set()
