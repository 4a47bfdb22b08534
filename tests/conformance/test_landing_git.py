"""Landing on real git: where work starts from, how it is merged, and what a candidate is."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Conflict, Moved, Unchanged
from shiftwork.testing.git_user import EMAIL, NAME, GitUser
from tests.conformance.git_rig import HELD, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def elsewhere(world: World) -> World:
    """The user works on another branch, so that `main` is checked out nowhere."""
    world.user.git("switch", "--quiet", "-c", "topic")
    return world


class TestTip:
    def test_is_the_branch(self, world: World) -> None:
        assert world.tip() == world.user.at("main")

    @pytest.mark.parametrize("name", ["nowhere", "", "HEAD", "main^", "--all"])
    def test_no_such_branch(self, world: World, name: str) -> None:
        with pytest.raises(RepositoryError, match="no branch"):
            asyncio.run(world.repository.tip(name))

    def test_a_branch_with_a_slash(self, world: World) -> None:
        world.user.git("switch", "--quiet", "-c", "release/1.0")
        assert asyncio.run(world.repository.tip("release/1.0")) == world.user.at("main")

    def test_is_what_landed_ahead_of_the_branch(self, elsewhere: World) -> None:
        ahead = elsewhere.user.commit("landed", {"x": "x\n"})
        elsewhere.user.git("branch", HELD, "topic")
        assert elsewhere.tip() == ahead

    def test_a_holding_branch_that_was_merged_goes(self, elsewhere: World) -> None:
        elsewhere.user.commit("landed", {"x": "x\n"})
        elsewhere.user.git("branch", HELD, "topic")
        elsewhere.user.git("switch", "--quiet", "main")
        elsewhere.user.git("merge", "--quiet", "--ff-only", HELD)
        newer = elsewhere.user.commit("newer", {"y": "y\n"})
        assert elsewhere.tip() == newer
        assert elsewhere.user.git("branch", "--list", HELD) == ""

    def test_a_merged_holding_branch_that_the_user_has_checked_out_stays(self, world: World) -> None:
        world.user.git("switch", "--quiet", "-c", HELD)
        assert world.tip() == world.user.at("main")
        assert world.user.git("branch", "--show-current") == HELD

    def test_of_two_that_parted_both_are_in_it(self, world: World) -> None:
        world.user.git("branch", HELD)
        mine = world.user.commit("mine", {"mine": "m\n"})
        world.user.git("worktree", "add", "--quiet", "../second", HELD)
        second = GitUser(root=world.user.root.parent / "second")
        landed = second.commit("landed", {"landed": "l\n"})
        world.user.git("worktree", "remove", "../second")
        tip = world.tip()
        assert world.user.git("log", "-1", "--format=%P", tip) == f"{landed} {mine}"
        assert world.user.at(HELD) == tip
        assert world.user.status() == ""

    def test_of_two_that_conflict_the_user_is_told(self, elsewhere: World) -> None:
        elsewhere.user.commit("landed", {"README.md": "landed\n"})
        elsewhere.user.git("branch", HELD, "topic")
        elsewhere.user.git("switch", "--quiet", "main")
        elsewhere.user.commit("mine", {"README.md": "mine\n"})
        with pytest.raises(RepositoryError, match=r"README\.md") as raised:
            elsewhere.tip()
        assert HELD in raised.value.hint


class TestCandidate:
    def test_is_one_commit_on_the_tip_and_moves_nothing(self, world: World) -> None:
        tip = world.story({"new.txt": "n\n"})
        mine = world.user.commit("meanwhile", {"mine.txt": "m\n"})
        candidate = world.candidate(tip, "feat: US-1 - add\n\nWhy: because")
        assert candidate.base == mine
        assert world.user.at("main") == mine
        git = f"--git-dir={world.hub.path}"
        told = world.user.git(git, "log", "-1", "--format=%P|%an <%ae>|%cn|%B", candidate.commit)
        assert told == f"{mine}|{NAME} <{EMAIL}>|{NAME}|feat: US-1 - add\n\nWhy: because\n"
        listing = world.user.git(git, "ls-tree", "-r", "--name-only", candidate.commit).split()
        assert {"new.txt", "mine.txt"} <= set(listing)
        assert world.user.git(git, "for-each-ref", "--points-at", candidate.commit) != ""

    def test_a_conflict_names_the_files(self, world: World) -> None:
        tip = world.story({"README.md": "theirs\n", "src/a.txt": "theirs\n", "fine": "f\n"})
        base = world.user.commit("mine", {"README.md": "mine\n", "src/a.txt": "mine\n"})
        answer = asyncio.run(world.repository.candidate("main", tip, "feat"))
        assert answer == Conflict(base=base, files=("README.md", "src/a.txt"))

    def test_no_change(self, world: World) -> None:
        tip = world.story({"README.md": "same\n"})
        base = world.user.commit("the same change", {"README.md": "same\n"})
        assert asyncio.run(world.repository.candidate("main", tip, "feat")) == Unchanged(base=base)


class TestMerged:
    def test_clean(self, world: World) -> None:
        tip = world.story({"new.txt": "n\n"})
        base = world.user.commit("mine", {"mine.txt": "m\n"})
        commit, files = asyncio.run(world.repository.merged(base, tip))
        assert files == ()
        assert world.user.git(f"--git-dir={world.hub.path}", "log", "-1", "--format=%P", commit) == f"{tip} {base}"

    def test_with_conflict_markers(self, world: World) -> None:
        tip = world.story({"README.md": "theirs\n"})
        base = world.user.commit("mine", {"README.md": "mine\n"})
        commit, files = asyncio.run(world.repository.merged(base, tip))
        assert files == ("README.md",)
        text = world.user.git(f"--git-dir={world.hub.path}", "show", f"{commit}:README.md")
        assert "<<<<<<<" in text
        assert "mine" in text
        assert "theirs" in text

    def test_resolved_it_lands(self, world: World) -> None:
        tip = world.story({"README.md": "theirs\n"})
        base = world.user.commit("mine", {"README.md": "mine\n"})
        commit, _ = asyncio.run(world.repository.merged(base, tip))
        resolved = world.story({"README.md": "both\n"}, commit)
        assert world.move(world.candidate(resolved)) == Moved(ref="main")
        assert world.user.show("main", "README.md") == "both"

    def test_what_has_it_already(self, world: World) -> None:
        base = world.tip()
        tip = world.story({"new.txt": "n\n"})
        assert asyncio.run(world.repository.merged(base, tip)) == (tip, ())


class TestUnresolved:
    def test_names_the_files_with_markers_among_those_asked_for(self, world: World) -> None:
        marked = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
        heading = "Title\n=======\n"
        tip = world.story(
            {"src/a.txt": marked, "[x]*": marked, "b.rst": heading, "other": marked, "half": ">>>>>>> b\n"}
        )
        files = ("[x]*", "b.rst", "gone", "half", "src/a.txt")
        assert set(asyncio.run(world.repository.unresolved(tip, files))) == {"[x]*", "half", "src/a.txt"}

    def test_of_a_merge_with_conflicts_and_of_its_resolution(self, world: World) -> None:
        tip = world.story({"README.md": "theirs\n"})
        base = world.user.commit("mine", {"README.md": "mine\n"})
        commit, files = asyncio.run(world.repository.merged(base, tip))
        assert asyncio.run(world.repository.unresolved(commit, files)) == files
        resolved = world.story({"README.md": "both\n"}, commit)
        assert asyncio.run(world.repository.unresolved(resolved, files)) == ()

    def test_of_no_files(self, world: World) -> None:
        tip = world.story({"README.md": "<<<<<<< a\n"})
        assert asyncio.run(world.repository.unresolved(tip, ())) == ()
