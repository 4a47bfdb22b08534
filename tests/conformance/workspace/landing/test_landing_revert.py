"""Reverts on real git: changes that lead from landed work back to the commit before it."""

import asyncio

from shiftwork.domain.core.ids import Commit
from shiftwork.ports.workspace import Candidate, Conflict, Reserved, Unchanged
from tests.conformance.workspace.git.git_rig import Context


def revert(context: Context, landed: Commit, before: Commit) -> Candidate | Conflict | Unchanged | Reserved:
    onto = context.tip()
    return asyncio.run(context.repository.candidate(onto, before, "revert: it", base=landed))


def test_what_landed_is_reverted_and_later_changes_stay(context: Context) -> None:
    before = context.tip()
    landed = context.user.commit("landed", {"theirs.txt": "new\n"})
    context.user.commit("later", {"mine.txt": "mine\n"})
    built = revert(context, landed, before)
    assert isinstance(built, Candidate)
    names = asyncio.run(context.hub.git.run("ls-tree", "--name-only", built.commit)).text.split()
    assert "mine.txt" in names
    assert "theirs.txt" not in names


def test_what_was_changed_since_conflicts(context: Context) -> None:
    before = context.tip()
    landed = context.user.commit("landed", {"theirs.txt": "new\n"})
    context.user.commit("later", {"theirs.txt": "changed since\n"})
    built = revert(context, landed, before)
    assert isinstance(built, Conflict)
    assert built.files == ("theirs.txt",)


def test_what_was_reverted_by_hand_needs_no_revert(context: Context) -> None:
    before = context.tip()
    landed = context.user.commit("landed", {"theirs.txt": "new\n"})
    context.user.git("revert", "--no-edit", landed)
    assert isinstance(revert(context, landed, before), Unchanged)


def test_work_that_changes_nothing_is_no_revert(context: Context) -> None:
    tip = context.tip()
    assert isinstance(revert(context, tip, tip), Unchanged)
