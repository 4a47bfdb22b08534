"""Moving the user's branch: their checkout is updated completely or left alone."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiftwork.adapters.workspace.hub.user_trees import in_the_way
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.landing.obstacle import Obstacle
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Candidate, Missed, Moved
from shiftwork.testing.git_user import GitUser
from tests.conformance.workspace.git.git_rig import HELD, GitRig


class TestMove:
    def test_checked_out_nowhere(self, elsewhere: GitRig) -> None:
        candidate = elsewhere.candidate(elsewhere.story({"new.txt": "n\n"}))
        assert elsewhere.move(candidate) == Moved(ref="main")
        assert elsewhere.user.at("main") == candidate.commit
        assert "shiftwork: landed" in elsewhere.user.git("reflog", "-1", "main")
        assert elsewhere.user.status() == ""
        elsewhere.user.git("fsck", "--strict")

    def test_again_after_success(self, elsewhere: GitRig) -> None:
        candidate = elsewhere.candidate(elsewhere.story({"new.txt": "n\n"}))
        elsewhere.move(candidate)
        assert elsewhere.move(candidate) == Moved(ref="main")
        elsewhere.land({"more.txt": "m\n"})
        after = elsewhere.user.at("main")
        assert elsewhere.move(candidate) == Moved(ref="main")
        assert elsewhere.user.at("main") == after

    def test_a_clean_checkout_goes_along(self, rig: GitRig) -> None:
        assert rig.land({"new.txt": "n\n", "README.md": "better\n", "src/a.txt": None}) == Moved(ref="main")
        assert rig.user.status() == ""
        assert (rig.user.root / "README.md").read_text() == "better\n"
        assert not (rig.user.root / "src" / "a.txt").exists()
        assert "shiftwork: landed" in rig.user.git("reflog", "-1", "HEAD")

    def test_edits_that_do_not_overlap_stay(self, rig: GitRig) -> None:
        rig.user.write("src/a.txt", "my edit\n")
        rig.user.write("staged.txt", "staged\n")
        rig.user.git("add", "staged.txt")
        rig.user.write("untracked.txt", "u\n")
        (rig.user.root / "README.md").touch()
        before = rig.user.status()
        assert rig.land({"README.md": "better\n"}) == Moved(ref="main")
        assert rig.user.status() == before
        assert (rig.user.root / "src" / "a.txt").read_text() == "my edit\n"
        assert (rig.user.root / "README.md").read_text() == "better\n"

    def test_the_edits_that_are_in_the_way_are_named(self, rig: GitRig) -> None:
        rig.user.write("README.md", "my edit\n")
        rig.user.write("new.txt", "mine\n")
        rig.user.write("src/a.txt", "in nobody's way\n")
        assert rig.land({"README.md": "better\n", "new.txt": "n\n"}) == Moved(ref=HELD)
        tree = str(rig.user.root.resolve())
        assert self.in_the_way(rig) == Obstacle(files=("README.md", "new.txt"), tree=tree)
        rig.user.git("stash", "push", "-u", "--", "README.md", "new.txt")
        assert self.in_the_way(rig) == Obstacle(tree=tree)
        rig.user.git("checkout", "-q", "--detach")
        assert self.in_the_way(rig) == Obstacle()

    def in_the_way(self, rig: GitRig) -> Obstacle:
        return asyncio.run(in_the_way(rig.hub.user, rig.hub.common, "main", HELD))

    def test_why_a_branch_could_not_be_moved_is_reported(self, rig: GitRig) -> None:
        root = rig.user.root
        rig.user.write("ignored.log", "precious\n")
        assert rig.move(rig.candidate(self.forced(rig, "ignored.log"))) == Moved(ref=HELD)
        assert self.in_the_way(rig).why == f"{root / 'ignored.log'} exists, and git ignores it"
        (root / ".git" / "MERGE_HEAD").write_text(rig.user.at("main"))
        assert self.in_the_way(rig).why == f"a merge, a rebase or the like is unfinished in {root}"
        other = root.parent / "other"
        rig.user.git("worktree", "add", "-q", "-f", str(other), "main")
        assert self.in_the_way(rig).why == f"main is checked out in 2 working trees: {root}, {other}"
        (root / ".git" / "BISECT_START").write_text("main\n")
        assert self.in_the_way(rig).why == "a rebase or bisection in progress will return to main"

    def test_a_tree_that_is_not_there_is_reported(self, elsewhere: GitRig) -> None:
        disk = elsewhere.user.root.parent / "disk"
        elsewhere.user.git("worktree", "add", "-q", str(disk), "main")
        elsewhere.user.git("worktree", "lock", str(disk))
        disk.rename(disk.parent / "taken out")
        assert elsewhere.land({"new.txt": "n\n"}) == Moved(ref=HELD)
        assert self.in_the_way(elsewhere).why == f"main is checked out in {disk}, which does not exist"

    @pytest.mark.parametrize("linked", [False, True])
    def test_the_checkout_of_a_submodule_goes_along(self, rig: GitRig, *, linked: bool) -> None:
        user, outer = rig.user, rig.user.root.parent / "outer"
        user.git("init", "-q", str(outer))
        user.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(user.root), "sub", cwd=outer)
        root = tree = outer / "sub"
        (outer / "home").symlink_to(user.home)
        if linked:
            root = outer.parent / "linked"
            user.git("worktree", "add", "-q", "-b", "side", str(root), cwd=tree)
        inside = GitRig(outer, GitUser(root=root))
        assert inside.land({"README.md": "better\n"}) == Moved(ref="main")
        assert (tree / "README.md").read_text() == "better\n"
        assert user.git("status", "--porcelain", "-uno", cwd=tree) == ""

    def test_a_checkout_apart_from_its_repository_goes_along(self, rig: GitRig) -> None:
        user, tree = rig.user, rig.user.root.parent / "tree"
        user.git("clone", "-q", "--separate-git-dir", f"{tree}.git", str(user.root), str(tree))
        inside = GitRig(tree, GitUser(root=tree))
        assert inside.land({"README.md": "better\n"}) == Moved(ref="main")
        assert (tree / "README.md").read_text() == "better\n"

    @pytest.mark.parametrize("staged", [False, True])
    def test_edits_that_overlap_are_not_touched(self, rig: GitRig, *, staged: bool) -> None:
        rig.user.write("README.md", "my edit\n")
        if staged:
            rig.user.git("add", "README.md")
        self.assert_held(rig, {"README.md": "better\n", "new.txt": "n\n"})
        assert (rig.user.root / "README.md").read_text() == "my edit\n"

    @pytest.mark.parametrize("name", ["new.txt", "ignored.log"])
    def test_a_file_that_is_not_in_git_is_in_the_way(self, rig: GitRig, name: str) -> None:
        rig.user.write(name, "precious\n")
        candidate = rig.candidate(self.forced(rig, name))
        self.assert_candidate_held(rig, candidate)
        assert (rig.user.root / name).read_text() == "precious\n"

    def forced(self, rig: GitRig, name: str) -> Commit:
        """A story that commits a file although it is ignored."""
        return rig.story({".gitignore": "", name: "the story's\n"})

    def test_in_the_middle_of_a_rebase(self, rig: GitRig) -> None:
        user = rig.user
        user.git("switch", "--quiet", "-c", "upstream")
        user.commit("theirs", {"README.md": "upstream\n"})
        user.git("switch", "--quiet", "main")
        user.commit("mine", {"README.md": "mine\n"})
        assert user.try_git("rebase", "upstream").returncode != 0
        self.assert_held(rig, {"new.txt": "n\n"})
        user.git("rebase", "--abort")
        assert user.git("log", "-1", "--format=%s", "main") == "mine"

    def test_in_the_middle_of_a_merge(self, rig: GitRig) -> None:
        user = rig.user
        user.git("switch", "--quiet", "-c", "other")
        user.commit("theirs", {"other.txt": "o\n"})
        user.git("switch", "--quiet", "main")
        user.commit("mine", {"mine.txt": "m\n"})
        user.git("merge", "--no-commit", "--no-ff", "other")
        self.assert_held(rig, {"new.txt": "n\n"})
        user.git("commit", "--quiet", "--no-edit")

    def test_in_the_middle_of_a_bisection(self, rig: GitRig) -> None:
        rig.user.commit("second", {"b": "b\n"})
        rig.user.commit("third", {"c": "c\n"})
        rig.user.git("bisect", "start", "main", "main~2")
        self.assert_held(rig, {"new.txt": "n\n"})

    @pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock", "HEAD.lock"])
    def test_another_git_is_at_work(self, rig: GitRig, lock: str) -> None:
        held = rig.user.root / ".git" / lock
        tip = rig.story({"new.txt": "n\n", "README.md": "better\n"})
        candidate = rig.candidate(tip)
        held.write_text("")
        before = rig.user.at("main")
        assert rig.move(candidate) == Moved(ref=HELD)
        held.unlink()
        assert rig.user.at("main") == before
        assert rig.user.status() == ""

    def test_detached(self, rig: GitRig) -> None:
        rig.user.git("switch", "--quiet", "--detach")
        head = rig.user.at("HEAD")
        assert rig.land({"new.txt": "n\n"}) == Moved(ref="main")
        assert rig.user.at("HEAD") == head
        assert rig.user.status() == ""

    def test_a_second_worktree_has_the_branch(self, elsewhere: GitRig) -> None:
        second = elsewhere.user.root.parent / "second tree"
        elsewhere.user.git("worktree", "add", "--quiet", str(second), "main")
        assert elsewhere.land({"new.txt": "n\n"}) == Moved(ref="main")
        assert (second / "new.txt").read_text() == "n\n"
        assert elsewhere.user.status(second) == ""
        assert elsewhere.user.status() == ""
        assert not (elsewhere.user.root / "new.txt").exists()

    def test_two_worktrees_have_the_branch(self, rig: GitRig) -> None:
        second = rig.user.root.parent / "second"
        rig.user.git("worktree", "add", "--quiet", "--force", str(second), "main")
        self.assert_held(rig, {"new.txt": "n\n"})
        assert rig.user.status(second) == ""

    def test_a_worktree_that_was_deleted_holds_nothing(self, elsewhere: GitRig) -> None:
        second = elsewhere.user.root.parent / "second"
        elsewhere.user.git("worktree", "add", "--quiet", str(second), "main")
        subprocess.run(["rm", "-rf", str(second)], check=True)
        assert elsewhere.land({"new.txt": "n\n"}) == Moved(ref="main")

    def test_a_locked_worktree_that_is_away_is_respected(self, elsewhere: GitRig) -> None:
        second = elsewhere.user.root.parent / "second"
        elsewhere.user.git("worktree", "add", "--quiet", "--lock", str(second), "main")
        second.rename(second.with_name("away"))
        assert elsewhere.land({"new.txt": "n\n"}) == Moved(ref=HELD)

    @pytest.mark.parametrize("checked_out", [True, False])
    def test_the_user_commits_in_between(self, rig: GitRig, *, checked_out: bool) -> None:
        candidate = rig.candidate(rig.story({"new.txt": "n\n"}))
        mine = rig.user.commit("in between", {"mine.txt": "m\n"})
        if not checked_out:
            rig.user.git("switch", "--quiet", "-c", "topic")
        assert rig.move(candidate) == Missed()
        assert rig.user.at("main") == mine
        assert rig.user.git("branch", "--list", HELD) == ""
        assert rig.user.status() == ""

    def test_hooks_of_the_user_do_not_run_and_cannot_refuse(self, rig: GitRig) -> None:
        hooks = rig.user.root / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        rig.user.git("config", "core.hooksPath", str(hooks))
        for name in ("reference-transaction", "post-merge", "post-checkout", "post-index-change"):
            (hooks / name).write_text("#!/bin/sh\ntouch ran\nexit 1\n")
            (hooks / name).chmod(0o755)
        assert rig.land({"new.txt": "n\n"}) == Moved(ref="main")
        assert not (rig.user.root / "ran").exists()

    def test_filters_of_the_user_do_run(self, rig: GitRig) -> None:
        rig.user.git("config", "--global", "filter.loud.smudge", "tr a-z A-Z")
        rig.user.git("config", "--global", "filter.loud.clean", "tr A-Z a-z")
        rig.user.commit("attributes", {".gitattributes": "*.loud filter=loud\n"})
        assert rig.land({"x.loud": "quiet\n"}) == Moved(ref="main")
        assert (rig.user.root / "x.loud").read_text() == "QUIET\n"
        assert rig.user.status() == ""

    def test_files_and_branch_move_together_or_not_at_all(self, rig: GitRig) -> None:
        """The branch's lock is lost while the files are being moved: they return to where they were."""
        lock = rig.user.root / ".git" / "refs" / "heads" / "main.lock"
        rig.user.git("config", "--global", "filter.thief.smudge", f"rm -f '{lock}'; cat")
        rig.user.commit("attributes", {".gitattributes": "*.stolen filter=thief\n"})
        rig.user.write("mine.txt", "untracked\n")
        self.assert_held(rig, {"x.stolen": "x\n", "README.md": "better\n", "src/a.txt": None})
        assert (rig.user.root / "README.md").read_text() == "hello\n"

    def test_after_dying_between_the_files_and_the_branch(self, rig: GitRig) -> None:
        candidate = rig.candidate(rig.story({"new.txt": "n\n", "README.md": "better\n", "src/a.txt": None}))
        asyncio.run(rig.hub.share(candidate.commit, (candidate.base,)))
        rig.user.git("read-tree", "-m", "-u", candidate.base, candidate.commit)
        assert rig.user.status() != ""
        assert rig.move(candidate) == Moved(ref="main")
        assert rig.user.at("main") == candidate.commit
        assert rig.user.status() == ""

    def test_after_git_itself_died_between_the_files_and_the_index(self, rig: GitRig) -> None:
        files = {"new.txt": "n\n", "later.txt": "l\n", "README.md": "better\n", "src/a.txt": None}
        candidate = rig.candidate(rig.story(files))
        rig.user.write("new.txt", "n\n")
        rig.user.write("README.md", "better\n")
        (rig.user.root / "src" / "a.txt").unlink()
        assert rig.move(candidate) == Moved(ref="main")
        assert rig.user.at("main") == candidate.commit
        assert rig.user.status() == ""

    def test_what_the_user_has_written_beside_it_is_not_taken_for_that(self, rig: GitRig) -> None:
        rig.user.write("new.txt", "n\n")
        rig.user.write("README.md", "my own\n")
        self.assert_held(rig, {"new.txt": "n\n", "README.md": "better\n"})
        assert (rig.user.root / "README.md").read_text() == "my own\n"

    def assert_held(self, rig: GitRig, files: dict[str, str | None]) -> None:
        self.assert_candidate_held(rig, rig.candidate(rig.story(files)))

    def assert_candidate_held(self, rig: GitRig, candidate: Candidate) -> None:
        before = (rig.user.at("main"), rig.user.at("HEAD"), rig.user.status())
        assert rig.move(candidate) == Moved(ref=HELD)
        assert (rig.user.at("main"), rig.user.at("HEAD"), rig.user.status()) == before
        assert rig.user.at(HELD) == candidate.commit
        assert rig.move(candidate) == Moved(ref=HELD)


class TestTheHoldingBranch:
    def test_work_continues_from_it_and_the_branch_catches_up(self, rig: GitRig) -> None:
        rig.user.write("README.md", "my edit\n")
        assert rig.land({"README.md": "one\n"}) == Moved(ref=HELD)
        assert rig.land({"README.md": "two\n"}) == Moved(ref=HELD)
        rig.user.git("checkout", "--quiet", "README.md")
        candidate = rig.candidate(rig.story({"new.txt": "n\n"}))
        assert rig.move(candidate) == Moved(ref="main")
        assert rig.user.at("main") == candidate.commit
        assert (rig.user.root / "README.md").read_text() == "two\n"
        assert rig.user.git("branch", "--list", HELD) == ""
        assert rig.user.status() == ""

    def test_the_user_merges_it(self, rig: GitRig) -> None:
        rig.user.write("README.md", "my edit\n")
        first = rig.candidate(rig.story({"README.md": "one\n"}))
        rig.move(first)
        rig.user.git("checkout", "--quiet", "README.md")
        rig.user.git("merge", "--quiet", "--ff-only", HELD)
        assert rig.move(first) == Moved(ref="main")
        assert rig.tip() == first.commit

    def test_looked_at_by_the_user_it_is_moved_with_their_tree(self, rig: GitRig) -> None:
        rig.user.write("README.md", "my edit\n")
        rig.land({"README.md": "one\n"})
        second = rig.user.root.parent / "second"
        rig.user.git("worktree", "add", "--quiet", str(second), HELD)
        assert rig.land({"README.md": "two\n"}) == Moved(ref=HELD)
        assert (second / "README.md").read_text() == "two\n"
        assert rig.user.status(second) == ""

    def test_where_neither_can_be_moved_the_user_is_reported(self, rig: GitRig) -> None:
        rig.user.write("README.md", "my edit\n")
        rig.land({"README.md": "one\n"})
        second = GitUser(root=rig.user.root.parent / "second")
        rig.user.git("worktree", "add", "--quiet", str(second.root), HELD)
        second.write("README.md", "another edit\n")
        candidate = rig.candidate(rig.story({"README.md": "two\n"}))
        with pytest.raises(RepositoryError, match="neither main nor shiftwork/landed/main"):
            rig.move(candidate)
        assert (second.root / "README.md").read_text() == "another edit\n"

    def test_where_git_refuses_to_make_it_the_user_is_reported_why_and_what_next(self, rig: GitRig) -> None:
        rig.user.git("branch", "shiftwork")
        rig.user.write("README.md", "my edit\n")
        candidate = rig.candidate(rig.story({"README.md": "one\n"}))
        with pytest.raises(RepositoryError, match=r"'refs/heads/shiftwork' exists") as raised:
            rig.move(candidate)
        assert raised.value.hint.endswith("shiftwork resume")


_CONTENTS = st.sampled_from(["base\n", "user\n", "story\n", None])
_FILES = st.fixed_dictionaries(dict.fromkeys(("a", "b", "c"), _CONTENTS))


def _put(root: Path, files: dict[str, str | None]) -> None:
    for name, content in files.items():
        (root / name).unlink(missing_ok=True)
        if content is not None:
            (root / name).write_text(content)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> GitRig:
    return GitRig(tmp_path_factory.mktemp("shared"))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(base=_FILES, story=_FILES, edited=_FILES, staged=st.booleans())
def test_whatever_the_user_has_edited_is_as_it_was(
    shared: GitRig,
    base: dict[str, str | None],
    story: dict[str, str | None],
    edited: dict[str, str | None],
    *,
    staged: bool,
) -> None:
    """Either the checkout moved, and shows exactly the user's own edits; or neither it nor the branch changed."""
    user = shared.user
    user.git("reset", "--quiet", "--hard")
    user.git("clean", "-fdq")
    asyncio.run(shared.repository.tip("main"))
    _put(user.root, base)
    user.git("add", "-A")
    user.git("commit", "--quiet", "--allow-empty", "-m", "base")
    user.try_git("branch", "-D", HELD)
    start = user.at("main")
    built = shared.try_candidate(shared.story({name: story[name] for name in story if story[name] is not None}))
    if not isinstance(built, Candidate):
        return
    _put(user.root, edited)
    if staged:
        user.git("add", "-A")
    edits = {name: content for name, content in edited.items() if content != base[name]}
    before = user.status()
    result = shared.move(built)
    if result == Moved(ref="main"):
        assert user.at("main") == built.commit
        assert {line[3:] for line in user.status().splitlines()} <= set(edits)
    else:
        assert result == Moved(ref=HELD)
        assert user.at("main") == start
        assert user.status() == before
    for name, content in edits.items():
        path = user.root / name
        assert (path.read_text() if path.exists() else None) == content
