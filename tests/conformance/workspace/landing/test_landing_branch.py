"""The branch that a spec asks for: created from the base if it does not exist, and otherwise not moved."""

import asyncio

import pytest

from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Repository
from tests.conformance.workspace.git.git_rig import Context


def ensure(repository: Repository, branch: str, base: str = "main") -> None:
    asyncio.run(repository.ensure_branch(branch, base))


def test_it_is_made_at_the_tip_of_the_base(context: Context) -> None:
    ensure(context.repository, "ralph/feature")
    assert context.user.at("ralph/feature") == context.user.at("main")
    assert context.user.git("branch", "--show-current") == "main", "nothing is checked out"


def test_what_has_landed_ahead_of_the_base_is_in_it(context: Context) -> None:
    ahead = context.hold({"x": "x\n"})
    ensure(context.repository, "feature")
    assert context.user.at("feature") == ahead


def test_one_that_is_there_stays_where_it_is(context: Context) -> None:
    context.user.git("branch", "feature")
    before = context.user.at("feature")
    context.user.commit("newer", {"y": "y\n"})
    for _ in range(2):
        ensure(context.repository, "feature")
        assert context.user.at("feature") == before


def test_one_that_is_there_needs_no_base(context: Context) -> None:
    ensure(context.repository, "main", "nowhere")


@pytest.mark.parametrize("name", ["-x", "a..b", "a b", "", "a/", "@{-1}", "x.lock", "HEAD~1"])
def test_a_name_that_git_does_not_take(context: Context, name: str) -> None:
    with pytest.raises(RepositoryError, match="cannot be called"):
        ensure(context.repository, name)


def test_a_base_that_is_not_there(context: Context) -> None:
    with pytest.raises(RepositoryError, match="no branch 'nowhere'"):
        ensure(context.repository, "feature", "nowhere")


def test_a_branch_in_the_way_is_reported(context: Context) -> None:
    context.user.git("branch", "ralph")
    with pytest.raises(RepositoryError, match="ralph/feature cannot be made"):
        ensure(context.repository, "ralph/feature")
