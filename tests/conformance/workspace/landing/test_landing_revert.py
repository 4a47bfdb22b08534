"""Reverts on real git: changes that lead from what has landed back to what it stood on."""

import asyncio

from shiftwork.domain.core.ids import Commit
from shiftwork.ports.workspace import Candidate, Conflict, Reserved, Unchanged
from tests.conformance.workspace.git.git_rig import World


def revert(world: World, landed: Commit, before: Commit) -> Candidate | Conflict | Unchanged | Reserved:
    onto = world.tip()
    return asyncio.run(world.repository.candidate(onto, before, "revert: it", base=landed))


def test_what_landed_is_taken_back_and_later_changes_stay(world: World) -> None:
    before = world.tip()
    landed = world.user.commit("landed", {"theirs.txt": "new\n"})
    world.user.commit("later", {"mine.txt": "mine\n"})
    built = revert(world, landed, before)
    assert isinstance(built, Candidate)
    names = asyncio.run(world.hub.git.run("ls-tree", "--name-only", built.commit)).text.split()
    assert "mine.txt" in names
    assert "theirs.txt" not in names


def test_what_was_changed_since_conflicts(world: World) -> None:
    before = world.tip()
    landed = world.user.commit("landed", {"theirs.txt": "new\n"})
    world.user.commit("later", {"theirs.txt": "changed since\n"})
    built = revert(world, landed, before)
    assert isinstance(built, Conflict)
    assert built.files == ("theirs.txt",)


def test_what_was_taken_back_by_hand_needs_no_revert(world: World) -> None:
    before = world.tip()
    landed = world.user.commit("landed", {"theirs.txt": "new\n"})
    world.user.git("revert", "--no-edit", landed)
    assert isinstance(revert(world, landed, before), Unchanged)


def test_work_that_changes_nothing_is_no_revert(world: World) -> None:
    tip = world.tip()
    assert isinstance(revert(world, tip, tip), Unchanged)
