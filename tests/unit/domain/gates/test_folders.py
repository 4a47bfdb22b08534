"""A gate that runs in a folder of the repository."""

import subprocess
from pathlib import Path

import pytest

from shiftwork.domain.gates.folders import folder_fault, in_folder


@pytest.mark.parametrize("command", ["pwd", "true; pwd", "true &\npwd", "false || pwd", "true & pwd", "pwd # here"])
def test_every_part_of_a_command_runs_in_the_folder(tmp_path: Path, command: str) -> None:
    (tmp_path / "a b").mkdir()
    done = subprocess.run(
        ["sh", "-c", in_folder("a b", command)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(tmp_path / "a b")


@pytest.mark.parametrize("command", ["touch made", "true & touch made", "true; touch made"])
def test_nothing_runs_where_the_folder_is_missing(tmp_path: Path, command: str) -> None:
    assert subprocess.run(["sh", "-c", in_folder("gone", command)], cwd=tmp_path, check=False).returncode != 0
    assert not (tmp_path / "made").exists()


def test_without_a_folder_the_command_stays_as_it_is() -> None:
    assert (in_folder("", "make"), in_folder("api", "make")) == ("make", "cd api && make")


@pytest.mark.parametrize("cwd", ["", "api", "packages/api", "a b", "..api"])
def test_a_folder_below_the_root_is_allowed(cwd: str) -> None:
    assert folder_fault(cwd) == ""


@pytest.mark.parametrize("cwd", ["/", "/etc", "~", "~/api", "-", "..", "../x", "a/..", "a\\b", "a\nb"])
def test_any_other_name_is_refused(cwd: str) -> None:
    assert folder_fault(cwd)
