"""Landing on real git: where work starts from, how it is merged, and what a candidate is."""

import asyncio

import pytest

from shiftwork.adapters.workspace.git.conflict_forecast import GitConflictForecast
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Candidate, Conflict, Moved, StoryConflict, Unchanged
from shiftwork.testing.git_user import EMAIL, NAME, GitUser
from tests.conformance.workspace.git.git_rig import HELD, RUN, GitRig, hub_git


class TestTip:
    def test_is_the_branch(self, rig: GitRig) -> None:
        assert rig.tip() == rig.user.at("main")

    @pytest.mark.parametrize("name", ["nowhere", "", "HEAD", "main^", "--all"])
    def test_no_such_branch(self, rig: GitRig, name: str) -> None:
        with pytest.raises(RepositoryError, match="no branch"):
            asyncio.run(rig.repository.tip(name))

    def test_a_branch_with_a_slash(self, rig: GitRig) -> None:
        rig.user.git("switch", "--quiet", "-c", "release/1.0")
        assert asyncio.run(rig.repository.tip("release/1.0")) == rig.user.at("main")

    def test_is_what_landed_ahead_of_the_branch(self, rig: GitRig) -> None:
        ahead = rig.hold({"x": "x\n"})
        assert rig.tip() == ahead != rig.user.at("main")

    @pytest.mark.parametrize("landed", [False, True], ids=["made", "moved"])
    def test_what_somebody_else_put_ahead_of_the_branch_is_not_taken_for_it(self, rig: GitRig, *, landed: bool) -> None:
        if landed:
            rig.hold({"x": "x\n"})
        rig.user.git("worktree", "add", "--quiet", "../second", *(("-b", HELD) if not landed else (HELD,)))
        GitUser(root=rig.user.root.parent / "second").commit("unproven", {"README.md": "evil\n"})
        rig.user.git("worktree", "remove", "../second")
        present, base = rig.user.at(HELD), rig.user.at("main")
        story = rig.story({"y": "y\n"}, base)
        with pytest.raises(RepositoryError, match=f"{HELD} was created or moved by another program") as raised:
            rig.candidate(story)
        assert f"git branch -m {HELD} " in raised.value.hint
        assert (rig.user.at(HELD), rig.user.at("main")) == (present, base)
        rig.user.git("branch", "-m", HELD, "put-aside")
        assert rig.move(rig.candidate(story)) == Moved(ref="main")
        assert rig.user.git("diff", "--name-only", base, "main") == "y"

    def test_a_holding_branch_that_was_merged_goes(self, elsewhere: GitRig) -> None:
        elsewhere.user.commit("landed", {"x": "x\n"})
        elsewhere.user.git("branch", HELD, "topic")
        elsewhere.user.git("switch", "--quiet", "main")
        elsewhere.user.git("merge", "--quiet", "--ff-only", HELD)
        newer = elsewhere.user.commit("newer", {"y": "y\n"})
        assert elsewhere.tip() == newer
        assert elsewhere.user.git("branch", "--list", HELD) == ""

    def test_a_merged_holding_branch_that_the_user_has_checked_out_stays(self, rig: GitRig) -> None:
        rig.user.git("switch", "--quiet", "-c", HELD)
        assert rig.tip() == rig.user.at("main")
        assert rig.user.git("branch", "--show-current") == HELD

    def test_of_two_that_parted_both_are_in_it(self, rig: GitRig) -> None:
        landed = rig.hold({"landed": "l\n"})
        mine = rig.user.commit("mine", {"mine": "m\n"})
        tip = rig.tip()
        assert rig.user.git("log", "-1", "--format=%P", tip) == f"{landed} {mine}"
        assert rig.user.at(HELD) == tip
        assert rig.user.status() == ""

    def test_of_two_that_conflict_the_user_is_reported(self, rig: GitRig) -> None:
        rig.hold({"README.md": "landed\n"})
        rig.user.commit("mine", {"README.md": "mine\n"})
        with pytest.raises(RepositoryError, match=r"README\.md") as raised:
            rig.tip()
        assert HELD in raised.value.hint

    def test_one_that_cannot_take_in_the_users_commits_is_reported_with_a_way_out(self, rig: GitRig) -> None:
        rig.hold({"landed": "l\n"})
        rig.user.git("worktree", "add", "--quiet", "../second", HELD)
        GitUser(root=rig.user.root.parent / "second").write("mine", "in the way\n")
        rig.user.commit("mine", {"mine": "m\n"})
        with pytest.raises(RepositoryError, match=f"{HELD} cannot be moved: it is checked out") as raised:
            rig.tip()
        assert raised.value.hint.startswith("git worktree list")
        assert raised.value.hint.endswith("then: shiftwork resume")


class TestCandidate:
    def test_is_one_commit_on_the_tip_and_moves_nothing(self, rig: GitRig) -> None:
        tip = rig.story({"new.txt": "n\n"})
        mine = rig.user.commit("meanwhile", {"mine.txt": "m\n"})
        candidate = rig.candidate(tip, "feat: US-1 - add\n\nWhy: because")
        assert candidate.base == mine
        assert rig.user.at("main") == mine
        git = f"--git-dir={rig.hub.path}"
        message = rig.user.git(git, "log", "-1", "--format=%P|%an <%ae>|%cn|%B", candidate.commit)
        assert message == f"{mine}|{NAME} <{EMAIL}>|{NAME}|feat: US-1 - add\n\nWhy: because\n"
        listing = rig.user.git(git, "ls-tree", "-r", "--name-only", candidate.commit).split()
        assert {"new.txt", "mine.txt"} <= set(listing)
        assert rig.user.git(git, "for-each-ref", "--points-at", candidate.commit) != ""

    def test_a_conflict_names_the_files(self, rig: GitRig) -> None:
        tip = rig.story({"README.md": "theirs\n", "src/a.txt": "theirs\n", "fine": "f\n"})
        base = rig.user.commit("mine", {"README.md": "mine\n", "src/a.txt": "mine\n"})
        assert rig.try_candidate(tip) == Conflict(base=base, files=("README.md", "src/a.txt"))

    def test_no_change(self, rig: GitRig) -> None:
        tip = rig.story({"README.md": "same\n"})
        base = rig.user.commit("the same change", {"README.md": "same\n"})
        assert rig.try_candidate(tip) == Unchanged(base=base)


class TestAChain:
    def test_candidates_stand_on_each_other_and_move_the_branch_together(self, rig: GitRig) -> None:
        tips = [rig.story({f"{name}.txt": f"{name}\n"}) for name in "abc"]
        start = top = rig.tip()
        chain = []
        for tip in tips:
            built = asyncio.run(rig.repository.candidate(top, tip, "feat", base=start))
            assert isinstance(built, Candidate)
            assert built.base == top
            chain.append(built)
            top = built.commit
        assert rig.user.at("main") == start, "no ref has moved"
        assert rig.move(Candidate(commit=chain[1].commit, base=start)) == Moved(ref="main")
        assert rig.user.at("main") == chain[1].commit
        assert rig.move(chain[2]) == Moved(ref="main"), "the rest still stands on what has landed"
        assert rig.user.git("rev-list", "--count", f"{start}..main") == "3"
        assert rig.user.status() == ""
        rig.user.git("fsck", "--strict")
        # Dead after the second move and before it was recorded: it is found, wherever the branch is by now.
        assert rig.move(Candidate(commit=chain[1].commit, base=start)) == Moved(ref="main")

    def test_a_conflict_with_the_candidate_before_is_reported_with_it(self, rig: GitRig) -> None:
        first, second = rig.story({"README.md": "one\n"}), rig.story({"README.md": "two\n"})
        below = rig.candidate(first)
        answer = asyncio.run(rig.repository.candidate(below.commit, second, "feat"))
        assert answer == Conflict(base=below.commit, files=("README.md",))

    def test_a_landed_commit_bears_the_users_name_and_clock(self, rig: GitRig) -> None:
        rig.user.git("commit", "--quiet", "--allow-empty", "-m", "mine")
        zone = rig.user.git("log", "-1", "--format=%ad", "--date=format:%z", "main")
        rig.move(rig.candidate(rig.story({"a": "a\n"})))
        assert rig.user.git("log", "-1", "--format=%an|%ae|%ad", "--date=format:%z", "main") == f"{NAME}|{EMAIL}|{zone}"


class TestStackedStories:
    """A story grows from what has landed, so its base is in the history of the branch, and merging finds it. Only the
    user can take it out of there: by squashing or rebasing what has landed.
    """

    def squashed(self, rig: GitRig) -> tuple[Commit, Commit]:
        """A story's base and tip; the base was landed aside, and then squashed into `main` and changed there."""
        start = rig.tip()
        rig.user.write("src/a.txt", "my edit in the way\n")
        assert rig.land({"src/a.txt": "one\nof the first story\nthree\n"}) == Moved(ref=HELD)
        base = rig.tip()
        tip = rig.story({"new.txt": "of the second story\n"}, base)
        rig.user.git("checkout", "--quiet", "src/a.txt")
        rig.user.git("merge", "--quiet", "--squash", HELD)
        rig.user.commit("squashed", {"src/a.txt": "one\nof the first story, and more\nthree\n"})
        rig.user.git("branch", "-D", HELD)
        assert start in rig.user.git("rev-list", "main")
        return base, tip

    def test_what_was_squashed_meanwhile_is_not_landed_again(self, rig: GitRig) -> None:
        base, tip = self.squashed(rig)
        onto = rig.tip()
        naive = asyncio.run(rig.repository.candidate(onto, tip, "feat"))
        assert naive == Conflict(base=onto, files=("src/a.txt",)), "which is what makes the base worth knowing"
        built = asyncio.run(rig.repository.candidate(onto, tip, "feat", base=base))
        assert isinstance(built, Candidate)
        assert built.base == onto
        assert rig.move(built) == Moved(ref="main")
        assert rig.user.git("show", "--format=%s", "--name-only", "main") == "feat\n\nnew.txt"
        assert "and more" in rig.user.show("main", "src/a.txt")

    def test_its_own_conflicts_are_still_conflicts(self, rig: GitRig) -> None:
        base, _ = self.squashed(rig)
        tip = rig.story({"src/a.txt": "one\nmine\nthree\n"}, base)
        onto = rig.tip()
        answer = asyncio.run(rig.repository.candidate(onto, tip, "feat", base=base))
        assert answer == Conflict(base=onto, files=("src/a.txt",))


class TestContains:
    """What the hub has recorded itself is known without git; the answers are git's all the same."""

    def test_with_and_without_what_is_remembered(self, rig: GitRig) -> None:
        start = rig.tip()
        tree = asyncio.run(rig.hub.tree_of(start))
        first = rig.hub.record(tree, start, "first")
        second = rig.hub.record(tree, first, "second")
        beside = rig.hub.record(tree, start, "beside")
        commits = (start, first, second, beside)

        def answers() -> list[bool]:
            return [asyncio.run(rig.hub.contains(commit, other)) for commit in commits for other in commits]

        remembered = answers()
        rig.hub.parents.clear()
        assert answers() == remembered
        assert [int(answer) for answer in remembered] == [1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1]

    def test_only_so_much_is_remembered(self, rig: GitRig) -> None:
        start = rig.tip()
        tree = asyncio.run(rig.hub.tree_of(start))
        commits = [rig.hub.record(tree, start, f"commit {number}") for number in range(1001)]
        assert commits[0] not in rig.hub.parents
        assert asyncio.run(rig.hub.contains(commits[0], start))


class TestRadar:
    def forecast(self, rig: GitRig, *stories: str) -> list[StoryConflict]:
        return list(asyncio.run(GitConflictForecast(hub=rig.hub).conflicts(RUN, stories)))

    def test_names_the_pairs_and_the_files(self, rig: GitRig) -> None:
        rig.story({"README.md": "one\n", "src/a.txt": "x\n"})
        rig.story({"README.md": "two\n", "src/a.txt": "y\n", "ünï.txt": "n\n"})
        rig.story({"other.txt": "o\n"})
        rig.story({"ünï.txt": "m\n"})
        before = rig.user.git(f"--git-dir={rig.hub.path}", "count-objects")
        assert self.forecast(rig, "US-1", "US-2", "US-3", "US-4") == [
            StoryConflict(stories=("US-1", "US-2"), files=("README.md", "src/a.txt")),
            StoryConflict(stories=("US-2", "US-4"), files=("ünï.txt",)),
        ]
        assert rig.user.git(f"--git-dir={rig.hub.path}", "count-objects") == before, "nothing is left"

    def test_stories_without_work_and_fewer_than_two_conflict_with_no_one(self, rig: GitRig) -> None:
        assert self.forecast(rig) == []
        rig.story({"README.md": "one\n"})
        assert self.forecast(rig, "US-1", "US-9") == []

    def test_stories_from_different_bases(self, rig: GitRig) -> None:
        rig.story({"README.md": "one\n"})
        rig.user.commit("meanwhile", {"more.txt": "m\n"})
        rig.story({"README.md": "two\n"})
        assert self.forecast(rig, "US-1", "US-2") == [StoryConflict(stories=("US-1", "US-2"), files=("README.md",))]


class TestMerged:
    def test_clean(self, rig: GitRig) -> None:
        tip = rig.story({"new.txt": "n\n"})
        base = rig.user.commit("mine", {"mine.txt": "m\n"})
        commit, files = asyncio.run(rig.repository.merged(base, tip))
        assert files == ()
        assert rig.user.git(f"--git-dir={rig.hub.path}", "log", "-1", "--format=%P", commit) == f"{tip} {base}"

    def test_with_conflict_markers(self, rig: GitRig) -> None:
        tip = rig.story({"README.md": "theirs\n"})
        base = rig.user.commit("mine", {"README.md": "mine\n"})
        commit, files = asyncio.run(rig.repository.merged(base, tip))
        assert files == ("README.md",)
        text = rig.user.git(f"--git-dir={rig.hub.path}", "show", f"{commit}:README.md")
        assert "<<<<<<<" in text
        assert "mine" in text
        assert "theirs" in text

    def test_resolved_it_lands(self, rig: GitRig) -> None:
        tip = rig.story({"README.md": "theirs\n"})
        base = rig.user.commit("mine", {"README.md": "mine\n"})
        commit, _ = asyncio.run(rig.repository.merged(base, tip))
        resolved = rig.story({"README.md": "both\n"}, commit)
        assert rig.move(rig.candidate(resolved)) == Moved(ref="main")
        assert rig.user.show("main", "README.md") == "both"

    def test_work_that_changed_nothing_continues_from_the_base(self, rig: GitRig) -> None:
        tip = rig.tip()
        base = rig.user.commit("mine", {"mine.txt": "m\n"})
        assert asyncio.run(rig.repository.merged(base, tip)) == (base, ())

    def test_what_has_it_already(self, rig: GitRig) -> None:
        base = rig.tip()
        tip = rig.story({"new.txt": "n\n"})
        assert asyncio.run(rig.repository.merged(base, tip)) == (tip, ())


class TestUnresolved:
    def test_names_the_files_with_markers_among_those_asked_for(self, rig: GitRig) -> None:
        marked = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
        heading = "Title\n=======\n"
        tip = rig.story({"src/a.txt": marked, "[x]*": marked, "b.rst": heading, "other": marked, "half": ">>>>>>> b\n"})
        files = ("[x]*", "b.rst", "gone", "half", "src/a.txt")
        assert set(asyncio.run(rig.repository.unresolved(tip, files))) == {"[x]*", "half", "src/a.txt"}

    def test_of_a_merge_with_conflicts_and_of_its_resolution(self, rig: GitRig) -> None:
        tip = rig.story({"README.md": "theirs\n"})
        base = rig.user.commit("mine", {"README.md": "mine\n"})
        commit, files = asyncio.run(rig.repository.merged(base, tip))
        assert asyncio.run(rig.repository.unresolved(commit, files)) == files
        resolved = rig.story({"README.md": "both\n"}, commit)
        assert asyncio.run(rig.repository.unresolved(resolved, files)) == ()

    def test_of_no_files(self, rig: GitRig) -> None:
        tip = rig.story({"README.md": "<<<<<<< a\n"})
        assert asyncio.run(rig.repository.unresolved(tip, ())) == ()


@pytest.mark.parametrize("moved", [False, True], ids=["on the tip", "on an older commit"])
def test_a_candidate_has_the_tree_that_git_merges(rig: GitRig, *, moved: bool) -> None:
    """For work on the tip itself no merge is needed, and git is not asked."""
    tip = rig.story({"x": "x\n", "README.md": None})
    if moved:
        rig.user.commit("meanwhile", {"y": "y\n"})
    candidate = rig.candidate(tip)
    merged = hub_git(rig.user, "merge-tree", "--write-tree", candidate.base, tip)
    assert hub_git(rig.user, "rev-parse", f"{candidate.commit}^{{tree}}") == merged
    assert rig.hub.builds_on(tip, candidate.base) is not moved
