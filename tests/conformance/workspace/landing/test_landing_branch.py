"""The branch that a spec asks for: created from the base if it does not exist, and otherwise not moved."""

import asyncio

import pytest

from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Repository
from tests.conformance.workspace.git.git_rig import GitRig


def ensure(repository: Repository, branch: str, base: str = "main") -> None:
    asyncio.run(repository.ensure_branch(branch, base))


def test_it_is_made_at_the_tip_of_the_base(rig: GitRig) -> None:
    ensure(rig.repository, "ralph/feature")
    assert rig.user.at("ralph/feature") == rig.user.at("main")
    assert rig.user.git("branch", "--show-current") == "main", "nothing is checked out"


def test_what_has_landed_ahead_of_the_base_is_in_it(rig: GitRig) -> None:
    ahead = rig.hold({"x": "x\n"})
    ensure(rig.repository, "feature")
    assert rig.user.at("feature") == ahead


def test_a_branch_in_the_way_is_reported(rig: GitRig) -> None:
    rig.user.git("branch", "ralph")
    with pytest.raises(RepositoryError, match="ralph/feature cannot be made"):
        ensure(rig.repository, "ralph/feature")
