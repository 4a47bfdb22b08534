"""kill -9 in the middle of a batch, then a restart: every story lands or is sent back exactly once."""

import json
import os
import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest

from shiftwork import failpoints
from tests import warm
from tests.own_folders import HOMES
from tests.repositories import first_commit, git_locks

pytestmark = pytest.mark.durability

IN_A_QUEUE = [name for name in failpoints.NAMES if name.startswith("landing.") and name != "landing.posted"]
PLACES = (
    *IN_A_QUEUE,
    "landing.verified@2",
    "landing.moved@2",
    "landing.answered@2",
    "landing.answered@4",
    *(f"append.{moment}@{number}" for moment in ("before", "after") for number in range(1, 9, 2)),
)


HOOK = '#!/bin/sh\necho "Change-Id: $(date +%s%N)" >> "$1"\n'
"""Asked twice, it gives two messages: what lands must be the one that is recorded."""


def lander(repo: Path, failpoint: str = "") -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", *HOMES) if name in os.environ}  # noqa: TID251 - a test's
    armed = {"SHIFTWORK_FAILPOINT": failpoint} if failpoint else {}
    return warm.run(("-m", "tests.durability.lander"), cwd=repo, env={**kept, **armed, "HOME": str(repo.parent)})


def git(repo: Path, *args: str) -> str:
    return subprocess.run(("git", *args), cwd=repo, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "README").write_text("a project\n")
    hook = repo / ".githooks/commit-msg"
    hook.parent.mkdir()
    hook.write_text(HOOK)
    hook.chmod(0o755)
    first_commit(partial(git, repo))
    git(repo, "config", "core.hooksPath", ".githooks")
    return repo


def assert_landed_once(repo: Path) -> None:
    subjects = [f"feat: {story} - Do {story}" for story in ("E", "B", "A")]
    assert git(repo, "log", "--format=%s", "main").splitlines() == [*subjects, "start"]
    assert git(repo, "log", "--format=%B", "main").count("\nChange-Id: ") == len(subjects)
    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "branch", "--list", "shiftwork/*") == ""
    assert not git_locks(repo)


@pytest.mark.parametrize("place", PLACES)
def test_a_batch_killed_at(place: str, repo: Path) -> None:
    died = lander(repo, place)
    assert died.returncode == -signal.SIGKILL, f"{place} was not reached:\n{died.stdout}{died.stderr}"
    again = lander(repo)
    assert again.returncode == 0, again.stdout + again.stderr
    answers = json.loads(again.stdout)
    assert answers == {
        "A": "LandingAccepted",
        "B": "LandingAccepted",
        "C": "LandingRefused",
        "D": "LandingRefused",
        "E": "LandingAccepted",
    }
    assert_landed_once(repo)


def test_a_batch_that_is_killed_again_and_again(repo: Path) -> None:
    deaths = 0
    while (ended := lander(repo, "append.after@2")).returncode == -signal.SIGKILL:
        deaths += 1
        assert deaths < 20
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert deaths > 2
    assert_landed_once(repo)
