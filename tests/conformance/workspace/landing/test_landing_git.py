"""Landing on real git: where work starts from, how it is merged, and what a candidate is."""

import asyncio

import pytest

from shiftwork.adapters.workspace.git.conflict_forecast import GitRadar
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Candidate, Clash, Conflict, Moved, Unchanged
from shiftwork.testing.git_user import EMAIL, NAME, GitUser
from tests.conformance.workspace.git.git_rig import HELD, RUN, World


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

    def test_is_what_landed_ahead_of_the_branch(self, world: World) -> None:
        ahead = world.hold({"x": "x\n"})
        assert world.tip() == ahead != world.user.at("main")

    @pytest.mark.parametrize("landed", [False, True], ids=["made", "moved"])
    def test_what_somebody_else_put_ahead_of_the_branch_is_not_taken_for_it(
        self, world: World, *, landed: bool
    ) -> None:
        if landed:
            world.hold({"x": "x\n"})
        world.user.git("worktree", "add", "--quiet", "../second", *(("-b", HELD) if not landed else (HELD,)))
        GitUser(root=world.user.root.parent / "second").commit("unproven", {"README.md": "evil\n"})
        world.user.git("worktree", "remove", "../second")
        present, base = world.user.at(HELD), world.user.at("main")
        story = world.story({"y": "y\n"}, base)
        with pytest.raises(RepositoryError, match=f"{HELD} is not as work has landed there") as raised:
            world.candidate(story)
        assert f"git branch -m {HELD} " in raised.value.hint
        assert (world.user.at(HELD), world.user.at("main")) == (present, base)
        world.user.git("branch", "-m", HELD, "put-aside")
        assert world.move(world.candidate(story)) == Moved(ref="main")
        assert world.user.git("diff", "--name-only", base, "main") == "y"

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
        landed = world.hold({"landed": "l\n"})
        mine = world.user.commit("mine", {"mine": "m\n"})
        tip = world.tip()
        assert world.user.git("log", "-1", "--format=%P", tip) == f"{landed} {mine}"
        assert world.user.at(HELD) == tip
        assert world.user.status() == ""

    def test_of_two_that_conflict_the_user_is_told(self, world: World) -> None:
        world.hold({"README.md": "landed\n"})
        world.user.commit("mine", {"README.md": "mine\n"})
        with pytest.raises(RepositoryError, match=r"README\.md") as raised:
            world.tip()
        assert HELD in raised.value.hint

    def test_one_that_cannot_take_in_the_users_commits_is_told_with_a_way_out(self, world: World) -> None:
        world.hold({"landed": "l\n"})
        world.user.git("worktree", "add", "--quiet", "../second", HELD)
        GitUser(root=world.user.root.parent / "second").write("mine", "in the way\n")
        world.user.commit("mine", {"mine": "m\n"})
        with pytest.raises(RepositoryError, match=f"{HELD} cannot be moved: it is checked out") as raised:
            world.tip()
        assert raised.value.hint.startswith("git worktree list")
        assert raised.value.hint.endswith("then: shiftwork resume")


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
        assert world.try_candidate(tip) == Conflict(base=base, files=("README.md", "src/a.txt"))

    def test_no_change(self, world: World) -> None:
        tip = world.story({"README.md": "same\n"})
        base = world.user.commit("the same change", {"README.md": "same\n"})
        assert world.try_candidate(tip) == Unchanged(base=base)


class TestAChain:
    def test_candidates_stand_on_each_other_and_move_the_branch_together(self, world: World) -> None:
        tips = [world.story({f"{name}.txt": f"{name}\n"}) for name in "abc"]
        start = top = world.tip()
        chain = []
        for tip in tips:
            built = asyncio.run(world.repository.candidate(top, tip, "feat", base=start))
            assert isinstance(built, Candidate)
            assert built.base == top
            chain.append(built)
            top = built.commit
        assert world.user.at("main") == start, "no ref has moved"
        assert world.move(Candidate(commit=chain[1].commit, base=start)) == Moved(ref="main")
        assert world.user.at("main") == chain[1].commit
        assert world.move(chain[2]) == Moved(ref="main"), "the rest still stands on what has landed"
        assert world.user.git("rev-list", "--count", f"{start}..main") == "3"
        assert world.user.status() == ""
        world.user.git("fsck", "--strict")
        # Dead after the second move and before it was recorded: it is found, wherever the branch is by now.
        assert world.move(Candidate(commit=chain[1].commit, base=start)) == Moved(ref="main")

    def test_a_conflict_with_the_candidate_before_is_told_with_it(self, world: World) -> None:
        first, second = world.story({"README.md": "one\n"}), world.story({"README.md": "two\n"})
        below = world.candidate(first)
        answer = asyncio.run(world.repository.candidate(below.commit, second, "feat"))
        assert answer == Conflict(base=below.commit, files=("README.md",))

    def test_a_landed_commit_bears_the_users_name_and_clock(self, world: World) -> None:
        world.user.git("commit", "--quiet", "--allow-empty", "-m", "mine")
        zone = world.user.git("log", "-1", "--format=%ad", "--date=format:%z", "main")
        world.move(world.candidate(world.story({"a": "a\n"})))
        assert (
            world.user.git("log", "-1", "--format=%an|%ae|%ad", "--date=format:%z", "main") == f"{NAME}|{EMAIL}|{zone}"
        )


class TestStackedStories:
    """A story grows from what has landed, so its base is in the history of the branch, and merging finds it. Only the
    user can take it out of there: by squashing or rebasing what has landed.
    """

    def squashed(self, world: World) -> tuple[Commit, Commit]:
        """A story's base and tip; the base was landed aside, and then squashed into `main` and changed there."""
        start = world.tip()
        world.user.write("src/a.txt", "my edit in the way\n")
        assert world.land({"src/a.txt": "one\nof the first story\nthree\n"}) == Moved(ref=HELD)
        base = world.tip()
        tip = world.story({"new.txt": "of the second story\n"}, base)
        world.user.git("checkout", "--quiet", "src/a.txt")
        world.user.git("merge", "--quiet", "--squash", HELD)
        world.user.commit("squashed", {"src/a.txt": "one\nof the first story, and more\nthree\n"})
        world.user.git("branch", "-D", HELD)
        assert start in world.user.git("rev-list", "main")
        return base, tip

    def test_what_was_squashed_meanwhile_is_not_landed_again(self, world: World) -> None:
        base, tip = self.squashed(world)
        onto = world.tip()
        naive = asyncio.run(world.repository.candidate(onto, tip, "feat"))
        assert naive == Conflict(base=onto, files=("src/a.txt",)), "which is what makes the base worth knowing"
        built = asyncio.run(world.repository.candidate(onto, tip, "feat", base=base))
        assert isinstance(built, Candidate)
        assert built.base == onto
        assert world.move(built) == Moved(ref="main")
        assert world.user.git("show", "--format=%s", "--name-only", "main") == "feat\n\nnew.txt"
        assert "and more" in world.user.show("main", "src/a.txt")

    def test_its_own_conflicts_are_still_conflicts(self, world: World) -> None:
        base, _ = self.squashed(world)
        tip = world.story({"src/a.txt": "one\nmine\nthree\n"}, base)
        onto = world.tip()
        answer = asyncio.run(world.repository.candidate(onto, tip, "feat", base=base))
        assert answer == Conflict(base=onto, files=("src/a.txt",))


class TestContains:
    """What the hub has recorded itself is known without git; the answers are git's all the same."""

    def test_with_and_without_what_is_remembered(self, world: World) -> None:
        start = world.tip()
        tree = asyncio.run(world.hub.tree_of(start))
        first = world.hub.record(tree, start, "first")
        second = world.hub.record(tree, first, "second")
        beside = world.hub.record(tree, start, "beside")
        commits = (start, first, second, beside)

        def answers() -> list[bool]:
            return [asyncio.run(world.hub.contains(one, other)) for one in commits for other in commits]

        remembered = answers()
        world.hub.parents.clear()
        assert answers() == remembered
        assert [int(answer) for answer in remembered] == [1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1]

    def test_only_so_much_is_remembered(self, world: World) -> None:
        start = world.tip()
        tree = asyncio.run(world.hub.tree_of(start))
        commits = [world.hub.record(tree, start, f"commit {number}") for number in range(1001)]
        assert commits[0] not in world.hub.parents
        assert asyncio.run(world.hub.contains(commits[0], start))


class TestRadar:
    def foresee(self, world: World, *stories: str) -> list[Clash]:
        return list(asyncio.run(GitRadar(hub=world.hub).clashes(RUN, stories)))

    def test_names_the_pairs_and_the_files(self, world: World) -> None:
        world.story({"README.md": "one\n", "src/a.txt": "x\n"})
        world.story({"README.md": "two\n", "src/a.txt": "y\n", "ünï.txt": "n\n"})
        world.story({"other.txt": "o\n"})
        world.story({"ünï.txt": "m\n"})
        before = world.user.git(f"--git-dir={world.hub.path}", "count-objects")
        assert self.foresee(world, "US-1", "US-2", "US-3", "US-4") == [
            Clash(stories=("US-1", "US-2"), files=("README.md", "src/a.txt")),
            Clash(stories=("US-2", "US-4"), files=("ünï.txt",)),
        ]
        assert world.user.git(f"--git-dir={world.hub.path}", "count-objects") == before, "nothing is left"

    def test_stories_without_work_and_fewer_than_two_conflict_with_nobody(self, world: World) -> None:
        assert self.foresee(world) == []
        world.story({"README.md": "one\n"})
        assert self.foresee(world, "US-1", "US-9") == []

    def test_stories_from_different_bases(self, world: World) -> None:
        world.story({"README.md": "one\n"})
        world.user.commit("meanwhile", {"more.txt": "m\n"})
        world.story({"README.md": "two\n"})
        assert self.foresee(world, "US-1", "US-2") == [Clash(stories=("US-1", "US-2"), files=("README.md",))]


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

    def test_work_that_changed_nothing_continues_from_the_base(self, world: World) -> None:
        tip = world.tip()
        base = world.user.commit("mine", {"mine.txt": "m\n"})
        assert asyncio.run(world.repository.merged(base, tip)) == (base, ())

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
