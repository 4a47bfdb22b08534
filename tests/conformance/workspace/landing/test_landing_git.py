"""Landing on real git: where work starts from, how it is merged, and what a candidate is."""

import asyncio

import pytest

from shiftwork.adapters.workspace.git.conflict_forecast import GitConflictForecast
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Candidate, Conflict, Moved, StoryConflict, Unchanged
from shiftwork.testing.git_user import EMAIL, NAME, GitUser
from tests.conformance.workspace.git.git_rig import HELD, RUN, Context


class TestTip:
    def test_is_the_branch(self, context: Context) -> None:
        assert context.tip() == context.user.at("main")

    @pytest.mark.parametrize("name", ["nowhere", "", "HEAD", "main^", "--all"])
    def test_no_such_branch(self, context: Context, name: str) -> None:
        with pytest.raises(RepositoryError, match="no branch"):
            asyncio.run(context.repository.tip(name))

    def test_a_branch_with_a_slash(self, context: Context) -> None:
        context.user.git("switch", "--quiet", "-c", "release/1.0")
        assert asyncio.run(context.repository.tip("release/1.0")) == context.user.at("main")

    def test_is_what_landed_ahead_of_the_branch(self, context: Context) -> None:
        ahead = context.hold({"x": "x\n"})
        assert context.tip() == ahead != context.user.at("main")

    @pytest.mark.parametrize("landed", [False, True], ids=["made", "moved"])
    def test_what_somebody_else_put_ahead_of_the_branch_is_not_taken_for_it(
        self, context: Context, *, landed: bool
    ) -> None:
        if landed:
            context.hold({"x": "x\n"})
        context.user.git("worktree", "add", "--quiet", "../second", *(("-b", HELD) if not landed else (HELD,)))
        GitUser(root=context.user.root.parent / "second").commit("unproven", {"README.md": "evil\n"})
        context.user.git("worktree", "remove", "../second")
        present, base = context.user.at(HELD), context.user.at("main")
        story = context.story({"y": "y\n"}, base)
        with pytest.raises(RepositoryError, match=f"{HELD} was created or moved by another program") as raised:
            context.candidate(story)
        assert f"git branch -m {HELD} " in raised.value.hint
        assert (context.user.at(HELD), context.user.at("main")) == (present, base)
        context.user.git("branch", "-m", HELD, "put-aside")
        assert context.move(context.candidate(story)) == Moved(ref="main")
        assert context.user.git("diff", "--name-only", base, "main") == "y"

    def test_a_holding_branch_that_was_merged_goes(self, elsewhere: Context) -> None:
        elsewhere.user.commit("landed", {"x": "x\n"})
        elsewhere.user.git("branch", HELD, "topic")
        elsewhere.user.git("switch", "--quiet", "main")
        elsewhere.user.git("merge", "--quiet", "--ff-only", HELD)
        newer = elsewhere.user.commit("newer", {"y": "y\n"})
        assert elsewhere.tip() == newer
        assert elsewhere.user.git("branch", "--list", HELD) == ""

    def test_a_merged_holding_branch_that_the_user_has_checked_out_stays(self, context: Context) -> None:
        context.user.git("switch", "--quiet", "-c", HELD)
        assert context.tip() == context.user.at("main")
        assert context.user.git("branch", "--show-current") == HELD

    def test_of_two_that_parted_both_are_in_it(self, context: Context) -> None:
        landed = context.hold({"landed": "l\n"})
        mine = context.user.commit("mine", {"mine": "m\n"})
        tip = context.tip()
        assert context.user.git("log", "-1", "--format=%P", tip) == f"{landed} {mine}"
        assert context.user.at(HELD) == tip
        assert context.user.status() == ""

    def test_of_two_that_conflict_the_user_is_reported(self, context: Context) -> None:
        context.hold({"README.md": "landed\n"})
        context.user.commit("mine", {"README.md": "mine\n"})
        with pytest.raises(RepositoryError, match=r"README\.md") as raised:
            context.tip()
        assert HELD in raised.value.hint

    def test_one_that_cannot_take_in_the_users_commits_is_reported_with_a_way_out(self, context: Context) -> None:
        context.hold({"landed": "l\n"})
        context.user.git("worktree", "add", "--quiet", "../second", HELD)
        GitUser(root=context.user.root.parent / "second").write("mine", "in the way\n")
        context.user.commit("mine", {"mine": "m\n"})
        with pytest.raises(RepositoryError, match=f"{HELD} cannot be moved: it is checked out") as raised:
            context.tip()
        assert raised.value.hint.startswith("git worktree list")
        assert raised.value.hint.endswith("then: shiftwork resume")


class TestCandidate:
    def test_is_one_commit_on_the_tip_and_moves_nothing(self, context: Context) -> None:
        tip = context.story({"new.txt": "n\n"})
        mine = context.user.commit("meanwhile", {"mine.txt": "m\n"})
        candidate = context.candidate(tip, "feat: US-1 - add\n\nWhy: because")
        assert candidate.base == mine
        assert context.user.at("main") == mine
        git = f"--git-dir={context.hub.path}"
        message = context.user.git(git, "log", "-1", "--format=%P|%an <%ae>|%cn|%B", candidate.commit)
        assert message == f"{mine}|{NAME} <{EMAIL}>|{NAME}|feat: US-1 - add\n\nWhy: because\n"
        listing = context.user.git(git, "ls-tree", "-r", "--name-only", candidate.commit).split()
        assert {"new.txt", "mine.txt"} <= set(listing)
        assert context.user.git(git, "for-each-ref", "--points-at", candidate.commit) != ""

    def test_a_conflict_names_the_files(self, context: Context) -> None:
        tip = context.story({"README.md": "theirs\n", "src/a.txt": "theirs\n", "fine": "f\n"})
        base = context.user.commit("mine", {"README.md": "mine\n", "src/a.txt": "mine\n"})
        assert context.try_candidate(tip) == Conflict(base=base, files=("README.md", "src/a.txt"))

    def test_no_change(self, context: Context) -> None:
        tip = context.story({"README.md": "same\n"})
        base = context.user.commit("the same change", {"README.md": "same\n"})
        assert context.try_candidate(tip) == Unchanged(base=base)


class TestAChain:
    def test_candidates_stand_on_each_other_and_move_the_branch_together(self, context: Context) -> None:
        tips = [context.story({f"{name}.txt": f"{name}\n"}) for name in "abc"]
        start = top = context.tip()
        chain = []
        for tip in tips:
            built = asyncio.run(context.repository.candidate(top, tip, "feat", base=start))
            assert isinstance(built, Candidate)
            assert built.base == top
            chain.append(built)
            top = built.commit
        assert context.user.at("main") == start, "no ref has moved"
        assert context.move(Candidate(commit=chain[1].commit, base=start)) == Moved(ref="main")
        assert context.user.at("main") == chain[1].commit
        assert context.move(chain[2]) == Moved(ref="main"), "the rest still stands on what has landed"
        assert context.user.git("rev-list", "--count", f"{start}..main") == "3"
        assert context.user.status() == ""
        context.user.git("fsck", "--strict")
        # Dead after the second move and before it was recorded: it is found, wherever the branch is by now.
        assert context.move(Candidate(commit=chain[1].commit, base=start)) == Moved(ref="main")

    def test_a_conflict_with_the_candidate_before_is_reported_with_it(self, context: Context) -> None:
        first, second = context.story({"README.md": "one\n"}), context.story({"README.md": "two\n"})
        below = context.candidate(first)
        answer = asyncio.run(context.repository.candidate(below.commit, second, "feat"))
        assert answer == Conflict(base=below.commit, files=("README.md",))

    def test_a_landed_commit_bears_the_users_name_and_clock(self, context: Context) -> None:
        context.user.git("commit", "--quiet", "--allow-empty", "-m", "mine")
        zone = context.user.git("log", "-1", "--format=%ad", "--date=format:%z", "main")
        context.move(context.candidate(context.story({"a": "a\n"})))
        assert (
            context.user.git("log", "-1", "--format=%an|%ae|%ad", "--date=format:%z", "main")
            == f"{NAME}|{EMAIL}|{zone}"
        )


class TestStackedStories:
    """A story grows from what has landed, so its base is in the history of the branch, and merging finds it. Only the
    user can take it out of there: by squashing or rebasing what has landed.
    """

    def squashed(self, context: Context) -> tuple[Commit, Commit]:
        """A story's base and tip; the base was landed aside, and then squashed into `main` and changed there."""
        start = context.tip()
        context.user.write("src/a.txt", "my edit in the way\n")
        assert context.land({"src/a.txt": "one\nof the first story\nthree\n"}) == Moved(ref=HELD)
        base = context.tip()
        tip = context.story({"new.txt": "of the second story\n"}, base)
        context.user.git("checkout", "--quiet", "src/a.txt")
        context.user.git("merge", "--quiet", "--squash", HELD)
        context.user.commit("squashed", {"src/a.txt": "one\nof the first story, and more\nthree\n"})
        context.user.git("branch", "-D", HELD)
        assert start in context.user.git("rev-list", "main")
        return base, tip

    def test_what_was_squashed_meanwhile_is_not_landed_again(self, context: Context) -> None:
        base, tip = self.squashed(context)
        onto = context.tip()
        naive = asyncio.run(context.repository.candidate(onto, tip, "feat"))
        assert naive == Conflict(base=onto, files=("src/a.txt",)), "which is what makes the base worth knowing"
        built = asyncio.run(context.repository.candidate(onto, tip, "feat", base=base))
        assert isinstance(built, Candidate)
        assert built.base == onto
        assert context.move(built) == Moved(ref="main")
        assert context.user.git("show", "--format=%s", "--name-only", "main") == "feat\n\nnew.txt"
        assert "and more" in context.user.show("main", "src/a.txt")

    def test_its_own_conflicts_are_still_conflicts(self, context: Context) -> None:
        base, _ = self.squashed(context)
        tip = context.story({"src/a.txt": "one\nmine\nthree\n"}, base)
        onto = context.tip()
        answer = asyncio.run(context.repository.candidate(onto, tip, "feat", base=base))
        assert answer == Conflict(base=onto, files=("src/a.txt",))


class TestContains:
    """What the hub has recorded itself is known without git; the answers are git's all the same."""

    def test_with_and_without_what_is_remembered(self, context: Context) -> None:
        start = context.tip()
        tree = asyncio.run(context.hub.tree_of(start))
        first = context.hub.record(tree, start, "first")
        second = context.hub.record(tree, first, "second")
        beside = context.hub.record(tree, start, "beside")
        commits = (start, first, second, beside)

        def answers() -> list[bool]:
            return [asyncio.run(context.hub.contains(commit, other)) for commit in commits for other in commits]

        remembered = answers()
        context.hub.parents.clear()
        assert answers() == remembered
        assert [int(answer) for answer in remembered] == [1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1]

    def test_only_so_much_is_remembered(self, context: Context) -> None:
        start = context.tip()
        tree = asyncio.run(context.hub.tree_of(start))
        commits = [context.hub.record(tree, start, f"commit {number}") for number in range(1001)]
        assert commits[0] not in context.hub.parents
        assert asyncio.run(context.hub.contains(commits[0], start))


class TestRadar:
    def forecast(self, context: Context, *stories: str) -> list[StoryConflict]:
        return list(asyncio.run(GitConflictForecast(hub=context.hub).conflicts(RUN, stories)))

    def test_names_the_pairs_and_the_files(self, context: Context) -> None:
        context.story({"README.md": "one\n", "src/a.txt": "x\n"})
        context.story({"README.md": "two\n", "src/a.txt": "y\n", "ünï.txt": "n\n"})
        context.story({"other.txt": "o\n"})
        context.story({"ünï.txt": "m\n"})
        before = context.user.git(f"--git-dir={context.hub.path}", "count-objects")
        assert self.forecast(context, "US-1", "US-2", "US-3", "US-4") == [
            StoryConflict(stories=("US-1", "US-2"), files=("README.md", "src/a.txt")),
            StoryConflict(stories=("US-2", "US-4"), files=("ünï.txt",)),
        ]
        assert context.user.git(f"--git-dir={context.hub.path}", "count-objects") == before, "nothing is left"

    def test_stories_without_work_and_fewer_than_two_conflict_with_no_one(self, context: Context) -> None:
        assert self.forecast(context) == []
        context.story({"README.md": "one\n"})
        assert self.forecast(context, "US-1", "US-9") == []

    def test_stories_from_different_bases(self, context: Context) -> None:
        context.story({"README.md": "one\n"})
        context.user.commit("meanwhile", {"more.txt": "m\n"})
        context.story({"README.md": "two\n"})
        assert self.forecast(context, "US-1", "US-2") == [StoryConflict(stories=("US-1", "US-2"), files=("README.md",))]


class TestMerged:
    def test_clean(self, context: Context) -> None:
        tip = context.story({"new.txt": "n\n"})
        base = context.user.commit("mine", {"mine.txt": "m\n"})
        commit, files = asyncio.run(context.repository.merged(base, tip))
        assert files == ()
        assert context.user.git(f"--git-dir={context.hub.path}", "log", "-1", "--format=%P", commit) == f"{tip} {base}"

    def test_with_conflict_markers(self, context: Context) -> None:
        tip = context.story({"README.md": "theirs\n"})
        base = context.user.commit("mine", {"README.md": "mine\n"})
        commit, files = asyncio.run(context.repository.merged(base, tip))
        assert files == ("README.md",)
        text = context.user.git(f"--git-dir={context.hub.path}", "show", f"{commit}:README.md")
        assert "<<<<<<<" in text
        assert "mine" in text
        assert "theirs" in text

    def test_resolved_it_lands(self, context: Context) -> None:
        tip = context.story({"README.md": "theirs\n"})
        base = context.user.commit("mine", {"README.md": "mine\n"})
        commit, _ = asyncio.run(context.repository.merged(base, tip))
        resolved = context.story({"README.md": "both\n"}, commit)
        assert context.move(context.candidate(resolved)) == Moved(ref="main")
        assert context.user.show("main", "README.md") == "both"

    def test_work_that_changed_nothing_continues_from_the_base(self, context: Context) -> None:
        tip = context.tip()
        base = context.user.commit("mine", {"mine.txt": "m\n"})
        assert asyncio.run(context.repository.merged(base, tip)) == (base, ())

    def test_what_has_it_already(self, context: Context) -> None:
        base = context.tip()
        tip = context.story({"new.txt": "n\n"})
        assert asyncio.run(context.repository.merged(base, tip)) == (tip, ())


class TestUnresolved:
    def test_names_the_files_with_markers_among_those_asked_for(self, context: Context) -> None:
        marked = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
        heading = "Title\n=======\n"
        tip = context.story(
            {"src/a.txt": marked, "[x]*": marked, "b.rst": heading, "other": marked, "half": ">>>>>>> b\n"}
        )
        files = ("[x]*", "b.rst", "gone", "half", "src/a.txt")
        assert set(asyncio.run(context.repository.unresolved(tip, files))) == {"[x]*", "half", "src/a.txt"}

    def test_of_a_merge_with_conflicts_and_of_its_resolution(self, context: Context) -> None:
        tip = context.story({"README.md": "theirs\n"})
        base = context.user.commit("mine", {"README.md": "mine\n"})
        commit, files = asyncio.run(context.repository.merged(base, tip))
        assert asyncio.run(context.repository.unresolved(commit, files)) == files
        resolved = context.story({"README.md": "both\n"}, commit)
        assert asyncio.run(context.repository.unresolved(resolved, files)) == ()

    def test_of_no_files(self, context: Context) -> None:
        tip = context.story({"README.md": "<<<<<<< a\n"})
        assert asyncio.run(context.repository.unresolved(tip, ())) == ()
