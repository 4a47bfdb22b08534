"""Landing on real git: where work starts from, how it is merged, and what a candidate is."""

import asyncio

import pytest

from shiftwork.adapters.workspace.git.conflict_forecast import GitConflictForecast
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Moved, StoryConflict
from shiftwork.testing.git_user import EMAIL, NAME, GitUser
from tests.conformance.workspace.git.git_rig import HELD, RUN, GitRig, hub_git


class TestTip:
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


class TestAChain:
    def test_a_landed_commit_bears_the_users_name_and_clock(self, rig: GitRig) -> None:
        rig.user.git("commit", "--quiet", "--allow-empty", "-m", "mine")
        zone = rig.user.git("log", "-1", "--format=%ad", "--date=format:%z", "main")
        rig.move(rig.candidate(rig.story({"a": "a\n"})))
        assert rig.user.git("log", "-1", "--format=%an|%ae|%ad", "--date=format:%z", "main") == f"{NAME}|{EMAIL}|{zone}"


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
