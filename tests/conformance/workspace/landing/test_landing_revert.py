"""Reverts on real git: changes that lead from landed work back to the commit before it."""

import asyncio

from shiftwork.domain.core.ids import Commit
from shiftwork.ports.workspace import Candidate, Conflict, Reserved, Unchanged
from tests.conformance.workspace.git.git_rig import GitRig


def revert(rig: GitRig, landed: Commit, before: Commit) -> Candidate | Conflict | Unchanged | Reserved:
    onto = rig.tip()
    return asyncio.run(rig.repository.candidate(onto, before, "revert: it", base=landed))


def test_what_landed_is_reverted_and_later_changes_stay(rig: GitRig) -> None:
    before = rig.tip()
    landed = rig.user.commit("landed", {"theirs.txt": "new\n"})
    rig.user.commit("later", {"mine.txt": "mine\n"})
    built = revert(rig, landed, before)
    assert isinstance(built, Candidate)
    names = asyncio.run(rig.hub.git.run("ls-tree", "--name-only", built.commit)).text.split()
    assert "mine.txt" in names
    assert "theirs.txt" not in names


def test_what_was_changed_since_conflicts(rig: GitRig) -> None:
    before = rig.tip()
    landed = rig.user.commit("landed", {"theirs.txt": "new\n"})
    rig.user.commit("later", {"theirs.txt": "changed since\n"})
    built = revert(rig, landed, before)
    assert isinstance(built, Conflict)
    assert built.files == ("theirs.txt",)


def test_what_was_reverted_by_hand_needs_no_revert(rig: GitRig) -> None:
    before = rig.tip()
    landed = rig.user.commit("landed", {"theirs.txt": "new\n"})
    rig.user.git("revert", "--no-edit", landed)
    assert isinstance(revert(rig, landed, before), Unchanged)


def test_work_that_changes_nothing_is_no_revert(rig: GitRig) -> None:
    tip = rig.tip()
    assert isinstance(revert(rig, tip, tip), Unchanged)
