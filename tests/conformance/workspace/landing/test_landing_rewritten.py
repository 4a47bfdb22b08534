"""A branch that the user rewrites while stories work: each change lands as its own difference to what it began from."""

import asyncio
from collections.abc import Callable

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Candidate, Conflict, Moved, Reserved, Unchanged
from tests.conformance.workspace.git.git_rig import HELD, GitRig


def amend_root(rig: GitRig) -> None:
    """The branch has one commit, and another one afterwards: both have no common history."""
    rig.user.write("amended.txt", "amended\n")
    rig.user.git("add", "-A")
    rig.user.git("commit", "--quiet", "--amend", "-m", "amended")


def recreate_branch(rig: GitRig) -> None:
    rig.user.git("checkout", "--quiet", "--orphan", "fresh")
    rig.user.git("commit", "--quiet", "-m", "fresh")
    rig.user.git("branch", "--quiet", "-M", "fresh", "main")


def drop_last_commit(rig: GitRig) -> None:
    rig.user.git("reset", "--quiet", "--hard", "HEAD~1")


def candidate(rig: GitRig, tip: Commit, base: Commit) -> Candidate | Conflict | Unchanged | Reserved:
    return asyncio.run(rig.repository.candidate(rig.tip(), tip, "feat: US - it", base=base))


def files(rig: GitRig, commit: Commit) -> list[str]:
    return asyncio.run(rig.hub.git.run("ls-tree", "-r", "--name-only", commit)).text.split()


def content(rig: GitRig, commit: Commit, name: str) -> str:
    return asyncio.run(rig.hub.git.run("show", f"{commit}:{name}")).text


@pytest.mark.parametrize("rewrite", [amend_root, recreate_branch])
def test_a_change_lands_on_a_branch_without_its_history(rig: GitRig, rewrite: Callable[[GitRig], None]) -> None:
    base = rig.tip()
    tip = rig.story({"new.txt": "new\n"})
    rewrite(rig)
    before = files(rig, rig.tip())
    built = candidate(rig, tip, base)
    assert isinstance(built, Candidate)
    assert sorted(files(rig, built.commit)) == sorted([*before, "new.txt"])
    assert rig.move(built) == Moved(ref="main")


def test_what_the_user_removed_from_the_branch_does_not_come_back_with_a_change(rig: GitRig) -> None:
    rig.user.commit("secret", {"secret.txt": "secret\n"})
    base = rig.tip()
    tip = rig.story({"new.txt": "new\n"})
    drop_last_commit(rig)
    built = candidate(rig, tip, base)
    assert isinstance(built, Candidate)
    assert "secret.txt" not in files(rig, built.commit)
    assert "new.txt" in files(rig, built.commit)


def test_only_files_that_both_have_changed_conflict_and_the_resolved_change_lands(rig: GitRig) -> None:
    base = rig.tip()
    tip = rig.story({"amended.txt": "of the story\n", "new.txt": "new\n"})
    amend_root(rig)
    assert candidate(rig, tip, base) == Conflict(base=rig.tip(), files=("amended.txt",))
    merged, conflicting = asyncio.run(rig.repository.merged(rig.tip(), tip, made_from=base))
    assert conflicting == ("amended.txt",)
    assert content(rig, merged, "new.txt") == "new"
    resolved = rig.story({"amended.txt": "of both\n"}, base=merged)
    built = candidate(rig, resolved, rig.tip())
    assert isinstance(built, Candidate)
    assert content(rig, built.commit, "amended.txt") == "of both"


def test_work_beside_a_branch_that_was_rewritten_is_joined_or_says_how_to_join_it(rig: GitRig) -> None:
    rig.hold({"beside.txt": "beside\n"})
    amend_root(rig)
    assert "beside.txt" in files(rig, rig.tip())
    rig.user.write("beside.txt", "of the user\n")
    rig.user.git("add", "-A")
    rig.user.git("commit", "--quiet", "--amend", "-m", "amended again")
    with pytest.raises(RepositoryError, match=r"beside\.txt") as caught:
        rig.tip()
    assert caught.value.hint == f"git switch main && git merge --allow-unrelated-histories {HELD}"
