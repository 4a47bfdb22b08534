"""The branch that a spec asks for: made where it is not there, from the base, and never moved by that."""

import asyncio

import pytest

from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Repository
from tests.conformance.workspace.git.git_rig import World


def ensure(repository: Repository, branch: str, base: str = "main") -> None:
    asyncio.run(repository.ensure_branch(branch, base))


def test_it_is_made_at_the_tip_of_the_base(world: World) -> None:
    ensure(world.repository, "ralph/feature")
    assert world.user.at("ralph/feature") == world.user.at("main")
    assert world.user.git("branch", "--show-current") == "main", "nothing is checked out"


def test_what_has_landed_ahead_of_the_base_is_in_it(world: World) -> None:
    ahead = world.hold({"x": "x\n"})
    ensure(world.repository, "feature")
    assert world.user.at("feature") == ahead


def test_one_that_is_there_stays_where_it_is(world: World) -> None:
    world.user.git("branch", "feature")
    before = world.user.at("feature")
    world.user.commit("newer", {"y": "y\n"})
    for _ in range(2):
        ensure(world.repository, "feature")
        assert world.user.at("feature") == before


def test_one_that_is_there_needs_no_base(world: World) -> None:
    ensure(world.repository, "main", "nowhere")


@pytest.mark.parametrize("name", ["-x", "a..b", "a b", "", "a/", "@{-1}", "x.lock", "HEAD~1"])
def test_a_name_that_git_does_not_take(world: World, name: str) -> None:
    with pytest.raises(RepositoryError, match="cannot be called"):
        ensure(world.repository, name)


def test_a_base_that_is_not_there(world: World) -> None:
    with pytest.raises(RepositoryError, match="no branch 'nowhere'"):
        ensure(world.repository, "feature", "nowhere")


def test_a_branch_in_the_way_is_told(world: World) -> None:
    world.user.git("branch", "ralph")
    with pytest.raises(RepositoryError, match="ralph/feature cannot be made"):
        ensure(world.repository, "ralph/feature")
