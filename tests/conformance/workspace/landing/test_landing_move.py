"""Moving the user's branch: their checkout is updated completely or left alone."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiftwork.adapters.workspace.hub.user_trees import in_the_way
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Candidate, Missed, Moved, Obstacle
from shiftwork.testing.git_user import GitUser
from tests.conformance.workspace.git.git_rig import HELD, Context


class TestMove:
    def test_checked_out_nowhere(self, elsewhere: Context) -> None:
        candidate = elsewhere.candidate(elsewhere.story({"new.txt": "n\n"}))
        assert elsewhere.move(candidate) == Moved(ref="main")
        assert elsewhere.user.at("main") == candidate.commit
        assert "shiftwork: landed" in elsewhere.user.git("reflog", "-1", "main")
        assert elsewhere.user.status() == ""
        elsewhere.user.git("fsck", "--strict")

    def test_again_after_success(self, elsewhere: Context) -> None:
        candidate = elsewhere.candidate(elsewhere.story({"new.txt": "n\n"}))
        elsewhere.move(candidate)
        assert elsewhere.move(candidate) == Moved(ref="main")
        elsewhere.land({"more.txt": "m\n"})
        after = elsewhere.user.at("main")
        assert elsewhere.move(candidate) == Moved(ref="main")
        assert elsewhere.user.at("main") == after

    def test_a_clean_checkout_goes_along(self, context: Context) -> None:
        assert context.land({"new.txt": "n\n", "README.md": "better\n", "src/a.txt": None}) == Moved(ref="main")
        assert context.user.status() == ""
        assert (context.user.root / "README.md").read_text() == "better\n"
        assert not (context.user.root / "src" / "a.txt").exists()
        assert "shiftwork: landed" in context.user.git("reflog", "-1", "HEAD")

    def test_edits_that_do_not_overlap_stay(self, context: Context) -> None:
        context.user.write("src/a.txt", "my edit\n")
        context.user.write("staged.txt", "staged\n")
        context.user.git("add", "staged.txt")
        context.user.write("untracked.txt", "u\n")
        (context.user.root / "README.md").touch()
        before = context.user.status()
        assert context.land({"README.md": "better\n"}) == Moved(ref="main")
        assert context.user.status() == before
        assert (context.user.root / "src" / "a.txt").read_text() == "my edit\n"
        assert (context.user.root / "README.md").read_text() == "better\n"

    def test_the_edits_that_are_in_the_way_are_named(self, context: Context) -> None:
        context.user.write("README.md", "my edit\n")
        context.user.write("new.txt", "mine\n")
        context.user.write("src/a.txt", "in nobody's way\n")
        assert context.land({"README.md": "better\n", "new.txt": "n\n"}) == Moved(ref=HELD)
        tree = str(context.user.root.resolve())
        assert self.in_the_way(context) == Obstacle(files=("README.md", "new.txt"), tree=tree)
        context.user.git("stash", "push", "-u", "--", "README.md", "new.txt")
        assert self.in_the_way(context) == Obstacle(tree=tree)
        context.user.git("checkout", "-q", "--detach")
        assert self.in_the_way(context) == Obstacle()

    def in_the_way(self, context: Context) -> Obstacle:
        return asyncio.run(in_the_way(context.hub.user, context.hub.common, "main", HELD))

    def test_why_a_branch_could_not_be_moved_is_reported(self, context: Context) -> None:
        root = context.user.root
        context.user.write("ignored.log", "precious\n")
        assert context.move(context.candidate(self.forced(context, "ignored.log"))) == Moved(ref=HELD)
        assert self.in_the_way(context).why == f"{root / 'ignored.log'} exists, and git ignores it"
        (root / ".git" / "MERGE_HEAD").write_text(context.user.at("main"))
        assert self.in_the_way(context).why == f"a merge, a rebase or the like is unfinished in {root}"
        other = root.parent / "other"
        context.user.git("worktree", "add", "-q", "-f", str(other), "main")
        assert self.in_the_way(context).why == f"main is checked out in 2 working trees: {root}, {other}"
        (root / ".git" / "BISECT_START").write_text("main\n")
        assert self.in_the_way(context).why == "a rebase or bisection in progress will return to main"

    def test_a_tree_that_is_not_there_is_reported(self, elsewhere: Context) -> None:
        disk = elsewhere.user.root.parent / "disk"
        elsewhere.user.git("worktree", "add", "-q", str(disk), "main")
        elsewhere.user.git("worktree", "lock", str(disk))
        disk.rename(disk.parent / "taken out")
        assert elsewhere.land({"new.txt": "n\n"}) == Moved(ref=HELD)
        assert self.in_the_way(elsewhere).why == f"main is checked out in {disk}, which does not exist"

    @pytest.mark.parametrize("linked", [False, True])
    def test_the_checkout_of_a_submodule_goes_along(self, context: Context, *, linked: bool) -> None:
        user, outer = context.user, context.user.root.parent / "outer"
        user.git("init", "-q", str(outer))
        user.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(user.root), "sub", cwd=outer)
        root = tree = outer / "sub"
        (outer / "home").symlink_to(user.home)
        if linked:
            root = outer.parent / "linked"
            user.git("worktree", "add", "-q", "-b", "side", str(root), cwd=tree)
        inside = Context(outer, GitUser(root=root))
        assert inside.land({"README.md": "better\n"}) == Moved(ref="main")
        assert (tree / "README.md").read_text() == "better\n"
        assert user.git("status", "--porcelain", "-uno", cwd=tree) == ""

    def test_a_checkout_apart_from_its_repository_goes_along(self, context: Context) -> None:
        user, tree = context.user, context.user.root.parent / "tree"
        user.git("clone", "-q", "--separate-git-dir", f"{tree}.git", str(user.root), str(tree))
        inside = Context(tree, GitUser(root=tree))
        assert inside.land({"README.md": "better\n"}) == Moved(ref="main")
        assert (tree / "README.md").read_text() == "better\n"

    @pytest.mark.parametrize("staged", [False, True])
    def test_edits_that_overlap_are_not_touched(self, context: Context, *, staged: bool) -> None:
        context.user.write("README.md", "my edit\n")
        if staged:
            context.user.git("add", "README.md")
        self.assert_held(context, {"README.md": "better\n", "new.txt": "n\n"})
        assert (context.user.root / "README.md").read_text() == "my edit\n"

    @pytest.mark.parametrize("name", ["new.txt", "ignored.log"])
    def test_a_file_that_is_not_in_git_is_in_the_way(self, context: Context, name: str) -> None:
        context.user.write(name, "precious\n")
        candidate = context.candidate(self.forced(context, name))
        self.assert_candidate_held(context, candidate)
        assert (context.user.root / name).read_text() == "precious\n"

    def forced(self, context: Context, name: str) -> Commit:
        """A story that commits a file although it is ignored."""
        return context.story({".gitignore": "", name: "the story's\n"})

    def test_in_the_middle_of_a_rebase(self, context: Context) -> None:
        user = context.user
        user.git("switch", "--quiet", "-c", "upstream")
        user.commit("theirs", {"README.md": "upstream\n"})
        user.git("switch", "--quiet", "main")
        user.commit("mine", {"README.md": "mine\n"})
        assert user.try_git("rebase", "upstream").returncode != 0
        self.assert_held(context, {"new.txt": "n\n"})
        user.git("rebase", "--abort")
        assert user.git("log", "-1", "--format=%s", "main") == "mine"

    def test_in_the_middle_of_a_merge(self, context: Context) -> None:
        user = context.user
        user.git("switch", "--quiet", "-c", "other")
        user.commit("theirs", {"other.txt": "o\n"})
        user.git("switch", "--quiet", "main")
        user.commit("mine", {"mine.txt": "m\n"})
        user.git("merge", "--no-commit", "--no-ff", "other")
        self.assert_held(context, {"new.txt": "n\n"})
        user.git("commit", "--quiet", "--no-edit")

    def test_in_the_middle_of_a_bisection(self, context: Context) -> None:
        context.user.commit("second", {"b": "b\n"})
        context.user.commit("third", {"c": "c\n"})
        context.user.git("bisect", "start", "main", "main~2")
        self.assert_held(context, {"new.txt": "n\n"})

    @pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock", "HEAD.lock"])
    def test_another_git_is_at_work(self, context: Context, lock: str) -> None:
        held = context.user.root / ".git" / lock
        tip = context.story({"new.txt": "n\n", "README.md": "better\n"})
        candidate = context.candidate(tip)
        held.write_text("")
        before = context.user.at("main")
        assert context.move(candidate) == Moved(ref=HELD)
        held.unlink()
        assert context.user.at("main") == before
        assert context.user.status() == ""

    def test_detached(self, context: Context) -> None:
        context.user.git("switch", "--quiet", "--detach")
        head = context.user.at("HEAD")
        assert context.land({"new.txt": "n\n"}) == Moved(ref="main")
        assert context.user.at("HEAD") == head
        assert context.user.status() == ""

    def test_a_second_worktree_has_the_branch(self, elsewhere: Context) -> None:
        second = elsewhere.user.root.parent / "second tree"
        elsewhere.user.git("worktree", "add", "--quiet", str(second), "main")
        assert elsewhere.land({"new.txt": "n\n"}) == Moved(ref="main")
        assert (second / "new.txt").read_text() == "n\n"
        assert elsewhere.user.status(second) == ""
        assert elsewhere.user.status() == ""
        assert not (elsewhere.user.root / "new.txt").exists()

    def test_two_worktrees_have_the_branch(self, context: Context) -> None:
        second = context.user.root.parent / "second"
        context.user.git("worktree", "add", "--quiet", "--force", str(second), "main")
        self.assert_held(context, {"new.txt": "n\n"})
        assert context.user.status(second) == ""

    def test_a_worktree_that_was_deleted_holds_nothing(self, elsewhere: Context) -> None:
        second = elsewhere.user.root.parent / "second"
        elsewhere.user.git("worktree", "add", "--quiet", str(second), "main")
        subprocess.run(["rm", "-rf", str(second)], check=True)
        assert elsewhere.land({"new.txt": "n\n"}) == Moved(ref="main")

    def test_a_locked_worktree_that_is_away_is_respected(self, elsewhere: Context) -> None:
        second = elsewhere.user.root.parent / "second"
        elsewhere.user.git("worktree", "add", "--quiet", "--lock", str(second), "main")
        second.rename(second.with_name("away"))
        assert elsewhere.land({"new.txt": "n\n"}) == Moved(ref=HELD)

    @pytest.mark.parametrize("checked_out", [True, False])
    def test_the_user_commits_in_between(self, context: Context, *, checked_out: bool) -> None:
        candidate = context.candidate(context.story({"new.txt": "n\n"}))
        mine = context.user.commit("in between", {"mine.txt": "m\n"})
        if not checked_out:
            context.user.git("switch", "--quiet", "-c", "topic")
        assert context.move(candidate) == Missed()
        assert context.user.at("main") == mine
        assert context.user.git("branch", "--list", HELD) == ""
        assert context.user.status() == ""

    def test_hooks_of_the_user_do_not_run_and_cannot_refuse(self, context: Context) -> None:
        hooks = context.user.root / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        context.user.git("config", "core.hooksPath", str(hooks))
        for name in ("reference-transaction", "post-merge", "post-checkout", "post-index-change"):
            (hooks / name).write_text("#!/bin/sh\ntouch ran\nexit 1\n")
            (hooks / name).chmod(0o755)
        assert context.land({"new.txt": "n\n"}) == Moved(ref="main")
        assert not (context.user.root / "ran").exists()

    def test_filters_of_the_user_do_run(self, context: Context) -> None:
        context.user.git("config", "--global", "filter.loud.smudge", "tr a-z A-Z")
        context.user.git("config", "--global", "filter.loud.clean", "tr A-Z a-z")
        context.user.commit("attributes", {".gitattributes": "*.loud filter=loud\n"})
        assert context.land({"x.loud": "quiet\n"}) == Moved(ref="main")
        assert (context.user.root / "x.loud").read_text() == "QUIET\n"
        assert context.user.status() == ""

    def test_files_and_branch_move_together_or_not_at_all(self, context: Context) -> None:
        """The branch's lock is lost while the files are being moved: they return to where they were."""
        lock = context.user.root / ".git" / "refs" / "heads" / "main.lock"
        context.user.git("config", "--global", "filter.thief.smudge", f"rm -f '{lock}'; cat")
        context.user.commit("attributes", {".gitattributes": "*.stolen filter=thief\n"})
        context.user.write("mine.txt", "untracked\n")
        self.assert_held(context, {"x.stolen": "x\n", "README.md": "better\n", "src/a.txt": None})
        assert (context.user.root / "README.md").read_text() == "hello\n"

    def test_after_dying_between_the_files_and_the_branch(self, context: Context) -> None:
        candidate = context.candidate(context.story({"new.txt": "n\n", "README.md": "better\n", "src/a.txt": None}))
        asyncio.run(context.hub.share(candidate.commit, (candidate.base,)))
        context.user.git("read-tree", "-m", "-u", candidate.base, candidate.commit)
        assert context.user.status() != ""
        assert context.move(candidate) == Moved(ref="main")
        assert context.user.at("main") == candidate.commit
        assert context.user.status() == ""

    def test_after_git_itself_died_between_the_files_and_the_index(self, context: Context) -> None:
        files = {"new.txt": "n\n", "later.txt": "l\n", "README.md": "better\n", "src/a.txt": None}
        candidate = context.candidate(context.story(files))
        context.user.write("new.txt", "n\n")
        context.user.write("README.md", "better\n")
        (context.user.root / "src" / "a.txt").unlink()
        assert context.move(candidate) == Moved(ref="main")
        assert context.user.at("main") == candidate.commit
        assert context.user.status() == ""

    def test_what_the_user_has_written_beside_it_is_not_taken_for_that(self, context: Context) -> None:
        context.user.write("new.txt", "n\n")
        context.user.write("README.md", "my own\n")
        self.assert_held(context, {"new.txt": "n\n", "README.md": "better\n"})
        assert (context.user.root / "README.md").read_text() == "my own\n"

    def assert_held(self, context: Context, files: dict[str, str | None]) -> None:
        self.assert_candidate_held(context, context.candidate(context.story(files)))

    def assert_candidate_held(self, context: Context, candidate: Candidate) -> None:
        before = (context.user.at("main"), context.user.at("HEAD"), context.user.status())
        assert context.move(candidate) == Moved(ref=HELD)
        assert (context.user.at("main"), context.user.at("HEAD"), context.user.status()) == before
        assert context.user.at(HELD) == candidate.commit
        assert context.move(candidate) == Moved(ref=HELD)


class TestTheHoldingBranch:
    def test_work_continues_from_it_and_the_branch_catches_up(self, context: Context) -> None:
        context.user.write("README.md", "my edit\n")
        assert context.land({"README.md": "one\n"}) == Moved(ref=HELD)
        assert context.land({"README.md": "two\n"}) == Moved(ref=HELD)
        context.user.git("checkout", "--quiet", "README.md")
        candidate = context.candidate(context.story({"new.txt": "n\n"}))
        assert context.move(candidate) == Moved(ref="main")
        assert context.user.at("main") == candidate.commit
        assert (context.user.root / "README.md").read_text() == "two\n"
        assert context.user.git("branch", "--list", HELD) == ""
        assert context.user.status() == ""

    def test_the_user_merges_it(self, context: Context) -> None:
        context.user.write("README.md", "my edit\n")
        first = context.candidate(context.story({"README.md": "one\n"}))
        context.move(first)
        context.user.git("checkout", "--quiet", "README.md")
        context.user.git("merge", "--quiet", "--ff-only", HELD)
        assert context.move(first) == Moved(ref="main")
        assert context.tip() == first.commit

    def test_looked_at_by_the_user_it_is_moved_with_their_tree(self, context: Context) -> None:
        context.user.write("README.md", "my edit\n")
        context.land({"README.md": "one\n"})
        second = context.user.root.parent / "second"
        context.user.git("worktree", "add", "--quiet", str(second), HELD)
        assert context.land({"README.md": "two\n"}) == Moved(ref=HELD)
        assert (second / "README.md").read_text() == "two\n"
        assert context.user.status(second) == ""

    def test_where_neither_can_be_moved_the_user_is_reported(self, context: Context) -> None:
        context.user.write("README.md", "my edit\n")
        context.land({"README.md": "one\n"})
        second = GitUser(root=context.user.root.parent / "second")
        context.user.git("worktree", "add", "--quiet", str(second.root), HELD)
        second.write("README.md", "another edit\n")
        candidate = context.candidate(context.story({"README.md": "two\n"}))
        with pytest.raises(RepositoryError, match="neither main nor shiftwork/landed/main"):
            context.move(candidate)
        assert (second.root / "README.md").read_text() == "another edit\n"

    def test_where_git_refuses_to_make_it_the_user_is_reported_why_and_what_next(self, context: Context) -> None:
        context.user.git("branch", "shiftwork")
        context.user.write("README.md", "my edit\n")
        candidate = context.candidate(context.story({"README.md": "one\n"}))
        with pytest.raises(RepositoryError, match=r"'refs/heads/shiftwork' exists") as raised:
            context.move(candidate)
        assert raised.value.hint.endswith("shiftwork resume")


_CONTENTS = st.sampled_from(["base\n", "user\n", "story\n", None])
_FILES = st.fixed_dictionaries(dict.fromkeys(("a", "b", "c"), _CONTENTS))


def _put(root: Path, files: dict[str, str | None]) -> None:
    for name, content in files.items():
        (root / name).unlink(missing_ok=True)
        if content is not None:
            (root / name).write_text(content)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Context:
    return Context(tmp_path_factory.mktemp("shared"))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(base=_FILES, story=_FILES, edited=_FILES, staged=st.booleans())
def test_whatever_the_user_has_edited_is_as_it_was(
    shared: Context,
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
